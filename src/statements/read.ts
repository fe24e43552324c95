// The statements that read one row.
import { name, raw, reads, slot, sql, type Statement } from "../db/sql.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { shown } from "../model/selection.ts";
import { identifierOf, rowsOf } from "../model/table.ts";

/** Reads rows by their identifiers. */
export function readStatement(
  resource: Resource,
): Statement<{ ids: Identifier[] }, { id: Identifier; text: string | null }> {
  const row = name(resource.name);
  const ids = `${resource.identifiers.sqlType}[]`;
  // Postgres does not know the size of the inner select, so it keeps one plan for any number
  return reads(
    `read ${resource.name}`,
    sql`
      select
        ${identifierOf(resource, row)} as id,
        ${shown(resource)} as text
      from ${rowsOf(resource)}
      where ${identifierOf(resource, row)} = any((select ${slot("ids", ids)})::${raw(ids)})`,
  );
}

/** Reads the row with the largest identifier, which is the newest. */
export function lastStatement(resource: Resource): Statement<object, { text: string | null }> {
  return reads(
    `last ${resource.name}`,
    sql`
      select
        ${shown(resource)} as text
      from ${rowsOf(resource)}
      order by ${identifierOf(resource, name(resource.name))} desc
      limit 1`,
  );
}
