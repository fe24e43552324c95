// Creates rows that others own once these are locked: what a statement sees that waits for a lock may be out of date.
import type { Database, Run } from "../db/database.ts";
import type { Statement } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { lockOwnersStatement } from "../statements/create.ts";

/** Statements that lock what is to own rows. */
export function ownersStatements(resource: Resource): Statement[] {
  const lock = lockOwnersStatement(resource);
  return lock ? [lock as Statement] : [];
}

/** Makes the function that does what creates rows, given as a JSON array, with what runs in its transaction; without one, in
 * one of its own if they have owners. */
export function underOwners(resource: Resource, database: Database, of: Statement) {
  const lock = lockOwnersStatement(resource);
  return async <Result>(
    rows: string,
    create: (run: Run) => Promise<Result>,
    run?: Run,
  ): Promise<Result> => {
    if (!lock) return await create(run ?? database.run);
    const work = (run: Run) => {
      run(lock, { rows }); // it is answered before what comes next
      return create(run);
    };
    return await (run ? work(run) : database.transaction(of, work));
  };
}
