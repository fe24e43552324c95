// `relata declare`: prints the resource files for tables that are there.
import type { Config } from "../config.ts";
import { type Asked, describe, type Described } from "../db/described.ts";
import { withDatabase } from "../db/open.ts";
import { filesOf } from "../declare/files.ts";
import { UsageError } from "../errors/usage.ts";
import { print } from "../terminal/output.ts";

/** Prints the files for tables by their names, perhaps with a schema: `music.track`. */
export async function declare(config: Config, names: string[]): Promise<void> {
  const asked = names.map((text): Asked => {
    const [, schema = null, name = ""] = /^(?:([^.]*)\.)?(.*)$/s.exec(text)!;
    return { schema, name };
  });
  const tables = await withDatabase(config, ({ database }) => describe(database, asked));
  const missing = names.find((_, place) => !tables.some((table) => isAsked(table, asked[place]!)));
  if (missing !== undefined) throw new UsageError(`The database has no table "${missing}"`);
  await print(filesOf(tables));
}

function isAsked(table: Described, { schema, name }: Asked): boolean {
  return table.name === name && (schema === null ? table.isVisible : table.schema === schema);
}
