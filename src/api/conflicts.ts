// What a write does that met another writer: it runs again, and then sees what the other has done.
import type { Database } from "../db/database.ts";
import { isDuplicate, lostReference } from "../db/errors.ts";
import type { Resource } from "../model/model.ts";
import { mendStatement } from "./statements.ts";
import { ATTEMPTS } from "../time.ts";

/** Makes what runs a write again, a few times, where what its row refers to was deleted meanwhile, or its identifier
 * was taken by hand, in which case the sequence is mended first. */
export function afterConflicts<Values extends unknown[], Result>(
  resource: Resource,
  database: Database,
  run: (...values: Values) => Promise<Result>,
): (...values: Values) => Promise<Result> {
  const mend = mendStatement(resource);

  async function isMended(error: unknown): Promise<boolean> {
    const { constraint_name: constraint } = error as { constraint_name?: string };
    if (!isDuplicate(error) || constraint === undefined) return false;
    return (await database.run(mend, { constraint })).length > 0;
  }

  return async (...values) => {
    for (let attempt = 1;; attempt++) {
      try {
        return await run(...values);
      } catch (error) {
        if (!lostReference(error) && !await isMended(error)) throw error;
        if (attempt === ATTEMPTS) {
          throw new Error(`Gave up after ${ATTEMPTS} conflicts with other writers`, {
            cause: error,
          });
        }
      }
    }
  };
}
