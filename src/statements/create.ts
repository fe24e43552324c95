// The statements that create rows. Each fails where the database leaves a row out, and but for the shared one
// also where a relation is refused: then nothing stays of what triggers did.
import type { PostgresError } from "../db/errors.ts";
import { join, name, raw, slot, type Sql, sql, type Statement, where, writes } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { isComplete } from "../model/owned-rows.ts";
import { storedIn } from "../model/resource.ts";
import { shownCreated } from "../model/selection.ts";
import { givenIdentifier, stagedIdentifier, tableOf } from "../model/table.ts";
import { rowsToCreate, rowToCreate } from "./defaults.ts";
import { creationKept } from "./history.ts";
import { createStages, ifComplete, storeStagesOfOne, writtenRows } from "./stages.ts";
import { ifAllowed, isMisjudged, judgement, judges, reasonsOf, targetOf } from "./judgement.ts";
import {
  afterOwners,
  lastRank,
  ownersSent,
  ownerStages,
  rankColumn,
  touchStages,
} from "./owner.ts";
import { keep, type KeyedRequest, onceTaken } from "./once.ts";
import { refuse, requireWritten } from "./refusal.ts";
import {
  bySender,
  creationRefusals,
  type Made,
  ofOnlySender,
  ofSender,
  sentRows,
  sentStage,
} from "./sent.ts";

/** Creates one row. */
export function createStatement(resource: Resource): Statement<{ row: string }, Made> {
  const { stages, id, text, from } = creationOfOne(resource, rowToCreate(resource));
  return writes(
    `create ${resource.name}`,
    sql`
      with ${stages}
      select
        ${id} as id,
        ${text} as text
      from ${from}`,
  );
}

/** Why a row is not created by the statement that would keep its answer: it does not see all that this shows. */
export const UNSEEN = "unseen";

/** Creates one row once for a key, which it takes before it reads what was sent, and keeps the answer. */
export function createOnceStatement(
  resource: Resource,
): Statement<{ row: string } & KeyedRequest, Made> {
  const { stages, id, text, from } = creationOfOne(resource, rowToCreate(resource, onceTaken));
  return writes(
    `create ${resource.name} once`,
    sql`
      with ${stages},
      relata_made as (
        select
          ${id} as id,
          coalesce(
            ${text},
            ${refuse(sql`${UNSEEN}`)}
          ) as text
        from ${from}
      ),
      relata_kept as (
        ${keep(sql`201`, sql`id::text`, sql`text`)}
        from relata_made
      )
      select
        id,
        text
      from relata_made`,
  );
}

/** How one row is created: the stages, and what tells of the row from a join of them. */
function creationOfOne(
  resource: Resource,
  sent: Sql,
): { stages: Sql; id: Sql; text: Sql; from: Sql } {
  const row = name(resource.name);
  const target = targetOf(resource, "create");
  const owners = ownerStages(
    resource,
    (owner) => ownersSent(owner, sql`relata_sent as sent where relata_refused = ''`),
  );
  const id = ifComplete(
    resource,
    ifAllowed(resource, "create", stagedIdentifier(resource, row)),
    true,
  );
  const stages = sql`
    ${sentStage(sent, creationRefusals(resource))},${owners}
    relata_written as (
      insert into ${target.table} (${storedColumns(resource)})
      select ${storedValues(resource, raw("relata_sent"), false)}
      from relata_sent
      ${where([sql`relata_refused = ''`, afterOwners(resource)])}
      returning ${target.returned}
    )${
    judgement(resource, "create", {
      rows: sql`relata_written`,
      join: ofOnlySender,
      bind: bySender,
    })
  }${storeStagesOfOne(resource, "create")}${touchStages(resource, sql`relata_written`)}${
    creationKept(resource, "relata_sent")
  }`;
  return {
    stages,
    id: requireWritten(resource, id, reasonsOf(resource, "create", sql`relata_refused`)),
    text: bySender(shownCreated(resource)),
    from: sql`
      ${resource.view ? sql`relata_sent as sent` : sql`relata_sent`}
      left join ${bySender(writtenRows(resource, { sender: () => ofOnlySender }))} as ${row}
        on true`,
  };
}

/** Creates all rows of an array, or none. They are told as one: the reasons as `[[6, "bar:does_not_exist"]]`, or the
 * array of the rows; if one of them has no text, that of their identifiers. */
export function createBatchStatement(resource: Resource): Statement<{ rows: string }, Made> {
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
          relata_ordinal,
          relata_refused
        from relata_sent
        union all
        select
          relata_ordinal,
          relata_refusal
        from relata_judged
      ) as relata_told`
    : sql`relata_sent`;
  const reasons = sql`(
      select coalesce(json_agg(
        json_build_array(relata_ordinal - 1, relata_refused) order by relata_ordinal
      )::text, '')
      from ${refused}
      where relata_refused <> ''
    )`;
  return writes(
    `create ${resource.name} batch`,
    sql`
      with ${creation(resource, nothingRefused)}
      select
        ${requireWritten(resource, one, reasons)} as id,
        case when bool_and(text is not null)
          then '[' || string_agg(text, ',' order by ordinal) || ']'
          else json_agg(id order by ordinal)::text
        end as text
      from (
        select
          relata_ordinal as ordinal,
          ${givenIdentifier(resource, stagedIdentifier(resource, row))} as id,
          ${bySender(shownCreated(resource))} as text
        from ${writtenBySenders(resource)}
      ) as made`,
  );
}

/** Creates the rows of several requests, but for those whose relations are refused; fails if it makes none. */
export function createSharedStatement(
  resource: Resource,
): Statement<{ rows: string }, Made & { ordinal: number; refused: string }> {
  const row = name(resource.name);
  const id = stagedIdentifier(resource, row);
  const complete = isComplete(resource, true);
  return writes(
    `create ${resource.name} shared`,
    sql`
      with ${creation(resource)}
      select
        relata_ordinal as ordinal,
        relata_refused as refused,
        null::${raw(resource.identifiers.sqlType)} as id,
        null as text
      from relata_sent
      where relata_refused <> ''
      union all
      select
        relata_ordinal,
        '',
        ${givenIdentifier(resource, id)},
        ${bySender(shownCreated(resource))}
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

/** Waits for the locks on what is to own rows: the create after it sees what that has by then, the last rank of its rows and
 * what a history keeps of it. */
export function lockOwnersStatement(resource: Resource): Statement<{ rows: string }> | undefined {
  const condition = afterOwners(resource);
  if (!condition) return undefined;
  return writes(
    `lock owners of ${resource.name}`,
    sql`
      with ${ownerStages(resource, (owner) => ownersSent(owner, sentRows(resource)))}
      relata_locked as (
        select
        ${where([condition])}
      )
      select
      from relata_locked`,
  );
}

type OfEach = { statement: string; rows: string };

/** Runs the statement of one row for each row of an array, in one transaction: a row that fails takes back nothing
 * but itself. */
export const eachStatement = writes<
  OfEach,
  Made & { ordinal: number; error: PostgresError | null }
>(
  "create rows one by one",
  sql`
    select
      ordinal,
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

/** The stages of a create of several rows: the rows sent with what is refused of them, the rows to write, the rows
 * written. Postgres takes one row at a time from those to write to `returning`, so the ordinal that is set when it
 * reads a row still belongs to that row in `returning`, whatever triggers change. */
function creation(resource: Resource, condition?: Sql): Sql {
  const target = targetOf(resource, "create");
  return sql`
    ${sentStage(rowsToCreate(resource), creationRefusals(resource))},
    relata_input as materialized (
      select *
      from relata_sent
      ${where([sql`relata_refused = ''`, condition])}
      order by relata_ordinal
    ),${ownerStages(resource, (owner) => ownersSent(owner, sql`relata_input as sent`))}
    relata_written as (
      insert into ${target.table} (${storedColumns(resource)})
      select ${storedValues(resource, raw("relata_input"), true)}
      from relata_input
      ${
    where([
      sql`set_config('relata.ordinal', relata_ordinal::text, true) is not null`,
      afterOwners(resource),
    ])
  }
      returning
        ${target.returned},
        current_setting('relata.ordinal')::bigint as relata_ordinal
    )${
    judgement(resource, "create", { rows: sql`relata_written`, join: ofSender, bind: bySender })
  }${createStages(resource)}${touchStages(resource, sql`relata_written`)}${
    creationKept(resource, "relata_input")
  }`;
}

/** The rows that were written, by the name of the resource, with the claims of their senders where there are callers. */
function writtenBySenders(resource: Resource): Sql {
  const sender = (row: Sql) =>
    sql`join relata_input as sent on sent.relata_ordinal = ${row}.relata_ordinal`;
  const left = writtenRows(resource, { more: [sql`written.relata_ordinal`], sender });
  const rows = sql`${bySender(left)} as ${name(resource.name)}`;
  return resource.view ? sql`${rows} ${ofSender}` : rows;
}

function storedColumns(resource: Resource): Sql {
  const columns = storedIn(resource.writable).map(({ column }) => name(column));
  return join([...columns, rankColumn(resource)]);
}

/** The values that a create stores of what was sent, in the types of their columns. */
function storedValues(resource: Resource, sent: Sql, areMany: boolean): Sql {
  const values = storedIn(resource.writable).map(({ column, write: { stored } }) =>
    stored?.(name(column), tableOf(resource), column) ?? name(column)
  );
  return join([...values, lastRank(resource, sent, areMany)]);
}
