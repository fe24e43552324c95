// Repeats writes that met those of others: what a statement saw before may be out of date. The next attempt
// sees what the others did.
import type { Database } from "../db/database.ts";
import { isConflict, isDuplicate, isDuplicateIn, isLostReference } from "../db/errors.ts";
import type { Statement } from "../db/sql.ts";
import { Problem } from "../errors/problem.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { linkTables, writtenTables } from "../model/resource.ts";
import type { WriteVerdict } from "../statements/change.ts";
import { keyTable } from "../statements/create.ts";
import { verdictIn } from "../statements/refusal.ts";
import { mendStatements } from "../statements/sequence.ts";
import { ATTEMPTS } from "../time.ts";

/** Makes a write that is repeated in three cases. If another request used its key meanwhile, a few times. If
 * somebody inserted its identifier by hand, a few times, after the sequence was moved past it; an identifier that
 * meets another row twice is not from the sequence. If a second attempt may see more, once: by default, that a row
 * it refers to was deleted meanwhile, or that a link was made from its other end. */
export function afterConflicts<Values extends unknown[], Result>(
  resource: Resource,
  database: Database,
  run: (...values: Values) => Promise<Result>,
  maySeeMore = (error: unknown) =>
    isLostReference(error, writtenTables(resource)) ||
    isDuplicateIn(error, linkTables(resource)),
): (...values: Values) => Promise<Result> {
  const mends = mendStatements(resource);

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
        const mayRepeat = isKeyUsed(error) ||
          (attempt === 1 || detail !== last) && await isMended(error) ||
          attempt === 1 && maySeeMore(error);
        last = detail;
        if (!mayRepeat) throw error;
        if (attempt === ATTEMPTS) throw outrunProblem(error);
      }
    }
  };
}

/** Makes a write to a row run again after another write came between. From the second time on, the writes to a row
 * wait for each other, and each runs when it has the lock of the row, so that it sees what other processes did. Only
 * a row that moves to another partition can still escape it. */
export function untilCurrent<Values extends { id: Identifier }, Outcome extends WriteVerdict>(
  database: Database,
  statement: Statement<Values, Outcome>,
  lock: Statement,
): (values: Values) => Promise<Outcome | undefined> {
  /** The end of the queue of each row. */
  const last = new Map<Identifier, Promise<unknown>>();

  async function attempt(values: Values, count = 1): Promise<Outcome | undefined> {
    const [outcome] = await (count > 1 ? underLock(values) : database.run(statement, values))
      .catch((error): Partial<WriteVerdict>[] => {
        if (isConflict(error)) return [{ isCurrent: false }];
        const verdict = verdictIn(error);
        if (verdict) return [verdict];
        throw error;
      });
    if (outcome?.isCurrent !== false) return outcome as Outcome | undefined;
    if (count === ATTEMPTS) throw outrunProblem();
    const next = () => attempt(values, count + 1);
    return await (count > 1 ? next() : inLine(values.id, next));
  }

  async function underLock(values: Values): Promise<Outcome[]> {
    const [, outcome] = await database.transaction(
      statement,
      (run) => Promise.all([run(lock, values), run(statement, values)]),
    );
    return outcome;
  }

  async function inLine<Result>(id: Identifier, work: () => Promise<Result>): Promise<Result> {
    const queued = (last.get(id) ?? Promise.resolve()).then(work, work);
    last.set(id, queued);
    return await queued.finally(() => last.get(id) === queued && last.delete(id));
  }

  return (values) => attempt(values);
}

/** The problem of a write that met other writers each time it was tried. */
function outrunProblem(cause?: unknown): Problem {
  return new Problem("unavailable", "Other writes came in between each time", { cause });
}

/** Whether another request with the same key was committed after this statement began, so that the statement
 * did not see the key. */
function isKeyUsed(error: unknown): boolean {
  return isDuplicate(error) && (error as { table_name?: string }).table_name === keyTable.name;
}
