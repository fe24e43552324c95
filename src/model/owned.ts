// Rows that belong to one row, and are written and read whole, in a field of that row. Within it they are a resource
// like any other, without the relation to the row that owns them.
import * as v from "valibot";
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import { keyOfField } from "./composite-key.ts";
import { jsonTypeOf } from "./field.ts";
import { filterBy } from "./key.ts";
import type { Column, Field, Pairs, Resource, Sent, Write } from "./model.ts";
import type { Options } from "./options.ts";
import { ownedStages } from "./owned-rows.ts";
import { checkTarget, relationTo, type Target } from "./relation.ts";
import { declaredOf, nestedIn, schemasOf, withArticle, writtenTables } from "./resource.ts";
import { shown } from "./selection.ts";
import { refusals, typedColumns } from "./sent.ts";
import { identifierOf, keyColumnOf, ownName, rowsOf, sentIdentifier, tableOf } from "./table.ts";
import { allRows } from "./view.ts";
import { checkedOptions, word } from "./word.ts";

/** The most rows in one field. */
export const MAXIMUM_OWNED = 1000;

/** Rows of a resource that belong to one row: those whose relation `parent` refers to it. Their column `order` has the
 * rank of each, from 1. */
export const owned = word((target: Target, options: Options["owned"]): Field => {
  const { parent, order, ...rest } = checkedOptions("owned", options);
  checkTarget("owned", target);
  const relation = relationTo(target, true);
  const known = new WeakMap<Resource, Resource>();
  const within = (owner: Resource): Resource => {
    const made = known.get(owner) ?? rowsWithin(owner, relation.target(owner), { parent, order });
    known.set(owner, made);
    return made;
  };
  const pairs = (owner: Resource): Pairs => {
    const rows = within(owner);
    return { table: rows.table, from: rows.owned!.column, to: keyColumnOf(rows), order };
  };
  return {
    kind: "owned",
    ...rest,
    relation: {
      ...relation,
      target: within,
      isMany: true,
      isOwned: true,
      owns: relation.target,
      by: parent,
      order,
      isOrdered: order !== undefined,
      pairs,
      stages: ownedStages,
      bytes({ resource, row, other, bytes }) {
        const rows = within(resource);
        return sql`coalesce(
          (
            select sum(${bytes})
            from ${rowsOf(rows, other)}
            where ${isOwnedBy(rows, other, identifierOf(resource, row))}
          ),
          0
        )`;
      },
    },
    show({ resource, row, column, written, links }) {
      const rows = within(resource);
      const own = name(rows.name);
      const rank = order === undefined ? undefined : sql`${own}.${name(order)}`;
      const stored = sql`(
        select ('[' || coalesce(string_agg(
          ${shown(rows, written)},
          ','
          order by ${join([rank, identifierOf(rows, own)])}
        ), '') || ']')::json
        from ${rowsOf(rows)}
        where ${isOwnedBy(rows, own, identifierOf(resource, row))}
      )`;
      if (links === "stored") return { value: stored };
      // The statement does not see those that it writes in their table, and has their texts
      const texts = sql`${row}.${column}`;
      const sent = sql`('[' || array_to_string(${texts}, ',') || ']')::json`;
      return {
        value: links === "sent" ? sent : sql`coalesce(${sent}, ${stored})`,
        isSeen: !resource.isFlat && looksAt(resource, writtenTables(rows))
          ? sql`${texts} is null`
          : sql`array_position(${texts}, null) is null`,
      };
    },
    whenDeclared(owner: Resource) {
      const rows = within(owner);
      return {
        read: v.array(v.looseObject({})),
        write: {
          schema: v.pipe(
            v.array(v.unknown(), "incorrect_type"),
            v.metadata({ maxItems: MAXIMUM_OWNED }),
            v.maxLength(MAXIMUM_OWNED, "too_many"),
          ),
          sqlType: "json",
          default: [],
          explain: (code, value) =>
            code === "too_many"
              ? `Send at most ${MAXIMUM_OWNED} objects`
              : `Send an array of objects, not ${jsonTypeOf(value)}`,
          refusal: (value, field, sent) => refusedRows(within(sent.resource), value, field, sent),
        },
        filter: filterBy(rows.identifiers),
      };
    },
  };
});

/** That a row of this name belongs to the one with an identifier. */
function isOwnedBy({ owned }: Resource, row: Sql, owner: Sql): Sql {
  return sql`${row}.${name(owned!.column)} = ${owner}`;
}

/** Whether a row is shown with others from these tables, or with their links: as they were before the statement. */
function looksAt(resource: Resource, tables: string[]): boolean {
  return Object.values(resource.relations).some((relation) => {
    if (!relation.nested) return false;
    const target = nestedIn(resource, relation);
    const throughs = Object.values(target.relations).map(({ through }) => through);
    const isThere = [target.table, ...throughs].some((each) => each && tables.includes(each));
    return !relation.isOwned && isThere || looksAt(target, tables);
  });
}

/** A resource as rows of it are within the row that owns them. Who may read and write that one may do so with these. */
function rowsWithin(
  owner: Resource,
  rows: Resource,
  { parent, order }: { parent: string; order: string | undefined },
): Resource {
  const { [parent]: reference, ...fields } = rows.fields;
  const { [parent]: relation, ...relations } = rows.relations;
  const { [parent]: _, ...claimed } = rows.claimed;
  if (!reference || !relation || relation.isMany || relation.target(rows).name !== owner.name) {
    throw new Error(`the resource "${rows.name}" has no relation "${parent}" to one ${owner.name}`);
  }
  const [key, ...more] = rows.keys.filter((field) => field !== parent);
  if (key === undefined || more.length > 0) {
    throw new Error(
      `the key of the resource "${rows.name}" has to be of two fields, "${parent}" and another one`,
    );
  }
  const givesOwn = rows.takesKeys || rows.keys.length > 1;
  const writable = {
    ...Object.fromEntries(
      Object.entries(rows.writable).filter(([field, { column }]) =>
        field !== parent && column !== order
      ),
    ),
    [key]: givesOwn ? givenIdentity(rows, key) : identity(owner, rows),
  };
  return {
    ...rows,
    key,
    keys: [key],
    identifiers: keyOfField(rows, rows.fields[key]!),
    title: `Owned${rows.title}`,
    fields,
    writable,
    claimed,
    relations,
    schemas: schemasOf(writable),
    owned: { of: declaredOf(rows), column: reference.column, order },
    ...(owner.view && { view: { ...owner.view, rule: () => allRows } }),
    ...(owner.isFlat && { isFlat: true }),
  };
}

/** What identifies a row within the one that owns it, where clients give it. */
function givenIdentity(
  { name, keys, writable }: Resource,
  key: string,
): Column & { write: Write } {
  const field = writable[key];
  if (!field || keys.length > 1 && field.write.default !== undefined) {
    throw new Error(`clients do not always send "${key}" of the key of the resource "${name}"`);
  }
  const { write } = field;
  const explain: Write["explain"] = (code, value) =>
    code === "duplicate" ? isSentTwice(value) : write.explain(code, value);
  return { ...field, write: { ...write, explain } };
}

function isSentTwice(identifier: unknown): string {
  return `The identifier ${identifier} is sent twice`;
}

/** The identifier of a row within the one that owns it, as clients send it: that of the row to replace. */
function identity(owner: Resource, rows: Resource): Column & { write: Write } {
  const { is, noun, range, write, sqlType } = rows.identifiers;
  return {
    ...rows.fields[rows.key]!,
    write: {
      schema: write,
      sqlType,
      default: raw("null"),
      explain: (code, value) =>
        code === "duplicate"
          ? isSentTwice(value)
          : code !== "does_not_exist"
          ? `Send the identifier of ${withArticle(rows)}, ${noun}, not ${jsonTypeOf(value)}`
          : is(value)
          ? `This ${owner.name} has no ${rows.name} with the identifier ${value}`
          : `Identifiers are ${range}`,
      refusal: (value, field, { resource, owner }) => {
        if (!owner) return sql`null`;
        // Of a row that is not there, or that its callers may not read, nothing is told
        return sql`
          case when ${value} is not null and ${owner} is not null and not exists (
            select
            from ${tableOf(resource)} as relata_row
            where ${identifierOf(resource, sql`relata_row`)} = ${sentIdentifier(resource, value)}
              and ${isOwnedBy(resource, sql`relata_row`, owner)}
          ) then ${`${field}:does_not_exist`} end`;
      },
    },
  };
}

/** What is wrong with the rows that were sent, each at its index. */
function refusedRows(
  rows: Resource,
  value: Sql,
  field: string,
  { resource, stored }: Sent,
): Sql {
  const sent = name(ownName(rows.name));
  const key = keyColumnOf(resource);
  const owner = resource.owned ? sql`${name(ownName(resource.name))}.${name(key)}` : stored?.(key);
  const kept = (column: string) =>
    sql`(
      select relata_row.${name(column)}
      from ${tableOf(rows)} as relata_row
      where ${identifierOf(rows, sql`relata_row`)} = ${
      sentIdentifier(rows, sql`${sent}.${name(keyColumnOf(rows))}`)
    }
        and ${isOwnedBy(rows, sql`relata_row`, owner!)}
    )`;
  const columns = Object.values(rows.writable).map(({ column }) => name(column));
  const more = rows.takesKeys ? [refusedAgain(rows, sent)] : [];
  return sql`(
    select string_agg(
      relata_at || replace(relata_refused, ',', ',' || relata_at),
      ','
      order by relata_ordinal
    )
    from (
      select
        relata_ordinal,
        ${`${field}/`} || (relata_ordinal - 1) || '/' as relata_at,
        ${refusals(rows, sent, { more, ...owner && { owner, stored: kept } })} as relata_refused
      from rows from (
        json_to_recordset(${value}) as (
          ${join(typedColumns(rows), ",\n")}
        )
      ) with ordinality as ${sent} (${join([...columns, raw("relata_ordinal")])})
    ) as relata_refused
    where relata_refused <> ''
  )`;
}

/** That a row has the identity of one before it, by the equality of the database. */
function refusedAgain(rows: Resource, row: Sql): Sql {
  const identity = sentIdentifier(rows, sql`${row}.${name(keyColumnOf(rows))}`);
  return sql`case when row_number() over (
    partition by ${identity}
    order by relata_ordinal
  ) > 1 and ${identity} is not null then ${`${rows.key}:duplicate`} end`;
}
