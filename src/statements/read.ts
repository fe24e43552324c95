// The statements that read one row.
import { bound, join, name, raw, reads, slot, sql, type Statement } from "../db/sql.ts";
import { claimsIn, type ClaimSlot, isClaim } from "../model/claim.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { shown } from "../model/selection.ts";
import {
  areConverted,
  creationOrder,
  identifierOf,
  namedTableOf,
  rowsOf,
  sentIdentifier,
} from "../model/table.ts";

/** Reads rows by the identifiers that are asked for. */
export function readStatement(
  resource: Resource,
): Statement<{ ids: Identifier[] }, { id: Identifier; text: string | null }> {
  const row = name(resource.name);
  const { sqlType } = resource.identifiers;
  const ids = `${sqlType}[]`;
  const asked = sql`(select ${slot("ids", ids)})::${raw(ids)}`;
  // Postgres does not know the size of the inner select, so it keeps one plan for any number
  return reads(
    `read ${resource.name}`,
    areConverted(resource)
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

/** Asks whether the column takes two texts for the same identifier; null if it cannot hold one of them. */
export function sameStatement(
  resource: Resource,
): Statement<{ one: Identifier; other: Identifier }, { isSame: boolean | null }> {
  const { sqlType } = resource.identifiers;
  const [one, other] = ["one", "other"].map((each) =>
    sentIdentifier(resource, slot(each, sqlType))
  );
  return reads(`compare two of ${resource.name}`, sql`select ${one!} = ${other!} as "isSame"`);
}

/** Reads rows by the identifiers that are asked for, each as its caller sees it; without the rule of the row itself
 * where it was just written. */
export function askedStatement(
  resource: Resource,
  { isWritten = false } = {},
): Statement<{ asked: string }, { ordinal: number; text: string | null }> & {
  claims: ClaimSlot[];
} {
  const row = name(resource.name);
  const rows = isWritten ? namedTableOf(resource) : rowsOf(resource);
  const found = sql`
    select
      ${shown(resource)}
    from ${rows}
    where ${identifierOf(resource, row)} = ${sentIdentifier(resource, sql`relata_asked.id`)}`;
  const claims = claimsIn(found);
  const columns = [sql`id`, ...claims.map(({ slot }) => name(slot))];
  const typed = [
    sql`id ${raw(resource.identifiers.sqlType)}`,
    ...claims.map(({ slot, type }) => sql`${name(slot)} ${raw(type)}`),
  ];
  const statement = reads<{ asked: string }, { ordinal: number; text: string | null }>(
    `read ${isWritten ? "written " : ""}${resource.name}`,
    sql`
      select
        relata_asked.ordinal::integer as ordinal,
        (
          ${
      bound(found, (each) => isClaim(each) ? sql`relata_asked.${name(each.slot)}` : undefined)
    }
        ) as text
      from rows from (
        json_to_recordset(${slot("asked", "json")}) as (
          ${join(typed, ",\n")}
        )
      ) with ordinality as relata_asked (${join(columns)}, ordinal)`,
  );
  return { ...statement, claims };
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
