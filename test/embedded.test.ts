import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  ask,
  embeddedFolder,
  endAll,
  relata,
  sentence,
  serve,
  source,
  start,
  until,
} from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("embedded");

let folder: ReturnType<typeof temporaryFolder>;

test.after.each(async () => {
  await endAll();
  folder.remove();
});

test("serves the flow of clients on the embedded database, without any setting but the folder", async () => {
  folder = temporaryFolder();
  const server = await serve({ DATA_DIR: folder.path });
  assert.is(server.stdout().split("\n").length, 2, "One line says where it serves");
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(server.stdout(), folder.path);

  const colere = await ask(server.url, "GET /colere/");
  assert.is(colere.status, 200);
  const created = await ask(server.url, "POST /bottage/", { cul: "Cul", colere: colere.body.id });
  assert.is(created.status, 201);
  assert.is(created.headers.get("location"), `/bottage/${created.body.bottage}`);
  const last = await ask(server.url, "GET /bottage/last");
  assert.is(last.status, 200);
  assert.equal(last.body, created.body);
  const { bottage, date, ...rest } = last.body;
  assert.equal(rest, { cul: "Cul", colere: colere.body.id });
  assert.ok(Number.isInteger(bottage));
  assert.match(date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

  const { body: bar } = await ask(server.url, "POST /api/bars/", { name: "Bar" });
  const foo = await ask(server.url, "POST /api/foos/", { name: "Foo", bar: bar.id });
  assert.is(foo.status, 201);
  const read = await ask(server.url, `GET /api/foos/${foo.body.id}/`);
  assert.equal(read.body, { id: foo.body.id, name: "Foo", bar });
  assert.is(read.headers.get("content-type"), "application/json");
});

test("has its data after a restart", async () => {
  folder = embeddedFolder();
  const server = await serve({ DATA_DIR: folder.path });
  const { body } = await ask(server.url, "POST /api/bars/", { name: "Kept" });
  assert.is((await server.kill("SIGTERM")).status, 0);

  const next = await serve({ DATA_DIR: folder.path });
  assert.equal((await ask(next.url, `GET /api/bars/${body.id}/`)).body, body);
});

test("loses nothing it acknowledged when it is killed while writing, three times", async () => {
  folder = embeddedFolder();
  const acknowledged = new Map<number, string>();
  for (const round of [1, 2, 3]) {
    const server = await serve({ DATA_DIR: folder.path });
    const enough = acknowledged.size + 50;
    let killed = false;
    const write = async (writer: number) => {
      for (let count = 1; !killed; count++) {
        const cul = `round ${round}, writer ${writer}, record ${count}`;
        try {
          const { status, body } = await ask(server.url, "POST /bottage/", { cul, colere: 1 });
          assert.is(status, 201);
          acknowledged.set(body.bottage, cul);
        } catch (error) {
          if (!killed) throw error;
        }
      }
    };
    const writers = Promise.all([1, 2, 3, 4].map(write));
    await Promise.race([writers, until("some are written", () => acknowledged.size >= enough)]);
    killed = true;
    await server.kill("SIGKILL");
    await writers;
  }

  const server = await serve({ DATA_DIR: folder.path });
  const stored = new Map<number, string>();
  for (let next = "/bottage/?limit=200"; next;) {
    const { body } = await ask(server.url, `GET ${next}`);
    for (const { bottage, cul } of body.items) stored.set(bottage, cul);
    next = body.next;
  }
  assert.ok(acknowledged.size >= 150);
  for (const [bottage, cul] of acknowledged) assert.is(stored.get(bottage), cul);
});

for (const [moment, trace] of [["made", "postgres.unfinished"], ["opened", "postgres"]] as const) {
  test(`starts after a process was killed while its database was first ${moment}`, async () => {
    folder = temporaryFolder();
    const program = start(source, { DATA_DIR: folder.path, PORT: "0" });
    await until("the folder appears", () => existsSync(join(folder.path, trace)));
    await program.kill("SIGKILL");
    assert.is(program.stdout(), "", "It was killed before it served");

    const server = await serve({ DATA_DIR: folder.path });
    assert.is((await ask(server.url, "GET /readyz")).status, 200);
    const { status, body } = await ask(server.url, "GET /colere/");
    assert.equal([status, body.name], [200, ""]);
  });
}

test("lets no other process at its data while it runs", async () => {
  folder = embeddedFolder();
  const server = await serve({ DATA_DIR: folder.path });
  for (const args of [[], ["migrate", "status"], ["migrate", "down"]]) {
    const refused = await relata(args, { DATA_DIR: folder.path, PORT: "0" });
    assert.match(sentence(refused, [1]), `DATA_DIR "${folder.path}" is in use`);
    assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 201);
  }
});

const others = "root leaves alone what belongs to another user, and says so";
if (process.getuid?.() !== 0) test.skip(`${others} (skipped: not run by root)`);
else {
  test(others, async () => {
    folder = embeddedFolder();
    const NOBODY = 65534;
    chownSync(join(folder.path, "postgres"), NOBODY, NOBODY);
    const empty = temporaryFolder();
    chownSync(empty.path, NOBODY, NOBODY);
    for (const { path } of [folder, empty]) {
      const before = readdirSync(path);
      for (const args of [[], ["token", "create"], ["migrate", "up"]]) {
        const refused = sentence(await relata(args, { DATA_DIR: path, PORT: "0" }));
        assert.match(refused, `DATA_DIR "${path}" cannot be used: it belongs to another user`);
      }
      assert.equal(readdirSync(path), before);
    }
    empty.remove();
  });
}

test("leaves its data to `relata migrate status` when it has ended", async () => {
  folder = embeddedFolder();
  const server = await serve({ DATA_DIR: folder.path });
  await server.kill("SIGTERM");
  const { status, stdout } = await relata(["migrate", "status"], { DATA_DIR: folder.path });
  assert.is(status, 0);
  assert.match(stdout, /^0001_\w+ +applied /m);
});

test.run();
