// What a trigger that runs before each row may do to it, read from the text of its function. Most return the row
// that they got, and set a column of it.
import type { Trigger } from "./catalogue.ts";

/** That a function of PL/pgSQL sets the row as a whole, or returns what another one makes of it. */
const SETS_ROW = /\bnew\s*:?=|\binto\s+(strict\s+)?new\b(?!\s*\.)|\breturn\s+[\w.]+\s*\(/i;

/** That it leaves the row out, or sets its identifier, perhaps after other columns of a list. */
const MISLEADS =
  /\breturn\s+null\b|\bnew\s*\.\s*"?id"?\s*:?=|\binto\s+(strict\s+)?(new\s*\.\s*"?\w+"?\s*,\s*)*new\s*\.\s*"?id\b/i;

/** Whether it may return no row, or another identifier. */
export function mayMislead({ source }: Trigger): boolean {
  return source === null || SETS_ROW.test(source) || MISLEADS.test(source);
}

/** Whether it may give a column of a new row its value. */
export function mayFill({ isOnInsert, source }: Trigger, column: string): boolean {
  if (!isOnInsert || source === null) return isOnInsert;
  return SETS_ROW.test(source) || source.toLowerCase().includes(column.toLowerCase());
}
