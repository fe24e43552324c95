// Why a table is no resource.
import type { Described, DescribedColumn } from "../db/described.ts";
import { integerTypes } from "../model/number.ts";
import { snake } from "./names.ts";

/** The reason, as the end of a sentence; undefined if the table is a resource. */
export function whyNone(table: Described): string | undefined {
  if (snake(table.name).startsWith("relata_")) {
    return 'names with "relata_" are those of the server';
  }
  return isDotted(table) ? "its name has a dot" : whyNoKey(table);
}

function whyNoKey({ key, columns, isView, references }: Described): string | undefined {
  const [column, ...others] = key.map((key) => columns.find(({ name }) => name === key)!);
  if (isView) return columns.some(isIdentifier) ? undefined : 'a view needs an integer column "id"';
  if (column === undefined) return "it has no primary key";
  const linked = key.flatMap((column) =>
    references.filter(({ columns }) => columns.join() === column).map(({ name }) => name)
  );
  if (key.length === 2 && linked.length === 2) {
    return `it links ${quoted(linked)}: name both of them`;
  }
  if (others.length > 0) return `its key is ${quoted(key)}, not one integer`;
  if (column.type === "uuid") return `its key "${column.name}" is a uuid, which is planned`;
  if (!integerTypes.includes(column.type)) return `its key "${column.name}" is no integer`;
  const isGiven = column.isIdentity || /^nextval\(/.test(column.default ?? "");
  return isGiven ? undefined : `Postgres gives its "${column.name}" no value: make it an identity`;
}

/** Whether a view tells its rows apart by this column. */
function isIdentifier({ name, type }: DescribedColumn): boolean {
  return name === "id" && integerTypes.includes(type);
}

/** Whether a part of the name looks like that of a schema. */
export function isDotted({ schema, name }: Described): boolean {
  return `${schema}${name}`.includes(".");
}

export function quoted(names: string[]): string {
  return names.map((name) => `"${name}"`).join(" and ");
}
