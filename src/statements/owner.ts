// The stages of a write to rows that others own, at a path of their own: it locks what owns them first, outermost first, as
// a write of the whole does, and touches it, so that such a write sees that its rows are not those that it knew.
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { ownerOf, storedIn } from "../model/resource.ts";
import { allRowsOf, identifierOf, keyColumnOf, sentIdentifier, tableOf } from "../model/table.ts";
import { sentRow } from "./sent.ts";

/** What owns rows, and their column with its identifier. */
interface Owner {
  resource: Resource;
  column: string;
  /** The stage with those that are locked. */
  stage: Sql;
}

/** What owns rows of a resource, and what owns that: the innermost first. */
export function ownersOf(resource: Resource, depth = 0): Owner[] {
  const owner = ownerOf(resource);
  if (!owner) return [];
  const { column } = resource.fields[owner.field]!;
  return [
    { resource: owner.resource, column, stage: raw(`relata_owners_${depth}`) },
    ...ownersOf(owner.resource, depth + 1),
  ];
}

/** Whether something owns its rows. */
export function hasOwner(resource: Resource): boolean {
  return ownerOf(resource) !== undefined;
}

/** The stage with the outermost of what owns rows. */
export function outermostOwners(resource: Resource): Sql {
  return ownersOf(resource).at(-1)!.stage;
}

/** The tables of what owns rows of a resource. */
export function ownerTables(resource: Resource): string[] {
  return ownersOf(resource).map(({ resource: { table } }) => table);
}

/** The stages that lock what owns rows, by a query for the identifiers of the innermost; nothing if nothing does. They are in
 * an array: after a wait, Postgres looks again whether the row is one of them, and may not find it in a join. */
export function ownerStages(resource: Resource, identifiers: (owner: Owner) => Sql): Sql {
  const [owner, ...outer] = ownersOf(resource);
  if (!owner) return sql``;
  let ids = identifiers(owner);
  const stages = [owner, ...outer].map(({ resource, stage }, depth) => {
    const own = sql`relata_owner`;
    const key = identifierOf(resource, own);
    const first = outer[depth];
    const locked = sql`
      ${stage} as materialized (
        select
          ${key} as id,
          ${own}.xmin is not distinct from (
            select relata_seen.xmin
            from ${allRowsOf(resource, sql`relata_seen`)}
            where ${identifierOf(resource, sql`relata_seen`)} = ${key}
          ) as relata_is_current
        from ${allRowsOf(resource, own)}
        where ${key} = any(array(
          ${ids}
        ))${first ? sql` and (select count(*) from ${first.stage}) >= 0` : sql``}
        order by ${key}
        for no key update
      )`;
    if (first) {
      ids = sql`
          select relata_row.${name(first.column)}
          from ${allRowsOf(resource, sql`relata_row`)}
          where ${identifierOf(resource, sql`relata_row`)} in (
            ${ids}
          )`;
    }
    return locked;
  });
  return sql`${join(stages.reverse(), ",")},`;
}

/** What owns a row that is there, by its identifier. */
export function ownerOfRow(resource: Resource, identifier: Sql): (owner: Owner) => Sql {
  return ({ column }) =>
    sql`
          select relata_row.${name(column)}
          from ${allRowsOf(resource, sql`relata_row`)}
          where ${identifierOf(resource, sql`relata_row`)} = ${identifier}`;
}

/** The same, and what is to own it by the JSON that is sent. */
export function ownersOfChange(
  resource: Resource,
  identifier: Sql,
  json: Sql,
): (owner: Owner) => Sql {
  return (owner) =>
    sql`${ownerOfRow(resource, identifier)(owner)}
          union all
          ${ownersSent(owner, sentRow(resource, json))}`;
}

/** What is to own rows that are sent. */
export function ownersSent({ resource, column }: Owner, rows: Sql): Sql {
  return sql`
          select ${sentIdentifier(resource, sql`sent.${name(column)}`)}
          from ${rows}`;
}

/** A condition that holds once what owns the rows is locked. */
export function afterOwners(resource: Resource): Sql | undefined {
  const [owner] = ownersOf(resource);
  return owner && sql`(select count(*) from ${owner.stage}) >= 0`;
}

/** Whether what owns the rows is as the statement saw it. A write of the whole leaves a row as it is where only its links
 * change, or the rows that it owns, so the row itself does not tell. */
export function areOwnersCurrent(resource: Resource): Sql {
  const all = ownersOf(resource).map(({ stage }) =>
    sql`
    and not exists (select from ${stage} where not relata_is_current)`
  );
  return join(all, "");
}

/** The stages that touch what owns rows, if a stage wrote any. */
export function touchStages(resource: Resource, written: Sql): Sql {
  const stages = ownersOf(resource).map(({ resource: owner, stage }, depth) => {
    const key = name(keyColumnOf(owner));
    return sql`,
      ${raw(`relata_touched_${depth}`)} as (
        update ${tableOf(owner)} as relata_owner
        set ${key} = relata_owner.${key}
        from ${stage} as owners
        where relata_owner.${key} = owners.id
          and exists (select from ${written})
      )`;
  });
  return join(stages, "");
}

/** The column with the rank of a row among those that its owner has, if clients do not send it. */
export function rankColumn(resource: Resource): Sql | undefined {
  const order = ownerOf(resource)?.order;
  const isSent = storedIn(resource.writable).some(({ column }) => column === order);
  return order === undefined || isSent ? undefined : name(order);
}

/** A row that comes to another owner is the last of those that this has. */
export function movedRank(resource: Resource): Sql | undefined {
  const rank = rankColumn(resource);
  if (!rank) return undefined;
  const owner = name(resource.fields[ownerOf(resource)!.field]!.column);
  const changed = sql`relata_changed`;
  return sql`${rank} = case
            when ${changed}.${owner} = (relata_row).${owner}
            then (relata_row).${rank}
            else ${lastRank(resource, changed, false)!}
          end`;
}

/** The rank of a new row: the last. Of several that are sent for one owner, each comes after those before it. */
export function lastRank(resource: Resource, sent: Sql, areMany: boolean): Sql | undefined {
  const rank = rankColumn(resource);
  if (!rank) return undefined;
  const owner = name(resource.fields[ownerOf(resource)!.field]!.column);
  const others = (rows: Sql) => sql`${rows}.${owner} = ${sent}.${owner}`;
  const ordinal = areMany
    ? sql`(
        select count(*)
        from ${sent} as other
        where ${others(sql`other`)}
          and other.relata_ordinal <= ${sent}.relata_ordinal
      )`
    : raw("1");
  return sql`
      coalesce(
        (
          select max(relata_row.${rank})
          from ${allRowsOf(resource, sql`relata_row`)}
          where ${others(sql`relata_row`)}
        ),
        0
      ) + ${ordinal}`;
}
