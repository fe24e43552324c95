// The databases that the generated tests run on, each fresh, with the tables of an API: the embedded one under
// Node, and Postgres under Deno, since the tests of the API have it the other way round; both in a long run.
import { openPostgres } from "../house.ts";
import { serverRole } from "../roles.ts";
import { type Fresh, freshEmbedded, freshPostgres } from "../service.ts";
import type { Api } from "./apis.ts";
import { soak } from "./load.ts";

const onDeno = "Deno" in globalThis;

/** From what a database is to what makes one. */
export const databases: Record<string, (api: Api) => Promise<Fresh>> = {
  ...(soak || onDeno) &&
    { "the real Postgres, as a role that may serve alone": restrictedPostgres },
  ...(soak || !onDeno) && { "the embedded one": embedded },
};

async function embedded({ tables }: Api): Promise<Fresh> {
  const database = await freshEmbedded();
  await database.sql.unsafe(tables);
  return database;
}

/** The server has the role; the test owns the tables. */
async function restrictedPostgres({ resources, tables }: Api): Promise<Fresh> {
  const database = await freshPostgres();
  await database.sql.unsafe(tables);
  const role = await serverRole(database, resources);
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
