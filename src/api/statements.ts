// The statements of a resource, each complete in one function. One statement decides: it checks the input,
// writes, and reads what it wrote. Rows are sent as JSON with a member for each column. Each row has a
// place, and its outcome bears the same place; the order of the results does not matter.
import {
  list,
  name,
  raw,
  reads,
  type Slot,
  slot,
  type Sql,
  sql,
  type Statement,
  where,
  writes,
} from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { storedIn } from "../model/resource.ts";
import { columnsOf, shown, shownWhole } from "../model/selection.ts";
import { TAG_LENGTH } from "./conditions.ts";
import {
  hasLinks,
  linksOfChanged,
  linksOfCreated,
  linksOfDeleted,
  sentLinks,
  writtenRows,
} from "./links.ts";

/** Reads rows by their identifiers. */
export function readStatement(
  resource: Resource,
): Statement<{ ids: number[] }, { id: number; text: string | null }> {
  const table = name(resource.name);
  // Postgres does not know the size of the inner select, so it keeps one plan for any number
  return reads(
    `read ${resource.name}`,
    sql`
      select
        ${table}.id,
        ${shown(resource)} as text
      from ${table}
      where ${table}.id = any((select ${slot("ids", "bigint[]")})::bigint[])`,
    { isLookup: true },
  );
}

/** Reads the row with the largest identifier, which is the newest. */
export function lastStatement(resource: Resource): Statement<object, { text: string | null }> {
  const table = name(resource.name);
  return reads(
    `last ${resource.name}`,
    sql`
      select
        ${shown(resource)} as text
      from ${table}
      order by ${table}.id desc
      limit 1`,
    { isLookup: true },
  );
}

/** The outcome of a write. */
export interface Outcome {
  /** Why the row was refused, as `bar:does_not_exist`, separated by commas; empty if it was not. */
  refused: string;
  /** The identifier of the row; null if none was written. */
  id: number | null;
  /** The row as JSON text; null if a row that it refers to is newer than the statement. */
  text: string | null;
}

/** An outcome with the place of its row, from 1. A row without an outcome was left out. */
export interface PlacedOutcome extends Outcome {
  place: number;
}

/** Creates rows, and skips those that are in conflict with a unique index. */
export function createStatement(resource: Resource): Statement<{ rows: string }, PlacedOutcome> {
  return writes(
    `create ${resource.name}`,
    sql`
      with ${creation(resource, { skipsConflicts: true })}
      ${outcomesOf(resource)}`,
  );
}

/** Creates a row; fails if it is in conflict with a unique index. The lock timeout is optional. */
export function createAloneStatement(
  resource: Resource,
): Statement<{ rows: string; lockTimeout: string | null }, PlacedOutcome> {
  const lockTimeout = slot("lockTimeout", "text");
  const condition = sql`
    set_config(
      'lock_timeout',
      coalesce(${lockTimeout}, current_setting('lock_timeout')),
      true
    ) <> ''`;
  return writes(
    `create ${resource.name} alone`,
    sql`
      with ${creation(resource, { conditions: [condition] })}
      ${outcomesOf(resource)}`,
  );
}

/** Creates all rows or none. A trial creates none: it fails with `TRIAL` if all could be created. */
export function createBatchStatement(
  resource: Resource,
): Statement<{ rows: string; isTrial: boolean }, PlacedOutcome> {
  return writes(
    `create ${resource.name} batch`,
    sql`
      with ${creation(resource, { conditions: [nothingRefused] })},
      relata_made as (
        ${outcomesOf(resource)}
      )
      select place, refused, id, text
      from relata_made
      where ${rollback(slot("isTrial", "boolean"))} is null`,
  );
}

/** The values of a create with a key. */
export interface Claim {
  caller: number;
  path: string;
  key: string;
  /** The SHA-256 of the body, in hexadecimal. */
  body: string;
}

export interface ClaimedOutcome extends Outcome {
  /** Whether no other request with this key is under way. */
  free: boolean;
  /** Whether the key was sent with the same body before; null if it is new. */
  same: boolean | null;
}

/** Creates a row, or all rows of a batch, and stores the key, if the key is new and not in use; otherwise finds
 * what was created with the key. The outcome of a batch has the array of its rows. */
export function createOnceStatement(
  resource: Resource,
  { isBatch }: { isBatch: boolean },
): Statement<{ rows: string } & Claim, ClaimedOutcome> {
  const conditions = [
    sql`(select free from relata_claim)`,
    sql`not exists (select from relata_known)`,
    ...isBatch ? [nothingRefused] : [],
  ];
  return writes(
    isBatch ? `create ${resource.name} batch once` : `create ${resource.name} once`,
    sql`
      with relata_attempt as (
        select
          ${slot("caller", "bigint")} as caller,
          ${slot("path", "text")} as path,
          ${slot("key", "text")} as key,
          ${slot("body", "text")} as body
      ),
      relata_claim as (
        select pg_try_advisory_xact_lock(
          hashtextextended(concat_ws(' ', caller, path, key), 0)
        ) as free
        from relata_attempt
      ),
      relata_known as (
        select
          kept.body = attempt.body as same,
          kept.identifier,
          kept.text
        from relata_idempotency as kept
        join relata_attempt as attempt
          on attempt.caller = kept.caller
          and attempt.path = kept.path
          and attempt.key = kept.key
      ),
      ${creation(resource, { conditions })},
      relata_made as (
        ${isBatch ? outcomeOfAll(resource) : outcomesOf(resource)}
      ),
      relata_kept as (
        insert into relata_idempotency (caller, path, key, body, identifier, text)
        select attempt.caller, attempt.path, attempt.key, attempt.body, made.id, made.text
        from relata_attempt as attempt
        cross join relata_made as made
        where made.id is not null
      )
      select
        claim.free,
        known.same,
        coalesce(made.refused, '') as refused,
        coalesce(known.identifier, made.id) as id,
        coalesce(known.text, made.text) as text
      from relata_claim as claim
      left join relata_known as known
        on true
      left join relata_made as made
        on true`,
  );
}

/** Moves the sequence of a table behind its largest identifier, if the constraint that failed is that of the
 * identifier; otherwise returns no row. Identifiers in the upper half of the free range are ignored:
 * a row inserted by hand with the last possible identifier would leave none for others. */
export function mendStatement(
  resource: Resource,
): Statement<{ constraint: string }, { set: number }> {
  const table = name(resource.name);
  return writes(
    `mend the sequence of ${resource.name}`,
    sql`
      with relata_next as (
        select
          sequence,
          nextval(sequence) as next
        from (
          select ${sequenceOf(resource)} as sequence
          from pg_index
          join pg_class as index
            on index.oid = indexrelid
          join pg_attribute
            on attrelid = indrelid
            and attname = 'id'
          where indrelid = ${`"${resource.name}"`}::regclass
            and index.relname = ${slot("constraint", "text")}
            and indkey::text = attnum::text
        ) as identifier
      )
      select setval(sequence, greatest(next, (
        select max(id)
        from ${table}
        where id <= (next + ${raw(String(Number.MAX_SAFE_INTEGER))}) / 2
      ))) as set
      from relata_next`,
  );
}

/** The tags that a row must have, and those that it must not have, as JSON arrays; null for no condition. */
export interface Condition {
  isOneOf: boolean;
  tags: string | null;
}

/** The outcome of a write to a row that is there; both are null if there is none. */
export interface Verdict {
  /** Whether the statement saw the row as it was when it got the lock. If not, another write came between:
   * nothing is written, and the statement has to run again. */
  isCurrent: boolean | null;
  /** Whether the condition holds. */
  matches: boolean | null;
}

/** Changes the columns that are sent and keeps the others. A lock on the row prevents other changes between
 * the check and the update. */
export function changeStatement(
  resource: Resource,
): Statement<{ id: number; row: string } & Condition, Outcome & Verdict> {
  const table = name(resource.name);
  const columns = storedIn(resource.sent).map(({ column }) => name(column));
  return writes(
    `change ${resource.name}`,
    sql`
      with ${locking(resource)},
      relata_sent as (
        select
          ${refusals(resource)} as relata_refused${sentLinks(resource)}
        from json_to_record(${slot("row", "text")}::json) as sent (
          ${typedColumns(resource)}
        )
      ),
      relata_written as (
        update ${table}
        set
          ${list(columns.map((column) => sql`${column} = changed.${column}`), ",\n")}
        from relata_locked as locked
        cross join relata_sent
        cross join json_populate_record(locked.relata_row, ${slot("row", "text")}::json) as changed
        where ${table}.id = locked.id
          and relata_is_current
          and relata_matches
          and relata_refused = ''
        returning ${columnsOf(resource, table)}
      )${linksOfChanged(resource)}
      select
        relata_refused as refused,
        relata_is_current as "isCurrent",
        relata_matches as matches,
        ${table}.id,
        ${shownWhole(resource)} as text
      from relata_sent
      left join relata_locked
        on true
      left join ${writtenRows(resource)} as ${table}
        on true`,
  );
}

/** Deletes a row; returns no row if there is none, and no identifier if it was not deleted. */
export function removeStatement(
  resource: Resource,
): Statement<{ id: number } & Condition, { id: number | null } & Verdict> {
  const table = name(resource.name);
  return writes(
    `delete ${resource.name}`,
    sql`
      with ${locking(resource)}${linksOfDeleted(resource)},
      relata_deleted as (
        delete from ${table}
        using relata_locked as locked
        where ${table}.id = locked.id
          and relata_is_current
          and relata_matches
        returning ${table}.id
      )
      select
        relata_is_current as "isCurrent",
        relata_matches as matches,
        deleted.id
      from relata_locked
      left join relata_deleted as deleted
        on true`,
  );
}

/** Checks the relations of rows that are not written. */
export function checkStatement(
  resource: Resource,
): Statement<{ rows: string }, { place: number; refused: string }> {
  return reads(
    `check ${resource.name}`,
    sql`
      with ${sentRows(resource)}
      select
        relata_place as place,
        relata_refused as refused
      from relata_sent
      where relata_refused <> ''`,
  );
}

/** The stages of a create: the input with its refusals, the rows to write, the rows written. Postgres
 * processes one row at a time from the input to `returning`, so the place that is set when it reads a
 * row still belongs to that row in `returning`, whatever triggers change. */
function creation(
  resource: Resource,
  { conditions = [], skipsConflicts = false }: { conditions?: Sql[]; skipsConflicts?: boolean },
): Sql {
  const table = name(resource.name);
  const columns = list(storedIn(resource.sent).map(({ column }) => name(column)));
  const conflicts = raw(skipsConflicts ? "\non conflict do nothing" : "");
  return sql`
    ${sentRows(resource)},
    relata_input as materialized (
      select *
      from relata_sent${where([sql`relata_refused = ''`, ...conditions])}
      order by relata_place
    ),
    relata_written as (
      insert into ${table} (${columns})
      select ${storedColumns(resource)}
      from relata_input
      where set_config('relata.place', relata_place::text, true) is not null${conflicts}
      returning
        ${columnsOf(resource, table)},
        current_setting('relata.place')::bigint as relata_place
    )${linksOfCreated(resource)}`;
}

/** The stage with the rows that were sent, their places, and why they are refused. */
function sentRows(resource: Resource): Sql {
  const columns = list(Object.values(resource.sent).map(({ column }) => name(column)));
  return sql`
    relata_sent as (
      select
        sent.*,
        ${refusals(resource)} as relata_refused
      from rows from (
        json_to_recordset(${slot("rows", "text")}::json) as (
          ${typedColumns(resource)}
        )
      ) with ordinality as sent (${columns}, relata_place)
    )`;
}

/** The outcomes of the rows that were refused, and of those that were written. */
function outcomesOf(resource: Resource): Sql {
  const table = name(resource.name);
  return sql`
    select
      relata_place as place,
      relata_refused as refused,
      null::bigint as id,
      null as text
    from relata_sent
    where relata_refused <> ''
    union all
    select
      relata_place,
      '',
      ${table}.id,
      ${shownWhole(resource)}
    from ${writtenRows(resource)} as ${table}`;
}

/** One outcome for all rows of a batch: the array of the rows, or what is wrong with each. */
function outcomeOfAll(resource: Resource): Sql {
  return sql`
    select
      coalesce(
        string_agg(
          regexp_replace(refused, '(^|,)', '\\1' || place - 1 || '/', 'g'),
          ',' order by place
        ) filter (where refused <> ''),
        ''
      ) as refused,
      min(id) as id,
      '[' || string_agg(text, ',' order by place) || ']' as text
    from (
      ${outcomesOf(resource)}
    ) as made
    where ${rollback(sql`false`)} is null`;
}

/** A condition: no row of a batch was refused. */
const nothingRefused = sql`not exists (select from relata_sent where relata_refused <> '')`;

/** The text in the error of a trial without a fault. */
export const TRIAL = "relata_trial";

/** SQL that fails, and so takes everything back, if the database left a row out, or in a trial. Otherwise it
 * is null. It depends on the rows written, so it runs after they are. */
function rollback(isTrial: Sql | Slot): Sql {
  return sql`(
    select case
      when count(*) < (select count(*) from relata_input) then 'relata_left_out'
      when ${isTrial} then ${TRIAL}
    end
    from relata_written
  )::integer`;
}

/** The stage that locks a row and checks the condition. Postgres waits for the lock, and then gives the newest
 * version of the row, but shows other tables as they were before. So where these count, for the condition
 * or for links, the row has to be the version that the statement saw at first. */
function locking(resource: Resource): Sql {
  const table = name(resource.name);
  const tags = slot("tags", "text");
  const isSeen = sql`
    relata_version = (
      select seen.xmin
      from ${table} as seen
      where seen.id = ${table}.id
    )`;
  return sql`
    relata_locked as (
      select
        ${table}.id,
        ${table}.relata_row,
        ${hasLinks(resource) ? isSeen : sql`(${tags} is null or ${isSeen})`} as relata_is_current,
        case when ${tags} is null then true else (
          left(encode(sha256(convert_to(${shown(resource)}, 'UTF8')), 'hex'), ${TAG_LENGTH})
          in (select json_array_elements_text(${tags}::json))
        ) = ${slot("isOneOf", "boolean")} end as relata_matches
      from (
        select
          ${columnsOf(resource, raw("relata_row"))},
          relata_row,
          relata_row.xmin as relata_version
        from ${table} as relata_row
        where relata_row.id = ${slot("id", "bigint")}
        for update
      ) as ${table}
    )`;
}

/** Why the row called `sent` is refused, as `bar:does_not_exist`. */
function refusals(resource: Resource): Sql {
  const found = Object.entries(resource.sent).flatMap(([field, { column, write: { refusal } }]) =>
    refusal ? [refusal(sql`sent.${name(column)}`, field, resource)] : []
  );
  return sql`concat_ws(
    ',',
    ${list([sql`null`, ...found], ",\n")}
  )`;
}

function typedColumns({ sent }: Resource): Sql {
  return list(
    Object.values(sent).map(({ column, write }) => sql`${name(column)} ${raw(write.sqlType)}`),
    ",\n",
  );
}

/** The values that a create stores, in the types of their columns. */
function storedColumns({ name: table, sent }: Resource): Sql {
  const values = storedIn(sent).map(({ column, write: { stored } }) =>
    stored?.(name(column), table, column) ?? name(column)
  );
  return list(values);
}

function sequenceOf({ name: table }: Resource): Sql {
  return sql`(select pg_get_serial_sequence(${`"${table}"`}, 'id')::regclass)`;
}
