// Writes to one row that meet: what a statement saw before it got the lock of the row may be out of date.
import { ATTEMPTS } from "../time.ts";
import { outrun } from "./conflicts.ts";
import type { Verdict } from "../statements/change.ts";

/** Makes a write to a row run again while another write came between. From the second time on, the writes to
 * a row wait for each other, so that each sees the one before: only another process can come between. */
export function untilCurrent<Rest extends unknown[], Outcome extends Verdict>(
  run: (id: number, ...rest: Rest) => Promise<Outcome | undefined>,
): (id: number, ...rest: Rest) => Promise<Outcome | undefined> {
  const last = new Map<number, Promise<unknown>>();

  async function inTurn(id: number, ...rest: Rest): Promise<Outcome | undefined> {
    for (let attempt = 2;; attempt++) {
      const outcome = await run(id, ...rest);
      if (outcome?.isCurrent !== false) return outcome;
      if (attempt === ATTEMPTS) throw outrun();
    }
  }

  return async (id, ...rest) => {
    const outcome = await run(id, ...rest);
    if (outcome?.isCurrent !== false) return outcome;
    const next = () => inTurn(id, ...rest);
    const turn = (last.get(id) ?? Promise.resolve()).then(next, next);
    last.set(id, turn);
    try {
      return await turn;
    } finally {
      if (last.get(id) === turn) last.delete(id);
    }
  };
}
