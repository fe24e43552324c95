// The stages of a write that its relations add, after the row itself. Where no column has what was sent for a
// relation, the stage `relata_linked` has it beside the row.
import { join, name, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { linkTables } from "../model/resource.ts";
import { columnsOf } from "../model/selection.ts";
import { allRowsOf, identifierOf, sentIdentifier } from "../model/table.ts";

/** The rows that a write leaves, with the identifiers that were sent for their links. */
export function writtenRows(resource: Resource): Sql {
  return writableMany(resource).length > 0 ? sql`relata_linked` : sql`relata_written`;
}

/** Whether a row has links, which go with it. */
export function hasLinks(resource: Resource): boolean {
  return linkTables(resource).length > 0;
}

/** The identifiers that were sent for each to-many. */
export function sentLinks(resource: Resource): Sql[] {
  return writableMany(resource).map(({ column }) => sql`sent.${name(column)}`);
}

function writableMany({ writable }: Resource) {
  return Object.values(writable).filter(({ relation }) => relation?.isMany);
}

/** The same; those that are compared in another way than they are sent, as the rows have them. */
function keptLinks(resource: Resource): Sql[] {
  return writableMany(resource).map(({ relation, column }) => {
    const sent = sql`sent.${name(column)}`;
    const target = relation!.target(resource);
    if (!target.identifiers.cast) return sent;
    return sql`
      case when ${sent} is not null then array(
        select ${identifierOf(target, sql`relata_target`)}
        from unnest(${sent}) with ordinality as relata_link (id, place)
        join ${allRowsOf(target, sql`relata_target`)}
          on ${identifierOf(target, sql`relata_target`)} = ${
      sentIdentifier(target, sql`relata_link.id`)
    }
        order by place
      ) end as ${name(column)}`;
  });
}

/** The stages after a create of several rows. */
export function createStages(resource: Resource): Sql {
  return replaceStages(
    resource,
    sql`
      join relata_input as sent
        on sent.relata_place = written.relata_place`,
    [sql`written.relata_place`],
  );
}

/** The stages after one row was created or changed. */
export function changeStages(resource: Resource): Sql {
  return replaceStages(resource, sql`cross join relata_sent as sent`);
}

/** The stages after a row was deleted: a trigger or a policy may have kept it. */
export function deleteStages(resource: Resource): Sql {
  return stagesOf(resource, resource.relations, "remove");
}

function replaceStages(resource: Resource, source: Sql, more: Sql[] = []): Sql {
  const sent = keptLinks(resource);
  if (sent.length === 0) return sql``;
  return sql`,
    relata_linked as (
      select
        ${join([columnsOf(resource, sql`written`), ...more, ...sent], ",\n")}
      from relata_written as written
      ${source}
    )${stagesOf(resource, resource.writable, "replace")}`;
}

function stagesOf(resource: Resource, fields: object, which: "replace" | "remove"): Sql {
  const stages = Object.keys(fields).flatMap((field) =>
    resource.relations[field]?.stages?.(resource, field)[which] ?? []
  );
  return join(stages, "");
}
