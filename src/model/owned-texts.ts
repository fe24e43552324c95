// The texts of the rows that a write leaves others to own. It does not see them in their table, so they are shown by the
// stages that wrote them, as the database stored them.
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import { writableMany } from "./links.ts";
import type { Resource } from "./model.ts";
import { columnsLeft, stagesAt } from "./owned-rows.ts";
import { ownedFields } from "./resource.ts";
import { shownCreated } from "./selection.ts";
import { identifierOf, keyColumnOf } from "./table.ts";

/** The rows that a write leaves. */
export interface RowsLeft {
  resource: Resource;
  /** The stage with them, and with what was sent for each relation that no column has. */
  rows: Sql;
  /** What the names of the stages of this level end with. */
  suffix?: string;
  /** What the write is to. */
  written?: Resource;
  /** What else is asked for of a row. */
  more?: Sql[];
  /** A join of who sent a row of this name, where the claims of several are beside the rows. */
  sender?: (row: Sql) => Sql;
}

/** Rows that a write leaves, each with the texts of the rows that it owns in the column of their field; null where these
 * were not sent. They are grouped once for all, in a stage of their own: else Postgres would group those of all for each
 * row, as it expects one of each. */
export function withOwned(
  { resource, rows, suffix = "", written = resource, more = [], sender }: RowsLeft,
): Sql {
  const fields = ownedFields(resource);
  if (fields.length === 0) return rows;
  const key = name(keyColumnOf(resource));
  const of = (column: string) => sql`written.${name(column)}`;
  const owned = fields.map(({ rows: below, column, index }) => {
    const { order, column: ownerColumn } = below.owned!;
    const own = name(below.name);
    const owner = sql`${own}.${name(ownerColumn)}`;
    const rank = order === undefined ? undefined : sql`${own}.${name(order)}`;
    const suffixBelow = `${suffix}_${index}`;
    const { stored, texts } = stagesAt(suffixBelow);
    const senderBelow = sender && ((row: Sql) => {
      const owners = raw(`relata_owner${suffixBelow}`);
      return sql`
        join ${rows} as ${owners}
          on ${owners}.${key} = ${row}.${name(ownerColumn)}
        ${sender(owners)}`;
    });
    const left = withOwned({
      resource: below,
      rows: stored,
      suffix: suffixBelow,
      written,
      ...(senderBelow && { sender: senderBelow }),
    });
    return {
      column: sql`
        case when ${of(column)} is not null then coalesce(${texts}.texts, '{}') end
          as ${name(column)}`,
      join: sql`left join (
        with relata_grouped as materialized (
          select
            ${owner} as owner,
            array_agg(
              ${shownCreated(below, written)}
              order by ${join([rank, identifierOf(below, own)])}
            ) as texts
          from ${left} as ${own}
          ${senderBelow?.(own) ?? sql``}
          group by ${owner}
        )
        select owner, texts
        from relata_grouped
      ) as ${texts}
        on ${texts}.owner = written.${key}`,
    };
  });
  const links = writableMany(resource).filter(({ relation }) => !relation!.isOwned);
  const columns = [...columnsLeft(resource), ...links.map(({ column }) => column)].map(of);
  return sql`(
      select
        ${join([...columns, ...more, ...owned.map(({ column }) => column)], ",\n")}
      from ${rows} as written
      ${join(owned.map(({ join }) => join), "\n")}
    )`;
}
