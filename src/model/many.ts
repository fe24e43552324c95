// The to-many relation: written as an array of identifiers and read, in the same field, as the array of the
// objects. A table of links holds it; what is sent replaces all links of the row.
import * as v from "valibot";
import { join, name, raw, type Sql, sql, tableName } from "../db/sql.ts";
import { jsonTypeOf } from "./field.ts";
import { filterBy } from "./key.ts";
import type { Among, BytesOf, Context, Field, Pairs, Relation, Resource, Sent } from "./model.ts";
import type { Options } from "./options.ts";
import {
  checkTarget,
  explainIdentifier,
  isCandidate,
  relationTo,
  shownOrHidden,
  type Target,
} from "./relation.ts";
import { linksOf, linkStages } from "./links.ts";
import { nestedIn } from "./resource.ts";
import { selectedIdentifier, selection, shownRow } from "./selection.ts";
import {
  givenIdentifier,
  identifierOf,
  isNarrowed,
  keyColumnOf,
  rowsOf,
  sentIdentifier,
} from "./table.ts";
import { checkedOptions, word } from "./word.ts";

/** The most rows that one row is linked to. */
const MAXIMUM = 1000;

/** The order of links that have ranks. Two of them may be the same. */
const ORDER = raw("relata_link.rank, relata_link.id");

/** A relation to any number of rows. The foreign keys of the table `through` are its columns `from`, to the row that
 * has the field, and `to`, by default `<resource>_id` and `<target>_id`; its column `order` has the rank of a link,
 * from 1. */
export const many = word((target: Target, options: Options["many"]): Field => {
  const { through, from, to, order, read = "object", where: condition, ...rest } = checkedOptions(
    "many",
    options,
  );
  checkTarget("many", target);
  const relation = relationTo(target, read === "object", condition);
  const pairs = (resource: Resource): Pairs => ({
    table: through,
    from: from ?? `${resource.name}_id`,
    to: to ?? `${relation.target(resource).name}_id`,
    order,
  });
  return {
    kind: "many",
    ...rest,
    relation: {
      ...relation,
      isMany: true,
      isOrdered: order !== undefined,
      through,
      pairs,
      stages: linkStages,
      among: (resource, row, values) => linked(pairs(resource), resource, row, values),
      bytes: (of) => bytesOfLinked(pairs(of.resource), relation.target(of.resource), of),
    },
    show(context) {
      const { resource, row, isNested } = context;
      const links = pairs(resource);
      if (!isNested) return { value: identifiers(relation.target(resource), links, context) };
      const value = objects(nestedIn(resource, relation), links, context);
      if (relation.target(resource) !== resource) return { value };
      // A row that is linked to itself is shown within itself as it was before the statement
      const isSeen = sql`
        not exists (
          select
          from ${linksOfRow(links, context)}
          where relata_link.id = ${identifierOf(resource, row)}
        )`;
      return { value, isSeen };
    },
    whenDeclared(resource: Resource) {
      const key = relation.target(resource).identifiers;
      return {
        read: v.array(key.read),
        write: {
          schema: v.pipe(
            // The length first: to find what is wrong with each of 500,000 elements takes half a minute
            v.array(v.unknown(), "incorrect_type"),
            v.metadata({ items: key.schema, maxItems: MAXIMUM, uniqueItems: true }),
            v.maxLength(MAXIMUM, "too_many"),
            v.array(key.write),
            v.checkItems((value, index, all) => all.indexOf(value) === index, "duplicate"),
          ),
          sqlType: `${key.sqlType}[]`,
          default: [],
          explain: (code, value) =>
            code === "too_many"
              ? `Send at most ${MAXIMUM} identifiers`
              : `Send an array of identifiers, not ${jsonTypeOf(value)}`,
          explainElement: (code, value) =>
            code === "duplicate"
              ? `The identifier ${value} is sent twice`
              : explainIdentifier(relation, resource, code, value),
          refusal: (value, field, sent) =>
            refusedLinks(relation, pairs(sent.resource), value, field, sent),
        },
        filter: filterBy(key),
      };
    },
  };
});

/** What is wrong with the identifiers that were sent, in their order. Those that only the database takes for the same
 * are told here. */
function refusedLinks(
  relation: Relation,
  { table, from, to }: Pairs,
  value: Sql,
  field: string,
  { resource, stored }: Sent,
): Sql {
  const target = relation.target(resource);
  const isNew = stored && isNarrowed(target)
    ? sql` and not exists (
            select
            from ${tableName(table)} as relata_kept
            where relata_kept.${name(from)} = ${stored(keyColumnOf(resource))}
              and relata_kept.${name(to)} = ${sentIdentifier(target, sql`relata_link.id`)}
          )`
    : sql``;
  const isRefused = sql`${isCandidate(relation, resource, sql`relata_link.id`)} is null${isNew}`;
  const isAgain = sql`row_number() over (
    partition by ${sentIdentifier(target, sql`relata_link.id`)}
    order by relata_link.ordinal
  ) > 1`;
  return sql`(
    select string_agg(${`${field}/`} || (ordinal - 1) || ':' || code, ',' order by ordinal)
    from (
      select
        relata_link.ordinal,
        case
          when ${isRefused} then 'does_not_exist'
          ${target.identifiers.cast ? sql`when ${isAgain} then 'duplicate'` : sql``}
        end as code
      from unnest(${value}) with ordinality as relata_link (id, ordinal)
    ) as relata_link
    where code is not null
  )`;
}

/** The rows that a row is linked to, as JSON. */
function objects(target: Resource, links: Pairs, context: Context): Sql {
  const { joined } = context;
  const key = selectedIdentifier(target, joined);
  const refers = sql`relata_link.id`;
  const shown = sql`row_to_json(${shownRow(target, joined, sql`${joined}.*`)})`;
  const [order, leads] = isNarrowed(target) ? [refers, raw("left join")] : [key, raw("join")];
  return sql`(
    select ('[' || coalesce(string_agg(
      ${shownOrHidden(target, shown, refers, context.written)}::text,
      ','
      order by ${links.order === undefined ? order : ORDER}
    ), '') || ']')::json
    from ${linksOfRow(links, context)}
    ${leads} (
      ${selection(target, rowsOf(target), context.written)}
    ) as ${joined}
      on ${key} = relata_link.id
  )`;
}

/** The identifiers of the rows that a row is linked to, as JSON. */
function identifiers(target: Resource, links: Pairs, context: Context): Sql {
  return sql`(
    select ('[' || coalesce(string_agg(
      to_json(${givenIdentifier(target, sql`relata_link.id`)})::text,
      ','
      order by ${links.order === undefined ? raw("relata_link.id") : ORDER}
    ), '') || ']')::json
    from ${linksOfRow(links, context)}
  )`;
}

/** That a row is linked to one of some rows, and how its links lead to it. */
export function linked(
  { table, from, to }: Pairs,
  resource: Resource,
  row: Sql,
  values: Sql,
): Among {
  const links = sql`${tableName(table)} as relata_link`;
  const id = sql`relata_link.${name(from)}`;
  const column = sql`relata_link.${name(to)}`;
  const isOfRow = sql`${id} = ${identifierOf(resource, row)}`;
  const condition = sql`${column} = any(${values})`;
  const exists = sql`exists (
    select
    from ${links}
    where ${isOfRow}
      and ${condition}
  )`;
  const join = sql`
    join ${links}
      on ${isOfRow}`;
  return { exists, join, column, condition, id };
}

/** The bytes of the rows that a row is linked to. */
function bytesOfLinked(
  { table, from, to }: Pairs,
  target: Resource,
  { resource, row, other, bytes }: BytesOf,
): Sql {
  return sql`coalesce(
    (
      select sum(${bytes})
      from ${tableName(table)} as relata_link
      join ${rowsOf(target, other)}
        on ${identifierOf(target, other)} = relata_link.${name(to)}
      where relata_link.${name(from)} = ${identifierOf(resource, row)}
    ),
    0
  )`;
}

/** The links of a row, each once: a table without a key may have copies. Those that the statement writes are not yet
 * in their table, so a row that it wrote has what was sent in a column; null if nothing was. */
function linksOfRow(links: Pairs, context: Context): Sql {
  const { table, from, to, order } = links;
  const { row, column, resource, links: where } = context;
  const rank = order === undefined ? sql`null` : sql`relata_pair.${name(order)}`;
  const kept = sql`(
      select
        relata_pair.id,
        min(relata_pair.rank) as rank
      from (
        select
          relata_pair.${name(to)} as id,
          ${rank} as rank
        from ${tableName(table)} as relata_pair
        where relata_pair.${name(from)} = ${identifierOf(resource, row)}${
    fromOtherEnd(links, rank, context)
  }
      ) as relata_pair
      group by relata_pair.id
    ) as relata_link`;
  if (where === "stored") return kept;
  const sent = sql`${row}.${column}`;
  const all = where === "sent" ? sent : sql`coalesce(${sent}, array(
      select relata_link.id
      from ${kept}
      order by ${ORDER}
    ))`;
  return sql`unnest(${all}) with ordinality as relata_link (id, rank)`;
}

/** What makes the links of a row those after the statement, if it writes them from their other end: without those
 * that go, with those that come. These are looked up in an object, because Postgres would read all of them for
 * each of many rows. */
function fromOtherEnd(
  { table, from, to, order }: Pairs,
  rank: Sql,
  { row, resource, written }: Context,
): Sql {
  const end = written &&
    linksOf(written).find((end) =>
      end.isWritable && end.table === table && end.from === to && end.to === from
    );
  if (!end) return sql``;
  const [here, there] = [name(end.to), name(end.from)];
  const columns = [
    sql`${there} ${raw(written.identifiers.sqlType)}`,
    order !== undefined && sql`${name(order)} bigint`,
  ];
  return sql`
        and (relata_pair.${here}, relata_pair.${there}) not in (
          select
            ${here},
            ${there}
          from ${end.unlinked}
        )
      union all
      select
        ${sentIdentifier(written, sql`relata_pair.${there}`)},
        ${rank}
      from jsonb_to_recordset(
        (
          select jsonb_object_agg(id::text, links)
          from (
            select
              ${here} as id,
              jsonb_agg(relata_link) as links
            from ${end.linked} as relata_link
            group by ${here}
          ) as relata_end
        ) -> ${identifierOf(resource, row)}::text
      ) as relata_pair (${join(columns)})`;
}
