// `relata migrate` as operators use it: step by step, with psql, beside a running server, and when something
// goes wrong.
// Needs: time
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "./client.ts";
import { migrateDown, migrateUp, migrationNames as names, serverNames } from "./house.ts";
import { copyWith, migrationFiles } from "./copy.ts";
import {
  ask,
  embeddedFolder,
  endAll,
  type Ended,
  type Environment,
  type How,
  relata,
  sentence,
  serve,
  start,
  until,
} from "./program.ts";
import { psql, withPsql } from "./psql.ts";
import { schemaOf } from "./schema.ts";
import { freshDatabase, serviceOn, temporaryFolder } from "./service.ts";
import { inTransaction } from "./transaction.ts";

const test = suite("migrating");

const latest = names.length;
/** A migration that a copy of the program carries and the program does not. */
const later = `${String(latest + 1).padStart(4, "0")}_later`;

let database: Awaited<ReturnType<typeof freshDatabase>>;
let sql: postgres.Sql;
let url: string;
let removals: (() => void)[];

test.before.each(async () => {
  removals = [];
  database = await freshDatabase();
  ({ sql, url } = database);
});
test.after.each(async () => {
  await endAll();
  for (const remove of removals) remove();
  await database.stop();
});

test("ends at the migration that --to names, on the way up and down", async () => {
  for (
    const [args, reached] of [
      ["up --to 0", 0],
      ["up --to 1", 1],
      ["up --to 0", 1],
      ["up", latest],
      ["down --to 1", 1],
      ["up --to 2", 2],
      ["down", 1],
      ["down --to 0", 0],
    ] as const
  ) {
    assert.is((await migrate(args)).status, 0);
    const { status, stdout } = await migrate("status");
    assert.equal(appliedIn(stdout), names.slice(0, reached), args);
    assert.is(status, reached < latest ? 1 : 0);
  }
});

for (const [direction, from] of [["up", latest], ["down", 0]] as const) {
  test(`says so if there is nothing to do, on the way ${direction}`, async () => {
    await migrateUp(url, { to: from });
    const { status, stdout } = await migrate(direction);
    assert.equal([status, stdout], [0, "Nothing to do\n"]);
  });
}

test("does the same on the embedded database", async () => {
  const folder = embeddedFolder();
  removals.push(folder.remove);
  const environment = { DATA_DIR: folder.path };
  const states = async () => {
    const { stdout } = await relata(["migrate", "status", "--json"], environment);
    return JSON.parse(stdout)
      .filter(({ owner }: { owner: string }) => owner === "project")
      .map(({ state }: { state: string }) => state);
  };
  assert.is((await relata(["migrate", "down", "--to", "1"], environment)).status, 0);
  assert.equal(await states(), names.map((_, place) => place === 0 ? "applied" : "pending"));
  assert.is((await relata(["migrate", "up"], environment)).status, 0);
  assert.equal(await states(), names.map(() => "applied"));
  assert.is((await relata(["migrate", "verify"], environment)).status, 0);
});

test("lists the migrations for programs by `status --json`", async () => {
  await migrateUp(url, { to: 1 });
  const { status, stdout } = await migrate("status --json");
  assert.is(status, 1);
  const listed = JSON.parse(stdout);
  const [{ appliedAt, ...first }, ...rest] = listed.slice(serverNames.length);
  assert.equal(listed[0].owner, "server");
  assert.ok(Math.abs(Date.parse(appliedAt) - Date.now()) < 60_000, `Applied at ${appliedAt}`);
  assert.equal(first, { owner: "project", number: 1, name: names[0], state: "applied" });
  assert.equal(
    rest,
    names.slice(1).map((name, place) => ({
      owner: "project",
      number: place + 2,
      name,
      state: "pending",
      appliedAt: null,
    })),
  );
});

for (const from of names.keys()) {
  test(`keeps the data from version ${from + 1} to the latest and back`, async () => {
    await migrateUp(url, { to: from + 1 });
    await sql`insert into bar (name) select 'Bar ' || n from generate_series(1, 500) as n`;
    await sql`insert into foo (name, bar_id) select '🦊\\' || id, id from bar`;
    await sql`insert into bottage (cul, colere_id) select E'\n\t' || id, 1 from bar`;
    const before = await rows();

    await migrateUp(url);
    assert.equal(await rows(), before);
    const { send } = serviceOn(database);
    const { body } = await send("GET /api/foos/?q=🦊\\7");
    const sevens = ["🦊\\7", ...Array.from({ length: 10 }, (_, n) => `🦊\\7${n}`)];
    assert.equal(
      body.items.map(({ name }: { name: string }) => name).filter((name: string) =>
        sevens.includes(name)
      ),
      sevens,
    );
    assert.is((await send("POST /api/bars/", { name: "New" })).body.id, 501);

    await sql`delete from bar where id = 501`;
    await migrateDown(url, { to: 1 });
    assert.equal(await rows(), before);
  });
}

withPsql(test, "prints the pending SQL, which psql applies and `status` then knows", async () => {
  await migrateUp(url);
  const schema = await schemaOf(sql);
  await migrateDown(url, { to: 1 });

  const printed = await migrate("print");
  assert.is(printed.status, 0);
  assert.equal(
    printed.stdout.match(/^-- \d{4}_\w+$/gm),
    names.slice(1).map((name) => `-- ${name}`),
  );
  assert.is((await apply(printed.stdout)).status, 0);
  assert.equal(await applied(), names);
  assert.equal(await schemaOf(sql), schema);
  assert.is((await migrate("verify")).stdout, "Every applied migration matches its file\n");

  const again = await apply(printed.stdout);
  assert.is.not(again.status, 0);
  const missed = again.stderr.split(", but it has ")[0];
  assert.match(again.stderr, "This is for a database with the migrations");
  assert.not.match(missed ?? "", names[1]!);
  assert.is((await migrate("print")).stdout, "-- Nothing to do\n");
});

withPsql(test, "prints all of it without DATABASE_URL, and opens no database", async () => {
  const other = await freshDatabase();
  await migrateUp(other);
  const schema = await schemaOf(other.sql);
  await other.stop();

  const printed = await relata(["migrate", "print"], { DATA_DIR: "/dev/null/nowhere" });
  assert.equal([printed.status, printed.stderr], [0, ""]);
  assert.is((await apply(printed.stdout)).status, 0);
  assert.equal(await applied(), names);
  assert.equal(await schemaOf(sql), schema);
});

test("finds a file that was edited since by `verify`, and applies nothing on top of it", async () => {
  await migrateUp(url);
  assert.is((await migrate("verify")).status, 0);
  const file = `${names[1]}.up.sql`;
  const text = readFileSync(new URL(`../sql/${file}`, import.meta.url), "utf8");
  const { how } = copy({ [file]: `${text}\n-- harmless\n` });
  for (const action of ["verify", "up"]) {
    assert.match(sentence(await migrate(action, how), [1]), `"${names[1]}"`);
  }
  assert.equal(await applied(), names);
  assert.match(
    (await migrate("status", how)).stdout,
    new RegExp(`^project +${names[1]} +edited `, "m"),
  );
});

test("finds by `verify` that the files of an applied migration are gone", async () => {
  await migrateUp(url);
  const { how } = copy(migrationFiles(later, "create table good ();"));
  assert.is((await migrate("up", how)).status, 0);
  assert.is((await migrate("verify", how)).status, 0);
  assert.match(
    sentence(await migrate("verify"), [1]),
    `The files of applied migrations are not there: "${later}"`,
  );
});

test("undoes a failing file as a whole, and says which and why", async () => {
  const { how } = copy({
    ...migrationFiles(later, "create table good ();"),
    ...migrationFiles(
      "9999_bad",
      "create table bad (); insert into bar (name) values ('x'); select 1/0;",
    ),
  });
  const failed = await migrate("up", how);
  assert.is(failed.status, 1);
  assert.is(
    failed.stderr.split("\n").at(-2),
    'relata: The migration "9999_bad" failed and changed nothing: division by zero',
  );
  const steps = [...serverNames, ...names, later].map((name) => `${name} up`);
  assert.equal(failed.stdout.trimEnd().split("\n"), steps);
  assert.equal(await applied(how), [...names, later]);
  const { tables } = await schemaOf(sql);
  assert.equal([tables.includes("good"), tables.includes("bad")], [true, false]);
  assert.equal([...await sql`select from bar`], []);
});

test("says in which line of which file a mistake is, up and down", async () => {
  const up = "create table grün ();\n-- 🐟\nalter tabel bar;\n";
  const failed = await migrate("up", copy(migrationFiles(later, up)).how);
  assert.match(failed.stderr, `syntax error at or near "tabel" (${later}.up.sql:3)\n`);
  const { how } = copy(migrationFiles(later, "create table good ();", "\ndrop table goood;"));
  await migrate("up", how);
  const kept = await migrate("down", how);
  assert.match(kept.stderr, `failed and changed nothing: table "goood" does not exist\n`);
  const { how: other } = copy(migrationFiles(later, "create table good ();", "\nselect goood;"));
  const left = await migrate("down", other);
  assert.match(left.stderr, `column "goood" does not exist (${later}.down.sql:2)\n`);
});

test("says in a sentence that it was cut off when its session is ended, and has changed nothing", async () => {
  const { how } = copy(migrationFiles(later, "create table cut (); select pg_sleep(60);"));
  await migrateUp(url);
  const before = await schemaOf(sql);
  const migrating = migrate("up", how);
  await until("the migration sleeps and is ended", async () => {
    const ended = await sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`;
    return ended.length === 1;
  });
  assert.match(sentence(await migrating, [1]), `The migration "${later}" was cut off`);
  assert.equal(await schemaOf(sql), before);
  assert.equal(await applied(), names);
});

test("says that the time of the file was over, and has changed nothing; that of the role does not count", async () => {
  const name = new URL(url).pathname.slice(1);
  await sql.unsafe(`alter database ${name} set statement_timeout = '2s'`);
  const { how } = copy({
    ...migrationFiles(later, "select pg_sleep(2.5);"),
    ...migrationFiles("9999_slower", "set statement_timeout = '50ms'; select pg_sleep(2.5);"),
  });
  const failed = await migrate("up", how);
  assert.is(
    failed.stderr.split("\n").at(-2),
    'relata: The migration "9999_slower" failed and changed nothing: ' +
      "canceling statement due to statement timeout",
  );
  assert.equal(await applied(how), [...names, later]);
});

/** A file that makes an index beside the writes, and may be run again after a failure. */
const CONCURRENTLY = `-- relata: no transaction
set search_path = public;
set client_min_messages = warning; -- no word of what is not there;
drop index concurrently if exists bar_later;
create index concurrently bar_later on bar (name, id)`;

for (const where of ["Postgres", "the embedded database"]) {
  test(`runs the statements of a file without a transaction one by one, up and down, ${where}`, async () => {
    const folder = embeddedFolder();
    removals.push(folder.remove);
    const environment: Environment = where === "Postgres"
      ? { DATABASE_URL: url }
      : { DATA_DIR: folder.path };
    const run = (words: string, how: How) =>
      relata(["migrate", ...words.split(" ")], environment, how);
    await migrateUp(url);
    const down = "-- relata: no transaction\ndrop index concurrently bar_later;";
    const { how } = copy(migrationFiles(later, CONCURRENTLY, down));
    const { how: unmarked } = copy(
      migrationFiles(later, CONCURRENTLY.slice(CONCURRENTLY.indexOf("\n"))),
    );
    const { how: mistaken } = copy(
      migrationFiles(later, `${CONCURRENTLY};\n\nselect 'grün', nonsense;\n`),
    );

    const refused = sentence(await run("up", unmarked), [1]);
    assert.match(refused, /failed and changed nothing: .* cannot run inside a transaction block/);
    assert.match(refused, '; begin the file with "-- relata: no transaction"');

    const failed = sentence(await run("up", mistaken), [1]);
    assert.match(failed, `"${later}" failed: column "nonsense" does not exist (${later}.up.sql:7)`);
    assert.match(
      failed,
      "; it has no transaction: what it did remains, perhaps with an invalid index",
    );
    assert.equal(appliedIn((await run("status", how)).stdout), names);

    const { status, stdout, stderr } = await run("up", how);
    assert.equal([status, stdout], [0, `${later} up\n`], stderr);
    assert.equal(appliedIn((await run("status", how)).stdout), [...names, later]);
    assert.equal(await run("down", how), { status: 0, stdout: `${later} down\n`, stderr: "" });
    assert.equal(appliedIn((await run("status", how)).stdout), names);
  });
}

withPsql(
  test,
  "prints a file without a transaction as such, and psql stops there at a mistake",
  async () => {
    await migrateUp(url);
    const { how: mistaken } = copy(
      migrationFiles(later, "-- relata: no transaction\nselect nonsense"),
    );
    const failed = await apply((await migrate("print", mistaken)).stdout, [
      "-v",
      "ON_ERROR_STOP=0",
    ]);
    assert.is.not(failed.status, 0);
    assert.equal(await applied(mistaken), names);

    const { how } = copy(migrationFiles(later, CONCURRENTLY));
    const { stdout } = await migrate("print", how);
    assert.equal(await apply(stdout), { status: 0, stdout: "", stderr: "" });
    assert.equal(await applied(how), [...names, later]);
    assert.equal([
      ...await sql`select indisvalid from pg_index where indexrelid = 'bar_later'::regclass`,
    ], [
      { indisvalid: true },
    ]);
  },
);

test("waits for another migration, even one without a transaction, and says who does it", async () => {
  await migrateUp(url);
  const { how } = copy(
    migrationFiles(
      later,
      "-- relata: no transaction\ncreate index concurrently on bar (id, name);",
    ),
  );
  const writing = clientOf(url);
  const release = Promise.withResolvers<void>();
  const transaction = inTransaction(writing, async (held) => {
    await held`insert into bar (name) values ('Bar')`;
    await release.promise;
  });
  try {
    const first = migrate("up", how);
    await until("it waits for the write", async () => {
      const waiting = await sql`
        select
        from pg_stat_activity
        where datname = current_database() and query like '%concurrently%' and wait_event_type = 'Lock'`;
      return waiting.length === 1;
    });
    const next = start([...how.command!, "migrate", "up"], { DATABASE_URL: url }, how);
    await until("the next one says so", () => Promise.resolve(next.stderr() !== ""));
    const [holder] = await sql`
      select pid from pg_stat_activity where datname = current_database() and query like '%concurrently%'
        and pid <> pg_backend_pid()`;
    release.resolve();
    assert.is((await first).stdout, `${later} up\n`);
    const { status, stdout, stderr } = await next.ended;
    assert.equal([status, stdout], [0, "Nothing to do\n"]);
    assert.is(
      stderr,
      `NOTICE: Waiting for another migration: process ${
        holder!["pid"]
      }, relata as "${sql.options.user}"\n`,
    );
  } finally {
    release.resolve();
    await transaction;
    await writing.end();
  }
});

test("gives way if a table is in use, so that no read waits behind it, and says so in the end", async () => {
  const { how } = copy(migrationFiles(later, "alter table bar add column note text;"));
  await migrateUp(url);
  const server = await serve({ DATABASE_URL: url, TIME_LIMIT: "5" });
  const reading = clientOf(url);
  const release = Promise.withResolvers<void>();
  const transaction = inTransaction(reading, async (held) => {
    await held`select from bar`;
    await release.promise;
  });
  try {
    let ended: Ended | undefined;
    migrate("up", how).then((end) => ended = end);
    const statuses = new Set<number>();
    for (let waited = false; !ended;) {
      statuses.add((await ask(server.url, "GET /api/bars/")).status);
      waited ||= await isWaiting();
      if (ended) assert.ok(waited, "It never waited for the table");
    }
    assert.equal([...statuses], [200]);
    assert.match(sentence(ended, [1]), `The migration "${later}" found its tables in use`);
    assert.equal(await applied(), names);

    const next = migrate("up", how);
    await until("it waits for the table", isWaiting);
    release.resolve();
    assert.is((await next).status, 0);
    assert.equal(await applied(how), [...names, later]);
  } finally {
    release.resolve();
    await transaction;
    await reading.end();
  }
});

test("fails no request of a running server, up, down and up again", async () => {
  const { how } = copy(
    migrationFiles(
      later,
      "alter table bar add column note text; create index foo_later on foo (name, bar_id);",
      "drop index foo_later; alter table bar drop column note;",
    ),
  );
  await migrateUp(url, { to: 1 });
  await sql`insert into bar (name) select 'Bar ' || n from generate_series(1, 20000) as n`;
  await sql`insert into foo (name, bar_id) select 'Foo ' || id, id from bar`;
  const server = await serve({ DATABASE_URL: url });
  let [requests, ends] = [0, false];
  const failures: unknown[] = [];
  const created: number[] = [];
  const client = async (name: string) => {
    while (!ends) {
      const { status, body } = await ask(server.url, "POST /api/foos/", { name, bar: 1 });
      if (status === 201) created.push(body.id);
      else failures.push(body);
      for (const path of [`/api/foos/${body.id}/`, "/api/foos/?sort=-name", "/colere/"]) {
        const read = await ask(server.url, `GET ${path}`);
        if (read.status !== 200) failures.push(read.body);
      }
      requests += 4;
    }
  };
  const clients = Promise.all(["one", "two", "three", "four"].map(client));
  for (const direction of ["up", "down --to 1", "up"]) {
    const [before, { length: applications }] = [requests, await applied(how)];
    const { status, stderr } = await migrate(direction, how);
    assert.is(status, 0, stderr); // where it remarks that the extension is there already
    assert.is.not((await applied(how)).length, applications);
    assert.ok(requests > before, "Requests were answered meanwhile");
  }
  ends = true;
  await clients;
  assert.equal(failures, []);
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*) from foo where id = any(${created}::bigint[])`;
  assert.is(count, created.length);
  assert.is((await ask(server.url, "GET /readyz")).status, 200, "A newer schema serves as well");
});

test.run();

function migrate(words: string, how: How = {}, environment: Environment = {}): Promise<Ended> {
  return relata(["migrate", ...words.split(" ")], { DATABASE_URL: url, ...environment }, how);
}

function copy(files: Record<string, string>) {
  const made = copyWith(files);
  removals.push(made.remove);
  return made;
}

/** The names of the migrations that are applied from the files of a program. */
async function applied(how: How = {}): Promise<string[]> {
  const { stdout } = await migrate("status", how);
  return appliedIn(stdout);
}

/** The names that `relata migrate status` shows as applied. */
function appliedIn(table: string): string[] {
  return [...table.matchAll(/^project +(\S+) +applied /gm)].map(([, name = ""]) => name);
}

/** Runs SQL in psql, from a file. */
async function apply(text: string, options: string[] = []): Promise<Ended> {
  const folder = temporaryFolder();
  removals.push(folder.remove);
  const file = join(folder.path, "printed.sql");
  writeFileSync(file, text);
  return await psql(url, [...options, "-f", file]);
}

async function rows() {
  return {
    bar: [...await sql`select id, name from bar order by id`],
    foo: [...await sql`select id, name, bar_id from foo order by id`],
    colere: [...await sql`select id, name from colere order by id`],
    bottage: [...await sql`select id, cul, colere_id, created_at::text from bottage order by id`],
  };
}

async function isWaiting(): Promise<boolean> {
  const [{ waits } = { waits: false }] = await sql<{ waits: boolean }[]>`
    select exists (
      select
      from pg_locks
      where database = (select oid from pg_database where datname = current_database())
        and relation = 'bar'::regclass
        and not granted
    ) as waits`;
  return waits;
}
