// Statements that waited for a lock while others waited for them or their session, so that Postgres cancelled them.
// Those of one request run again, a few at a time and in their order; from then on they keep their sessions.
import { setTimeout as delay } from "node:timers/promises";
import { batched } from "./batch.ts";
import { isPutBack } from "./errors.ts";
import type { Statement } from "./sql.ts";

interface LockOptions {
  /** The most statements that keep their sessions while they wait. */
  most: number;
  /** Milliseconds that one may wait until it runs again. */
  limit: number;
}

/** Makes the function that repeats what was put back, by its statement: it has changed nothing. */
export function untilFree({ most, limit }: LockOptions) {
  const inTurn = batched(
    async ([attempt]: (() => Promise<never>)[]) => [await attempt!()],
    { size: 1, inFlight: most, observe() {} },
  );

  return async <Result>(
    { isShared }: Pick<Statement, "isShared">,
    run: (isPatient: boolean) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await run(false);
    } catch (error) {
      if (!isPutBack(error) || isShared) throw error;
      let [isOver, hasBegun] = [false, false];
      const turn = inTurn(async () => {
        if (isOver) throw error;
        hasBegun = true;
        return await run(true) as never;
      });
      await Promise.race([turn, delay(limit, undefined, { ref: false })]).catch(() => {});
      isOver = !hasBegun;
      if (isOver) throw error;
      return await turn;
    }
  };
}
