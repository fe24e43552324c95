// The statements that read records in the order in which they are followed: by epoch, by transaction, by
// identifier (sql/server/0004_epoch.up.sql). A record is read once no transaction is under way that may put
// another one before it, so that the order is the same for everybody.
import {
  join,
  name,
  raw,
  reads,
  type Slot,
  slot,
  type Sql,
  sql,
  type Statement,
} from "../db/sql.ts";
import { keysOfParts } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { columnsOf } from "../model/selection.ts";
import { identifierColumns, rowsOf, sentParts, stagedIdentifier, tuple } from "../model/table.ts";
import { shownIfItFits } from "./long.ts";

/** The columns that a followed table has besides those of its fields, each never null and with this default. */
export const placeColumns = {
  relata_epoch: { type: "bigint", expression: "relata_epoch()" },
  relata_transaction: { type: "xid8", expression: "pg_current_xact_id()" },
};

/** What else the statements read. */
export const epochTable = {
  name: "relata_epoch",
  columns: ["epoch", "started", "database", "mark", "transaction"],
};

/** The most records that are read at once. */
export const RECORDS = 100;

/** Where a record is in the order. */
export interface Place {
  epoch: number;
  /** What the epoch is known by; a copy of the database has others. Empty for an epoch that this database
   * does not know. */
  mark: string;
  /** Both may be too large for a number. */
  transaction: string;
  id: string;
}

export interface Followed extends Place {
  /** Null if the page has no room for it. */
  text: string | null;
}

/** A row of a page. There is one even if no record follows, and each says the same of the page. */
interface PageRow extends Partial<Nullable<Followed>> {
  /** Whether the place is one of this database. */
  isKnown: boolean;
  /** Whether there are records that cannot be read yet. */
  isWaiting: boolean;
}

type Nullable<Of> = { [Each in keyof Of]: Of[Each] | null };

/** Reads the records that follow a place. Whether any waits is told by the last of all: Postgres would read the
 * whole table to find that none does. A place may come after what can be read: a transaction of another database
 * counts again when it ends between the snapshot and the look at those that run. */
export function followStatement(resource: Resource): Statement<Place, PageRow> {
  const row = name(resource.name);
  const { sqlType } = resource.identifiers;
  const id = sentParts(resource, slot("id", sqlType));
  const after = tuple([sql`${epoch}`, sql`${transaction}`, ...id]);
  const next = sql`
    where (${recordOrder(resource)}) > ${after}
      and ${canBeRead(row)}
    order by ${recordOrder(resource)}
    limit ${RECORDS}`;
  return reads(
    `follow ${resource.name}`,
    sql`
      with ${now},
      relata_told as (
        select
          ${markOf(epoch)} = ${slot("mark", "text")}
            and (${epoch}, ${transaction}) < (
              (select relata_epoch()),
              pg_snapshot_xmax(pg_current_snapshot())
            )${isKept(resource, after)} as "isKnown",
          not exists (select from relata_now) or coalesce(
            (
              select not ${canBeRead(row)}
              from ${rowsOf(resource)}
              order by ${lastFirst(resource)}
              limit 1
            ),
            false
          ) as "isWaiting"
      )
      select
        "isKnown",
        "isWaiting",
        page.*
      from relata_told
      left join (
        ${pageOf(resource, next)}
      ) as page
        on "isKnown"
      order by page.epoch, page.transaction::xid8, ${
      join(inOrder(resource, sentParts(resource, sql`page.id::${raw(sqlType)}`)))
    }`,
  );
}

/** That nothing after a place is kept no more, where that may be. */
function isKept({ changesOf }: Resource, after: Sql): Sql {
  if (!changesOf) return sql``;
  return sql`
            and not exists (
              select
              from relata_forgotten
              where resource = ${changesOf.name}
                and (relata_forgotten.epoch, transaction, change) > ${after}
            )`;
}

/** Reads the newest record of those that can be read. While no record of the present epoch can be read, because
 * it has just begun or waits for an older transaction, that is the newest one of earlier epochs. */
export function newestStatement(resource: Resource): Statement<object, Followed> {
  const row = name(resource.name);
  const last = sql`
    where (${row}.relata_epoch, ${row}.relata_transaction) < (
      select epoch, coalesce(transaction, '0')
      from relata_epoch() as epoch
      left join relata_now using (epoch)
    )
    order by ${lastFirst(resource)}
    limit 1`;
  return reads(
    `newest ${resource.name}`,
    sql`
      with ${now}
      ${pageOf(resource, last)}`,
  );
}

const epoch: Slot = slot("epoch", "bigint");
const transaction: Slot = slot("transaction", "xid8");

/** The present epoch, and its first transaction that is not over; nothing while one from before the epoch may
 * still commit. Of those under way in the snapshot, all count but those known to be of other databases: one that
 * has ended since is found nowhere. (A standby has no epoch, and its snapshots name no transactions.) */
const now = sql`
  relata_now as materialized (
    select
      epoch,
      unfinished.transaction
    from relata_epoch
    cross join (
      select coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot())) as transaction
      from pg_snapshot_xip(pg_current_snapshot()) as running
      where (
        running::xid in (
          select backend_xid
          from pg_stat_activity
          where datname <> current_database()
          union all
          select transaction
          from pg_prepared_xacts
          where database <> current_database()
        )
      ) is not true
    ) as unfinished
    where epoch = (select relata_epoch())
      and relata_epoch.transaction <= unfinished.transaction
  )`;

export function markOf(epoch: Sql | Slot): Sql {
  return sql`coalesce(
    (
      select mark::text
      from relata_epoch
      where epoch = ${epoch}
    ),
    ''
  )`;
}

/** The condition that no further record can come before a row. */
function canBeRead(row: Sql): Sql {
  return sql`(${row}.relata_epoch, ${row}.relata_transaction) < (
    select epoch, transaction
    from relata_now
  )`;
}

function recordOrder(resource: Resource): Sql {
  return join(recordKey(resource));
}

function lastFirst(resource: Resource): Sql {
  return join(recordKey(resource).map((column) => sql`${column} desc`));
}

function recordKey(resource: Resource): Sql[] {
  const row = name(resource.name);
  const id = inOrder(resource, identifierColumns(resource, row));
  return [sql`${row}.relata_epoch`, sql`${row}.relata_transaction`, ...id];
}

/** What an identifier is made of, as followers compare it. */
function inOrder({ identifiers }: Resource, values: readonly Sql[]): Sql[] {
  const parts = keysOfParts(identifiers);
  return values.map((value, index) => parts[index]!.ordered?.(value) ?? value);
}

/** The records that these clauses find, with their places. */
function pageOf(resource: Resource, clauses: Sql): Sql {
  const row = name(resource.name);
  const id = stagedIdentifier(resource, row);
  return sql`
    select
      ${row}.relata_epoch as epoch,
      ${markOf(sql`${row}.relata_epoch`)} as mark,
      ${row}.relata_transaction::text as transaction,
      ${id}::text as id,
      ${shownIfItFits(resource, recordOrder(resource))} as text
    from (
      select
        ${columnsOf(resource, row)},
        ${row}.relata_epoch,
        ${row}.relata_transaction
      from ${rowsOf(resource)}
      ${clauses}
    ) as ${row}`;
}
