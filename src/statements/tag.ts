// The entity tags of rows, as statements compute them.
import { type Sql, sql } from "../db/sql.ts";

/** The hexadecimal digits of a tag: 128 bits, so that no two texts have the same one. */
export const TAG_LENGTH = 32;

/** SQL for the tag of a row, by its JSON text; null if that is null. */
export function rowTag(text: Sql): Sql {
  return sql`left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${TAG_LENGTH})`;
}
