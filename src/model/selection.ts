// The SQL that selects the fields of a resource.
import { list, name, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "./model.ts";

/** Selects one column for each field, with the name of the field, from rows with the name of the table. */
export function selection({ name: resource, fields }: Resource, rows: Sql): Sql {
  const row = name(resource);
  const shown = Object.entries(fields).map(([field, { column, show }]) => {
    const place = { row, column: name(column), joined: name(`relata_${field}`) };
    const { value, join } = show?.(place) ??
      { value: sql`${row}.${place.column}`, join: undefined };
    return { column: sql`${value} as ${name(field)}`, join };
  });
  const joins = shown.flatMap(({ join }) => join ? [join] : []);
  return sql`
    select
      ${list(shown.map(({ column }) => column), ",\n")}
    ${list([sql`from ${rows}`, ...joins], "\n")}`;
}

/** The JSON text of a row with the name of the table. A subquery builds it for each row, so that a row costs
 * the same whatever plan Postgres chooses for the statement. */
export function shown(resource: Resource): Sql {
  const row = name(resource.name);
  return sql`
    (
      select row_to_json(item.*)::text
      from (
        ${selection(resource, sql`(select ${row}.*) as ${row}`)}
      ) as item
    )`;
}
