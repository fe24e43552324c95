// The statements that find what only the rows of a table tell. They read the whole table.
import { join, name, raw, reads, type Sql, sql, type Statement, tableName } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { identifierOf, rowsOf } from "../model/table.ts";

/** What a column holds and its field cannot have. */
interface Unheld {
  field: string;
  count: number;
  /** One of the values, as Postgres writes it. */
  example: string;
}

/** Counts, for each field, the values that answers cannot show. */
export function unheldStatement(resource: Resource): Statement<object, Unheld> {
  const row = name(resource.name);
  const values = Object.entries(resource.fields).flatMap(
    ([field, { column, columnType }]): Sql[] => {
      if (!columnType?.holds) return [];
      const own = sql`${row}.${name(column)}`;
      return [sql`(${field}, not (${columnType.holds(own)}), ${own}::text)`];
    },
  );
  if (values.length === 0) return reads(`audit ${resource.name}`, sql`select where false`);
  return reads(
    `audit ${resource.name}`,
    sql`
      select
        relata_held.field,
        count(*) as count,
        min(relata_held.value) as example
      from ${rowsOf(resource)}
      cross join lateral (
        values
          ${join(values, ",\n")}
      ) as relata_held (field, is_other, value)
      where relata_held.is_other
      group by relata_held.field`,
  );
}

/** Counts the identifiers that are null, or of several rows: a page that ends with one leaves others out. */
export function unkeyedStatement(
  resource: Resource,
): Statement<object, { count: number; example: string }> {
  const key = identifierOf(resource, name(resource.name));
  return reads(
    `audit the identifiers of ${resource.name}`,
    sql`
      select
        count(*) as count,
        min(relata_key.example) as example
      from (
        select coalesce(${key}::text, 'null') as example
        from ${rowsOf(resource)}
        group by ${key}
        having not (${key} is not null) or count(*) > 1
      ) as relata_key
      having count(*) > 0`,
  );
}

/** Counts, for each relation that always has a row, the identifiers of rows that are not there: none, where a
 * foreign key is valid and every row of the target is seen. */
export function danglingStatement(resource: Resource): Statement<object, Unheld> {
  const row = name(resource.name);
  const target = sql`relata_target`;
  const relations = Object.entries(resource.relations).flatMap(([field, relation]): Sql[] => {
    const { column, nullable } = resource.fields[field]!;
    if (relation.isMany || nullable) return [];
    const own = sql`${row}.${name(column)}`;
    const to = relation.target(resource);
    return [sql`
      select
        ${field} as field,
        count(*) as count,
        min(${own}::text) as example
      from ${rowsOf(resource)}
      left join ${rowsOf(to, target)}
        on ${identifierOf(to, target)} = ${own}
      where ${own} is not null
        and ${identifierOf(to, target)} is null
      having count(*) > 0`];
  });
  return reads(
    `audit the relations of ${resource.name}`,
    relations.length > 0 ? join(relations, "\nunion all\n") : sql`select where false`,
  );
}

/** Counts the rows in which a column is null. */
export function ownerlessStatement(
  resource: Resource,
  column: string,
): Statement<object, { count: number }> {
  return reads(
    `audit the owners of ${resource.name}`,
    sql`
      select count(*) as count
      from ${rowsOf(resource)}
      where ${name(resource.name)}.${name(column)} is null`,
  );
}

/** Finds whether an identifier in a column is taken that its sequence has yet to give. As where a sequence is mended,
 * identifiers in the upper half of the free range are ignored. */
export function behindStatement(
  table: string,
  column: string,
  sequence: string,
): Statement<object, { next: number; largest: number }> {
  const key = sql`relata_row.${name(column)}`;
  const next = sql`relata_sequence.next`;
  return reads(
    `audit the sequence of ${table}`,
    sql`
      select
        ${next} as next,
        max(${key}) as largest
      from ${tableName(table)} as relata_row
      cross join (
        select last_value + is_called::integer as next
        from ${raw(sequence)}
      ) as relata_sequence
      where ${key} between ${next} and (${next} + ${Number.MAX_SAFE_INTEGER}) / 2
      group by ${next}`,
  );
}
