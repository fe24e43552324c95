// The statements that read one row.
import { join, name, raw, reads, slot, sql, type Statement } from "../db/sql.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { shown } from "../model/selection.ts";
import { creationOrder, identifierOf, rowsOf, sentIdentifier } from "../model/table.ts";

/** Reads rows by the identifiers that are asked for. */
export function readStatement(
  resource: Resource,
): Statement<{ ids: Identifier[] }, { id: Identifier; text: string | null }> {
  const row = name(resource.name);
  const { cast, sqlType } = resource.identifiers;
  const ids = `${sqlType}[]`;
  const asked = sql`(select ${slot("ids", ids)})::${raw(ids)}`;
  // Postgres does not know the size of the inner select, so it keeps one plan for any number
  return reads(
    `read ${resource.name}`,
    cast
      ? sql`
        select
          relata_asked.id,
          ${shown(resource)} as text
        from unnest(${asked}) as relata_asked (id)
        join ${rowsOf(resource)}
          on ${identifierOf(resource, row)} = ${sentIdentifier(resource, sql`relata_asked.id`)}`
      : sql`
        select
          ${identifierOf(resource, row)} as id,
          ${shown(resource)} as text
        from ${rowsOf(resource)}
        where ${identifierOf(resource, row)} = any(${asked})`,
  );
}

/** Reads the row that was created last. */
export function lastStatement(resource: Resource): Statement<object, { text: string | null }> {
  return reads(
    `last ${resource.name}`,
    sql`
      select
        ${shown(resource)} as text
      from ${rowsOf(resource)}
      order by ${join(creationOrder(resource).map((column) => sql`${column} desc`))}
      limit 1`,
  );
}
