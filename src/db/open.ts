// Which database: the Postgres at DATABASE_URL, or the embedded one under DATA_DIR.
import type { Config } from "../config.ts";
import type { Listeners } from "../embedded/folder.ts";
import { UsageError } from "../errors/usage.ts";
import { locationOf } from "./address.ts";
import { type ClientOptions, connect } from "./client.ts";
import type { Database } from "./database.ts";

/** The settings that decide it. */
type DatabaseSettings = Pick<
  Config,
  "databaseUrl" | "dataDir" | "fsync" | "poolSize" | "timeLimit" | "preparedStatements"
>;

interface Opened {
  database: Database;
  /** Where the data is, without secrets. */
  location: string;
  /** Whether it is the embedded one, which this process alone owns. */
  embedded: boolean;
  /** Resolves to an error if an embedded database is lost while it is open. */
  lost?: Promise<Error>;
  /** Has an embedded database limit its statements, and take care of itself, from now on. */
  serve?(): void;
  close(): Promise<void>;
}

interface OpenOptions extends Pick<ClientOptions, "onSilence">, Listeners {
  /** Whether statements are cancelled after their share of the time limit. */
  limited?: boolean;
  /** Whether to create an embedded database if there is none; otherwise that is refused. */
  makes?: boolean;
}

/** Opens the database that the settings name; throws a `UsageError` if DATA_DIR cannot be used. The
 * first statement connects to the server at DATABASE_URL. */
export async function openDatabase(
  settings: DatabaseSettings,
  { limited = false, makes = false, ...listeners }: OpenOptions,
): Promise<Opened> {
  const { databaseUrl, dataDir, fsync, poolSize, timeLimit, preparedStatements } = settings;
  if (databaseUrl !== undefined) {
    const database = connect(databaseUrl, {
      sessions: poolSize,
      ...(limited && { timeLimit }),
      ownsSessions: preparedStatements,
      ...listeners,
    });
    return { database, location: locationOf(databaseUrl), embedded: false, close: database.close };
  }
  const { holdsDatabase, openEmbedded } = await import("../embedded/folder.ts");
  if (!makes && !holdsDatabase(dataDir)) {
    throw new UsageError(
      `DATA_DIR "${dataDir}" holds no database, which relata migrate up makes, and DATABASE_URL ` +
        "names none either",
    );
  }
  const limits = limited ? { timeLimit } : {};
  const embedded = await openEmbedded(dataDir, { fsync, ...limits, ...listeners });
  return { ...embedded, location: dataDir, embedded: true };
}

/** Works on the database over one session, without a time limit, and closes it. */
export async function withDatabase<Result>(
  settings: DatabaseSettings,
  work: (opened: Opened) => Promise<Result>,
  opening: OpenOptions = {},
): Promise<Result> {
  const opened = await openDatabase({ ...settings, poolSize: 1 }, opening);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
