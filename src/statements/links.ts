// The stages of a write that make the links of a row those that were sent, and touch none where nothing was.
// A link that stays keeps its row and its other columns. Other links go before new ones come, for the sake
// of unique indexes.
import { join, name, raw, type Sql, sql, tableName } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { linksOf } from "../model/resource.ts";
import { columnsOf } from "../model/selection.ts";
import { identifierOf } from "../model/table.ts";

/** The rows that a write leaves, with the identifiers that were sent for their links. */
export function writtenRows(resource: Resource): Sql {
  return writesLinks(resource) ? sql`relata_linked` : sql`relata_written`;
}

/** Whether a row has links, which go with it. */
export function hasLinks(resource: Resource): boolean {
  return linksOf(resource).length > 0;
}

/** The identifiers that were sent for each to-many, after a comma. */
export function sentLinks(resource: Resource): Sql {
  return join([sql``, ...sentColumns(resource)], ",\n");
}

/** The stages after a create. */
export function linksOfCreated(resource: Resource): Sql {
  if (!writesLinks(resource)) return sql``;
  return sql`,
    relata_linked as (
      select
        ${columnsOf(resource, sql`written`)},
        written.relata_place,
        ${join(sentColumns(resource), ",\n")}
      from relata_written as written
      join relata_input as sent
        on sent.relata_place = written.relata_place
    )${replaceLinks(resource)}`;
}

/** The stages after a change. */
export function linksOfChanged(resource: Resource): Sql {
  if (!writesLinks(resource)) return sql``;
  return sql`,
    relata_linked as (
      select
        ${columnsOf(resource, sql`written`)},
        ${join(sentColumns(resource), ",\n")}
      from relata_written as written
      cross join relata_sent as sent
    )${replaceLinks(resource)}`;
}

/** The stages that delete the links of a row, if it was deleted: a trigger or a policy may have kept it. */
export function linksOfDeleted(resource: Resource): Sql {
  return join(
    linkNames(resource).map(({ table, from, unlinked }) =>
      sql`,
        ${unlinked} as (
          delete from ${table} as link
          using relata_deleted as deleted
          where link.${from} = deleted.id
        )`
    ),
    "",
  );
}

function replaceLinks(resource: Resource): Sql {
  const id = identifierOf(resource, sql`linked`);
  const stages = writableLinks(resource).map((links, place) => {
    const { column, table, from, to, order, unlinked, linked } = links;
    const moved = order
      ? sql`,
        ${raw(`relata_moved_${place}`)} as (
          update ${table} as link
          set ${order} = sent.place
          from relata_linked as linked
          cross join unnest(linked.${column}) with ordinality as sent (id, place)
          where link.${from} = ${id}
            and link.${to} = sent.id
            and link.${order} is distinct from sent.place
        )`
      : sql``;
    return sql`,
      ${unlinked} as (
        delete from ${table} as link
        using relata_linked as linked
        where link.${from} = ${id}
          and link.${to} <> all (linked.${column})
        returning link.${from}, link.${to}
      )${moved},
      ${linked} as (
        insert into ${table} (${join([from, to, ...order ? [order] : []])})
        select
          ${join([id, sql`sent.id`, ...order ? [sql`sent.place`] : []], ",\n")}
        from relata_linked as linked
        cross join unnest(linked.${column}) with ordinality as sent (id, place)
        where (select count(*) from ${unlinked}) >= 0
          and not exists (
            select
            from ${table} as link
            where link.${from} = ${id}
              and link.${to} = sent.id
          )
        returning *
      )`;
  });
  return join(stages, "");
}

function writesLinks(resource: Resource): boolean {
  return writableLinks(resource).length > 0;
}

function sentColumns(resource: Resource): Sql[] {
  return writableLinks(resource).map(({ column }) => sql`sent.${column}`);
}

/** Those that clients send. */
function writableLinks(resource: Resource) {
  return linkNames(resource).filter(({ isWritable }) => isWritable);
}

/** The names of the tables and columns of the links, for each to-many. */
function linkNames(resource: Resource) {
  return linksOf(resource).map(({ field, table, from, to, order, ...rest }) => ({
    ...rest,
    column: name(resource.fields[field]!.column),
    table: tableName(table),
    from: name(from),
    to: name(to),
    order: order === undefined ? undefined : name(order),
  }));
}
