// Long texts: a page takes no further row after a megabyte of them.
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { nestedIn } from "../model/resource.ts";
import { shown } from "../model/selection.ts";

/** After this many bytes of long texts, a page takes no further row. */
export const PAGE_BYTES = 1024 * 1024;

/** The name of the rows of a page, for the order in which their bytes add up. */
export const FOUND = sql`found`;

/** The rows of a page, each with the bytes of long texts that come before it, if it can show any. */
export function withBytesBefore(resource: Resource, rows: Sql, order: Sql): Sql {
  const bytes = bytesOf(resource, FOUND);
  if (!bytes) return rows;
  return sql`
    select
      *,
      coalesce(
        sum(${bytes}) over (
          order by ${order}
          rows between unbounded preceding and 1 preceding
        ),
        0
      ) as relata_bytes_before
    from (
      ${rows}
    ) as ${FOUND}`;
}

/** The JSON text of a measured row; null of one that the page has no room for. */
export function shownWithin(resource: Resource): Sql {
  if (!bytesOf(resource, FOUND)) return shown(resource);
  return sql`case when relata_bytes_before < ${PAGE_BYTES} then ${shown(resource)} end`;
}

/** The bytes of the long texts that a row shows, its own and those of the objects in it; undefined if it never
 * shows any. Postgres knows the length of a text without reading it. */
function bytesOf(resource: Resource, row: Sql, depth = 1): Sql | undefined {
  const pieces = Object.values(resource.fields).flatMap(({ column, bytes, relation }): Sql[] => {
    const own = sql`${row}.${name(column)}`;
    if (bytes) return [bytes(own)];
    if (!relation?.nested) return [];
    const target = nestedIn(resource, relation);
    const other = raw(`relata_${depth}`);
    const inside = bytesOf(target, other, depth + 1);
    if (!inside) return [];
    return [relation.bytes({ resource, row, column: own, other, bytes: inside })];
  });
  return pieces.length > 0 ? join(pieces, " + ") : undefined;
}
