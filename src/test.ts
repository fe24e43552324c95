// What `relata/test` gives to the tests of a project: the whole server, on a database of its own.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { openDatabase } from "./db/open.ts";
import { projectSql, writes } from "./db/sql.ts";
import { callerIn } from "./http/claims.ts";
import { migrateUp } from "./migrate/migrations.ts";
import { type Caller, nobody } from "./model/caller.ts";
import { claimNames } from "./model/view.ts";
import { openProject } from "./project/project.ts";
import { readiness } from "./schema/ready.ts";
import { log } from "./telemetry/log.ts";
import type { Server } from "./types/test.d.ts";

/** Starts a server of the project in the working directory, or in PROJECT_DIR, on a fresh embedded database
 * with the project's migrations. It listens on no port. */
export async function start(): Promise<Server> {
  const ends = new AbortController();
  const { PROJECT_DIR } = process.env;
  const dataDir = await mkdtemp(join(tmpdir(), "relata-"));
  const config = readConfig({ PROJECT_DIR, DATA_DIR: dataDir, FSYNC: "off", LOG_LEVEL: "error" });
  const project = await openProject(config);
  const { database, close } = await openDatabase(config, { makes: true });

  async function remove(): Promise<void> {
    await close();
    await rm(dataDir, { recursive: true });
  }

  try {
    await migrateUp(database, project.migrations);
  } catch (error) {
    await remove();
    throw error;
  }
  const { resources, reports, actions } = project;
  const callerOf = callerIn({ claims: claimNames([...resources, ...reports, ...actions]) });
  const { fetch, drain } = createApp({
    ...config,
    ...project,
    authRequired: false,
    capacity: 1000,
    database,
    whyUnready: readiness({ ...project, authRequired: false, database }),
    ending: ends.signal,
    log: log(config.logLevel),
  });
  const sendAs = (caller?: Caller): Server["fetch"] => (path, init) =>
    fetch(new Request(new URL(path, config.baseUrl), init), caller);
  return {
    sql: (strings, ...values) =>
      database.run(writes("run the SQL of a test", projectSql(strings, ...values)), {}),
    fetch: sendAs(),
    as: (claims) => ({
      fetch: sendAs(
        claims ? { ...callerOf(claims), id: `test ${claims.sub}`, scopes: undefined } : nobody,
      ),
    }),
    async stop() {
      ends.abort();
      await drain();
      await remove();
    },
  };
}
