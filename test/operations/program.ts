// The programs that operators put before and behind Relata, with the configuration in `deploy/`.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { freePort } from "../port.ts";
import { type How, type Program, start, until } from "../program.ts";
import { temporaryFolder } from "../service.ts";

/** Why there can be no test with a program, as the end of its title; empty where there can. */
export function lacking(program: "haproxy" | "pgbouncer"): string {
  const { error } = spawnSync(program, ["--version"]);
  return error ? ` (skipped: ${program} is not found)` : "";
}

/** What a file of `deploy/` says, with other words in the place of those that are only an example. */
export function deployed(name: string, replacements: Record<string, string> = {}): string {
  let text = readFileSync(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)), "utf8");
  for (const [example, words] of Object.entries(replacements)) {
    if (!text.includes(example)) throw new Error(`The file "${name}" has no "${example}"`);
    text = text.replaceAll(example, words);
  }
  return text;
}

export interface Proxy {
  /** Where clients ask. */
  url: string;
  /** The figures of an instance or, as `BACKEND`, of all together, by their names. */
  figures(instance: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts HAProxy before the instances at two ports. */
export async function startProxy(
  [one, two]: [number, number],
  how: How,
  replacements: Record<string, string> = {},
): Promise<Proxy> {
  const [port, figuresPort] = [await freePort(), await freePort()];
  const folder = temporaryFolder();
  const file = join(folder.path, "haproxy.cfg");
  writeFileSync(
    file,
    deployed("haproxy.cfg", {
      "127.0.0.1:8080": `127.0.0.1:${port}`,
      "127.0.0.1:8001": `127.0.0.1:${one}`,
      "127.0.0.1:8002": `127.0.0.1:${two}`,
      "127.0.0.1:8404": `127.0.0.1:${figuresPort}`,
      ...replacements,
    }),
  );
  const program = start(["haproxy", "-db", "-f", file], {}, how);
  await listens(program, figuresPort);
  return {
    url: `http://127.0.0.1:${port}`,
    async figures(instance) {
      const text = await (await fetch(`http://127.0.0.1:${figuresPort}/;csv`)).text();
      const [names = [], ...rows] = text.split("\n").map((line) => line.split(","));
      const row = rows.find(([proxy, server]) => proxy === "instances" && server === instance);
      return Object.fromEntries(names.map((name, place) => [name, row?.[place] ?? ""]));
    },
    async stop() {
      await program.kill();
      folder.remove();
    },
  };
}

/** Starts PgBouncer before the database at an address, with few connections to it; gives the address
 * there. */
export async function startPooler(
  address: string,
  how: How,
  replacements: Record<string, string> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port, pathname, username, password } = new URL(address);
  const own = await freePort();
  const folder = temporaryFolder();
  const [file, users] = [join(folder.path, "pgbouncer.ini"), join(folder.path, "userlist.txt")];
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    file,
    deployed("pgbouncer.ini", {
      "host=127.0.0.1 port=5432 dbname=relata": `host=${hostname} port=${port} dbname=${
        pathname.slice(1)
      }`,
      "listen_port = 6432": `listen_port = ${own}\nunix_socket_dir =`,
      "/etc/pgbouncer/userlist.txt": users,
      "default_pool_size = 10": "default_pool_size = 2",
      ...replacements,
    }),
  );
  for (const path of [folder.path, file, users]) chmodSync(path, 0o755);
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : []; // it refuses to run as root
  const program = start(["pgbouncer", "-q", ...asNobody, file], {}, how);
  await listens(program, own);
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${own}/relata`,
    async stop() {
      await program.kill();
      folder.remove();
    },
  };
}

/** Waits until a program takes connections; throws what it said where it ended. */
async function listens(program: Program, port: number): Promise<void> {
  let hasEnded = false;
  program.ended.then(() => hasEnded = true, () => hasEnded = true);
  await until("the program takes connections", () => {
    if (hasEnded) throw new Error(`The program ended: ${program.stderr()}`);
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true))
        .on("error", () => resolve(false))
        .on("connect", () => socket.destroy());
    });
  });
}
