// Repeats writes that met those of others: what a statement saw before may be out of date. The next attempt
// sees what the others did.
import type { Database } from "../db/database.ts";
import { isDuplicate, isDuplicateIn, isLostReference } from "../db/errors.ts";
import { Problem } from "../errors/problem.ts";
import type { Resource } from "../model/model.ts";
import { linkTables, writtenTables } from "../model/resource.ts";
import { mendStatements } from "../statements/sequence.ts";
import { ATTEMPTS } from "../time.ts";

/** Makes a write that is repeated in two cases. If somebody inserted its identifier by hand, a few times, after the
 * sequence was moved past it; an identifier that meets another row twice is not from the sequence. If a second attempt
 * may see more, once: that a row it refers to was deleted meanwhile, or that a link was made from its other end. */
export function afterConflicts<Values extends unknown[], Result>(
  resource: Resource,
  database: Database,
  run: (...values: Values) => Promise<Result>,
): (...values: Values) => Promise<Result> {
  const maySeeMore = (error: unknown) =>
    isLostReference(error, writtenTables(resource)) ||
    isDuplicateIn(error, linkTables(resource));
  return afterMending(mendStatements(resource), database, run, maySeeMore);
}

/** Makes a write that is repeated in the first of these cases, and in the second if a function tells it by the error. */
export function afterMending<Values extends unknown[], Result>(
  mends: ReturnType<typeof mendStatements>,
  database: Database,
  run: (...values: Values) => Promise<Result>,
  maySeeMore: (error: unknown) => boolean = () => false,
): (...values: Values) => Promise<Result> {
  async function isMended(error: unknown): Promise<boolean> {
    const { constraint_name: constraint } = error as { constraint_name?: string };
    if (!isDuplicate(error) || constraint === undefined) return false;
    for (const mend of mends) {
      if ((await database.run(mend, { constraint })).length > 0) return true;
    }
    return false;
  }

  return async (...values) => {
    let last: string | undefined;
    for (let attempt = 1;; attempt++) {
      try {
        return await run(...values);
      } catch (error) {
        const { detail } = error as { detail?: string };
        const mayRepeat = (attempt === 1 || detail !== last) && await isMended(error) ||
          attempt === 1 && maySeeMore(error);
        last = detail;
        if (!mayRepeat) throw error;
        if (attempt === ATTEMPTS) throw outrunProblem(error);
      }
    }
  };
}

/** The problem of a write that met other writers each time it was tried. */
export function outrunProblem(cause?: unknown): Problem {
  return new Problem("unavailable", "Other writes came in between each time", { cause });
}
