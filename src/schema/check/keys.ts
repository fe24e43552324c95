// The keys of the tables: what identifies a row, what relations and links refer to.
import type { LinkTable } from "../../model/links.ts";
import type { Resource } from "../../model/model.ts";
import { keyColumnOf, keyColumnsOf } from "../../model/table.ts";
import type { Catalogue, Index, Table } from "../catalogue.ts";
import type { RowLevel } from "../levels.ts";
import { differs, fails, type Finding } from "./finding.ts";

/** Compares the key of a table, and the foreign keys of the relations to one row. */
export function compareKeys(
  { resource, writes }: RowLevel,
  table: Table,
  catalogue: Catalogue,
): Finding[] {
  const columns = keyColumnsOf(resource);
  const same = columns.map((column) => `"${column}"`).join(" and ");
  const key = isUnique(table, columns) ? [] : [
    differs(
      `Nothing keeps two rows of "${table.name}" from the same ${same}: ` +
        `${columns.length === 1 ? "it is" : "they are"} no primary key`,
    ),
  ];
  const references = Object.entries(resource.relations).flatMap(([field, { isMany, target }]) =>
    isMany
      ? []
      : compareReference(table, resource.fields[field]!.column, target(resource), catalogue)
  );
  const changesRows = writes.some((write) => write !== "insert");
  const heirs = !changesRows ? [] : table.heirs.map((heir) =>
    fails(
      `The table "${heir}" inherits from "${table.name}": nothing keeps a row of each from the ` +
        `same ${same}, and a change or a delete then meets both`,
    )
  );
  return [...key, ...heirs, ...references];
}

export function compareLinkKeys(
  resource: Resource,
  links: LinkTable,
  table: Table,
  catalogue: Catalogue,
): Finding[] {
  const { from, to, order, target } = links;
  return [
    ...compareReference(table, from, resource, catalogue),
    ...compareReference(table, to, target, catalogue),
    ...compareRanks(table, order, "links"),
  ];
}

/** Compares what keeps ranks apart: two rows that change theirs have the same one for a while. */
export function compareRanks(
  { name: table, indexes }: Table,
  order: string | undefined,
  what: "links" | "rows",
): Finding[] {
  if (order === undefined) return [];
  const immediate = indexes.filter(({ isUnique, isImmediate, parts }) =>
    isUnique && isImmediate && parts.some(({ column }) => column === order)
  );
  return immediate.map(({ name }) =>
    differs(
      `"${name}" on "${table}" is unique and not a deferrable constraint: ${what} cannot ` +
        `change their ranks in "${order}"`,
    )
  );
}

/** Compares the foreign key of a column. Nothing refers to a view. */
function compareReference(
  { name, columns, references }: Table,
  from: string,
  target: Resource,
  catalogue: Catalogue,
): Finding[] {
  const to = catalogue.get(target.table);
  if (!to?.keepsRows || !Object.hasOwn(columns, from)) return [];
  const there = references.filter(({ columns, oid, targets }) =>
    columns.join() === from && oid === to.oid && targets.join() === keyColumnOf(target)
  );
  if (there.some(({ isValid }) => isValid)) return [];
  const key = `foreign key to "${to.name}"`;
  return [
    there.length === 0 ? differs(`The column "${from}" of "${name}" has no ${key}`) : differs(
      `The ${key} of the column "${from}" of "${name}" is not valid: older rows may refer to none`,
    ),
  ];
}

/** Whether no two rows have the same values in these columns. */
function isUnique({ indexes }: Table, columns: string[]): boolean {
  return indexes.some(({ isUnique, parts }: Index) =>
    isUnique && parts.every(({ column }) => column !== null && columns.includes(column))
  );
}
