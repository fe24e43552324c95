// `relata dump`: prints the data of the embedded database as SQL, for psql and a real Postgres.
import type { Config } from "../config.ts";
import { withDatabase } from "../db/open.ts";
import { dump } from "../embedded/dump.ts";
import { UsageError } from "../errors/usage.ts";
import { migrateUp } from "../migrate/migrations.ts";
import { migrationsOf } from "../project/project.ts";
import { write } from "../terminal/output.ts";

export async function dumpCommand(config: Config): Promise<void> {
  if (config.databaseUrl !== undefined) {
    throw new UsageError("relata dump is for the embedded database: pg_dump dumps DATABASE_URL");
  }
  await withDatabase(config, async ({ database }) => {
    await migrateUp(database, migrationsOf(config)); // so that its schema is that of the new database
    for await (const text of dump(database)) await write(text);
  });
}
