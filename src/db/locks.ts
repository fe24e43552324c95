// Statements that meet a lock. While one waits for it, it keeps a session from the others, so Postgres gives it up
// after a moment, and it tries again: only a few do so at a time, and the rest wait for their turn without a session.
import { batched } from "./batch.ts";
import type { Database } from "./database.ts";
import { isLockTimeout } from "./errors.ts";

export interface LockOptions {
  /** The most statements that try again at a time. */
  most: number;
  /** Milliseconds from its first attempt on in which a statement may begin another one. */
  limit: number;
}

/** Makes the `run` of a database repeat what met a lock; an attempt that did has changed nothing. */
export function untilFree(run: Database["run"], { most, limit }: LockOptions): Database["run"] {
  const inTurn = batched(
    async ([attempt]: (() => Promise<unknown>)[]) => [await attempt!()],
    { size: 1, inFlight: most, observe() {} },
  );
  return async (statement, values, first) => {
    const end = performance.now() + limit;
    const attempt = () => run(statement, values, first);
    for (let next = attempt;; next = () => inTurn(attempt) as ReturnType<typeof attempt>) {
      try {
        return await next();
      } catch (error) {
        if (!isLockTimeout(error) || statement.isShared || performance.now() > end) throw error;
      }
    }
  };
}
