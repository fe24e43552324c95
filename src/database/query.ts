// A query as the connections of the client take one, in the place of the client's own. That is a
// promise to whose properties functions are assigned, and those V8 makes in its old generation: each
// would keep its query, with all that it gave, until the next full collection.
import type { Row } from "postgres";
import type { Tag } from "./sql.ts";

/** What the client composes: a text in pieces, and the values between them, or those of its parameters
 * where it is not tagged. */
export interface Composed {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
  readonly tagged: boolean;
  readonly options: object;
}

/** The client's own, as far as its types do not tell of it: who runs it, and how it ends. */
export interface ClientQuery extends Composed, Promise<unknown> {
  handler(query: object): void;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
}

/** Runs, in one session, what was composed, and gives its rows. It may run again: each run is a query of
 * its own, for the client keeps in one what it makes of it. */
export type Run = (composed: Composed) => Promise<Row[]>;

/** A text that is to be prepared, and the values of its parameters. Where there are none, the client
 * would send it to be parsed each time, if it were not told. */
export function preparedText(text: string, values: readonly unknown[]): Composed {
  return { strings: [text], args: values, tagged: false, options: PREPARED };
}

const PREPARED = { prepare: true, simple: false };

/** Makes what runs queries in the sessions of a client. */
export function running(client: Tag): Run {
  const { handler } = client.unsafe("") as unknown as ClientQuery; // never sent: nobody waits for it
  return (composed) =>
    new Promise((resolve, reject) => handler(new Query(composed, resolve, reject)));
}

/** What a connection of the client reads of a query, and keeps in it, but for what cursors and copies
 * need. */
class Query implements Composed {
  readonly strings;
  readonly args;
  readonly tagged;
  readonly options;
  readonly resolve;
  readonly reject;
  readonly origin = "";
  active = false;
  /** Whether it is not to be sent any more. */
  cancelled = false;
  state = null;
  statement = null;
  parameters = undefined;

  constructor(
    { strings, args, tagged, options }: Composed,
    resolve: (rows: Row[]) => void,
    reject: (error: unknown) => void,
  ) {
    this.strings = strings;
    this.args = args;
    this.tagged = tagged;
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
  }

  get retried(): undefined {
    return undefined;
  }

  /** The client is about to send it again, as it does where Postgres no longer takes what it has
   * prepared: it would send the next one in between, and mistake the answers of both. */
  set retried(error: unknown) {
    this.reject(error);
    this.cancelled = true;
  }
}
