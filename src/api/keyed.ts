// A create under an Idempotency-Key: made once, and answered again as it was the first time. The key
// is kept by the statement that writes the row, so both are there or neither is, and whoever comes
// with the key later, to whatever process, finds it.
import { hash } from "node:crypto";
import { slot, sql, writes } from "../db/sql.ts";
import type { Resource, Service } from "../model/model.ts";
import { invalid, Problem } from "../problem.ts";
import { afterConflicts } from "./conflicts.ts";
import { type Claim, createOnceStatement, type Outcome } from "./statements.ts";

/** Expired keys that a create forgets at most. */
const FORGOTTEN = 100;

/** What a request with a key is known by; the body byte for byte. */
type Request = Omit<Claim, "body"> & { bytes: Uint8Array };

/** Makes, once, what creates a row under a key, or finds the one that was; throws a problem where
 * the key is in use, or came with another body. */
export function keyedCreate(resource: Resource, { database, idempotencyHours }: Service) {
  const statement = createOnceStatement(resource);
  const create = async (row: string, { bytes, ...claim }: Request): Promise<Outcome> => {
    await database.run(forgetStatement, { hours: idempotencyHours });
    const body = hash("sha256", bytes, "hex");
    const [outcome] = await database.run(statement, { rows: `[${row}]`, body, ...claim });
    const { free, same, ...rest } = outcome!;
    if (same === false) throw reused(claim.key);
    if (same === null && !free) {
      const detail = `A request with the key "${claim.key}" is still under way`;
      throw new Problem("in_progress", detail);
    }
    // What was made stays the answer, whatever its relations refer to by now
    return same ? { ...rest, refused: "" } : rest;
  };
  return afterConflicts(resource, database, create);
}

/** Forgets keys that are past their time, but for those that another request is forgetting. */
export const forgetStatement = writes<{ hours: number }, object>(
  "forget keys",
  sql`
    delete from relata_idempotency
    where (caller, path, key) in (
      select caller, path, key
      from relata_idempotency
      where created_at <= now() - make_interval(hours => ${slot("hours", "integer")})
      limit ${FORGOTTEN}
      for update skip locked
    )`,
);

function reused(key: string): Problem {
  const detail = `The key "${key}" came with another body before`;
  return invalid([{ pointer: "", code: "reused_key", detail }]);
}
