// What only the rows of a table tell: values that no answer can show, rows that refer to none, a sequence that
// is behind, and identifiers that are null or of several rows, of a view or of a table with heirs.
import type { Database } from "../../db/database.ts";
import { linksOf } from "../../model/links.ts";
import type { Resource } from "../../model/model.ts";
import { isGivenByPostgres, keyColumnOf } from "../../model/table.ts";
import { behindStatement, danglingStatement, unheldStatement, unkeyedStatement } from "../audit.ts";
import type { Catalogue, Table } from "../catalogue.ts";
import { compareOwners } from "./access.ts";
import { differs, type Finding } from "./finding.ts";

/** Reads the rows of a resource. Its columns have to be there, in types that fit. */
export async function compareRows(
  database: Database,
  resource: Resource,
  catalogue: Catalogue,
): Promise<Finding[]> {
  const table = catalogue.get(resource.table)!;
  const unheld = await database.run(unheldStatement(resource), {});
  const dangling = await database.run(danglingStatement(resource), {});
  const isKeyed = table.keepsRows && table.heirs.length === 0;
  const unkeyed = isKeyed ? [] : await database.run(unkeyedStatement(resource), {});
  return [
    ...unheld.map(({ field, count, example }) => {
      const { column } = resource.fields[field]!;
      const values = count === 1 ? "a value" : `${count} values`;
      return differs(
        `The column "${column}" of "${table.name}" holds ${values} that the field "${field}" ` +
          `cannot have, such as "${example}"`,
      );
    }),
    ...dangling.map(({ field, count, example }) => {
      const { column } = resource.fields[field]!;
      const values = count === 1 ? "an identifier" : `${count} identifiers`;
      const to = resource.relations[field]!.target(resource).table;
      return differs(
        `The column "${column}" of "${table.name}" holds ${values} that "${to}" does not have, ` +
          `such as ${example}`,
      );
    }),
    ...unkeyed.map(({ count, example }) => {
      const keys = count === 1 ? "an identifier that is" : `${count} identifiers that are`;
      const kind = table.keepsRows ? "table" : "view";
      return differs(
        `The ${kind} "${table.name}" has ${keys} null or of several rows, such as ${example}: ` +
          "pages that end with such a row leave others out",
      );
    }),
    ...isGivenByPostgres(resource)
      ? await compareSequence(database, table, keyColumnOf(resource))
      : [],
    ...await compareOwners(database, resource, catalogue),
    ...await compareLinkSequences(database, resource, catalogue),
  ];
}

/** Links may have a key of their own. */
async function compareLinkSequences(
  database: Database,
  resource: Resource,
  catalogue: Catalogue,
): Promise<Finding[]> {
  const behind: Finding[] = [];
  for (const { table, from, to } of linksOf(resource)) {
    const links = catalogue.get(table)!;
    for (const column of Object.keys(links.columns)) {
      if (column === from || column === to) continue;
      behind.push(...await compareSequence(database, links, column));
    }
  }
  return behind;
}

/** Compares the sequence of a column, if it has one, with the identifiers in the column. */
async function compareSequence(
  database: Database,
  { name, columns }: Table,
  column: string,
): Promise<Finding[]> {
  const { sequence = null, setsSequence } = columns[column] ?? {};
  if (sequence === null || !setsSequence) return [];
  const behind = await database.run(behindStatement(name, column, sequence), {});
  return behind.map(({ next, largest }) =>
    differs(`The sequence of "${name}" is behind: it gives ${next} next, and ${largest} is taken`)
  );
}
