// `relata dump`: the embedded database as SQL, with which psql fills a Postgres of one's own.
import type { Config } from "../config.ts";
import { dump } from "../db/dump.ts";
import { migrateUp } from "../db/migrations.ts";
import { withDatabase } from "../db/open.ts";
import { write } from "../output.ts";
import { UsageError } from "../usage.ts";

export async function dumpCommand(config: Config): Promise<void> {
  if (config.databaseUrl !== undefined) {
    throw new UsageError("relata dump is for the embedded database: pg_dump dumps DATABASE_URL");
  }
  await withDatabase(config, async ({ database }) => {
    await migrateUp(database); // nobody else can, and its schema is to be that of the Postgres
    for await (const text of dump(database)) await write(text);
  });
}
