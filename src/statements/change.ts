// The statements that change and delete a row, each under a lock.
import {
  join,
  name,
  quotedArray,
  raw,
  slot,
  type Sql,
  sql,
  type Statement,
  tableName,
  textOf,
  where,
  writes,
} from "../db/sql.ts";
import type { Identifier } from "../model/key.ts";
import type { Right } from "../model/access.ts";
import type { Resource } from "../model/model.ts";
import { areCurrent } from "../model/owned-rows.ts";
import { storedIn, writtenTables } from "../model/resource.ts";
import { columnsOf, shown, shownChanged } from "../model/selection.ts";
import {
  allRowsOf,
  identifierOf,
  keyColumnsOf,
  namedTableOf,
  sentIdentifier,
  stagedIdentifier,
  tableText,
} from "../model/table.ts";
import { keeperOf } from "../model/history.ts";
import { changeKept, deletionKept } from "./history.ts";
import { ifAllowed, judgement, judges, reasonsOf, targetOf } from "./judgement.ts";
import {
  afterOwners,
  areOwnersCurrent,
  hasOwner,
  movedRank,
  ownerOfRow,
  ownersOfChange,
  ownerStages,
  ownerTables,
  touchStages,
} from "./owner.ts";
import { requireWritten } from "./refusal.ts";
import { refusedSent, sentRow } from "./sent.ts";
import {
  deleteStages,
  hasLinks,
  HELD,
  holdStages,
  ifComplete,
  sentLinks,
  storeStagesOfOne,
  writtenRows,
} from "./stages.ts";
import { rowTag } from "./tag.ts";

/** Whether a row is there as the statement saw it, its callers may write it, and its condition holds. */
function mayWrite({ view }: Resource): Sql {
  const allowed = view ? sql` and relata_is_readable and relata_is_allowed` : sql``;
  return sql`relata_is_current${allowed} and relata_matches`;
}

/** What the tag of a row must be, if anything. */
export interface Precondition {
  /** Whether it must be one of the tags, or none of them. */
  isOneOf: boolean;
  /** A JSON array; null for no condition. */
  tags: string | null;
}

/** The outcome of a write to a row that is there; both are null if there is none. */
export interface WriteVerdict {
  /** Whether the statement saw what counts as it was when it got the lock. If not, another write came between:
   * nothing is written, and the statement has to run again. */
  isCurrent: boolean | null;
  /** Whether the condition holds. */
  matches: boolean | null;
  /** Whether the callers may read the row, and write it; where there are rules. */
  isReadable?: boolean | null;
  isAllowed?: boolean | null;
}

interface Changed extends WriteVerdict {
  /** Null if nothing was written. */
  id: Identifier | null;
  /** The row as JSON text; null if it has to be read anew. */
  text: string | null;
}

/** Changes the columns that are sent and keeps the others. A lock on the row prevents other changes between
 * the check and the update, and lets in new rows that refer to it. After a wait for the lock, what the row
 * refers to may be out of date, so there is no text. What is refused never reaches the types of the columns, in
 * whatever order Postgres joins. */
export function changeStatement(
  resource: Resource,
): Statement<{ id: Identifier; row: string; merges: boolean } & Precondition, Changed> {
  const row = name(resource.name);
  const json = sql`${slot("row", "json")}`;
  const { stage, sent, reasons: unmergeable } = merging(resource);
  const target = targetOf(resource, "update");
  // Of a row that its callers may not read, nothing is told
  const stored = (column: string) =>
    sql`(select (relata_row).${name(column)} from relata_locked${
      resource.view ? sql` where relata_is_readable` : sql``
    })`;
  const reasons = sql`
    case
      when relata_refused <> '' or (${mayWrite(resource)})
      then ${reasonsOf(resource, "update", sql`relata_refused`)}
      ${whenNothingMayStay(resource)}
    end`;
  return writes(
    `change ${resource.name}`,
    sql`
      with ${ownerStages(resource, ownersOfChange(resource, sentId(resource), json))}${
      lockStages(resource, "no key update", "update", json)
    },${stage}
      relata_sent as (
        select
          ${
      join(
        [
          sql`${refusedSent(resource, { more: unmergeable, stored })} as relata_refused`,
          ...sentLinks(resource),
        ],
        ",\n",
      )
    }
        from ${sentRow(resource, json)}
      ),
      relata_updated as (
        update ${target.table}
        set
          ${join([...changed(resource), movedRank(resource)], ",\n")}
        from relata_locked
        cross join relata_sent
        cross join json_populate_record(
          relata_row,
          case when relata_refused = '' then ${sent} end
        ) as relata_changed
        where ${identifierOf(resource, target.row)} = ${sentId(resource)}
          and ${mayWrite(resource)}
          and relata_refused = ''
        returning ${target.returned}
      )${judgement(resource, "update", { rows: sql`relata_updated` })},
      relata_written as (
        select ${judges(resource, "update") ? columnsOf(resource, raw("relata_updated")) : sql`*`}
        from relata_updated
        union all
        select ${columnsOf(resource, raw("(relata_row)"))}
        from relata_locked
        cross join relata_sent
        where ${mayWrite(resource)}
          and not exists (select from relata_updated)
          and ${isRedundant(resource, sent)}
      )${storeStagesOfOne(resource, "replace")}${touchStages(resource, sql`relata_written`)}${
      changeKept(resource)
    }
      select
        ${verdict(resource)},
        ${
      requireWritten(
        resource,
        ifComplete(resource, ifAllowed(resource, "update", stagedIdentifier(resource, row)), false),
        reasons,
      )
    } as id,
        case when not relata_locked.relata_waited then ${shownChanged(resource)} end as text
      from relata_sent
      left join relata_locked
        on true
      left join ${writtenRows(resource)} as ${row}
        on true`,
  );
}

/** The columns as they are to be. The identifier never changes; it is there only if no other column is. */
function changed(resource: Resource): Sql[] {
  const keys = keyColumnsOf(resource);
  const columns = storedIn(resource.writable).map(({ column }) => column);
  const others = columns.filter((column) => !keys.includes(column));
  return (others.length > 0 ? others : columns).map(name)
    .map((column) => sql`${column} = relata_changed.${column}`);
}

/** What is to be stored, as JSON by column: what was sent, or, where a merge patch reaches into JSON, a stage that has
 * it, and reasons why it is refused. A row that may not be written is not merged. */
function merging(resource: Resource): { stage: Sql; sent: Sql; reasons: Sql[] } {
  const row = slot("row", "json");
  const fields = Object.entries(resource.writable).flatMap((
    [field, { column, write: { merge } }],
  ) => merge ? [{ field, column, merge }] : []);
  if (fields.length === 0) return { stage: sql``, sent: sql`${row}`, reasons: [] };
  const values = fields.map(({ column, merge }) =>
    sql`when ${column} then ${merge.value(sql`(relata_row).${name(column)}`, sql`value`)}::json`
  );
  const stage = sql`
    relata_merged as (
      select json_object_agg(key, case
        when ${slot("merges", "boolean")} and json_typeof(value) = 'object' then case key
          ${join(values, "\n")}
        end
        else value
      end) as row
      from relata_locked
      cross join json_each(${row})
      where ${mayWrite(resource)}
    ),`;
  const reasons = fields.map(({ field, column, merge }) =>
    sql`(
      select ${merge.refusal(sql`row ->> ${column}`, field)}
      from relata_merged
    )`
  );
  return { stage, sent: sql`(select row from relata_merged)`, reasons };
}

/** Waits for the locks that a change or a deletion of a row needs: also of what is to own the row, where it moves. */
export function lockStatement(
  resource: Resource,
  lock: Lock,
): Statement<{ id: Identifier; row: string }> {
  const title = `lock ${resource.name} for ${lock}`;
  if (!hasOwner(resource)) return writes(title, rowToLock(resource, lock));
  const id = sentId(resource);
  const owners = lock === "update"
    ? ownerOfRow(resource, id)
    : ownersOfChange(resource, id, sql`${slot("row", "json")}`);
  return writes(
    title,
    sql`
      with ${ownerStages(resource, owners)}
      relata_locked as (
        ${rowToLock(resource, lock, afterOwners(resource))}
      )
      select
      from relata_locked`,
  );
}

/** The row, under a lock. */
function rowToLock(resource: Resource, lock: Lock, condition?: Sql): Sql {
  const isRow = sql`${identifierOf(resource, sql`relata_row`)} = ${sentId(resource)}`;
  return sql`
      select
      from ${allRowsOf(resource, sql`relata_row`)}
      ${where([isRow, condition])}
      for ${raw(lock)}`;
}

type Lock = "no key update" | "update";

function sentId(resource: Resource): Sql {
  return sentIdentifier(resource, slot("id", resource.identifiers.sqlType));
}

/** SQL that tells whether an update left the row out because that is what was sent. A trigger that leaves out a row
 * guards its links as well, so where it has any, the trigger has to be Postgres's own. Values that are refused may
 * not fit their columns. */
function isRedundant(resource: Resource, sent: Sql): Sql {
  const isSame = sql`relata_row *= json_populate_record(relata_row, ${sent})`;
  const suppresses = sql`
    'suppress_redundant_updates_trigger'::regproc in (
      select tgfoid
      from pg_trigger
      where tgrelid = ${tableText(resource)}::regclass
    )`;
  return sql`
    case when relata_refused = '' then
      ${join([isSame, hasLinks(resource) && suppresses], "\nand ")}
    end`;
}

/** Deletes a row; returns no identifier if it was not deleted, nor a verdict if there is none. */
export function removeStatement(
  resource: Resource,
): Statement<{ id: Identifier } & Precondition, { id: Identifier | null } & WriteVerdict> {
  const row = name(resource.name);
  return writes(
    `delete ${resource.name}`,
    sql`
      with ${ownerStages(resource, ownerOfRow(resource, sentId(resource)))}${
      lockStages(resource, "update", "delete")
    },
      relata_deleted as (
        delete from ${namedTableOf(resource)}
        using relata_locked
        where ${identifierOf(resource, row)} = ${sentId(resource)}
          and ${mayWrite(resource)}
        returning ${stagedIdentifier(resource, row)} as id
      )${deleteStages(resource)}${touchStages(resource, sql`relata_deleted`)}${
      deletionKept(resource)
    }
      select
        ${verdict(resource)},
        ${
      requireWritten(
        resource,
        sql`deleted.id`,
        sql`
          case
            when ${mayWrite(resource)}
            then ''
            ${whenNothingMayStay(resource)}
          end`,
      )
    } as id
      from (select) as relata_asked
      left join relata_locked
        on true
      left join relata_deleted as deleted
        on true`,
  );
}

/** The stages that lock a row and check the condition. Postgres waits for the lock, and then gives the newest
 * version of the row, but shows other tables as they were before. So where these count, for the condition
 * or for links, nothing is written after a wait, and the row has to be the version that the statement saw
 * at first. A change of a column in a unique index may wait again, for rows that come to refer to the row. */
function lockStages(
  resource: Resource,
  lock: Lock,
  right: "update" | "delete",
  sent?: Sql,
): Sql {
  const areOwnedCurrent = areCurrent(resource, sent);
  if (!areOwnedCurrent) return lockStagesOf(resource, lock, right, raw("relata_locked"));
  const { view } = resource;
  const columns = [raw("id"), raw("relata_row"), raw("relata_waited")];
  const told = [view && raw("relata_is_readable"), view && raw("relata_is_allowed")];
  return sql`${lockStagesOf(resource, lock, right, HELD)}${holdStages(resource, sent)},
    relata_locked as materialized (
      select
        ${join([...columns, ...told, raw("relata_matches")])},
        relata_is_current and ${areOwnedCurrent} as relata_is_current
      from ${HELD}
    )`;
}

/** The same for the row alone. */
function lockStagesOf(resource: Resource, lock: Lock, right: "update" | "delete", stage: Sql): Sql {
  const row = name(resource.name);
  const tags = slot("tags", "json");
  const id = identifierOf(resource, sql`relata_row`);
  const isSeen = sql`not relata_waited and relata_version = (
    select relata_seen.xmin
    from ${allRowsOf(resource, sql`relata_seen`)}
    where ${identifierOf(resource, sql`relata_seen`)} = ${identifierOf(resource, row)}
  )${hasLinks(resource) || keeperOf(resource) ? areOwnersCurrent(resource) : sql``}`;
  return sql`
    relata_free as (
      ${rowToLock(resource, lock)} skip locked
    ),
    ${stage} as (
      select
        ${stagedIdentifier(resource, row)} as id,
        ${row}.relata_row,
        relata_waited,
        ${
    hasLinks(resource) || hasOwner(resource) || looksElsewhere(resource, right)
      ? isSeen
      : sql`(${tags} is null or ${isSeen})`
  } as relata_is_current,${ruled(resource, right)}
        case when ${tags} is null then true else (
          ${rowTag(shown(resource))}
          in (select json_array_elements_text(${tags}))
        ) = ${slot("isOneOf", "boolean")} end as relata_matches
      from (
        select
          ${columnsOf(resource, raw("relata_row"))},
          relata_row,
          relata_row.xmin as relata_version,
          relata_probe.relata_waited
        from (select count(*) = 0 as relata_waited from relata_free) as relata_probe
        join ${allRowsOf(resource, sql`relata_row`)}
          on ${id} = ${sentId(resource)}
        ${where([afterOwners(resource)])}
        for ${raw(lock)} of relata_row
      ) as ${row}
    )`;
}

/** What the outcome tells of a row that is there, and the columns that have it. */
function verdictOf({ view }: Resource): [told: keyof WriteVerdict, column: Sql][] {
  const ruled: [keyof WriteVerdict, Sql][] = [
    ["isReadable", raw("relata_is_readable")],
    ["isAllowed", raw("relata_is_allowed")],
  ];
  return [
    ["isCurrent", raw("relata_is_current")],
    ...(view ? ruled : []),
    ["matches", raw("relata_matches")],
  ];
}

function verdict(resource: Resource): Sql {
  return join(
    verdictOf(resource).map(([told, column]) => sql`${column} as ${name(told)}`),
    ",\n",
  );
}

/** The branch that has a write of nothing fail, with its verdict, where triggers ran for the statement: Postgres takes
 * back what they did. The lowest bit of the type of a trigger is set if it is for each row. */
function whenNothingMayStay(resource: Resource): Sql {
  const tables = [...writtenTables(resource), ...ownerTables(resource)]
    .map((table) => textOf(tableName(table)));
  const told = verdictOf(resource).map(([told, column]) => sql`${told}, ${column}`);
  return sql`
    when exists (
      select
      from pg_trigger
      where tgrelid = any(${raw(quotedArray(tables))}::regclass[])
        and tgtype & 1 = 0
    )
    then json_build_object(${join(told)})::text`;
}

/** Whether other rows decide who may read or write a row. */
function looksElsewhere({ view }: Resource, right: Right): boolean {
  return view !== undefined &&
    (["read", right] as const).some((each) => view.rule(each).looksElsewhere);
}

/** What the rules say of the row as it was locked. */
function ruled({ name: resource, view }: Resource, right: Right): Sql {
  if (!view) return sql``;
  const row = name(resource);
  const holds = (right: Right) => {
    const condition = view.rule(right).holds(row);
    if (!condition) return sql`true`;
    return sql`
      coalesce((
        select ${condition}
        from (select (${row}.relata_row).*) as ${row}
      ), false)`;
  };
  return sql`
        ${holds("read")} as relata_is_readable,
        ${holds(right)} as relata_is_allowed,`;
}
