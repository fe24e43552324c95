// The only file of the tests that imports from `src`, so the inside of the server can be rebuilt.
import type postgres from "postgres";
import { type AppOptions as ServerOptions, createApp as createServer } from "../src/app.ts";
import { clientOver } from "./client.ts";
import {
  migrateDown as revert,
  migrateUp as apply,
  type MigrationRun,
  migrationStatus as statusOf,
  pendingMigrations as pendingOf,
} from "../src/migrate/migrations.ts";
import { readAddress } from "../src/db/address.ts";
import { type ClientOptions, connect } from "../src/db/client.ts";
import { openEmbedded as embedded } from "../src/embedded/folder.ts";
import type { Database as ServerDatabase } from "../src/db/database.ts";
import { type MigrationStep, migrationTitle } from "../src/migrate/step.ts";
import { differences as differencesIn } from "../src/commands/check.ts";
import { declarations as declarationsOf } from "../src/commands/declare.ts";
import { raw, reads } from "../src/db/sql.ts";
import { migrationsOf } from "../src/project/project.ts";
import { readiness } from "../src/schema/ready.ts";
import { type Address, listen, type Listener } from "../src/serve/listen.ts";

export { joinModules } from "../src/assets/joined.ts";

// The words of a declaration, and the resources that are declared with them

import type { Action, Declaration, Report, Resource } from "../src/model/model.ts";
import { type Options, options } from "../src/model/options.ts";
export { type Options, options };

/** The words as an editor knows them. */
export type Editor = typeof import("../src/types/relata.d.ts");
import type { Caller } from "../src/model/caller.ts";
export { type Caller, nobody } from "../src/model/caller.ts";
export type { Action, Report, Resource, Verb } from "../src/model/model.ts";
export { checkWithOthers, pathOf } from "../src/model/resource.ts";
export * from "../src/words.ts";
export * as words from "../src/words.ts";
export { default as bar } from "../src/resources/bar.ts";
export { default as bottage } from "../src/resources/bottage.ts";
export { default as colere } from "../src/resources/colere.ts";
export { default as foo } from "../src/resources/foo.ts";
export { resources } from "../src/resources/index.ts";
export { openProject } from "../src/project/project.ts";
export { grantsFor } from "../src/schema/grants.ts";

/** What a resource was declared with, but for a key of several fields, to declare one that differs from it. */
export function declarationOf(resource: Resource): Declaration {
  return Object.fromEntries(
    Object.entries(resource).filter(([name, value]) =>
      value !== undefined && name in options.resource.entries && name !== "key"
    ),
  ) as unknown as Declaration;
}

// The settings, what follows from them, and the error for a wrong one

export { accessOf, prefixOf, readConfig, settings } from "../src/config.ts";
export type { Address } from "../src/db/address.ts";
export { readAddress };
export { UsageError } from "../src/errors/usage.ts";
export type { Log } from "../src/telemetry/log.ts";

// The problems of answers

export { fieldProblems, type ProblemCode, problems } from "../src/errors/problem.ts";

// The OpenAPI document, and the check whether a newer one keeps the contract

export { openapiDocument } from "../src/openapi/document.ts";
export { vocabulary } from "../src/openapi/extension.ts";
export { pages } from "../src/api/pages.ts";
export { pageAddress as addressOf, placeOf, viewAt } from "../src/page/address.js";
export { identifiersOf, identifiersOfParts } from "../src/page/identifiers.js";
export { compareFigures, sumOf } from "../src/page/sums.js";
export { compareDocuments as compare } from "../src/contract/compare.ts";
export { type Document, parseDocument } from "../src/contract/document.ts";
export { changeTable as table, judge } from "../src/contract/judge.ts";
export { type Direction, rules } from "../src/contract/rules.ts";

// Tokens

export { type Scope, scopes, withIncluded } from "../src/model/scope.ts";
export { newToken, sha256 } from "../src/http/token.ts";

// Commands, as functions

/** What `relata check` finds. */
export function differences(
  client: ServerDatabase,
  resources: Resource[],
  reports: Report[] = [],
  actions: Action[] = [],
): Promise<{ sentence: string; fails: boolean }[]> {
  return differencesIn(client, { resources, reports, actions, migrations });
}

/** What `relata declare` prints for tables. */
export async function declarations({ client }: Database, names: string[]): Promise<string> {
  return `${await declarationsOf(client, names)}\n`;
}

export { contractCheck } from "../src/commands/contract.ts";
export { tokenCreate } from "../src/commands/token.ts";

// Databases, as the server has them open

/** A database as the server has it open. Tests hand it on; to prepare the database and to look into it
 * they have a client of their own. */
export interface Database {
  /** As the handlers of the server see it. */
  client: ServerDatabase;
}

export interface Opened extends Database {
  close(): Promise<void>;
}

export type { ClientOptions } from "../src/db/client.ts";
export type { ServerDatabase };

/** The Postgres at an address; it is reached by the first statement. */
export function openPostgres(url: string, options: ClientOptions): Opened {
  const client = connect(readAddress(url), options);
  return { client, close: client.close };
}

/** The embedded database in a folder, as commands have it, or as a server does. It is one session, which the
 * client of the test shares with the server. */
export async function openEmbedded(
  folder: string,
  { serves = false } = {},
): Promise<Opened & { sql: postgres.Sql }> {
  const opened = await embedded(folder, { timeLimit: 60 });
  const { database, stream, close } = opened;
  if (serves) opened.serve();
  const sql = clientOver(stream);
  return {
    client: database,
    sql,
    async close() {
      await sql.end({ timeout: 1 });
      await close();
    },
  };
}

/** Runs a query in a session of the server, because a session sees at once only what it has read itself. */
export async function askAsServer<Row extends object>(
  { client }: Database,
  text: string,
): Promise<Row[]> {
  return await client.run(
    reads<object, Row>("ask as the server", raw(text), { replans: true }),
    {},
  );
}

/** Opens every session that the server may have, at once. */
export async function connectAll(database: Database): Promise<void> {
  const { most } = database.client.sessions();
  await Promise.all(
    Array.from({ length: most }, () => askAsServer(database, "select pg_sleep(0.1)")),
  );
}

// Migrations, of a database that is open or of the Postgres at an address

/** The migrations of the server, and those of the specification's project. */
const migrations = migrationsOf({ projectDir: undefined });

/** The names of these, in order. */
export const [serverNames, migrationNames] = (["server", "project"] as const).map((of) =>
  migrations.flatMap((one) => one.owner === of ? migrationTitle(one) : [])
) as [string[], string[]];

export type { MigrationStep as Step };

/** Applies the migrations that a database lacks, to the one that a run is to end at. */
export function migrateUp(
  database: Database | string,
  run?: MigrationRun,
): Promise<MigrationStep[]> {
  return through(database, (client) => apply(client, migrations, run));
}

/** Reverts migrations, down to the one that a run is to end at, or the newest alone. */
export function migrateDown(
  database: Database | string,
  run?: MigrationRun,
): Promise<MigrationStep[]> {
  return through(database, (client) => revert(client, migrations, run));
}

/** Every migration that the program or the database knows, and whether it is applied. */
export function migrationStatus(database: Database | string) {
  return through(database, (client) => statusOf(client, migrations));
}

/** The names of the migrations that a database lacks. */
export async function pendingMigrations(database: Database | string): Promise<string[]> {
  const pending = await through(database, (client) => pendingOf(client, migrations));
  return pending.map(({ name }) => name);
}

async function through<Result>(
  database: Database | string,
  work: (client: ServerDatabase) => Promise<Result>,
): Promise<Result> {
  if (typeof database !== "string") return await work(database.client);
  const opened = openPostgres(database, { sessions: 1 });
  try {
    return await work(opened.client);
  } finally {
    await opened.close();
  }
}

// The app

export type AppOptions = Omit<ServerOptions, "database" | "whyUnready">;

export interface App {
  fetch(request: Request, caller?: Caller): Promise<Response>;
  /** Resolves when every request that was sent so far, and meanwhile, is answered. */
  drain(): Promise<void>;
  /** Serves on a free port of the loopback. */
  listen(limits?: Partial<Address>): Promise<Listener>;
}

export function createApp({ client }: Database, options: AppOptions): App {
  const whyUnready = readiness({ actions: [], ...options, migrations, database: client });
  const app = createServer({ ...options, whyUnready, database: client });
  return { ...app, listen: (limits) => listenOn(app, limits) };
}

/** Serves the answers of any `fetch` function. */
export function serveBy(
  fetch: (request: Request) => Promise<Response>,
): Promise<Listener> {
  return listenOn({
    fetch,
    async reply(request) {
      const { status, headers, body } = await fetch(request);
      return { status, headers: Object.fromEntries(headers), body };
    },
  });
}

function listenOn(
  app: Parameters<typeof listen>[0],
  limits: Partial<Address> = {},
): Promise<Listener> {
  const address = { host: "127.0.0.1", port: 0, reusePort: false, timeLimit: 10, keepAlive: 75 };
  return listen(app, { ...address, ...limits });
}

export type { Listener };

// Insides: for the tests of a single part, and to be replaced one by one

export { batched, type BatchOptions } from "../src/db/batch.ts";
export { ENDING, HOLD, SHARES } from "../src/time.ts";
export { type Open, pool, type PoolOptions, type Session } from "../src/db/pool.ts";
export * as statements from "../src/db/sql.ts";
export { type Right, rights } from "../src/model/access.ts";
export { type Seen, seenBy } from "../src/model/view.ts";
export { isContentError, isRaised } from "../src/db/errors.ts";
export { Problem, toProblem } from "../src/errors/problem.ts";
export { counter, exposition, histogram } from "../src/telemetry/prometheus.ts";
export { createMetrics } from "../src/telemetry/metrics.ts";
export { rate } from "../src/http/rate.ts";
export { router } from "../src/http/router.ts";
export { callerIn } from "../src/http/claims.ts";
export { issuerKeys } from "../src/http/keys.ts";
export { memory } from "../src/http/memory.ts";
