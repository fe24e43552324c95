// Why a table is no resource.
import { integerTypes } from "../../model/number.ts";
import type { Table } from "../catalogue.ts";
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
  const key = primaryKeyOf(table);
  const [column, ...others] = key.map((key) => columns[key]!);
  if (!keepsRows) {
    return integerTypes.includes(columns["id"]?.type ?? "")
      ? undefined
      : 'a view needs an integer column "id"';
  }
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
  if (others.length > 0) return `its key is ${quotedBoth(key)}, not one integer`;
  if (column.type === "uuid") return `its key "${column.name}" is a uuid, which is planned`;
  return integerTypes.includes(column.type) ? undefined : `its key "${column.name}" is no integer`;
}

/** The columns of the primary key, in their order; none without one. */
export function primaryKeyOf({ indexes }: Table): string[] {
  const { parts = [] } = indexes.find(({ isPrimary }) => isPrimary) ?? {};
  return parts.map(({ column }) => column!);
}

/** Whether a part of the name looks like that of a schema. */
export function isDotted({ schema, title }: Table): boolean {
  return `${schema}${title}`.includes(".");
}

export function quotedBoth(names: string[]): string {
  return names.map((name) => `"${name}"`).join(" and ");
}
