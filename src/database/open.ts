// Which database: the Postgres at DATABASE_URL, or the embedded one under DATA_DIR.
import type { Config } from "../config.ts";
import { UsageError } from "../usage.ts";
import { placeOf } from "./address.ts";
import { CLOSING, connect, type Sql } from "./sql.ts";

export interface Database {
  sql: Sql;
  /** Where the data is, in words that hold no secret. */
  place: string;
  /** Whether it is the embedded one, which this process alone owns. */
  embedded: boolean;
  /** Resolves where an embedded one is lost while it is open, to an error that says why. */
  lost?: Promise<Error>;
  close(): Promise<void>;
}

export interface Opening {
  /** Whether a statement that takes longer than the time limit is cancelled. */
  cancels: boolean;
  /** Whether an embedded database is made where there is none; else that is refused. */
  makes: boolean;
  /** Is told what Postgres remarks besides its answers, in one line. */
  notice?: ((text: string) => void) | undefined;
}

/** Opens the database that the settings name; throws a `UsageError` where DATA_DIR cannot be used. The
 * server at DATABASE_URL is reached by the first statement. */
export async function openDatabase(
  config: Config,
  { cancels, makes, notice }: Opening,
): Promise<Database> {
  const { databaseUrl, dataDir, poolSize, timeLimit, preparedStatements } = config;
  if (databaseUrl !== undefined) {
    const sql = connect(databaseUrl, {
      connections: poolSize,
      timeLimit,
      cancels,
      preparedStatements,
      notice,
    });
    return {
      sql,
      place: placeOf(databaseUrl),
      embedded: false,
      close: () => sql.end({ timeout: CLOSING }),
    };
  }
  const { holdsDatabase, openEmbedded } = await import("./embedded.ts");
  if (!makes && !holdsDatabase(dataDir)) {
    throw new UsageError(`DATA_DIR "${dataDir}" holds no database`);
  }
  return { ...await openEmbedded(dataDir, notice), place: dataDir, embedded: true };
}

/** Works on the database over one connection, without a time limit, and closes it. An embedded one is
 * to be there, unless the work `makes` it. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
  { makes = false, notice }: Partial<Opening> = {},
): Promise<Result> {
  const database = await openDatabase({ ...config, poolSize: 1 }, {
    cancels: false,
    makes,
    notice,
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
