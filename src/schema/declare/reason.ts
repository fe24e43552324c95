// Why a table is no resource.
import type { Table } from "../catalogue.ts";
import { keyOf, typeOfKey } from "./key.ts";
import { snake } from "./names.ts";

/** What becomes of a table whose key is two columns, if one of them is a reference. */
export const OWNABLE = ": what it refers to can own its rows, with a key of both";

/** The reason, as the end of a sentence; undefined if the table is a resource. */
export function whyNone(table: Table): string | undefined {
  if (snake(table.title).startsWith("relata_")) {
    return 'names with "relata_" are those of the server';
  }
  return isDotted(table) ? "its name has a dot" : whyNoKey(table);
}

function whyNoKey(table: Table): string | undefined {
  const { columns, keepsRows, references } = table;
  const key = keyOf(table);
  const [column, ...others] = key.map((key) => columns[key]!);
  if (!keepsRows && column === undefined) return 'a view needs a column "id"';
  const linkedBy = (names: string[]) =>
    names.flatMap((column) =>
      references.filter(({ columns }) => columns.join() === column).map(({ title }) => title)
    );
  if (column === undefined) {
    const sides = linkedBy(Object.keys(columns));
    if (sides.length !== 2) return "it has no primary key";
    return `it links ${quotedBoth(sides)}, but its primary key is not the two references`;
  }
  const linked = linkedBy(key);
  if (key.length === 2 && linked.length === 2) {
    return `it links ${quotedBoth(linked)}, which are not both in resources here`;
  }
  if (others.length > 0) {
    const refers = key.length === 2 && linked.length === 1;
    return `its key is ${quotedBoth(key)}, not one column${refers ? OWNABLE : ""}`;
  }
  if (typeOfKey(column)) return undefined;
  return `its key "${column.name}" is of the type ${column.fullType}`;
}

/** Whether a part of the name looks like that of a schema. */
export function isDotted({ schema, title }: Table): boolean {
  return `${schema}${title}`.includes(".");
}

export function quotedBoth(names: string[]): string {
  return names.map((name) => `"${name}"`).join(" and ");
}
