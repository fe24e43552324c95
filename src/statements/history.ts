// The stages of a write that keep what it does to rows (sql/server/0008_change.up.sql), and what else keeps it. Where the
// write is to rows that others own, it is a change of what owns them at last.
import { name, raw, reads, slot, type Sql, sql, type Statement, writes } from "../db/sql.ts";
import { callerSlot } from "../model/claim.ts";
import { type ChangeVerb, keeperOf } from "../model/history.ts";
import type { Resource } from "../model/model.ts";
import { declaredOf } from "../model/resource.ts";
import { flattened, shown, shownChanged, shownCreated } from "../model/selection.ts";
import {
  givenIdentifier,
  identifierOf,
  namedTableOf,
  sentIdentifier,
  stagedIdentifier,
} from "../model/table.ts";
import { markOf, type Place } from "./follow.ts";
import { FORGOTTEN } from "./once.ts";
import { outermostOwners } from "./owner.ts";
import { ofOnlySender, ofSender } from "./sent.ts";
import { writtenRows } from "./stages.ts";

/** What these read and write. */
export const changesTable = {
  name: "relata_change",
  columns: [
    "id",
    "at",
    "caller",
    "resource",
    "row",
    "verb",
    "before",
    "after",
    "relata_epoch",
    "relata_transaction",
  ],
};

export const forgottenTable = {
  name: "relata_forgotten",
  columns: ["resource", "epoch", "transaction", "change"],
};

/** What a change is of a row, and what has that. */
interface KeptChange {
  verb: ChangeVerb;
  id: Sql;
  before: Sql;
  after: Sql;
  rows: Sql;
}

/** The stage after rows were created that the stage `sent` has, one or many. */
export function creationKept(resource: Resource, sent: "relata_sent" | "relata_input"): Sql {
  const row = name(resource.name);
  const caller = name(callerSlot.slot);
  const [more, join] = sent === "relata_sent"
    ? [[], ofOnlySender]
    : [[sql`written.relata_ordinal`], ofSender];
  // Who creates rows that others own shares no statement with anybody
  const one = sql`(select ${caller} from ${raw(sent)} limit 1)`;
  const flat = flattened(declaredOf(resource));
  return ownerKept(resource, one, raw("relata_written")) ?? stage(resource, sql`sent.${caller}`, {
    verb: "created",
    id: stagedIdentifier(resource, row),
    before: sql`null`,
    after: shownCreated(flat),
    rows: sql`
        from ${writtenRows(flat, { more })} as ${row}
        ${join}`,
  });
}

/** The stage after a row was changed. */
export function changeKept(resource: Resource): Sql {
  const row = name(resource.name);
  const flat = flattened(declaredOf(resource));
  return ownerKept(resource, sql`${callerSlot}`, raw("relata_written")) ??
    stage(resource, sql`${callerSlot}`, {
      verb: "changed",
      id: stagedIdentifier(resource, row),
      before: lockedRow(resource),
      after: shownChanged(flat),
      rows: sql`
        from relata_locked
        cross join ${writtenRows(flat)} as ${row}`,
    });
}

/** The stage after a row was deleted. */
export function deletionKept(resource: Resource): Sql {
  return ownerKept(resource, sql`${callerSlot}`, raw("relata_deleted")) ??
    stage(resource, sql`${callerSlot}`, {
      verb: "deleted",
      id: sql`relata_deleted.id`,
      before: lockedRow(resource),
      after: sql`null`,
      rows: sql`
        from relata_locked
        cross join relata_deleted`,
    });
}

/** The stage after rows were written that others own: these have changed, if it wrote any. Undefined for rows that have a
 * history of their own. */
function ownerKept(resource: Resource, caller: Sql, written: Sql): Sql | undefined {
  const keeper = keeperOf(resource);
  if (keeper === declaredOf(resource)) return undefined;
  if (!keeper) return sql``;
  const row = name(keeper.name);
  return stage(keeper, caller, {
    verb: "changed",
    id: identifierOf(keeper, row),
    before: shown(flattened(keeper)),
    after: sql`null`,
    rows: sql`
        from ${namedTableOf(keeper)}
        where ${identifierOf(keeper, row)} in (select id from ${outermostOwners(resource)})
          and exists (select from ${written})`,
  });
}

function stage(
  resource: Resource,
  caller: Sql,
  { verb, id, before, after, rows }: KeptChange,
): Sql {
  return sql`,
      relata_history as (
        insert into relata_change (caller, resource, row, verb, before, after)
        select
          ${caller},
          ${resource.name},
          ${givenIdentifier(resource, id)}::text,
          ${verb},
          ${before}::json,
          ${after}::json
        ${rows}
      )`;
}

/** The row as it was when it was locked. */
function lockedRow(resource: Resource): Sql {
  return sql`(
            select ${shown(flattened(declaredOf(resource)))}
            from (select (relata_locked.relata_row).*) as ${name(resource.name)}
          )`;
}

/** Adds to the changes of this transaction what they have left, where the statement did not know it. */
export function completeStatement(keeper: Resource): Statement<object, never> {
  const row = name(keeper.name);
  const sent = sql`relata_change.row::${raw(keeper.identifiers.sqlType)}`;
  return writes(
    `complete changes of ${keeper.name}`,
    sql`
      update relata_change
      set
        after = ${shown(flattened(keeper))}::json
      from ${namedTableOf(keeper)}
      where relata_change.resource = ${keeper.name}
        and relata_change.relata_epoch = (select relata_epoch())
        and relata_change.relata_transaction = pg_current_xact_id()
        and relata_change.verb <> 'deleted'
        and relata_change.after is null
        and ${identifierOf(keeper, row)} = ${sentIdentifier(keeper, sent)}`,
  );
}

/** Finds the place of the last change that is kept no more, if there is one. */
export function startStatement(resource: Resource): Statement<object, Place> {
  return reads(
    `start of changes of ${resource.name}`,
    sql`
      select
        epoch,
        ${markOf(sql`relata_forgotten.epoch`)} as mark,
        transaction::text as transaction,
        change::text as id
      from relata_forgotten
      where resource = ${resource.name}`,
  );
}

/** Deletes old changes, except those that another request is deleting, and notes how far. */
export const forgetChanges = writes<{ days: number }, { count: number }>(
  "forget changes",
  sql`
    with forgotten as (
      delete from relata_change
      where id in (
        select id
        from relata_change
        where at <= now() - make_interval(days => ${slot("days", "integer")})
        limit ${FORGOTTEN}
        for update skip locked
      )
      returning
        resource,
        relata_epoch as epoch,
        relata_transaction as transaction,
        id as change
    ),
    noted as (
      insert into relata_forgotten as known (resource, epoch, transaction, change)
      select distinct on (resource)
        resource,
        epoch,
        transaction,
        change
      from forgotten
      order by resource, epoch desc, transaction desc, change desc
      on conflict (resource) do update
      set
        epoch = excluded.epoch,
        transaction = excluded.transaction,
        change = excluded.change
      where (known.epoch, known.transaction, known.change)
        < (excluded.epoch, excluded.transaction, excluded.change)
    )
    select count(*)::integer as count
    from forgotten`,
);
