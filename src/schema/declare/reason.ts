// Why a table is no resource.
import type { Table } from "../catalogue.ts";
import { keyOf, partKind } from "./key.ts";
import { snake } from "./names.ts";

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
  if (!keepsRows && key.length === 0) return 'a view needs a column "id"';
  if (key.length === 0) {
    const sides = Object.keys(columns).flatMap((column) =>
      references.filter(({ columns }) => columns.join() === column).map(({ title }) => title)
    );
    if (sides.length !== 2) return "it has no primary key";
    return `it links ${quotedBoth(sides)}, but its primary key is not the two references`;
  }
  const column = key.map((name) => columns[name]!).find((column) => !partKind(column));
  if (!column) return undefined;
  const part = key.length === 1 ? `its key "${column.name}"` : `"${column.name}" of its key`;
  return `${part} is of the type ${column.fullType}`;
}

/** Whether a part of the name looks like that of a schema. */
export function isDotted({ schema, title }: Table): boolean {
  return `${schema}${title}`.includes(".");
}

export function quotedBoth(names: string[]): string {
  return names.map((name) => `"${name}"`).join(" and ");
}
