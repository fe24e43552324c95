// The SQL that a project writes for a report or an action. It is asked for once, at the start, so every request runs
// the same.
import { projectSql, type Slot, Sql } from "../db/sql.ts";
import type { ClaimSql } from "./access.ts";
import type { Rows } from "./options.ts";
import { mapValues } from "./record.ts";
import { claimParameter } from "./view.ts";

/** What is wrong with it, in the words of what it is for. */
interface Mistakes {
  isNone: string;
  isUnused(placeholder: string): string;
  depends: string;
}

/** Asks for the SQL. It may not depend on whether a placeholder is there: it has to be the text that it is with null in
 * the place of each. */
export function writtenSql(
  write: Rows,
  placeholders: Record<string, Slot>,
  { isNone, isUnused, depends }: Mistakes,
): Sql {
  const written = write(projectSql, placeholders, claimParameter);
  if (!(written instanceof Sql)) throw new Error(isNone);
  const unused = Object.keys(placeholders).find((name) =>
    written.slots.every(({ slot }) => slot !== name)
  );
  if (unused) throw new Error(isUnused(unused));
  if (withNull(write, placeholders) === written.texts.join("null")) return written;
  throw new Error(depends);
}

/** The text with null for each placeholder; undefined if there is none. */
function withNull(
  write: Rows,
  placeholders: Record<string, Slot>,
): string | undefined {
  try {
    const nulls = mapValues(placeholders, () => null);
    const claim = (() => null) as unknown as ClaimSql;
    return write(projectSql, nulls as unknown as Record<string, Slot>, claim).texts.join();
  } catch {
    return undefined; // it looks into a placeholder
  }
}
