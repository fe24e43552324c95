// A disk that is really full, on a file system of its own, while clients send requests all the time.
// Needs: Deno, time
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "../client.ts";
import {
  ask,
  embeddedFolder,
  endAll,
  relata,
  serve,
  type Server,
  through,
  until,
  untilReady,
} from "../program.ts";
import { temporaryFolder } from "../service.ts";
import { type Cluster, reason, startCluster } from "./cluster.ts";
import { assertSound, how, load, passes, recovered, seed } from "./load.ts";

interface Disk {
  path: string;
  /** Leaves this many bytes free: none, where nothing is said. */
  fill(left?: number): void;
  /** Frees what filling took. */
  free(): void;
  remove(): void;
}

/** A small disk in memory; undefined where this process may not mount one. */
function smallDisk(megabytes: number): Disk | undefined {
  const folder = temporaryFolder();
  const { path } = folder;
  const filling = join(path, "filling");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], {
      stdio: "ignore",
    });
  } catch {
    return void folder.remove();
  }
  return {
    path,
    fill(left = 0) {
      const file = openSync(filling, "w");
      const page = new Uint8Array(4096);
      assert.throws(() => {
        for (;;) writeSync(file, page);
      }, /ENOSPC|No space left/);
      closeSync(file);
      truncateSync(filling, statSync(filling).size - left);
    },
    free: () => rmSync(filling),
    remove() {
      execFileSync("umount", [path]);
      folder.remove();
    },
  };
}

/** Bytes of a file of the write-ahead log. */
const WAL_FILE = 16 * 2 ** 20;

const disk = reason ? undefined : smallDisk(32);
const why = reason || (disk ? "" : " (skipped: this process may not mount a file system)");

const suiteOf = suite("a disk that is full");
const test = disk ? suiteOf : suiteOf.skip;

let cluster: Cluster;

suiteOf.before(async () => {
  if (disk) cluster = await startCluster();
});
suiteOf.after.each(endAll);
suiteOf.after(async () => {
  if (!disk) return;
  await cluster.remove();
  disk.remove();
});

/** Works with a connection to the cluster. */
async function connected(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = clientOf(cluster.url);
  await work(sql);
  await sql.end();
}

/** A record that takes room, however well Postgres packs it. */
const record = () => ({ cul: randomBytes(100_000).toString("hex"), colere: 1 });

test(`for the output of a command: it fails, even if there was room for a part${why}`, async () => {
  disk!.fill(8192);
  const file = join(disk!.path, "output");
  const command = through(`exec "$@" > ${file}`);
  const { status, stderr } = await relata(["openapi"], {}, { command });
  assert.is(statSync(file).size, 8192);
  assert.match(stderr, /^relata: Cannot write the output: .*no space left on device.*\n$/i);
  assert.is(status, 1);
  rmSync(file);
  disk!.free();
});

test(`of the log: the server keeps serving, and logs again once there is room${why}`, async () => {
  const file = join(disk!.path, "log");
  const folder = embeddedFolder();
  const environment = { DATA_DIR: folder.path, LOG_LEVEL: "info" };
  const server = await serve(environment, { command: through(`exec "$@" 2> ${file}`) });
  disk!.fill();
  for (let nth = 0; nth < 100; nth++) {
    assert.is((await ask(server.url, "GET /colere/")).status, 200);
  }
  disk!.free();
  await until("it logs again", async () => {
    await ask(server.url, "HEAD /colere/");
    return readFileSync(file, "utf8").includes("HEAD");
  });
  assert.is((await server.kill("SIGTERM")).status, 0);
  rmSync(file);
  folder.remove();
});

test(`of the tables: creates are refused until there is room, and reads go on${why}`, async () => {
  await connected(async (sql) => {
    const { uid, gid } = statSync(cluster.folder);
    chownSync(disk!.path, uid, gid); // Postgres takes no folder of another user
    await sql.unsafe(`create tablespace small location '${disk!.path}'`);
    await sql`alter table all in tablespace pg_default set tablespace small`;
    await sql`alter index all in tablespace pg_default set tablespace small`;
    await seed(sql);
  });
  // What needs an operator is an error, which is not looked for here
  const server = await serve({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent" }, how);
  const body = JSON.stringify(record());
  const keyed = async () =>
    (await fetch(`${server.url}/bottage/`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "full" },
      body,
    })).status;
  const clients = load(server);
  await passes(clients, 200);

  disk!.fill();
  const before = clients.history.length;
  const meanwhile = () => clients.history.slice(before);
  await until(
    "creates are refused",
    () => meanwhile().filter(({ status, name }) => name && status === 503).length > 20,
  );
  assert.is(await keyed(), 503);
  assert.match(await figures(server), 'relata_database_errors_total{class="53"}');
  const reads = meanwhile().filter(({ request }) => request.startsWith("GET"));
  assert.ok(reads.length > 0 && reads.every(({ status }) => status === 200), "Reads go on");

  disk!.free();
  await recovered(server);
  await passes(clients, 200);
  const history = await clients.stop();
  const refused = history.flatMap(({ status, name }) => name && status === 503 ? [name] : []);
  assert.equal([await keyed(), await keyed()], [201, 201], "It left no key behind");
  await connected(async (sql) => {
    await assertSound(history, server, sql);
    assert.equal([...await sql`select id from bar where name = any(${refused}::text[])`], []);
    assert.is((await sql`select from bottage`).length, 1);
    await sql`alter table all in tablespace small set tablespace pg_default`;
    await sql`alter index all in tablespace small set tablespace pg_default`;
  });
});

test(`of the write-ahead log: Postgres ends, and nothing that was answered is lost${why}`, async () => {
  const [log, moved] = [join(cluster.folder, "pg_wal"), join(disk!.path, "pg_wal")];
  await cluster.stop("fast");
  execFileSync("cp", ["-a", log, moved]);
  rmSync(log, { recursive: true });
  execFileSync("ln", ["-s", moved, log]);
  await cluster.start();
  const server = await serve({ DATABASE_URL: cluster.url }, how);
  const clients = load(server);
  await passes(clients, 200);
  disk!.fill();
  // It restarts after a crash as long as what it then has to write finds room
  await until("Postgres has ended", async () => {
    await ask(server.url, "POST /bottage/", record());
    return !cluster.running();
  });
  await until(
    "reads are refused",
    async () => (await ask(server.url, "GET /readyz")).status === 503,
  );
  disk!.free();
  await cluster.start();
  await recovered(server);
  await passes(clients, 200);
  const history = await clients.stop();
  assert.ok(history.some(({ status }) => status === 503), "Clients met it");
  await connected((sql) => assertSound(history, server, sql));
});

test(`of the embedded database: it is opened again, and nothing that was answered is lost${why}`, async () => {
  const small = smallDisk(128)!;
  try {
    const folder = embeddedFolder(small.path);
    const settings = { DATA_DIR: folder.path, TIME_LIMIT: "10", LOG_LEVEL: "warn" };
    const server = await serve(settings, how);
    // Room for rows until their write-ahead log needs its next file, but not for that
    small.fill(WAL_FILE);
    const made: number[] = [];
    await until("the database has ended for want of room", async () => {
      const { status, body } = await ask(server.url, "POST /bottage/", record());
      assert.ok([201, 503].includes(status), `It answered ${status}`);
      if (status === 201) made.push(body.bottage);
      return server.stderr().includes("pg_wal");
    });
    assert.is((await ask(server.url, "GET /readyz")).status, 503);
    assert.is((await ask(server.url, "GET /livez")).status, 200);

    small.free();
    await untilReady(server);
    assert.is((await ask(server.url, "POST /bottage/", record())).status, 201);
    for (const id of made) assert.is((await ask(server.url, `GET /bottage/${id}`)).status, 200);
    assert.is((await server.kill("SIGTERM")).status, 0);
  } finally {
    await endAll();
    small.remove();
  }
});

suiteOf.run();

async function figures({ url }: Server): Promise<string> {
  return await (await fetch(`${url}/metrics`)).text();
}
