// The statements of a resource, each complete in one function. One statement decides: it checks the input,
// writes, and reads what it wrote. Rows are sent as JSON with a member for each column. Each row has a
// place, and its outcome bears the same place; the order of the results does not matter.
import {
  list,
  name,
  raw,
  reads,
  slot,
  type Sql,
  sql,
  type Statement,
  where,
  writes,
} from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { shown } from "../model/selection.ts";
import { TAG_LENGTH } from "./conditions.ts";

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

/** Creates a row and stores the key, if the key is new and not in use; otherwise finds the row of the key. */
export function createOnceStatement(
  resource: Resource,
): Statement<{ rows: string } & Claim, ClaimedOutcome> {
  const conditions = [
    sql`(select free from relata_claim)`,
    sql`not exists (select from relata_known)`,
  ];
  return writes(
    `create ${resource.name} once`,
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
        ${outcomesOf(resource)}
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

export interface ChangeOutcome extends Outcome {
  /** Whether the condition holds; null if there is no such row. */
  matches: boolean | null;
}

/** Changes the columns that are sent and keeps the others. A lock on the row prevents other changes between
 * the check and the update. */
export function changeStatement(
  resource: Resource,
): Statement<{ id: number; row: string } & Condition, ChangeOutcome> {
  const table = name(resource.name);
  const columns = Object.values(resource.sent).map(({ column }) => name(column));
  return writes(
    `change ${resource.name}`,
    sql`
      with ${locking(resource)},
      relata_sent as (
        select ${refusals(resource)} as relata_refused
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
          and relata_matches
          and relata_refused = ''
        returning ${columnsOf(resource, table)}
      )
      select
        relata_refused as refused,
        relata_matches as matches,
        ${table}.id,
        ${shown(resource)} as text
      from relata_sent
      left join relata_locked
        on true
      left join relata_written as ${table}
        on true`,
  );
}

/** Deletes a row; returns no row if there is none, and no identifier if it was not deleted. */
export function removeStatement(
  resource: Resource,
): Statement<{ id: number } & Condition, { matches: boolean; id: number | null }> {
  const table = name(resource.name);
  return writes(
    `delete ${resource.name}`,
    sql`
      with ${locking(resource)},
      relata_deleted as (
        delete from ${table}
        using relata_locked as locked
        where ${table}.id = locked.id
          and relata_matches
        returning ${table}.id
      )
      select
        relata_matches as matches,
        deleted.id
      from relata_locked
      left join relata_deleted as deleted
        on true`,
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
  const columns = list(Object.values(resource.sent).map(({ column }) => name(column)));
  const conflicts = raw(skipsConflicts ? "\non conflict do nothing" : "");
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
    ),
    relata_input as materialized (
      select *
      from relata_sent${where([sql`relata_refused = ''`, ...conditions])}
      order by relata_place
    ),
    relata_written as (
      insert into ${table} (${columns})
      select ${columns}
      from relata_input
      where set_config('relata.place', relata_place::text, true) is not null${conflicts}
      returning
        ${columnsOf(resource, table)},
        current_setting('relata.place')::bigint as relata_place
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
      ${shown(resource)}
    from relata_written as ${table}`;
}

/** The stage that locks a row and checks the condition. */
function locking(resource: Resource): Sql {
  const table = name(resource.name);
  const tags = slot("tags", "text");
  return sql`
    relata_locked as (
      select
        ${table}.id,
        ${table}.relata_row,
        case when ${tags} is null then true else (
          left(encode(sha256(convert_to(${shown(resource)}, 'UTF8')), 'hex'), ${TAG_LENGTH})
          in (select json_array_elements_text(${tags}::json))
        ) = ${slot("isOneOf", "boolean")} end as relata_matches
      from (
        select
          ${columnsOf(resource, raw("relata_row"))},
          relata_row
        from ${table} as relata_row
        where relata_row.id = ${slot("id", "bigint")}
        for update
      ) as ${table}
    )`;
}

/** Why the row called `sent` is refused, as `bar:does_not_exist`. */
function refusals({ sent }: Resource): Sql {
  const found = Object.entries(sent).flatMap(([field, { column, write: { refusal } }]) =>
    refusal ? [sql`${field + ":"} || ${refusal(sql`sent.${name(column)}`)}`] : []
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

/** The columns that clients can write. */
function columnsOf({ fields }: Resource, row: Sql): Sql {
  return list(Object.values(fields).map(({ column }) => sql`${row}.${name(column)}`), ", ");
}

function sequenceOf({ name: table }: Resource): Sql {
  return sql`(select pg_get_serial_sequence(${`"${table}"`}, 'id')::regclass)`;
}
