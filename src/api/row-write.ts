// Runs a write to a row that is there: again after another write, which it did not see, came between; once for a key.
import type { Run } from "../db/database.ts";
import { isConflict } from "../db/errors.ts";
import type { Statement } from "../db/sql.ts";
import type { Caller } from "../model/caller.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource, Service } from "../model/model.ts";
import type { WriteVerdict } from "../statements/change.ts";
import type { Kept, KeyedRequest } from "../statements/once.ts";
import { verdictIn } from "../statements/refusal.ts";
import { ATTEMPTS } from "../time.ts";
import { afterConflicts, outrunProblem } from "./conflicts.ts";
import { once } from "./keyed.ts";
import { finderIn } from "./read.ts";

/** A write to a row. */
interface RowWrite<Values> {
  /** Those of its statement. */
  values: Values;
  caller: Caller;
  /** The key that it was sent with. */
  keyed: KeyedRequest | undefined;
}

/** The outcome of a write. */
export interface RowOutcome extends WriteVerdict {
  /** Null if nothing was written. */
  id: Identifier | null;
  /** What is answered, if anything; null if it has to be read anew. */
  text?: string | null;
  /** That of the answer, if it was kept under a key. */
  status?: Kept["status"];
}

/** Makes the function that runs a statement which writes a row, and where that is needed the one that waits for its
 * lock. With a key, success is kept with a status. */
export function rowWriter<Values extends { id: Identifier }>(
  resource: Resource,
  service: Service,
  { statement, lock, status }: {
    statement: Statement<Values, RowOutcome>;
    lock: Statement<{ id: Identifier }>;
    status: Kept["status"];
  },
) {
  const { database } = service;
  const carryOut = once(service);
  const { find } = finderIn(resource, { isWritten: true });

  async function write(
    { values, caller, keyed }: RowWrite<Values>,
    isLocked: boolean,
  ): Promise<RowOutcome> {
    const writeIn = async (run: Run): Promise<RowOutcome> => {
      if (isLocked) run(lock, values); // it is answered before the statement is
      return (await run(statement, values))[0]!;
    };
    if (!keyed) {
      return await (isLocked ? database.transaction(statement, writeIn) : writeIn(database.run));
    }
    const outcome = await carryOut(keyed, statement, async (run): Promise<RowOutcome | Kept> => {
      const outcome = await writeIn(run);
      const { id } = outcome;
      if (id === null) return outcome;
      const found = outcome.text === null ? await find(run, [{ id, caller }]) : [];
      return { status, id, text: outcome.text ?? found[0]?.body ?? null };
    });
    return { isCurrent: true, matches: true, ...outcome };
  }

  return afterConflicts(resource, database, untilCurrent(write));
}

/** Makes a write to a row run again after another write came between. From the second time on, the writes to a row
 * wait for each other, and each runs when it has the lock of the row, so that it sees what other processes did. Only
 * a row that moves to another partition can still escape it. */
function untilCurrent<Write extends { values: { id: Identifier } }>(
  run: (write: Write, isLocked: boolean) => Promise<RowOutcome>,
): (write: Write) => Promise<RowOutcome> {
  /** The end of the queue of each row. */
  const last = new Map<Identifier, Promise<unknown>>();

  async function attempt(write: Write, count = 1): Promise<RowOutcome> {
    const outcome = await run(write, count > 1).catch((error): RowOutcome => {
      if (isConflict(error)) return { id: null, isCurrent: false, matches: null };
      const verdict = verdictIn(error);
      if (verdict) return verdict;
      throw error;
    });
    if (outcome.isCurrent !== false) return outcome;
    if (count === ATTEMPTS) throw outrunProblem();
    const next = () => attempt(write, count + 1);
    return await (count > 1 ? next() : inLine(write.values.id, next));
  }

  async function inLine<Result>(id: Identifier, work: () => Promise<Result>): Promise<Result> {
    const queued = (last.get(id) ?? Promise.resolve()).then(work, work);
    last.set(id, queued);
    return await queued.finally(() => last.get(id) === queued && last.delete(id));
  }

  return (write) => attempt(write);
}
