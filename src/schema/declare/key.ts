// What identifies the rows of a table.
import { identifier } from "../../model/identifier.ts";
import type { Write } from "../../model/model.ts";
import { integer, integerTypes, isWholeNumeric } from "../../model/number.ts";
import type { Options } from "../../model/options.ts";
import type { Table, TableColumn } from "../catalogue.ts";
import { type Kind, kindOf } from "./kind.ts";

type Type = NonNullable<NonNullable<Options["identifier"]>["type"]>;

/** The kinds of fields that a key has, besides relations. */
const PARTS = ["choice", "date", "integer", "text", "uuid"];

/** The columns of the primary key, in their order; none without one. */
export function primaryKeyOf({ indexes }: Table): string[] {
  const { parts = [] } = indexes.find(({ isPrimary }) => isPrimary) ?? {};
  return parts.map(({ column }) => column!);
}

/** The columns that identify a row: those of the primary key, or of another index that is unique and never null. One
 * column comes first, because others can refer to it. If no key can have them, they are those of the primary key. A view
 * has one by its name. */
export function keyOf(table: Table): string[] {
  const { columns, keepsRows, indexes } = table;
  if (!keepsRows) return Object.hasOwn(columns, "id") ? ["id"] : [];
  const primary = primaryKeyOf(table);
  const unique = indexes
    .filter(({ isUnique, isImmediate }) => isUnique && isImmediate)
    .map(({ parts }) => parts.map(({ column }) => column ?? ""))
    .filter((key) => key.every((column) => columns[column]?.isNotNull))
    .sort((one, other) => one.length - other.length || (one.join() < other.join() ? -1 : 1));
  const possible = [primary, ...unique].filter((key) =>
    key.length > 0 && key.every((column) => partKind(columns[column]!))
  );
  return possible.find(({ length }) => length === 1) ?? possible[0] ?? primary;
}

/** The kind of a field that is part of a key; undefined if no key has such a column. */
export function partKind(column: TableColumn): Kind | undefined {
  if (isWholeNumeric(column.fullType)) return { field: integer(), parse: Number };
  const kind = kindOf(column);
  return typeof kind === "object" && PARTS.includes(kind.field.kind) ? kind : undefined;
}

/** The type of identifiers that a column holds; undefined if none has such. */
export function typeOfKey({ type, fullType }: TableColumn): Type | undefined {
  if (integerTypes.includes(type) || isWholeNumeric(fullType)) return "integer";
  if (type === "uuid") return "uuid";
  return ["text", "character varying", "citext", "character"].includes(type) ? "text" : undefined;
}

/** What clients send to refer to a row of a table, whose key is one column. */
export function referenceTo(table: Table): { write: Write; parse(text: string): unknown } {
  const column = table.columns[keyOf(table)[0]!]!;
  const type = typeOfKey(column);
  if (type === undefined) return { write: partKind(column)!.field.write!, parse: String };
  const { write: schema, sqlType } = identifier({ type }).identifiers!;
  return {
    write: { schema, sqlType, explain: () => "" },
    parse: sqlType === "bigint" ? Number : String,
  };
}

/** The field of an identifier, which clients give if Postgres does not. */
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

/** Whether clients may give the identifier of a row that they create. */
export function takesIdentifiers(column: TableColumn, { keepsRows }: Table): boolean {
  return keepsRows && (typeOfKey(column) !== "integer" || !column.isFilled);
}
