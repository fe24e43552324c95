// `relata declare`: prints the resource files for existing tables.
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { withDatabase } from "../db/open.ts";
import { UsageError } from "../errors/usage.ts";
import { readCatalogue, type Table } from "../schema/catalogue.ts";
import { filesOf } from "../schema/declare/files.ts";
import { tablesLinking } from "../schema/declare/linking.ts";
import { hiddenIn } from "../schema/privileges.ts";
import { print } from "../terminal/output.ts";

/** Prints the files for tables by their names, perhaps with a schema: `music.track`. */
export async function declare(config: Config, names: string[]): Promise<void> {
  await print(await withDatabase(config, ({ database }) => declarations(database, names)));
}

/** The files for these tables. Throws a `UsageError` if one is not there. */
export async function declarations(database: Database, names: string[]): Promise<string> {
  const tables = await tablesNamed(database, names);
  const missing = tables.find(({ found }) => !found);
  if (missing) throw new UsageError(whyMissing(missing));
  const linking = await tablesNamed(database, await tablesLinking(database, tables));
  const others = linking.filter(({ found, oid }) =>
    found && !tables.some((table) => table.oid === oid)
  );
  return filesOf(tables, others);
}

/** Each table once, also if it has two of the names. */
async function tablesNamed(database: Database, names: string[]): Promise<Table[]> {
  const tables = [...(await readCatalogue(database, names, true)).values()];
  return tables.filter(({ oid }, place) =>
    place === tables.findIndex((table) => table.oid === oid)
  );
}

function whyMissing(table: Table): string {
  const { name } = table;
  const [hidden] = hiddenIn(new Map([[name, table]]), [{ name, columns: [] }]);
  return hidden ?? `The database has no table "${name}"`;
}
