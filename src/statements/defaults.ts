// What a create was sent, with the defaults in SQL of the columns that it leaves out. Each is evaluated once for a
// row, before anything looks at it. The JSON tells what is left out: in a record that is null, too.
import { join, name, raw, slot, Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { claimsOfCreation, sentRow, sentRows } from "./sent.ts";

/** The row to create, called `sent`, which is given as a JSON object. */
export function rowToCreate(resource: Resource): Sql {
  const row = sql`${slot("row", "json")}`;
  const sent = sentRow(resource, row, claimsOfCreation(resource));
  if (!hasDefaults(resource)) return sent;
  return sql`(
    select
      ${join(filledColumns(resource, row), ",\n")}
    from ${sent}
  ) as sent`;
}

/** The rows to create, called `sent`, with their places in the JSON array that they are given in. */
export function rowsToCreate(resource: Resource): Sql {
  if (!hasDefaults(resource)) return sentRows(resource);
  const row = sql`relata_row`;
  return sql`(
    select
      ${join([...filledColumns(resource, row), sql`relata_place`], ",\n")}
    from json_array_elements(${slot("rows", "json")})
      with ordinality as relata_element (${row}, relata_place)
    cross join ${sentRow(resource, row, claimsOfCreation(resource))}
  ) as sent`;
}

function hasDefaults({ writable }: Resource): boolean {
  return Object.values(writable).some(({ write }) => write.default instanceof Sql);
}

function filledColumns(resource: Resource, row: Sql): Sql[] {
  const claims = claimsOfCreation(resource).map(({ slot }) => sql`sent.${name(slot)}`);
  const columns = Object.values(resource.writable).map(
    ({ column, write: { default: fallback, sqlType } }) => {
      const sent = sql`sent.${name(column)}`;
      if (!(fallback instanceof Sql)) return sent;
      return sql`
      case
        when ${row} -> ${column} is null
        then (${fallback})::${raw(sqlType)}
        else ${sent}
      end as ${name(column)}`;
    },
  );
  return [...columns, ...claims];
}
