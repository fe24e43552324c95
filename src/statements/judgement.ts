// The stage of a write that judges rows as the database stored them, after defaults and triggers: whether callers may
// leave them so.
import { name, raw, type Sql, sql } from "../db/sql.ts";
import type { Right } from "../model/access.ts";
import type { Resource } from "../model/model.ts";
import { columnsOf } from "../model/selection.ts";
import { namedTableOf, tableOf } from "../model/table.ts";

/** Whether a rule tells which rows may be written. */
export function judges({ view }: Resource, right: Right): boolean {
  return view !== undefined && view.rule(right).of !== "all";
}

/** The table that a write is to, the name of its rows there, and what the write gives back of one: where a rule judges it,
 * also the whole. A name that no column has stands for that. */
export function targetOf(
  resource: Resource,
  right: Right,
): Record<"table" | "row" | "returned", Sql> {
  if (!judges(resource, right)) {
    const row = name(resource.name);
    return { table: namedTableOf(resource), row, returned: columnsOf(resource, row) };
  }
  const row = raw("relata_new");
  return {
    table: sql`${tableOf(resource)} as ${row}`,
    row,
    returned: sql`${columnsOf(resource, row)}, ${row} as relata_row`,
  };
}

/** The stage with what is wrong with rows that are not allowed. The clause joins who sent them; the claims of those are
 * bound by `bind`. */
export function judgement(
  resource: Resource,
  right: Right,
  { rows, join = sql``, bind = (piece) => piece }: {
    rows: Sql;
    join?: Sql;
    bind?: (piece: Sql) => Sql;
  },
): Sql {
  if (!judges(resource, right)) return sql``;
  const row = name(resource.name);
  return sql`,
    relata_judged as (
      select *
      from (
        select
          written.*,
          (
            select ${bind(resource.view!.rule(right).refusal(row))}
            from (select (written.relata_row).*) as ${row}
          ) as relata_refusal
        from ${rows} as written
        ${join}
      ) as relata_judged
      where relata_refusal is not null
    )`;
}

/** Whether any row is not allowed. */
export const isMisjudged = raw("exists (select from relata_judged)");

/** Why a write is refused: by what was sent, or by what became of it. */
export function reasonsOf(resource: Resource, right: Right, refused: Sql): Sql {
  if (!judges(resource, right)) return refused;
  return sql`coalesce((select relata_refusal from relata_judged), ${refused})`;
}

/** The identifier of what was written, if it may stay so. */
export function ifAllowed(resource: Resource, right: Right, id: Sql): Sql {
  return judges(resource, right) ? sql`case when not ${isMisjudged} then ${id} end` : id;
}
