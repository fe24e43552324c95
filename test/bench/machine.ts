// Where figures come from, without which they say nothing.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import process from "node:process";
import type postgres from "postgres";
import { runtimes } from "./contenders.ts";
import { generator } from "./generator.ts";
import { version as pgbench } from "./pgbench.ts";
import { figure } from "./table.ts";

/** Where what the peers are made of is installed: for them alone, or for the server as well. */
const packages = {
  "node_modules": [
    "fastify",
    "@fastify/etag",
    "pg",
    "hono",
    "@hono/node-server",
    "pino",
    "prom-client",
  ],
  "../../node_modules": ["postgres"],
};

/** One paragraph on the machine, the versions and the settings. */
export async function machine(sql: postgres.Sql): Promise<string> {
  const [postgres] = await sql<Record<string, string>[]>`
    select
      current_setting('server_version') as version,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('shared_buffers') as shared_buffers`;
  const { version, ...rest } = postgres!;
  const settings = Object.entries(rest);
  const [, deno = ""] = /^deno (\S+)/.exec(
    execFileSync(runtimes.Deno[0]!, ["--version"], { encoding: "utf8" }),
  ) ?? [];
  return [
    `${new Date().toISOString().slice(0, 10)}`,
    `${cpus().length} × ${cpus()[0]?.model}, ${
      Math.round(totalmem() / 1e9)
    } GB, shared by server, load and Postgres`,
    `${type()} ${release()}, load average ${figure(loadavg()[0], 1)} before`,
    `Node ${process.versions.node}, Deno ${deno}`,
    `Postgres ${version} (${settings.map(([name, value]) => `${name} ${value}`).join(", ")})`,
    Object.entries(packages)
      .flatMap(([folder, names]) => names.map((name) => `${name} ${versionOf(folder, name)}`))
      .join(", "),
    `load by ${generator}`,
    pgbench ? `pgbench ${pgbench}` : "pgbench is not installed",
  ].join("; ") + ".";
}

function versionOf(folder: string, name: string): string {
  const file = new URL(`${folder}/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
