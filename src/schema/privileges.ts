// What the role of DATABASE_URL cannot see, in sentences. A missing table and one that the role may not see
// are reported differently, because the remedies differ.
import type { Database } from "../db/database.ts";
import { type Catalogue, readCatalogue, type Table } from "./catalogue.ts";

/** A table, and the columns that the server reads. */
export interface Wanted {
  /** Its name, perhaps with a schema: `music.tracks`. */
  name: string;
  columns: string[];
  /** Whether nothing needs to read it. */
  isOnlyWritten?: boolean;
}

/** Which migrations are applied. */
export const historyTable: Wanted = {
  name: "relata_migration",
  columns: ["owner", "number", "name", "applied_at", "checksum"],
};

export const GRANTS = '"relata migrate grants" prints the SQL that lets it';

/** Why the role cannot see which migrations are applied; undefined if it can, or if none is. A schema
 * outside the search path may belong to another Relata. */
export async function hiddenHistory(database: Database): Promise<string | undefined> {
  const catalogue = await readCatalogue(database, [historyTable.name]);
  const table = catalogue.get(historyTable.name)!;
  return hiddenIn(new Map([[historyTable.name, { ...table, elsewhere: null }]]), [historyTable])[0];
}

/** What the role may not see, in one sentence for each schema and one for all tables. */
export function hiddenIn(catalogue: Catalogue, wanted: Wanted[]): string[] {
  const away = foundOf(catalogue, wanted, false);
  const read = wanted.filter(({ isOnlyWritten }) => !isOnlyWritten);
  const denied = foundOf(catalogue, read, true).filter(({ isReadable }) => !isReadable);
  return [
    ...bySchema(away, "closed").map(([schema, those]) =>
      `The role of DATABASE_URL may not use the schema "${schema}", which has ` +
      `${tablesIn(those)}: ${GRANTS}`
    ),
    ...bySchema(away.filter(({ closed }) => closed === null), "elsewhere").map(([schema, those]) =>
      `The schema "${schema}", which has ${tablesIn(those)}, ` +
      "is not in the search_path of the role of DATABASE_URL"
    ),
    ...denied.length > 0
      ? [`The role of DATABASE_URL may not read ${tablesIn(denied)}: ${GRANTS}`]
      : [],
  ];
}

/** The wanted tables that are found, or those that are not. */
export function foundOf(catalogue: Catalogue, wanted: Wanted[], found: boolean): Table[] {
  const names = new Set(wanted.map(({ name }) => name));
  return [...names].map((name) => catalogue.get(name)!).filter((table) => table.found === found);
}

export function tablesIn(tables: Table[]): string {
  return `the ${tables.length === 1 ? "table" : "tables"} ${
    quotedNames(tables.map(({ name }) => name))
  }`;
}

export function quotedNames(names: string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function bySchema(tables: Table[], where: "closed" | "elsewhere"): [string, Table[]][] {
  return [...Map.groupBy(tables, (table) => table[where])].flatMap(([schema, those]) =>
    schema === null ? [] : [[schema, those] as [string, Table[]]]
  );
}
