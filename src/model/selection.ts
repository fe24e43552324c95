// What a resource shows of rows of its table, in SQL.
import { list, name, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "./model.ts";

/** Selects one column for each field, under the field's name, from rows that bear the name of the
 * table. */
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

/** The JSON text of a row that bears the name of the table, built for that row alone: however many rows a
 * statement has and whatever Postgres makes of that, each costs what it costs alone. */
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
