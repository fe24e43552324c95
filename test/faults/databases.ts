// The databases that the generated tests run on, each fresh and migrated.
import { openPostgres } from "../house.ts";
import { serverRole } from "../roles.ts";
import { type Fresh, freshEmbedded, freshPostgres } from "../service.ts";

/** From what a database is to what makes one. */
export const databases: Record<string, () => Promise<Fresh>> = {
  "the real Postgres, as a role that may serve alone": restrictedPostgres,
  "the embedded one": freshEmbedded,
};

/** The server has the role; the test owns the tables. */
async function restrictedPostgres(): Promise<Fresh> {
  const database = await freshPostgres();
  const role = await serverRole(database);
  const { client, close } = openPostgres(role.url, { sessions: 4 });
  return {
    client,
    sql: database.sql,
    async stop() {
      await close();
      await role.stop();
      await database.stop();
    },
  };
}
