// Several processes on one port: they share only the database, and no client notices which one answers.
// Needs: Deno, time
import { copyFileSync, readFileSync, renameSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  afterwards,
  ask,
  endAll,
  relata,
  sentence,
  serve,
  type Server,
  source,
  until,
} from "./program.ts";
import { freshPostgres, temporaryFolder } from "./service.ts";

const test = suite("several processes");
test.after.each(endAll);

/** The processes that a server keeps, as Linux lists them. */
function kept({ pid }: Pick<Server, "pid">): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.split(" ").filter(Boolean).map(Number);
}

/** Asks over a connection of its own, which the kernel gives to any of the processes. */
function askAnew(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => response.resume().once("end", resolve))
      .once("error", reject);
  });
}

test("answer on one port, and each sees what another has written", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  // A connection each: more of them than one are more processes than one.
  const server = await serve({ DATABASE_URL: database.url, PROCESSES: "2", POOL_SIZE: "1" });
  await until("two processes serve", async () => {
    await Promise.all(Array.from({ length: 16 }, () => askAnew(`${server.url}/colere/`)));
    const sessions = await database.sql`
      select
      from pg_stat_activity
      where datname = current_database()
        and pid <> pg_backend_pid()`;
    return sessions.length >= 2;
  });
  const identifiers = new Set<number>();
  await Promise.all(Array.from({ length: 32 }, async () => {
    for (let time = 0; time < 10; time++) {
      const { body } = await ask(server.url, "POST /bottage/", { cul: "Hello", colere: 1 });
      identifiers.add(body.bottage);
      const last = await ask(server.url, "GET /bottage/last");
      assert.ok(last.body.bottage >= body.bottage);
    }
  }));
  assert.is(identifiers.size, 320);

  const [victim] = kept(server);
  process.kill(victim!, "SIGKILL");
  await until("another takes its place", () => {
    const now = kept(server);
    return now.length === 2 && !now.includes(victim!);
  });
  await until(
    "the port answers",
    () => ask(server.url, "GET /colere/").then(() => true, () => false),
  );
  const line = server.stderr().split("\n").find((line) => line.includes("another takes its place"));
  const { level, pid, status, signal } = JSON.parse(line!);
  assert.equal([level, pid, status, signal], ["error", victim, null, "SIGKILL"]);
  assert.is(
    server.stdout().match(/^Relata serves/gm)?.length,
    1,
    "One of them says where they serve",
  );
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("keep serving while one cannot be started again, which is tried until it works", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const folder = temporaryFolder();
  afterwards(folder.remove);
  const [program, away] = [join(folder.path, "program"), join(folder.path, "away")];
  copyFileSync(process.execPath, program);
  const server = await serve(
    { DATABASE_URL: database.url, PROCESSES: "2" },
    { command: [program, ...source.slice(1)] },
  );
  await until("there are two processes", () => kept(server).length === 2);
  renameSync(program, away);
  process.kill(kept(server)[0]!, "SIGKILL");
  await until("that is said", () => server.stderr().includes("A process cannot be started"));
  await until(
    "the other answers",
    () => ask(server.url, "GET /colere/").then(({ status }) => status === 200, () => false),
  );
  renameSync(away, program);
  await until("another takes its place", () => kept(server).length === 2);
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("need a database that they can share", async () => {
  const said = sentence(await relata(["serve"], { PROCESSES: "2" }));
  assert.match(said, "PROCESSES greater than 1 requires DATABASE_URL");
});

test("end together if they cannot serve", async () => {
  const taken = createServer();
  afterwards(() => taken.close());
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number };
  const environment = {
    DATABASE_URL: "postgres://127.0.0.1:1/none",
    PROCESSES: "2",
    PORT: String(port),
  };
  const elsewhere = { HOST: "192.0.2.1", AUTH: "off" };
  for (
    const [refused, expected] of [
      [{}, 1],
      [elsewhere, 1],
      [{ ...elsewhere, HOST: "nowhere.invalid", REUSE_PORT: "on" }, 2], // only the processes find out
    ] as const
  ) {
    const { status, stderr } = await relata(["serve"], { ...environment, ...refused });
    assert.is(status, expected);
    assert.match(stderr, new RegExp(`Cannot listen on \\S+ port ${port}`));
  }
});

if ("Deno" in globalThis) {
  test("are kept by deno task start, and permitted no more than it is", async () => {
    const database = await freshPostgres();
    afterwards(database.stop);
    const server = await serve(
      { DATABASE_URL: database.url, PROCESSES: "2" },
      { command: [process.execPath, "task", "start"] },
    );
    assert.is((await ask(server.url, "POST /bottage/", { cul: "Hello", colere: 1 })).status, 201);
    const [keeper] = kept(server);
    const processes = kept({ pid: keeper! });
    assert.is(processes.length, 2);
    for (const pid of processes) {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const permitted = words.filter((word) => word.startsWith("--allow")).sort();
      assert.equal(permitted, [
        "--allow-env",
        "--allow-net",
        "--allow-read",
        "--allow-sys",
        "--allow-write",
      ]);
    }
    await server.kill("SIGTERM");
  });
}

test.run();
