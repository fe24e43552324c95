import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { copyWith } from "./copy.ts";
import { openEmbedded } from "./house.ts";
import {
  afterwards,
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

/** A copy of the program that lacks the template of a database; `npm ci` made that of the program itself. */
const slow = copyWith();

let folder: ReturnType<typeof temporaryFolder>;

test.after(() => slow.remove());
test.after.each(async () => {
  await endAll();
  folder.remove();
});

test("serves the flow of clients on the embedded database, without any setting but the folder", async () => {
  folder = embeddedFolder();
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

test("has its data after a restart, and lets commands use it when it has ended", async () => {
  folder = embeddedFolder();
  const server = await serve({ DATA_DIR: folder.path });
  const { body } = await ask(server.url, "POST /api/bars/", { name: "Kept" });
  assert.is((await server.kill("SIGTERM")).status, 0);

  const next = await serve({ DATA_DIR: folder.path });
  assert.equal((await ask(next.url, `GET /api/bars/${body.id}/`)).body, body);
  assert.is((await next.kill("SIGTERM")).status, 0);
  const { status, stdout } = await relata(["migrate", "status"], { DATA_DIR: folder.path });
  assert.is(status, 0);
  assert.match(stdout, /^project +0001_\w+ +applied /m);
});

/** What Postgres calls a database, which those from one template have in common, and how it sorts. */
async function identityIn(folder: string): Promise<{ identifier: string; locale: string }> {
  const { sql, close } = await openEmbedded(folder);
  const [identity] = await sql<{ identifier: string; locale: string }[]>`
    select
      system_identifier::text as identifier,
      concat_ws(' ', pg_encoding_to_char(encoding), datlocprovider, datcollate, datctype) as locale
    from pg_control_system(), pg_database
    where datname = current_database()`;
  await close();
  return identity!;
}

test("comes from the template that is there, and is as if Postgres had made it", async () => {
  const identities = [];
  for (const how of [{}, {}, slow.how]) {
    folder = temporaryFolder();
    afterwards(folder.remove);
    const server = await serve({ DATA_DIR: folder.path }, how);
    assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 201);
    assert.is((await server.kill("SIGTERM")).status, 0);
    identities.push(await identityIn(folder.path));
  }
  const [first, second, made] = identities;
  assert.equal(second, first);
  assert.is.not(made!.identifier, first!.identifier);
  assert.is(made!.locale, first!.locale);
});

for (
  const [moment, trace, command = source] of [
    ["made", "postgres.unfinished", slow.how.command],
    ["opened", "postgres"],
  ] as [string, string, string[]?][]
) {
  test(`starts after a process was killed while its database was first ${moment}`, async () => {
    folder = temporaryFolder();
    const program = start(command, { DATA_DIR: folder.path, PORT: "0" });
    await until("the folder appears", () => existsSync(join(folder.path, trace)));
    await program.kill("SIGKILL");
    assert.is(program.stdout(), "", "It was killed before it served");

    const server = await serve({ DATA_DIR: folder.path });
    assert.is((await ask(server.url, "GET /readyz")).status, 200);
    const { status, body } = await ask(server.url, "GET /colere/");
    assert.equal([status, body.name], [200, ""]);
  });
}

test("starts after a process ended while it unpacked its database", async () => {
  folder = temporaryFolder();
  // No file may be larger than 8 MiB, and one is: Deno is killed there, and Node fails
  const command = ["sh", "-c", 'ulimit -f 16384 && exec "$@"', "sh", ...source];
  const { status } = await start(command, { DATA_DIR: folder.path, PORT: "0" }).ended;
  assert.is.not(status, 0);
  assert.not.ok(existsSync(join(folder.path, "postgres")), "It is no database yet");

  const server = await serve({ DATA_DIR: folder.path });
  assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 201);
});

test("is dumped by relata, and a real Postgres by pg_dump", async () => {
  folder = embeddedFolder();
  const environment = { DATA_DIR: folder.path, DATABASE_URL: "postgres://127.0.0.1:1/none" };
  assert.match(sentence(await relata(["dump"], environment)), "pg_dump");
});

test("keeps other processes from its data while it runs", async () => {
  folder = embeddedFolder();
  const server = await serve({ DATA_DIR: folder.path });
  for (const args of [[], ["migrate", "status"], ["migrate", "down"], ["dump"]]) {
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

test("is dumped in the same memory, however many rows it has", async () => {
  folder = embeddedFolder();
  const rows = 60_000;
  const { sql, close } = await openEmbedded(folder.path);
  await sql`
    insert into bottage (cul, colere_id)
    select rpad(n::text, 1024, 'x'), 1
    from generate_series(1, ${rows}::integer) as n`;
  await close();
  const onDeno = "Deno" in globalThis;
  const words = onDeno ? 2 : 1;
  const limit = "--max-old-space-size=48"; // MiB, less than the texts take
  const command = [
    ...source.slice(0, words),
    onDeno ? `--v8-flags=${limit}` : limit,
    ...source.slice(words),
  ];
  const ended = await relata(["dump"], { DATA_DIR: folder.path }, { command });
  assert.equal([ended.status, ended.stderr], [0, ""]);
  assert.is(ended.stdout.match(/^\d+\t\d+x+\t/gm)?.length, rows);
});

test.run();
