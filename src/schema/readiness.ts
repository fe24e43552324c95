// Whether a database has the tables and columns that requests need.
import type { Database } from "../db/database.ts";
import { ForeignHistory, pendingMessage, pendingMigrations } from "../migrate/migrations.ts";
import type { Migration } from "../migrate/step.ts";
import { type Catalogue, readCatalogue } from "./catalogue.ts";
import {
  foundOf,
  hiddenIn,
  historyTable,
  quotedNames,
  tablesIn,
  type Wanted,
} from "./privileges.ts";

/** What the catalogue has, and why requests would fail, in one sentence for each reason. */
interface Readiness {
  catalogue: Catalogue;
  reasons: string[];
}

/** Looks whether the wanted tables and columns are there, and every migration. */
export async function lookFor(
  database: Database,
  known: Migration[],
  wanted: Wanted[],
): Promise<Readiness> {
  const all = [historyTable, ...wanted];
  const catalogue = await readCatalogue(database, all.map(({ name }) => name));
  const hidden = hiddenIn(catalogue, all);
  if (hidden.length > 0) return { catalogue, reasons: hidden };
  // The tables of a project may be older than the project
  const own = all.filter(({ name }) => name.startsWith("relata_"));
  if (foundOf(catalogue, own, true).length === 0) {
    return { catalogue, reasons: [pendingMessage(known)] };
  }
  const { found } = catalogue.get(historyTable.name)!;
  const behind = found ? await whyBehind(database, known) : undefined;
  const reasons = [...behind === undefined ? [] : [behind], ...missingIn(catalogue, all)];
  return { catalogue, reasons };
}

async function whyBehind(database: Database, known: Migration[]): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(database, known);
    return pending.length > 0 ? pendingMessage(pending) : undefined;
  } catch (error) {
    if (error instanceof ForeignHistory) return error.message;
    throw error;
  }
}

function missingIn(catalogue: Catalogue, wanted: Wanted[]): string[] {
  const away = foundOf(catalogue, wanted, false);
  const lame = [...Map.groupBy(wanted, ({ name }) => name)].flatMap(([name, those]) => {
    const table = catalogue.get(name)!;
    const columns = new Set(those.flatMap(({ columns }) => columns));
    const absent = [...columns].filter((column) => !Object.hasOwn(table.columns, column));
    return table.found && absent.length > 0
      ? [`The table "${name}" lacks ${quotedNames(absent)}`]
      : [];
  });
  return [
    ...away.length > 0 ? [`The database does not have ${tablesIn(away)}`] : [],
    ...lame,
  ];
}
