// The statements that create rows. Each fails where the database leaves a row out, and but for the shared one
// also where a relation is refused: then nothing stays of what triggers did.
import type { PostgresError } from "../db/errors.ts";
import { join, name, raw, slot, type Sql, sql, type Statement, where, writes } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { isComplete } from "../model/owned-rows.ts";
import { storedIn } from "../model/resource.ts";
import { shownWritten } from "../model/selection.ts";
import { givenIdentifier, identifierOf, tableOf } from "../model/table.ts";
import { rowsToCreate, rowToCreate } from "./defaults.ts";
import { createStages, ifComplete, storeStagesOfOne, writtenRows } from "./stages.ts";
import { ifAllowed, isMisjudged, judgement, judges, reasonsOf, targetOf } from "./judgement.ts";
import {
  afterOwners,
  lastPlace,
  ownersSent,
  ownerStages,
  placeColumn,
  touchStages,
} from "./owner.ts";
import { refuse, requireWritten } from "./refusal.ts";
import { bySender, creationRefusals, type Made, sentStage } from "./sent.ts";

/** Creates one row. */
export function createStatement(resource: Resource): Statement<{ row: string }, Made> {
  const { stages, made } = creationOfOne(resource);
  return writes(
    `create ${resource.name}`,
    sql`
    with ${stages}
    ${made}`,
  );
}

/** Creates all rows or none. */
export function createBatchStatement(resource: Resource): Statement<{ rows: string }, Made> {
  const { stages, made } = creationOfAll(resource);
  return writes(
    `create ${resource.name} batch`,
    sql`
    with ${stages}
    ${made}`,
  );
}

/** Creates the rows of several requests, but for those whose relations are refused; fails if it makes none. */
export function createSharedStatement(
  resource: Resource,
): Statement<{ rows: string }, Made & { place: number; refused: string }> {
  const row = name(resource.name);
  const id = identifierOf(resource, row);
  const complete = isComplete(resource, true);
  return writes(
    `create ${resource.name} shared`,
    sql`
      with ${creation(resource, [])}
      select
        relata_place as place,
        relata_refused as refused,
        null::${raw(resource.identifiers.sqlType)} as id,
        null as text
      from relata_sent
      where relata_refused <> ''
      union all
      select
        relata_place,
        '',
        ${givenIdentifier(resource, id)},
        ${bySender(shownWritten(resource))}
      from ${writtenBySenders(resource)}
      where (
        select case
          when count(${id}) < greatest((select count(*) from relata_input), 1)
          then ${refuse(sql`''`)}
          ${complete ? sql`when not (${complete}) then ${refuse(sql`''`)}` : sql``}
          ${
      judges(resource, "create")
        ? sql`when ${isMisjudged} then ${refuse(sql`':not_allowed'`)}`
        : sql``
    }
        end
        from relata_written as ${row}
      ) is null`,
    { isShared: true },
  );
}

type OfEach = { statement: string; rows: string };

/** Runs the statement of one row for each row of an array, in one transaction: a row that fails takes back nothing
 * but itself. */
export const eachStatement = writes<OfEach, Made & { place: number; error: PostgresError | null }>(
  "create rows one by one",
  sql`
    select
      place,
      id,
      text,
      error
    from ${each(sql`false`)}`,
  { isShared: true },
);

/** The same for the rows of one request. It fails, so that all is taken back, and tells the first row that fails. */
export const trialStatement = writes<OfEach, never>(
  "try rows one by one",
  sql`
    select
    from ${each(sql`true`)}`,
);

function each(isTrial: Sql): Sql {
  return sql`relata_each(
      ${slot("statement", "text")},
      ${slot("rows", "json")},
      ${isTrial}
    )`;
}

/** What a create with a key reads and writes. */
export const keyTable = {
  name: "relata_idempotency",
  columns: ["caller", "path", "key", "body", "identifier", "text", "created_at"],
};

/** The values of a create with a key. */
export interface KeyClaim {
  /** The `id` of a `Caller`. */
  caller: string;
  path: string;
  key: string;
  /** The SHA-256 of the body, in hexadecimal. */
  body: string;
}

interface Claimed extends Made {
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
): Statement<{ row?: string; rows?: string } & KeyClaim, Claimed> {
  const conditions = [
    sql`(select free from relata_claim)`,
    sql`not exists (select from relata_known)`,
  ];
  const { stages, made } = isBatch
    ? creationOfAll(resource, conditions)
    : creationOfOne(resource, conditions);
  return writes(
    isBatch ? `create ${resource.name} batch once` : `create ${resource.name} once`,
    sql`
      with relata_attempt as (
        select
          ${slot("caller", "text")} as caller,
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
      ${stages},
      relata_made as (
        ${made}
      ),
      relata_kept as (
        insert into relata_idempotency (caller, path, key, body, identifier, text)
        select
          attempt.caller,
          attempt.path,
          attempt.key,
          attempt.body,
          made.id::text,
          coalesce(made.text, '')
        from relata_attempt as attempt
        cross join relata_made as made
      )
      select
        claim.free,
        known.same,
        coalesce(known.identifier::${raw(resource.identifiers.sqlType)}, made.id) as id,
        nullif(coalesce(known.text, made.text), '') as text
      from relata_claim as claim
      left join relata_known as known
        on true
      left join relata_made as made
        on true`,
  );
}

interface Creation {
  /** The stages that check the relations and write. */
  stages: Sql;
  /** Selects what was made; fails if anything was not. */
  made: Sql;
}

/** The creation of a row, given as a JSON object. */
function creationOfOne(resource: Resource, conditions: Sql[] = []): Creation {
  const row = name(resource.name);
  const target = targetOf(resource, "create");
  const owners = ownerStages(
    resource,
    (owner) => ownersSent(owner, sql`relata_sent as sent where relata_refused = ''`),
  );
  const stages = sql`
    ${sentStage(rowToCreate(resource), creationRefusals(resource))},${owners}
    relata_written as (
      insert into ${target.table} (${storedColumns(resource)})
      select ${storedValues(resource, raw("relata_sent"), false)}
      from relata_sent
      ${where([sql`relata_refused = ''`, ...conditions, afterOwners(resource)])}
      returning ${target.returned}
    )${
    judgement(resource, "create", {
      rows: sql`relata_written`,
      join: sql`cross join relata_sent as sent`,
      bind: bySender,
    })
  }${storeStagesOfOne(resource, "create")}${touchStages(resource, sql`relata_written`)}`;
  const id = ifComplete(resource, ifAllowed(resource, "create", identifierOf(resource, row)), true);
  const reasons = reasonsOf(resource, "create", sql`relata_refused`);
  const made = sql`
    select
      ${requireWritten(resource, id, reasons)} as id,
      ${bySender(shownWritten(resource))} as text
    from ${resource.view ? sql`relata_sent as sent` : sql`relata_sent`}
    left join ${writtenRows(resource)} as ${row}
      on true
    ${where(conditions)}`;
  return { stages, made };
}

/** The creation of all rows of an array. They are told as one: the reasons as `[[6, "bar:does_not_exist"]]`, or the
 * array of the rows; if one of them has no text, that of their identifiers. */
function creationOfAll(resource: Resource, conditions: Sql[] = []): Creation {
  const row = name(resource.name);
  const nothingRefused = sql`not exists (select from relata_sent where relata_refused <> '')`;
  const areAllowed = judges(resource, "create") ? sql` and not ${isMisjudged}` : sql``;
  const one = ifComplete(
    resource,
    sql`
    case when count(id) = (select count(*) from relata_sent)${areAllowed} then (array_agg(id))[1] end`,
    true,
  );
  const refused = judges(resource, "create")
    ? sql`(
        select
          relata_place,
          relata_refused
        from relata_sent
        union all
        select
          relata_place,
          relata_refusal
        from relata_judged
      ) as relata_told`
    : sql`relata_sent`;
  const reasons = sql`(
      select coalesce(json_agg(
        json_build_array(relata_place - 1, relata_refused) order by relata_place
      )::text, '')
      from ${refused}
      where relata_refused <> ''
    )`;
  const made = sql`
    select
      ${requireWritten(resource, one, reasons)} as id,
      case when bool_and(text is not null)
        then '[' || string_agg(text, ',' order by place) || ']'
        else json_agg(id order by place)::text
      end as text
    from (
      select
        relata_place as place,
        ${givenIdentifier(resource, identifierOf(resource, row))} as id,
        ${bySender(shownWritten(resource))} as text
      from ${writtenBySenders(resource)}
    ) as made
    ${where(conditions, "having")}`;
  return { stages: creation(resource, [nothingRefused, ...conditions]), made };
}

/** The stages of a create of several rows: the rows sent with what is refused of them, the rows to write, the rows
 * written. Postgres takes one row at a time from those to write to `returning`, so the place that is set when it
 * reads a row still belongs to that row in `returning`, whatever triggers change. */
function creation(resource: Resource, conditions: Sql[]): Sql {
  const target = targetOf(resource, "create");
  return sql`
    ${sentStage(rowsToCreate(resource), creationRefusals(resource))},
    relata_input as materialized (
      select *
      from relata_sent
      ${where([sql`relata_refused = ''`, ...conditions])}
      order by relata_place
    ),${ownerStages(resource, (owner) => ownersSent(owner, sql`relata_input as sent`))}
    relata_written as (
      insert into ${target.table} (${storedColumns(resource)})
      select ${storedValues(resource, raw("relata_input"), true)}
      from relata_input
      ${
    where([
      sql`set_config('relata.place', relata_place::text, true) is not null`,
      afterOwners(resource),
    ])
  }
      returning
        ${target.returned},
        current_setting('relata.place')::bigint as relata_place
    )${
    judgement(resource, "create", { rows: sql`relata_written`, join: ofSender, bind: bySender })
  }${createStages(resource)}${touchStages(resource, sql`relata_written`)}`;
}

/** Joins what was sent for a row that was written, with the claims of its sender. */
const ofSender = sql`join relata_input as sent using (relata_place)`;

/** The rows that were written, by the name of the resource, with the claims of their senders where there are callers. */
function writtenBySenders(resource: Resource): Sql {
  const rows = sql`${writtenRows(resource)} as ${name(resource.name)}`;
  return resource.view ? sql`${rows} ${ofSender}` : rows;
}

function storedColumns(resource: Resource): Sql {
  const columns = storedIn(resource.writable).map(({ column }) => name(column));
  return join([...columns, placeColumn(resource)]);
}

/** The values that a create stores of what was sent, in the types of their columns. */
function storedValues(resource: Resource, sent: Sql, areMany: boolean): Sql {
  const values = storedIn(resource.writable).map(({ column, write: { stored } }) =>
    stored?.(name(column), tableOf(resource), column) ?? name(column)
  );
  return join([...values, lastPlace(resource, sent, areMany)]);
}
