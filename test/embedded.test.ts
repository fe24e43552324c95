// Needs: Deno, time
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { copyWith } from "./copy.ts";
import { openEmbedded, statements } from "./house.ts";
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
  untilReady,
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
  assert.is(server.stdout().split("\n").length, 3, "It says where it serves, and what");
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

test("stays the only one's where its own process opens the folder once more, and is refused", async () => {
  folder = embeddedFolder();
  const { path } = folder;
  const { close } = await openEmbedded(path);
  try {
    const again = await openEmbedded(path).then(() => "opened", ({ message }) => message);
    assert.match(again, `DATA_DIR "${path}" is in use`);
    const refused = await relata(["dump"], { DATA_DIR: path });
    assert.match(sentence(refused, [1]), `DATA_DIR "${path}" is in use`);
  } finally {
    await close();
  }
  assert.is((await relata(["dump"], { DATA_DIR: path })).status, 0);
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

const onDeno = "Deno" in globalThis;

test("is dumped in the same memory, however many rows it has", async () => {
  folder = embeddedFolder();
  const rows = 60_000;
  const { sql, close } = await openEmbedded(folder.path);
  await sql`
    insert into bottage (cul, colere_id)
    select rpad(n::text, 1024, 'x'), 1
    from generate_series(1, ${rows}::integer) as n`;
  await close();
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

const NOTE = `
import { identifier, resource, text } from "relata";

export default resource("note", {
  path: "/notes/",
  fields: { id: identifier(), name: text({ maximum: 64 }) },
});
`;

/** Each writes a note; one that is called "Nap" takes a minute. */
const NOTES = `
create table note (id bigint generated by default as identity primary key, name text not null);

create function deep(n bigint) returns bigint language plpgsql as $$
begin
  return case when n = 0 then 0 else 1 + deep(n - 1) end;
end
$$;

create function nap() returns trigger language plpgsql as $$
begin
  perform pg_sleep(60);
  return new;
end
$$;

create trigger nap before insert on note for each row when (new.name = 'Nap') execute function nap();
`;

/** Reports of one value, with a number as their parameter, by their names. */
const reports = {
  deep: "select deep(${n}) as value",
  nested: `
    select count(*) as value
    where 'aaa' ~ (repeat('(', \${n}::integer) || 'a' || repeat(')', \${n}::integer))`,
  pairs: `
    select count(*) as value
    from generate_series(1, \${n}) as one, generate_series(1, \${n}) as other`,
};

/** A server of a project with notes and these reports, and the path of a note. */
async function serveReports(environment: Record<string, string>) {
  folder = temporaryFolder();
  const files = {
    "resources/note.ts": NOTE,
    "sql/0001_notes.up.sql": NOTES,
    "sql/0001_notes.down.sql": "drop table note;",
    ...Object.fromEntries(
      Object.entries(reports).map(([name, rows]) => [
        `resources/${name}.ts`,
        `import { integer, report } from "relata";
        export default report("${name}", {
          path: "/${name}/",
          summary: "One value",
          parameters: { n: integer() },
          fields: { value: integer() },
          rows: (sql, { n }) => sql\`${rows}\`,
        });`,
      ]),
    ),
  };
  for (const part of ["resources", "sql"]) mkdirSync(join(folder.path, part));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const server = await serve({ PROJECT_DIR: folder.path, ...environment });
  const { body } = await ask(server.url, "POST /notes/", { name: "Kept" });
  return { server, note: body, isRight: () => readsRight(server, body) };
}

async function readsRight({ url }: { url: string }, note: { id: number }): Promise<void> {
  assert.equal((await ask(url, `GET /notes/${note.id}/`)).body, note);
  assert.equal((await ask(url, "GET /deep/?n=3")).body, { items: [{ value: 3 }] });
}

/** How many files a server has open; none where the system does not tell. */
function openFiles({ pid }: { pid: number }): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0;
}

test("what overflows the stack is no answer, leaves nothing behind, and what is asked next is answered right", async () => {
  const { server, isRight } = await serveReports({ TIME_LIMIT: "60" });
  const before = openFiles(server);
  const asked = [
    ["/deep/?n=500", 500],
    ["/deep/?n=100000", undefined], // too deep for any Postgres
    ["/nested/?n=3000", 1],
    ["/nested/?n=4500", 1],
  ] as const;
  for (const [path, value] of [...asked, ...asked]) {
    const { status, body } = await ask(server.url, `GET ${path}`);
    if (status === 200) assert.equal([path, body.items], [path, [{ value }]]);
    // Only the stack of Node lasts for as long as that of Postgres
    else assert.is(status, onDeno ? 503 : value ? 200 : 500, path);
    await isRight();
  }
  assert.ok(openFiles(server) < before + 10, "It keeps no files open");
});

test("a statement that takes too long is cancelled, and keeps nothing else waiting", async () => {
  const { server, isRight } = await serveReports({ TIME_LIMIT: "4" });
  let isOver = false;
  const late = ask(server.url, "GET /pairs/?n=1000000").finally(() => isOver = true);
  let rounds = 0;
  for (; !isOver; rounds++) assert.is((await ask(server.url, "GET /livez")).status, 200);
  assert.ok(rounds > 1, "The process answered meanwhile");
  assert.is((await late).status, 504);
  await isRight();
});

const forced = "a statement that cannot be cancelled is ended, which leaves nothing behind";
if (onDeno) test.skip(`${forced} (skipped: Deno cannot end a busy thread)`);
else {
  test(forced, async () => {
    const { server, isRight } = await serveReports({ TIME_LIMIT: "2" });
    const before = openFiles(server);
    for (let round = 0; round < 3; round++) {
      const { status, body } = await ask(server.url, "POST /notes/", { name: "Nap" });
      assert.is(status, 503);
      assert.match(body.detail, "Nobody knows");
      await untilReady(server);
      await isRight();
    }
    assert.equal((await ask(server.url, "GET /notes/")).body.items.length, 1);
    assert.ok(openFiles(server) < before + 10, "It keeps no files open");
  });
}

/** Has Node write a dot to a file for each flush, in all of its threads. */
const counted = encodeURIComponent(`
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const { fdatasyncSync } = fs;
  fs.fdatasyncSync = (file) => {
    fs.appendFileSync(process.env.FLUSHES, ".");
    fdatasyncSync(file);
  };
  syncBuiltinESMExports();`);

const flushed = "an answered write is on the disk, unless FSYNC is off";
if (onDeno) test.skip(`${flushed} (skipped: it is counted under Node)`);
else {
  test(flushed, async () => {
    folder = embeddedFolder();
    const file = join(folder.path, "flushes");
    for (const FSYNC of ["on", "off"]) {
      const server = await serve({
        DATA_DIR: folder.path,
        FSYNC,
        FLUSHES: file,
        NODE_OPTIONS: `--import=data:text/javascript,${counted}`,
      });
      writeFileSync(file, "");
      assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 201);
      assert.is(statSync(file).size > 0, FSYNC === "on", `FSYNC=${FSYNC}`);
      await server.kill("SIGTERM");
    }
  });
}

const { reads, slot, sql: piece } = statements;

test("answers each what it asked, also while it is put in order", async () => {
  folder = embeddedFolder();
  const { client, sql, close } = await openEmbedded(folder.path, { serves: true });
  afterwards(close);
  await sql`insert into bar (name) select n from generate_series(1, 200) as n`;
  const statement = reads<{ n: number }, { n: number }>(
    "ask",
    piece`select ${slot("n", "integer")} as n`,
  );
  const end = performance.now() + 3000; // it is put in order each second
  await Promise.all([1, 2, 3, 4].map(async (n) => {
    while (performance.now() < end) {
      assert.equal({ ...(await client.run(statement, { n }))[0] }, { n });
    }
  }));
});

test("while it serves, its log is short again, and a table is vacuumed and analyzed", async () => {
  folder = embeddedFolder();
  const { sql, close } = await openEmbedded(folder.path, { serves: true });
  afterwards(close);
  await sql`insert into bar (name) select n from generate_series(1, 200) as n`;
  for (let nth = 0; nth < 8; nth++) {
    await sql`select pg_logical_emit_message(false, '', repeat('x', ${16 * 2 ** 20}::integer))`;
  }
  await until("both are so", async () => {
    const [found] = await sql<{ segments: number; rows: number }[]>`
      select
        (select count(*)::integer from pg_ls_waldir()) as segments,
        reltuples::integer as rows
      from pg_class
      join pg_stat_user_tables on relid = oid
      where pg_class.relname = 'bar'
        and last_vacuum is not null`;
    return found !== undefined && found.segments <= 5 && found.rows === 200;
  });
});

test.run();
