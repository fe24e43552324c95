// The stages of a write that its relations add, after the row itself. Where no column has what was sent for a
// relation, the stage `relata_linked` has it beside the row.
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import type { Level, Resource, Stages } from "../model/model.ts";
import { keptLinks, writableMany } from "../model/links.ts";
import { isComplete } from "../model/owned-rows.ts";
import { type RowsLeft, withOwned } from "../model/owned-texts.ts";
import { writtenTables } from "../model/resource.ts";
import { columnsOf } from "../model/selection.ts";
import { ofOnlySender } from "./sent.ts";

/** The stage with a row under its lock, before the rows that it owns are. */
export const HELD = raw("relata_held");

/** The stage with the rows that are left, and what was sent for each relation that no column has. */
const LINKED = raw("relata_linked");

/** The rows that a write leaves, with the identifiers that were sent for their links, and the texts of the rows that they
 * own, as far as these are written. */
export function writtenRows(
  resource: Resource,
  { more = [], sender }: Pick<RowsLeft, "more" | "sender"> = {},
): Sql {
  const rows = writableMany(resource).length > 0 ? LINKED : sql`relata_written`;
  return withOwned({ resource, rows, more, ...(resource.view && sender && { sender }) });
}

/** Whether a row has links, or rows of its own, which go with it. */
export function hasLinks(resource: Resource): boolean {
  return writtenTables(resource).length > 1;
}

/** The identifiers that were sent for each to-many. */
export function sentLinks(resource: Resource): Sql[] {
  return writableMany(resource).map(({ column }) => sql`sent.${name(column)}`);
}

/** The stages after a create of several rows. */
export function createStages(resource: Resource): Sql {
  return storeStages(
    resource,
    "create",
    sql`
      join relata_input as sent
        on sent.relata_ordinal = written.relata_ordinal`,
    [sql`written.relata_ordinal`],
  );
}

/** The stages after one row was created or changed. */
export function storeStagesOfOne(resource: Resource, which: "create" | "replace"): Sql {
  return storeStages(resource, which, ofOnlySender);
}

/** The stages after a row was deleted: a trigger or a policy may have kept it. */
export function deleteStages(resource: Resource): Sql {
  return stagesOf(topOf(resource), "remove");
}

function storeStages(
  resource: Resource,
  which: "create" | "replace",
  source: Sql,
  more: Sql[] = [],
): Sql {
  const sent = keptLinks(resource);
  if (sent.length === 0) return sql``;
  return sql`,
    ${LINKED} as (
      select
        ${join([columnsOf(resource, sql`written`), ...more, ...sent], ",\n")}
      from relata_written as written
      ${source}
    )${stagesOf(topOf(resource), which)}`;
}

/** The stages that lock the rows which a row owns, as far as they are sent. */
export function holdStages(resource: Resource, sent?: Sql): Sql {
  return stagesOf({ ...topOf(resource), sent }, "hold");
}

/** The identifier of what was written, if all rows were that were sent for it to own. */
export function ifComplete(resource: Resource, id: Sql, areNew: boolean): Sql {
  const condition = isComplete(resource, areNew);
  return condition ? sql`case when ${condition} then ${id} end` : id;
}

/** The rows that a write is about. */
function topOf(resource: Resource): Omit<Level, "stagesOf"> {
  return {
    resource,
    suffix: "",
    linked: LINKED,
    held: HELD,
    deleted: raw("relata_deleted"),
  };
}

function stagesOf(level: Omit<Level, "stagesOf">, which: keyof Stages): Sql {
  const { relations, writable } = level.resource;
  const stages = Object.entries(relations).map(([field, relation]) =>
    which === "remove" || Object.hasOwn(writable, field)
      ? relation.stages?.({ ...level, stagesOf }, field)[which]
      : undefined
  );
  return join(stages, "");
}
