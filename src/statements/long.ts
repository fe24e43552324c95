// Long texts, and rows that a row owns: a page takes no further row after a megabyte of them.
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { nestedIn } from "../model/resource.ts";
import { shown } from "../model/selection.ts";

/** After this many bytes of them, a page takes no further row. */
const PAGE_BYTES = 1024 * 1024;

/** The JSON text of a row of a page in this order; null if the page has no room for it. */
export function shownIfItFits(resource: Resource, order: Sql): Sql {
  return ifItFits(shown(resource), bytesOf(resource, name(resource.name)), order);
}

/** A text of a row of a page in this order, with the bytes of long texts in it; null if the page has no room for
 * it. */
export function ifItFits(text: Sql, bytes: Sql | undefined, order: Sql): Sql {
  if (!bytes) return text;
  return sql`
    case
      when coalesce(sum(${bytes}) over (
        order by ${order}
        rows between unbounded preceding and 1 preceding
      ), 0) < ${PAGE_BYTES}
      then ${text}
    end`;
}

/** The bytes of the long texts that a row shows, its own and those of the objects in it, and of the rows that it owns;
 * undefined if it never shows any. Postgres knows the length of a text without reading it. */
function bytesOf(resource: Resource, row: Sql, depth = 1): Sql | undefined {
  const pieces = Object.values(resource.fields).flatMap(({ column, bytes, relation }): Sql[] => {
    const own = sql`${row}.${name(column)}`;
    if (bytes) return [bytes(own)];
    if (!relation?.nested) return [];
    const target = nestedIn(resource, relation);
    const other = raw(`relata_${depth}`);
    const long = bytesOf(target, other, depth + 1);
    const inside = relation.isOwned ? join([sql`pg_column_size(${other})`, long], " + ") : long;
    if (!inside) return [];
    return [relation.bytes({ resource, row, column: own, other, bytes: inside })];
  });
  return pieces.length > 0 ? join(pieces, " + ") : undefined;
}
