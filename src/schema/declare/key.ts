// What identifies the rows of a table.
import { identifier } from "../../model/identifier.ts";
import type { Key } from "../../model/key.ts";
import { integerTypes, isWholeNumeric } from "../../model/number.ts";
import type { Options } from "../../model/options.ts";
import type { Table, TableColumn } from "../catalogue.ts";
import { type Kind, kindOf } from "./kind.ts";

type Type = NonNullable<NonNullable<Options["identifier"]>["type"]>;

/** The columns of the primary key, in their order; none without one. */
export function primaryKeyOf({ indexes }: Table): string[] {
  const { parts = [] } = indexes.find(({ isPrimary }) => isPrimary) ?? {};
  return parts.map(({ column }) => column!);
}

/** The columns that identify a row: those of the primary key; if that is not on one column, another one that is unique
 * and never null, if there is one. A view has one by its name. */
export function keyOf(table: Table): string[] {
  const { columns, keepsRows, indexes } = table;
  if (!keepsRows) return Object.hasOwn(columns, "id") ? ["id"] : [];
  const primary = primaryKeyOf(table);
  if (primary.length === 1) return primary;
  const unique = indexes
    .filter(({ isUnique, isImmediate, parts }) => isUnique && isImmediate && parts.length === 1)
    .flatMap(({ parts }) => parts[0]!.column ?? [])
    .filter((column) => columns[column]!.isNotNull && typeOfKey(columns[column]!))
    .sort();
  return unique.length > 0 ? [unique[0]!] : primary;
}

/** The type of identifiers that a column holds; undefined if none has such. */
export function typeOfKey({ type, fullType }: TableColumn): Type | undefined {
  if (integerTypes.includes(type) || isWholeNumeric(fullType)) return "integer";
  if (type === "uuid") return "uuid";
  return ["text", "character varying", "citext", "character"].includes(type) ? "text" : undefined;
}

/** What the identifiers of a table are. */
export function keyType(table: Table): Key {
  const type = typeOfKey(table.columns[keyOf(table)[0]!]!);
  return identifier(type === undefined ? {} : { type }).identifiers!;
}

/** Whether clients may give the identifier of a row that they create. */
export function takesKeys(table: Table): boolean {
  const column = table.columns[keyOf(table)[0]!]!;
  return table.keepsRows && (typeOfKey(column) !== "integer" || !column.isFilled);
}

/** The field of the key, which clients give if Postgres does not. */
export function keyKind(column: TableColumn, { keepsRows }: Table): Kind {
  const type = typeOfKey(column)!;
  const { isFilled } = column;
  const field = identifier();
  if (type === "integer") {
    return { field, options: isFilled || !keepsRows ? {} : { generated: false } };
  }
  const kind = kindOf(column);
  const maximum = type === "text" && typeof kind === "object" ? kind.limits?.maximum : undefined;
  return { field, options: { type, maximum, default: isFilled ? "database" : undefined } };
}
