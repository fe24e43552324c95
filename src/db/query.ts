// All that is used of postgres.js without being documented, for which its version is pinned: what its
// connections need of a query. Its own queries have three faults. They stay in memory, with their
// results, until the next full garbage collection. Those that are not prepared yet ask Postgres for the types
// of their parameters before they send the values: one round trip more. And when Postgres refuses what a
// session has prepared, they are sent again in the same session, where another read may be in flight, and
// answers get mixed up; if they fail then, the first error is told instead of theirs.
import type postgres from "postgres";

/** The rows, each an array of bytes if they are raw, and what the client tells of their columns. */
type ReceivedRows = Iterable<object | undefined> & { columns?: readonly { name: string }[] | null };
/** Whether to prepare it, and whether its rows come raw, as those of `raw()` of the client. */
type SendOptions = { prepare: boolean; isRaw?: boolean };

/** Makes the function that runs a text with the values of its parameters in a session of the client. */
export function runner(client: postgres.Sql) {
  // This query is never sent, because nobody awaits it
  const { handler } = client.unsafe("") as unknown as { handler(query: SentQuery): void };
  return (text: string, values: unknown[], options: SendOptions): Promise<ReceivedRows> =>
    new Promise((resolve, reject) =>
      handler(new SentQuery([text], values, options, resolve, reject))
    );
}

class SentQuery {
  readonly tagged = false;
  readonly origin = "";
  readonly strings;
  readonly args;
  readonly options;
  readonly isRaw;
  readonly resolve;
  readonly reject;
  active = false;
  cancelled = false;
  state = null;
  statement = null;
  parameters = undefined;

  constructor(
    strings: string[],
    args: unknown[],
    options: SendOptions,
    resolve: (rows: ReceivedRows) => void,
    reject: (error: unknown) => void,
  ) {
    this.strings = strings;
    this.args = args;
    this.options = options;
    this.isRaw = options.isRaw ?? false;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** The client sets whether it asks for the types. Every value goes as text, so nothing depends on them. */
  get describeFirst(): boolean {
    return false;
  }

  set describeFirst(_: unknown) {}

  get retried(): undefined {
    return undefined;
  }

  /** The client sets this before it sends the query again, unless that was cancelled. */
  set retried(error: unknown) {
    this.cancelled = true;
    this.reject(error);
  }
}
