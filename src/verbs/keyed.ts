// A create under an Idempotency-Key: made once, and answered again as it was the first time. The key
// is kept by the statement that writes the row, so both are there or neither is, and whoever comes
// with the key later, to whatever process, finds it.
import { hash } from "node:crypto";
import type { Resource, Service, Value } from "../declaration/declaration.ts";
import { composedOnce, type Sql } from "../database/sql.ts";
import { invalid, Problem } from "../problem.ts";
import type { Row } from "./input.ts";
import { shown } from "./representation.ts";
import { stages, valuesOf } from "./stages.ts";
import type { Outcome } from "./statement.ts";

/** What a request with a key is known by. */
export interface Claim {
  caller: number;
  path: string;
  key: string;
  /** The body, byte for byte. */
  bytes: Uint8Array;
}

interface Kept extends Outcome {
  /** Whether no other request with the key is under way. */
  free: boolean;
  /** Whether the key came with the same body before; null where it never came. */
  same: boolean | null;
}

/** Expired keys that a create forgets at most. */
const FORGOTTEN = 100;

/** Makes, once, what creates a row under a key, or finds the one that was; throws a problem where
 * the key is in use, or came with another body. */
export function keyedCreate(resource: Resource, { sql, idempotencyHours }: Service) {
  const run = keyedStatement(resource, sql);

  return async (row: Row, { caller, path, key, bytes }: Claim): Promise<Outcome> => {
    await forget(sql, idempotencyHours);
    const body = hash("sha256", bytes, "hex");
    const [outcome] = await run(caller, path, key, body, ...valuesOf(resource, row));
    const { free, same, ...rest } = outcome!;
    if (same === false) throw reused(key);
    if (same === null && !free) {
      throw new Problem("in_progress", `A request with the key "${key}" is still under way`);
    }
    // What was made stays the answer, whatever its relations refer to by now.
    return same ? { ...rest, refused: "" } : rest;
  };
}

/** Makes, once, what claims a key, and creates a row and keeps the key with it where it is free and not
 * known. */
function keyedStatement(resource: Resource, sql: Sql) {
  const { one } = stages(resource, sql, "create");
  const text = shown(sql, resource, "relata_written");
  const mine = sql`(select free from relata_claim) and not exists (select from relata_known)`;
  return composedOnce(
    sql,
    (caller: number, path: string, key: string, body: string, ...values: Value[]) =>
      sql<Kept[]>`
      with relata_asked as (
        select
          ${caller}::bigint as caller,
          ${path}::text as path,
          ${key}::text as key,
          ${body}::text as body
      ),
      relata_claim as (
        select pg_try_advisory_xact_lock(
          hashtextextended(concat_ws(' ', caller, path, key), 0)
        ) as free
        from relata_asked as asked
      ),
      relata_known as (
        select
          kept.body = asked.body as same,
          kept.identifier,
          kept.text
        from relata_idempotency as kept
        join relata_asked as asked
          on asked.caller = kept.caller
          and asked.path = kept.path
          and asked.key = kept.key
      ),
      ${one(values, mine)},
      relata_made as (
        select
          id,
          ${text} as text
        from relata_written
      ),
      relata_kept as (
        insert into relata_idempotency (caller, path, key, body, identifier, text)
        select asked.caller, asked.path, asked.key, asked.body, made.id, made.text
        from relata_asked as asked
        cross join relata_made as made
      )
      select
        claim.free,
        known.same,
        sent.refused,
        coalesce(known.identifier, made.id) as id,
        coalesce(known.text, made.text) as text
      from relata_claim as claim
      cross join relata_sent as sent
      left join relata_known as known
        on true
      left join relata_made as made
        on true`,
  );
}

/** Forgets keys that are past their time, but for those that another request is forgetting. */
async function forget(sql: Sql, hours: number): Promise<void> {
  await sql`
    delete from relata_idempotency
    where (caller, path, key) in (
      select caller, path, key
      from relata_idempotency
      where created_at <= now() - make_interval(hours => ${hours}::integer)
      limit ${FORGOTTEN}
      for update skip locked
    )`;
}

function reused(key: string): Problem {
  const detail = `The key "${key}" came with another body before`;
  return invalid([{ pointer: "", code: "reused_key", detail }]);
}
