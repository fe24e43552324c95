// Which statements run again after a failure, and how often: those that have certainly done nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "postgres";
import type { Kind, Serve, Unserved } from "./pool.ts";
import { type ClientQuery, type Composed, preparedText } from "./query.ts";
import type { Prepared, Tag } from "./sql.ts";
import { metAnother } from "./state.ts";

/** How often a statement runs again at most. */
const REPEATS = 3;

/** Milliseconds, at most, before a statement that met another runs again for the first time. */
const JITTER = 20;

/** Makes, of the tag of a client that only composes, one that has what it composes served. */
export function retrying(composer: Tag, serve: Serve) {
  const routed = <Made>(made: Made): Made =>
    made instanceof Promise ? Object.assign(made, { handler: carry }) : made;

  function carry(query: ClientQuery): void {
    const kind = isWrite(piecesOf(query)) ? "write" : "read";
    run(kind, query).then(query.resolve, query.reject);
  }

  async function run(kind: Kind, composed: Composed): Promise<Row[]> {
    for (let repeats = 0;; repeats++) {
      try {
        return await serve(kind, composed);
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
      return (values) => run(kind, preparedText(text, values));
    },
  });
}

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

function piecesOf({ strings, args }: Composed): string[] {
  const fragments = args.filter((value) => value instanceof Promise) as ClientQuery[];
  return [...strings, ...fragments.flatMap(piecesOf)];
}
