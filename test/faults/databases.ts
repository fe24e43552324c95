// The databases that the generated tests run on, each fresh and migrated.
import { connect, type Sql } from "../../src/database/sql.ts";
import { serverRole } from "../roles.ts";
import { freshEmbedded, freshPostgres } from "../service.ts";

export interface Database {
  /** What the service has. */
  sql: Sql;
  /** What who owns the tables has. */
  owner: Sql;
  stop(): Promise<void>;
}

/** From what a database is to what makes one. */
export const databases: Record<string, () => Promise<Database>> = {
  "the real Postgres, as a role that may serve alone": restrictedPostgres,
  "the embedded one": async () => {
    const { sql, stop } = await freshEmbedded();
    return { sql, owner: sql, stop };
  },
};

async function restrictedPostgres(): Promise<Database> {
  const database = await freshPostgres();
  const role = await serverRole(database);
  const sql = connect(role.url, { connections: 4, timeLimit: 10 });
  return {
    sql,
    owner: database.sql,
    async stop() {
      await sql.end({ timeout: 1 });
      await role.stop();
      await database.stop();
    },
  };
}
