// `relata dump`: the embedded database as SQL, with which psql fills a Postgres of one's own.
import type { Config } from "../config.ts";
import { dump } from "../database/dump.ts";
import { migrateUp } from "../database/migrations.ts";
import { write } from "../output.ts";
import { UsageError } from "../usage.ts";

export async function dumpCommand({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined) {
    throw new UsageError("relata dump is for the embedded database: pg_dump dumps DATABASE_URL");
  }
  const { holdsDatabase, openEmbedded } = await import("../database/embedded.ts");
  if (!holdsDatabase(dataDir)) throw new UsageError(`DATA_DIR "${dataDir}" holds no database`);
  const { sql, close } = await openEmbedded(dataDir);
  try {
    await migrateUp(sql); // nobody else can, and its schema is to be that of the Postgres
    for await (const text of dump(sql)) await write(text);
  } finally {
    await close();
  }
}
