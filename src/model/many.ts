// The to-many relation: written as an array of identifiers and read, in the same field, as the array of the
// objects. A table of links holds it; what is sent replaces all links of the row.
import * as v from "valibot";
import { name, raw, type Sql, sql, tableName } from "../db/sql.ts";
import { kindOf } from "./field.ts";
import type { Context, Field, Links, Resource } from "./model.ts";
import { identifierFilter, identifierSchema } from "./number.ts";
import type { Options } from "./options.ts";
import {
  explainIdentifier,
  identifierOfOne,
  isCandidate,
  isTarget,
  relationTo,
  type Target,
} from "./relation.ts";
import { linksOf as linksIn, nestedIn } from "./resource.ts";
import { selection } from "./selection.ts";
import { identifierOf, rowsOf } from "./table.ts";
import { checkedOptions, describeValue, word } from "./word.ts";

/** The most rows that one row is linked to. */
const MAXIMUM = 1000;

/** The order of links that have places. Two of them may be the same. */
const ORDER = raw("relata_link.place, relata_link.id");

/** A relation to any number of rows of another resource. The foreign keys of the table `through` are its
 * columns `<resource>_id` and `<target>_id`; its column `order` has the place of a link, from 1. */
export const many = word((target: Exclude<Target, "self">, options: Options["many"]): Field => {
  const { through, order, read = "object", where: condition, ...rest } = checkedOptions(
    "many",
    options,
  );
  if (!isTarget(target)) {
    throw new Error(
      `many takes another resource, or a function that gives it, not ${describeValue(target)}`,
    );
  }
  const relation = relationTo(target, read === "object", condition);
  const links: Links = {
    table: through,
    from: (resource) => `${resource.name}_id`,
    to: (resource) => `${relation.target(resource).name}_id`,
    order,
  };
  return {
    kind: "many",
    ...rest,
    read: v.array(identifierSchema),
    relation: { ...relation, links },
    show: (context) => ({
      value: relation.nested
        ? objects(nestedIn(context.resource, relation), links, context)
        : identifiers(links, context),
    }),
    write: {
      schema: v.pipe(
        v.array(identifierOfOne, "incorrect_type"),
        v.metadata({ maxItems: MAXIMUM, uniqueItems: true }),
        v.maxLength(MAXIMUM, "too_many"),
        v.rawCheck(({ dataset, addIssue }) => {
          if (!dataset.typed) return;
          const { value: input } = dataset;
          input.forEach((value, key) => {
            if (input.indexOf(value) === key) return;
            addIssue({
              message: "duplicate",
              path: [{ type: "array", origin: "value", input, key, value }],
            });
          });
        }),
      ),
      sqlType: "bigint[]",
      default: [],
      explain: (code, value) =>
        code === "too_many"
          ? `Send at most ${MAXIMUM} identifiers`
          : `Send an array of identifiers, not ${kindOf(value)}`,
      explainElement: (code, value, resource) =>
        code === "duplicate"
          ? `The identifier ${value} is there before`
          : explainIdentifier(relation, resource!, code, value),
      refusal: (value, field, resource) =>
        sql`(
          select string_agg(
            ${`${field}/`} || (relata_link.place - 1) || ':does_not_exist',
            ','
            order by relata_link.place
          )
          from unnest(${value}) with ordinality as relata_link (id, place)
          where ${isCandidate(relation.candidates(resource), sql`relata_link.id`)} is null
        )`,
    },
    filter: {
      ...identifierFilter,
      among: (values, row, resource) =>
        sql`exists (
          select
          from ${tableName(through)} as relata_link
          where relata_link.${name(links.from(resource))} = ${identifierOf(resource, row)}
            and relata_link.${name(links.to(resource))} = any(${values})
        )`,
    },
  };
});

/** The rows that a row is linked to, as JSON. */
function objects(target: Resource, links: Links, context: Context): Sql {
  const { joined } = context;
  const key = sql`${joined}.${name(target.key)}`;
  return sql`(
    select ('[' || coalesce(string_agg(
      row_to_json(${joined}.*)::text,
      ','
      order by ${links.order === undefined ? key : ORDER}
    ), '') || ']')::json
    from ${linksOf(links, context)}
    join (
      ${selection(target, rowsOf(target), context.written)}
    ) as ${joined}
      on ${key} = relata_link.id
  )`;
}

/** The identifiers of the rows that a row is linked to, as JSON. */
function identifiers(links: Links, context: Context): Sql {
  return sql`(
    select ('[' || coalesce(string_agg(
      relata_link.id::text,
      ','
      order by ${links.order === undefined ? raw("relata_link.id") : ORDER}
    ), '') || ']')::json
    from ${linksOf(links, context)}
  )`;
}

/** The links of a row. Those that the statement writes are not yet in their table, so a row that it wrote
 * has what was sent in a column; null if nothing was. */
function linksOf(links: Links, context: Context): Sql {
  const { table, from, to, order } = links;
  const { row, column, resource, writesLinks } = context;
  const position = order === undefined ? sql`null` : sql`relata_pair.${name(order)}`;
  const kept = sql`(
      select
        relata_pair.${name(to(resource))} as id,
        ${position} as place
      from ${tableName(table)} as relata_pair
      where relata_pair.${name(from(resource))} = ${identifierOf(resource, row)}${
    fromOtherEnd(links, position, context)
  }
    ) as relata_link`;
  if (!writesLinks) return kept;
  return sql`unnest(coalesce(${row}.${column}, array(
      select relata_link.id
      from ${kept}
      order by ${ORDER}
    ))) with ordinality as relata_link (id, place)`;
}

/** What becomes of the links of a row if the statement writes them from their other end: in place of those that
 * the rows there had, they have what was sent. */
function fromOtherEnd({ table, from, to }: Links, position: Sql, context: Context): Sql {
  const { row, resource, written } = context;
  const here = identifierOf(resource, row);
  const ends = written ? linksIn(written) : [];
  const end = ends.find((each) =>
    each.isWritable && each.table === table && each.from === to(resource) &&
    each.to === from(resource)
  );
  if (!end) return sql``;
  const there = identifierOf(written!, sql`relata_end`);
  const sent = sql`relata_end.${name(written!.fields[end.field]!.column)}`;
  return sql`
        and relata_pair.${name(end.from)} not in (
          select ${there}
          from relata_linked as relata_end
          where ${sent} is not null
        )
      union all
      select
        ${there},
        ${position}
      from relata_linked as relata_end
      left join ${tableName(table)} as relata_pair
        on relata_pair.${name(end.from)} = ${there}
        and relata_pair.${name(end.to)} = ${here}
      where ${here} = any(${sent})`;
}
