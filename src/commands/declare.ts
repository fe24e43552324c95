// `relata declare`: the resource files for existing tables, printed for some, and written for all.
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { withDatabase } from "../db/open.ts";
import { UsageError } from "../errors/usage.ts";
import { readCatalogue, type Table } from "../schema/catalogue.ts";
import { filesOf, filesOfAll, printed } from "../schema/declare/files.ts";
import { tablesLinking } from "../schema/declare/linking.ts";
import { tablesOfSchema } from "../schema/declare/whole.ts";
import { hiddenIn } from "../schema/privileges.ts";
import { print } from "../terminal/output.ts";
import { add } from "./init.ts";

/** Prints the files for tables by their names, perhaps with a schema: `music.track`. */
export async function declare(config: Config, names: string[]): Promise<void> {
  await print(await withDatabase(config, ({ database }) => declarations(database, names)));
}

/** Writes the files for all tables of the database, or of a schema, that are not there, and prints what became of
 * them. Throws a `UsageError` if there is no table. */
export async function declareAll(config: Config, schema: string | undefined): Promise<void> {
  const { files, comments, tables, columns } = await withDatabase(config, async ({ database }) => {
    const names = await tablesOfSchema(database, schema ?? null);
    const found = await tablesNamed(database, names);
    if (found.length > 0) return filesOfAll(found);
    const where = schema === undefined ? "The database" : `The schema "${schema}"`;
    throw new UsageError(`${where} has no table that its role sees`);
  });
  const folder = join(config.projectDir ?? ".", "resources");
  const kept = files.filter(({ name, text }) => !add(join(folder, name), `${text}\n`));
  const lines = [
    ...comments.map((comment) => comment.replace("// ", "")),
    ...kept.map(({ name }) => `Kept ${join(folder, name)}`),
    `Made ${files.length - kept.length} of ${files.length} files in ${folder}`,
    tables,
    ...columns === undefined ? [] : [columns],
  ];
  await print(lines.join("\n"));
}

/** The files for these tables as one text. Throws a `UsageError` if one is not there. */
export async function declarations(database: Database, names: string[]): Promise<string> {
  const tables = await tablesNamed(database, names);
  const missing = tables.find(({ found }) => !found);
  if (missing) throw new UsageError(whyMissing(missing));
  const linking = await tablesNamed(database, await tablesLinking(database, tables));
  const others = linking.filter(({ found, oid }) =>
    found && !tables.some((table) => table.oid === oid)
  );
  return printed(filesOf(tables, others));
}

/** Each table once, also if it has two of the names. */
async function tablesNamed(database: Database, names: string[]): Promise<Table[]> {
  const tables = [...(await readCatalogue(database, names, true)).values()];
  return tables.filter(({ oid }, index) =>
    index === tables.findIndex((table) => table.oid === oid)
  );
}

function whyMissing(table: Table): string {
  const { name } = table;
  const [hidden] = hiddenIn(new Map([[name, table]]), [{ name, columns: [] }]);
  return hidden ?? `The database has no table "${name}"`;
}
