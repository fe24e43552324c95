// Long texts: a page takes no further row after a megabyte of them.
import { list, name, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { shown } from "../model/selection.ts";

/** After this many bytes of long texts, a page takes no further row. */
const PAGE_BYTES = 1024 * 1024;

/** The name of the rows of a page, for their order. */
export const found = sql`found`;

/** The rows of a page, each with the bytes of long texts that come before it, if its resource has any. */
export function withBytesBefore(resource: Resource, rows: Sql, order: Sql): Sql {
  if (longColumns(resource).length === 0) return rows;
  const bytes = list(
    longColumns(resource).map((column) => sql`coalesce(octet_length(${column}), 0)`),
    " + ",
  );
  return sql`
    select
      *,
      sum(${bytes}) over (order by ${order} rows unbounded preceding) - (${bytes})
        as relata_bytes_before
    from (
      ${rows}
    ) as ${found}`;
}

/** The JSON text of a measured row; null of one that the page has no room for. */
export function shownWithin(resource: Resource): Sql {
  if (longColumns(resource).length === 0) return shown(resource);
  return sql`case when relata_bytes_before < ${PAGE_BYTES} then ${shown(resource)} end`;
}

function longColumns({ fields }: Resource): Sql[] {
  return Object.values(fields).filter(({ isLong }) => isLong).map(({ column }) => name(column));
}
