// What a create was sent, with the defaults in SQL of the columns that it leaves out.
import { join, name, slot, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { filledColumns, hasDefaults } from "../model/sent.ts";
import { claimsOfCreation, sentRow, sentRows } from "./sent.ts";

/** The row to create, called `sent`, which is given as a JSON object; `condition` gives that, or fails. */
export function rowToCreate(resource: Resource, condition = (row: Sql) => row): Sql {
  const row = sql`${slot("row", "json")}`;
  const sent = sentRow(resource, condition(row), claimsOfCreation(resource));
  if (!hasDefaults(resource)) return sent;
  return sql`(
    select
      ${join(filled(resource, row), ",\n")}
    from ${sent}
  ) as sent`;
}

/** The rows to create, called `sent`, with their ordinals in the JSON array that they are given in. */
export function rowsToCreate(resource: Resource): Sql {
  if (!hasDefaults(resource)) return sentRows(resource);
  const row = sql`relata_row`;
  return sql`(
    select
      ${join([...filled(resource, row), sql`relata_ordinal`], ",\n")}
    from json_array_elements(${slot("rows", "json")})
      with ordinality as relata_element (${row}, relata_ordinal)
    cross join ${sentRow(resource, row, claimsOfCreation(resource))}
  ) as sent`;
}

function filled(resource: Resource, row: Sql): Sql[] {
  const claims = claimsOfCreation(resource).map(({ slot }) => sql`sent.${name(slot)}`);
  return [...filledColumns(resource, row), ...claims];
}
