// The table of links of a to-many, and the stages of a write that make the links of a row those that were sent.
// A link that stays keeps its row and its other columns. Other links go before new ones come, for the sake of
// unique indexes.
import { join, name, raw, type Sql, sql, tableName } from "../db/sql.ts";
import type { Level, Pairs, Resource, Stages } from "./model.ts";
import { allRowsOf, identifierOf, sentIdentifier } from "./table.ts";

/** Where the links of a to-many are, within its resource. */
export interface LinkTable extends Pairs {
  field: string;
  target: Resource;
  /** Whether clients send the links; without that, they are only read, and go with the row. */
  isWritable: boolean;
  /** The stages of a write that give back the links that go, and those that come. */
  unlinked: Sql;
  linked: Sql;
  /** The stage that moves those that stay, where they have an order. */
  moved: Sql;
}

export function linksOf(resource: Resource, suffix = ""): LinkTable[] {
  return Object.entries(resource.relations).flatMap(([field, relation], index) =>
    relation.through === undefined ? [] : [{
      ...relation.pairs(resource, resource.fields[field]!.column) as Pairs,
      field,
      target: relation.target(resource),
      isWritable: Object.hasOwn(resource.writable, field),
      unlinked: raw(`relata_unlinked${suffix}_${index}`),
      linked: raw(`relata_linked${suffix}_${index}`),
      moved: raw(`relata_moved${suffix}_${index}`),
    }]
  );
}

/** The stages of a write for one of them. */
export function linkStages(level: Level, field: string): Stages {
  const { resource, suffix } = level;
  const links = linksOf(resource, suffix).find((links) => links.field === field)!;
  const { unlinked, linked } = links;
  const table = tableName(links.table);
  const [from, to] = [name(links.from), name(links.to)];
  const order = links.order === undefined ? undefined : name(links.order);
  const column = sql`linked.${name(resource.fields[field]!.column)}`;
  const id = identifierOf(resource, sql`linked`);
  const moved = order && sql`,
      ${links.moved} as (
        update ${table} as link
        set ${order} = sent.rank
        from ${level.linked} as linked
        cross join unnest(${column}) with ordinality as sent (id, rank)
        where link.${from} = ${id}
          and link.${to} = sent.id
          and link.${order} is distinct from sent.rank
      )`;
  const replace = sql`,
      ${unlinked} as (
        delete from ${table} as link
        using ${level.linked} as linked
        where link.${from} = ${id}
          and link.${to} <> all (${column})
        returning link.${from}, link.${to}
      )${moved ?? sql``},
      ${linked} as (
        insert into ${table} (${join([from, to, order])})
        select
          ${join([id, sql`sent.id`, order && sql`sent.rank`], ",\n")}
        from ${level.linked} as linked
        cross join unnest(${column}) with ordinality as sent (id, rank)
        where (select count(*) from ${unlinked}) >= 0
          and not exists (
            select
            from ${table} as link
            where link.${from} = ${id}
              and link.${to} = sent.id
          )
        returning *
      )`;
  return {
    create: replace,
    replace,
    remove: sql`,
      ${unlinked} as (
        delete from ${table} as link
        using ${level.deleted} as deleted
        where link.${from} = deleted.id
      )`,
  };
}

/** The fields that clients send, and that no column has. */
export function writableMany({ writable }: Resource) {
  return Object.values(writable).filter(({ relation }) => relation?.isMany);
}

/** What was sent for each of them, with the row called `sent`; identifiers that are compared in another way than they are
 * sent, as the rows have them. */
export function keptLinks(resource: Resource): Sql[] {
  return writableMany(resource).map(({ relation, column }) => {
    const sent = sql`sent.${name(column)}`;
    const target = relation!.target(resource);
    if (relation!.isOwned || !target.identifiers.cast) return sent;
    return sql`
      case when ${sent} is not null then array(
        select ${identifierOf(target, sql`relata_target`)}
        from unnest(${sent}) with ordinality as relata_link (id, ordinal)
        join ${allRowsOf(target, sql`relata_target`)}
          on ${identifierOf(target, sql`relata_target`)} = ${
      sentIdentifier(target, sql`relata_link.id`)
    }
        order by relata_link.ordinal
      ) end as ${name(column)}`;
  });
}
