// Which statements run again after a failure, and how often: those that have certainly done nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { Kind, Lend, Unserved } from "./pool.ts";
import type { Prepared, Tag } from "./sql.ts";
import { metAnother } from "./state.ts";

/** What the types of the client do not tell of a statement: who runs it, and how it ends. */
interface Query extends Promise<unknown> {
  handler(query: Query): void;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
  /** Whether it is not to be sent any more. */
  cancelled: unknown;
  tagged: boolean;
  strings: string[];
  args: never[];
  options: object;
}

/** How often a statement runs again at most. */
const REPEATS = 3;

/** Milliseconds, at most, before a statement that met another runs again for the first time. */
const JITTER = 20;

/** Makes, of the tag of a client that only composes, one that runs what it composes in the sessions
 * that it is lent. */
export function retrying(composer: Tag, lend: Lend) {
  const routed = <Made>(made: Made): Made =>
    made instanceof Promise ? Object.assign(made, { handler: carry }) : made;

  function carry(query: Query): void {
    const kind = isWrite(piecesOf(query)) ? "write" : "read";
    run(kind, (tag) => runIn(tag, query)).then(query.resolve, query.reject);
  }

  async function run<Result>(
    kind: Kind,
    work: (tag: Tag) => Promise<Result>,
  ): Promise<Result> {
    for (let repeats = 0;; repeats++) {
      try {
        return await lend(kind, work);
      } catch (failure) {
        const { cause } = failure as Unserved;
        if (repeats === REPEATS || !mayRepeat(failure as Unserved, kind)) throw cause;
        if (metAnother(cause)) await delay(Math.random() * JITTER * 2 ** repeats);
      }
    }
  }

  return Object.assign((...words: Parameters<Tag>) => routed(composer(...words)), {
    unsafe: (...words: Parameters<Tag["unsafe"]>) => routed(composer.unsafe(...words)),
    prepared(text: string): Prepared {
      const kind = isWrite([text]) ? "write" : "lookup";
      return (values) => run(kind, (tag) => once(tag.unsafe(text, values, { prepare: true })));
    },
  });
}

/** A statement is composed anew for each run, for the client changes the values that it sends. */
function runIn(tag: Tag, query: Query): Promise<unknown> {
  return once(
    query.tagged
      ? Object.assign(tag`${query as never}`, { options: query.options })
      : tag.unsafe(query.strings[0]!, query.args, query.options),
  );
}

/** Keeps the client from sending a statement again by itself, which it does where Postgres no longer
 * takes what it has prepared: it would send the next one in between, and mistake the answers of both. */
function once<Made extends Promise<unknown>>(query: Made): Made {
  return Object.defineProperty(query, "retried", RETRIED);
}

/** What the client sets when it is about to. It is one for all statements: with accessors of its own,
 * each would have a shape of its own for the engine, and a read take some 7 % longer. */
const RETRIED = {
  get: () => undefined,
  set(this: Query, error: unknown) {
    this.reject(error);
    this.cancelled = true;
  },
};

function mayRepeat({ fate, cause }: Unserved, kind: Kind): boolean {
  // What was sent may have been carried out, whatever came back: Postgres can end a session between
  // the commit and its answer. So a write that was sent is never sent again.
  if (fate === "unknown") return kind !== "write";
  return fate === "unsent" || metAnother(cause);
}

/** Whether a statement may change anything, by the pieces of its text: it only reads if it begins as
 * one that does, and nothing in it is a word that writes. */
function isWrite(pieces: string[]): boolean {
  return !/^\s*(select|with)\b/i.test(pieces[0]!) ||
    pieces.some((piece) => /\b(insert|update|delete|merge)\b/i.test(piece));
}

function piecesOf({ strings, args }: Query): string[] {
  const fragments = args.filter((value: unknown) => value instanceof Promise);
  return [...strings, ...fragments.flatMap(piecesOf)];
}
