// Which database: the Postgres at DATABASE_URL, or the embedded one under DATA_DIR.
import type { Config } from "../config.ts";
import { connect, type Sql } from "./sql.ts";

export interface Database {
  sql: Sql;
  /** Where the data is, in words that hold no secret. */
  place: string;
  /** Whether it is the embedded one, which this process alone owns. */
  embedded: boolean;
  close(): Promise<void>;
}

/** Seconds that closing waits for statements under way. */
const CLOSING = 5;

/** Opens the database that the settings name; throws a `UsageError` where DATA_DIR is not to be had.
 * A database at DATABASE_URL is first reached by the first statement. */
export async function openDatabase(config: Config): Promise<Database> {
  const { databaseUrl, dataDir, poolSize, timeLimit } = config;
  if (databaseUrl !== undefined) {
    const sql = connect(databaseUrl, { connections: poolSize, timeLimit });
    const { host, database } = sql.options;
    return {
      sql,
      place: `database "${database}" on ${host.join(", ")}`,
      embedded: false,
      close: () => sql.end({ timeout: CLOSING }),
    };
  }
  const { openEmbedded } = await import("./embedded.ts");
  return { ...await openEmbedded(dataDir), place: dataDir, embedded: true };
}
