// A create with an Idempotency-Key: carried out once; a repeated request gets the first answer again. One
// statement writes the row and the key, so both are there or neither, for every process.
import { hash } from "node:crypto";
import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { isContentError } from "../db/errors.ts";
import { slot, sql, writes } from "../db/sql.ts";
import { invalid, Problem } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { claimValues } from "../model/claim.ts";
import type { Header, Resource, Service } from "../model/model.ts";
import { afterConflicts } from "./conflicts.ts";
import { createOnceStatement, type KeyClaim } from "../statements/create.ts";
import { refusalIn } from "../statements/refusal.ts";
import { claimsOfCreation, type Made } from "../statements/sent.ts";

/** The header of creates: a key that the client chooses, quoted or bare. A request with the same key is
 * carried out once, however often it is sent (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyKey: Record<string, Header> = {
  "Idempotency-Key": v.pipe(
    v.string(),
    v.metadata({ description: "Makes the request once, however often it is sent with this key" }),
    v.regex(
      /^(?:"[\x20\x21\x23-\x5b\x5d-\x7e]{1,255}"|[\x21\x23-\x5b\x5d-\x7e]{1,255})$/,
      '1 to 255 visible ASCII characters but " and \\, or these and blanks in double quotes',
    ),
    v.transform((key) => [key.replace(/^"|"$/g, "")]),
  ),
};

/** The most expired keys that a create deletes. */
const FORGOTTEN = 1000;

/** Milliseconds between two creates that do. */
const FORGET_PAUSE = 60_000;

/** The identity of a request with a key, and its body byte for byte. */
type KeyedRequest = Omit<KeyClaim, "body"> & { bytes: Uint8Array };

/** Makes the function that creates a row, or the rows of a batch, given as JSON, with a key, or finds what was created
 * with it; it throws a problem if the key is in use, or was sent with another body. */
export function keyedCreate(
  resource: Resource,
  { database, idempotencyHours }: Service,
  { isBatch }: { isBatch: boolean },
) {
  const statement = createOnceStatement(resource, { isBatch });
  const forget = forgetting(database, idempotencyHours);
  const create = async (sent: string, { bytes, ...claim }: KeyedRequest): Promise<Made> => {
    await forget();
    const values = {
      [isBatch ? "rows" : "row"]: sent,
      body: hash("sha256", bytes, "hex"),
      ...claim,
    };
    const [made] = await database.run(statement, values);
    const { free, same } = made!;
    if (same === false) throw reusedKey(claim.key);
    if (same === null && !free) {
      const detail = `The first request with the key "${claim.key}" has not ended yet`;
      throw new Problem("in_progress", detail);
    }
    return made!;
  };
  // The first request with this key may have ended after the statement began, and what it made is in the way,
  // or has a trigger leave the row out: the next attempt sees the key
  const maySeeMore = (error: unknown) => isContentError(error) && !refusalIn(error);
  return afterConflicts(resource, database, create, maySeeMore);
}

/** Whose a key is: its caller's, and where rules look at claims, only as long as it has these. */
export function keeperOf(resource: Resource, caller: Caller): string {
  const claims = claimsOfCreation(resource);
  if (claims.length === 0) return caller.id;
  return `${caller.id} ${JSON.stringify(claimValues({ slots: claims }, caller))}`;
}

/** Makes the function that deletes expired keys, once a minute, or at once if there were more. */
function forgetting(database: Database, hours: number): () => Promise<void> {
  let due = 0;
  return async () => {
    if (performance.now() < due) return;
    due = performance.now() + FORGET_PAUSE;
    const [forgotten] = await database.run(forgetStatement, { hours });
    if (forgotten!.count === FORGOTTEN) due = 0;
  };
}

/** Deletes expired keys, except those that another request is deleting. */
export const forgetStatement = writes<{ hours: number }, { count: number }>(
  "forget keys",
  sql`
    with forgotten as (
      delete from relata_idempotency
      where (caller, path, key) in (
        select caller, path, key
        from relata_idempotency
        where created_at <= now() - make_interval(hours => ${slot("hours", "integer")})
        limit ${FORGOTTEN}
        for update skip locked
      )
      returning key
    )
    select count(*)::integer as count
    from forgotten`,
);

function reusedKey(key: string): Problem {
  const detail = `The key "${key}" was sent before with another body`;
  return invalid([{ pointer: "", code: "reused_key", detail }]);
}
