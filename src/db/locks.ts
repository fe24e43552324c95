// Statements that waited for a lock while others waited for them or their session, so that Postgres cancelled them.
// Those of one request run again, a few at a time and in their order; from then on they keep their sessions.
import { setTimeout as delay } from "node:timers/promises";
import { batched } from "./batch.ts";
import type { Database } from "./database.ts";
import { isPutBack } from "./errors.ts";
import type { Run } from "./pool.ts";

export interface LockOptions {
  /** The most statements that keep their sessions while they wait. */
  most: number;
  /** Milliseconds that one may wait until it runs again. */
  limit: number;
}

/** Makes the `run` of a database repeat what was put back: it has changed nothing. */
export function untilFree(run: Run, { most, limit }: LockOptions): Database["run"] {
  const inTurn = batched(
    async ([attempt]: (() => Promise<never[]>)[]) => [await attempt!()],
    { size: 1, inFlight: most, observe() {} },
  );

  return async (statement, values, first) => {
    try {
      return await run(statement, values, first);
    } catch (error) {
      if (!isPutBack(error) || statement.isShared) throw error;
      let [isOver, hasBegun] = [false, false];
      const turn = inTurn(async () => {
        if (isOver) return [];
        hasBegun = true;
        return await run(statement, values, first, true) as never[];
      });
      await Promise.race([turn, delay(limit, undefined, { ref: false })]).catch(() => {});
      isOver = !hasBegun;
      if (isOver) throw error;
      return await turn;
    }
  };
}
