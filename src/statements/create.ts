// The statements that create rows. Each has the stages of `creation`.
import { list, name, raw, slot, type Sql, sql, type Statement, where, writes } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { storedIn } from "../model/resource.ts";
import { columnsOf, shownWritten } from "../model/selection.ts";
import { identifierOf, rowsOf, tableOf } from "../model/table.ts";
import { linksOfCreated, writtenRows } from "./links.ts";
import { type Outcome, SENT, sentRows } from "./sent.ts";

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

/** Creates all rows or none. */
export function createBatchStatement(resource: Resource): Statement<{ rows: string }, Outcome> {
  return writes(`create ${resource.name} batch`, batchOf(resource, SENT));
}

function batchOf(resource: Resource, rows: Sql): Sql {
  return sql`
    with ${creation(resource, { rows, conditions: [nothingRefused] })}
    ${outcomeOfAll(resource)}`;
}

/** The text in the error of a trial that finds no fault. */
export const TRIAL = "relata_trial";

/** The script of a trial: creates the rows, has Postgres check what it would check at the end, and fails, so
 * that all is taken back. A script has no parameters, so the rows are part of it. */
export function trialOf(resource: Resource, rows: string): string {
  return writes(
    `try ${resource.name}`,
    sql`
      ${batchOf(resource, sql`${rows}::json`)};
      set constraints all immediate;
      select ${TRIAL}::integer`,
  ).text;
}

/** The values of a create with a key. */
export interface Claim {
  caller: number;
  path: string;
  key: string;
  /** The SHA-256 of the body, in hexadecimal. */
  body: string;
}

interface ClaimedOutcome extends Outcome {
  /** Whether no other request with this key is under way. */
  free: boolean;
  /** Whether the key was sent with the same body before; null if it is new. */
  same: boolean | null;
}

/** Creates a row, or all rows of a batch, and stores the key, if the key is new and not in use; otherwise finds
 * what was created with the key. A row without a text is kept with an empty one. */
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
        select
          attempt.caller,
          attempt.path,
          attempt.key,
          attempt.body,
          made.id,
          coalesce(made.text, '')
        from relata_attempt as attempt
        cross join relata_made as made
        where made.id is not null
      )
      select
        claim.free,
        known.same,
        coalesce(made.refused, '') as refused,
        coalesce(known.identifier, made.id) as id,
        nullif(coalesce(known.text, made.text), '') as text
      from relata_claim as claim
      left join relata_known as known
        on true
      left join relata_made as made
        on true`,
  );
}

/** The stages of a create: the rows sent with what is refused of them, the rows to write, the rows written.
 * Postgres takes one row at a time from those to write to `returning`, so the place that is set when it reads
 * a row still belongs to that row in `returning`, whatever triggers change. */
function creation(
  resource: Resource,
  { rows = SENT, conditions = [], skipsConflicts = false }: {
    rows?: Sql;
    conditions?: Sql[];
    skipsConflicts?: boolean;
  },
): Sql {
  const columns = list(storedIn(resource.writable).map(({ column }) => name(column)));
  const conflicts = skipsConflicts ? sql`\non conflict do nothing` : raw("");
  return sql`
    ${sentRows(resource, rows)},
    relata_input as materialized (
      select *
      from relata_sent${where([sql`relata_refused = ''`, ...conditions])}
      order by relata_place
    ),
    relata_written as (
      insert into ${rowsOf(resource)} (${columns})
      select ${storedColumns(resource)}
      from relata_input
      where set_config('relata.place', relata_place::text, true) is not null${conflicts}
      returning
        ${columnsOf(resource, name(resource.name))},
        current_setting('relata.place')::bigint as relata_place
    )${linksOfCreated(resource)}`;
}

/** The outcomes of the rows that were refused, and of those that were written. */
function outcomesOf(resource: Resource): Sql {
  const row = name(resource.name);
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
      ${requireIdentifier(identifierOf(resource, row))},
      ${shownWritten(resource)}
    from ${writtenRows(resource)} as ${row}`;
}

/** An identifier, or SQL that fails, and so takes everything back, if a trigger of a view left it null. */
function requireIdentifier(identifier: Sql): Sql {
  return sql`coalesce(
        ${identifier},
        (case when ${identifier} is null then 'relata_no_identifier' end)::bigint
      )`;
}

/** One outcome for all rows of a batch: what is wrong with each, as `[[6, "bar:does_not_exist"]]`, or the array of
 * the rows. If one of them has no text, it is the array of their identifiers. */
function outcomeOfAll(resource: Resource): Sql {
  return sql`
    select
      coalesce(
        json_agg(json_build_array(place - 1, refused) order by place)
          filter (where refused <> '')::text,
        ''
      ) as refused,
      min(id) as id,
      case when bool_and(text is not null)
        then '[' || string_agg(text, ',' order by place) || ']'
        else json_agg(id order by place)::text
      end as text
    from (
      ${outcomesOf(resource)}
    ) as made
    where ${nothingLeftOut} is null`;
}

/** A condition: no row of a batch was refused. */
const nothingRefused = sql`not exists (select from relata_sent where relata_refused <> '')`;

/** SQL that fails, and so takes everything back, if the database left a row out. Otherwise it is null. It
 * depends on the rows written, so it runs after they are. */
const nothingLeftOut = sql`(
  select case when count(*) < (select count(*) from relata_input) then 'relata_left_out' end
  from relata_written
)::integer`;

/** The values that a create stores, in the types of their columns. */
function storedColumns(resource: Resource): Sql {
  const values = storedIn(resource.writable).map(({ column, write: { stored } }) =>
    stored?.(name(column), tableOf(resource), column) ?? name(column)
  );
  return list(values);
}
