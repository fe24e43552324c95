// Repeats writes that met a change of another writer; the next attempt sees that change.
import type { Database } from "../db/database.ts";
import { isDuplicate, isLostReference } from "../db/errors.ts";
import { keyTable } from "../db/readiness.ts";
import { Problem } from "../errors/problem.ts";
import type { Resource } from "../model/model.ts";
import { writtenTables } from "../model/resource.ts";
import { ATTEMPTS } from "../time.ts";
import { mendStatement } from "../statements/sequence.ts";

/** Makes a write that is repeated, a few times, in three cases: the row that it refers to was deleted
 * meanwhile, which a second attempt sees; another request used its key meanwhile; somebody inserted its
 * identifier by hand. In the last case it first moves the sequence past that identifier. */
export function afterConflicts<Values extends unknown[], Result>(
  resource: Resource,
  database: Database,
  run: (...values: Values) => Promise<Result>,
): (...values: Values) => Promise<Result> {
  const mend = mendStatement(resource);
  const tables = writtenTables(resource);

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
        const mayRepeat = attempt === 1 && isLostReference(error, tables) ||
          isKeyUsed(error) || await isMended(error);
        if (!mayRepeat) throw error;
        if (attempt === ATTEMPTS) throw outrun(error);
      }
    }
  };
}

/** The problem of a write that met other writers each time it was tried. */
export function outrun(cause?: unknown): Problem {
  return new Problem("unavailable", "Other writes came in between each time", { cause });
}

/** Whether another request with the same key was committed after this statement began, so that the statement
 * did not see the key. */
function isKeyUsed(error: unknown): boolean {
  return isDuplicate(error) && (error as { table_name?: string }).table_name === keyTable.name;
}
