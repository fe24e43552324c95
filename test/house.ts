// The door of the tests: no other file of theirs imports from `src`, so what is behind it can be
// rebuilt. Only `bench/peers/coalescing.ts` goes round it, since a process that is measured should
// load no more than it runs.
import type postgres from "postgres";
import { type AppOptions as ServerOptions, createApp as createServer } from "../src/app.ts";
import {
  knownMigrations,
  migrateDown as revert,
  migrateUp as apply,
  migrationStatus as statusOf,
  pendingMigrations as pendingOf,
  type Run,
} from "../src/database/migrations.ts";
import { type ClientOptions, connect, type Sql } from "../src/database/sql.ts";
import type { Step } from "../src/database/step.ts";
import { type Address, listen, type Listener, runtimeResponse } from "../src/serve/listen.ts";

// The words of a declaration, and the resources that are declared with them

export type { Resource, Verb } from "../src/declaration/declaration.ts";
export { deprecated } from "../src/declaration/deprecation.ts";
export { identifier, text } from "../src/declaration/field.ts";
export { relation } from "../src/declaration/relation.ts";
export { pathOf, resource } from "../src/declaration/resource.ts";
export { listed } from "../src/database/sql.ts";
export { choices } from "../src/verbs/choices.ts";
export { list } from "../src/verbs/list.ts";
export { last, read } from "../src/verbs/read.ts";
export { create, merge, remove, replace } from "../src/verbs/write.ts";
export { bar } from "../src/resources/bar.ts";
export { bottage } from "../src/resources/bottage.ts";
export { colere } from "../src/resources/colere.ts";
export { foo } from "../src/resources/foo.ts";
export { resources } from "../src/resources/index.ts";

// The settings, what follows from them, and the error of whoever got one wrong

export { accessOf, prefixOf, readConfig, settings } from "../src/config.ts";
export { type Address, readAddress } from "../src/database/address.ts";
export { UsageError } from "../src/usage.ts";
export type { Log } from "../src/log.ts";

// The problems that an answer may tell of

export { fieldProblems, type ProblemCode, problems } from "../src/problem.ts";

// The OpenAPI document, and the judge of whether a newer one keeps the contract

export { openapiDocument } from "../src/openapi/document.ts";
export { pages } from "../src/api/pages.ts";
export { compare } from "../src/contract/compare.ts";
export { type Document, parseDocument } from "../src/contract/document.ts";
export { report, table } from "../src/contract/report.ts";
export { type Direction, rules, type SharedRule } from "../src/contract/rules.ts";

// Tokens

export { newToken, type Scope, scopes, sha256, withIncluded } from "../src/token.ts";

// Commands, as functions

export { contractCheck } from "../src/commands/contract.ts";
export { tokenCreate } from "../src/commands/token.ts";

// Databases, as the server has them open

/** A database as the server has it open. Tests hand it on; to prepare the database and to look into it
 * they have a client of their own. */
export interface Database {
  /** The server's own client: for the tests of insides, and for what only its own session can tell. */
  client: ServerClient;
}

export interface Opened extends Database {
  close(): Promise<void>;
}

export type { ClientOptions } from "../src/database/sql.ts";

/** The server's client of Postgres, which is not what tests look into a database with. */
export type ServerClient = Sql;

/** The Postgres at an address; it is reached by the first statement. */
export function openPostgres(url: string, options: ClientOptions): Opened {
  const client = connect(url, options);
  return { client, close: () => client.end({ timeout: 1 }) };
}

/** The embedded database in a folder. It is one session, so that what a test looks into it with is the
 * very client that the server has: postgres.js underneath. */
export async function openEmbedded(folder: string): Promise<Opened & { sql: postgres.Sql }> {
  const embedded = await import("../src/database/embedded.ts"); // large, and needed by few
  const { sql, close } = await embedded.openEmbedded(folder);
  return { client: sql, sql: sql as unknown as postgres.Sql, close };
}

/** Opens every connection that the server may have, at once. */
export async function connectAll({ client }: Database): Promise<void> {
  const { max } = client.options;
  await Promise.all(Array.from({ length: max }, () => client`select pg_sleep(0.1)`));
}

/** How many connections the server has open, and may have. */
export function connectionsOf({ client }: Database): { open: number; limit: number } {
  return { open: client.connections(), limit: client.options.max };
}

// Migrations, of a database that is open or of the Postgres at an address

export { knownMigrations };
export type { Step };

/** Applies the migrations that a database lacks, to the one that a run is to end at. */
export function migrateUp(database: Database | string, run?: Run): Promise<Step[]> {
  return through(database, (client) => apply(client, run));
}

/** Reverts migrations, down to the one that a run is to end at, or the newest alone. */
export function migrateDown(database: Database | string, run?: Run): Promise<Step[]> {
  return through(database, (client) => revert(client, run));
}

/** Every migration that the program or the database knows, and whether it is applied. */
export function migrationStatus(database: Database | string) {
  return through(database, statusOf);
}

/** The names of the migrations that a database lacks. */
export async function pendingMigrations(database: Database | string): Promise<string[]> {
  const pending = await through(database, (client) => pendingOf(client, knownMigrations()));
  return pending.map(({ name }) => name);
}

async function through<Result>(
  database: Database | string,
  work: (client: ServerClient) => Promise<Result>,
): Promise<Result> {
  if (typeof database !== "string") return await work(database.client);
  const opened = openPostgres(database, { connections: 1, timeLimit: 60 });
  try {
    return await work(opened.client);
  } finally {
    await opened.close();
  }
}

// The app

export type AppOptions = Omit<ServerOptions, "sql" | "makeResponse">;

export interface App {
  fetch(request: Request): Promise<Response>;
  /** Resolves when every request that was sent so far, and meanwhile, is answered. */
  drain(): Promise<void>;
  /** Serves on a free port of the loopback, by responses of the runtime's own kind. */
  listen(limits?: Partial<Address>): Promise<Listener>;
}

export function createApp({ client }: Database, options: AppOptions): App {
  const app = createServer({ ...options, sql: client });
  const apps = [app];
  return {
    fetch: app.fetch,
    drain: async () => void await Promise.all(apps.map(({ drain }) => drain())),
    listen(limits) {
      const served = createServer({ ...options, sql: client, makeResponse: runtimeResponse });
      apps.push(served);
      return serveBy(served.fetch, limits);
    },
  };
}

/** Serves what answers by a `fetch` of its own. */
export function serveBy(
  fetch: (request: Request) => Promise<Response>,
  limits: Partial<Address> = {},
): Promise<Listener> {
  const address = { host: "127.0.0.1", port: 0, reusePort: false, timeLimit: 10, keepAlive: 75 };
  return listen(fetch, { ...address, ...limits });
}

export type { Listener };

// Insides: for the tests of a single part, and to be replaced one by one

export { coalesce } from "../src/database/coalesce.ts";
export { type Kind, pool, type PoolOptions, type Serve, Unserved } from "../src/database/pool.ts";
export { preparedText } from "../src/database/query.ts";
export { retrying } from "../src/database/retry.ts";
export type { Session } from "../src/database/session.ts";
export { CLOSING, PARTS, type Tag } from "../src/database/sql.ts";
export type { Service as ServiceOfVerbs } from "../src/declaration/declaration.ts";
export { Problem, toProblem } from "../src/problem.ts";
export { counter, exposition, histogram } from "../src/prometheus.ts";
export { createMetrics } from "../src/metrics.ts";
export { rate } from "../src/http/rate.ts";
export { router } from "../src/http/router.ts";
export { finder } from "../src/verbs/read.ts";
export { createStatement } from "../src/verbs/statement.ts";
