// From the embedded Postgres to a real one: psql loads what `relata dump` prints.
// Needs: time
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Database, migrateDown, migrateUp, openEmbedded } from "./house.ts";
import { copyWith, migrationFiles } from "./copy.ts";
import { ask, embeddedFolder, endAll, type Ended, relata, serve } from "./program.ts";
import { psql, withPsql } from "./psql.ts";
import { freshDatabase, temporaryFolder } from "./service.ts";

const test = suite("dump");

/** What has rows, or is one, when it is moved. */
const FILLED = [
  ...["bar", "foo", "colere", "bottage"],
  ...["relata_idempotency", "relata_token", "sequences"],
];

const texts = [
  "",
  "plain",
  `'single' "double" \`back\``,
  "\\ \\\\ \\n \\N \\. \\t",
  "\\.",
  "\\N",
  "line\nline\r\nline\rend\n",
  "tab\ttab\vtab\ftab\b",
  "'; drop table bar; commit; --",
  "commit;\n\\! false\ndrop table bar;\n",
  "$$ $1 :name %s {a,b} null",
  "👩‍👩‍👧 é e\u0301 \u202e \ufeff \u0001 \u{10ffff}",
  " leading and trailing ",
];

let folder: ReturnType<typeof temporaryFolder>;
let sql: postgres.Sql;
let url: string;
let stop: () => Promise<void>;

test.before.each(async () => {
  folder = embeddedFolder();
  ({ sql, url, stop } = await freshDatabase());
});
test.after.each(async () => {
  await endAll();
  folder.remove();
  await stop();
});

withPsql(
  test,
  "moves every row and sequence to a real Postgres, which goes on from there",
  async () => {
    const key = { "content-type": "application/json", "idempotency-key": "once" };
    const post = (server: string) =>
      fetch(`${server}/api/bars/`, { method: "POST", headers: key, body: '{"name":"Kept"}' });
    const server = await serve({ DATA_DIR: folder.path });
    const kept = await (await post(server.url)).json();
    await server.kill("SIGTERM");
    const token = await relata(["token", "create", "--scope", "write"], { DATA_DIR: folder.path });
    const before = await inEmbedded(async (embedded) => {
      for (const text of texts) {
        await embedded`insert into bar (name) values (${text})`;
        await embedded`insert into bottage (cul, colere_id) values (${text.repeat(1000)}, 1)`;
      }
      await embedded`insert into foo (name, bar_id) select name, id from bar order by id desc`;
      await embedded`delete from foo where id in (3, 14)`;
      await embedded`insert into colere (name) values ('The second')`;
      await embedded`
      insert into bottage (id, cul, colere_id, created_at)
      values
        (9007199254740990, 'first', 2, '0001-01-01 00:00:00+00'),
        (9007199254740991, 'last', 2, '9999-12-31 23:59:59.999999+00')`;
      await embedded`
      insert into relata_token (sha256, scopes, expires_at, revoked_at)
      values (repeat('0', 64), '{read}', 'infinity', '2026-11-21 12:00:00.000001+00')`;
      return await contentOf(embedded);
    });
    for (const name of FILLED) assert.ok(before[name]!.length > 0, name);

    await migrateUp(url);
    const loaded = await load(await dump());
    assert.equal([loaded.status, loaded.stderr], [0, ""]);
    assert.equal(await contentOf(sql), before);

    const environment = { DATABASE_URL: url, AUTH: "required" };
    const next = await serve(environment);
    Object.assign(key, { authorization: `Bearer ${token.stdout.trim()}` });
    assert.is((await fetch(`${next.url}/api/bars/`)).status, 401);
    const made = await (await post(next.url)).json();
    assert.is(
      made.id,
      kept.id + texts.length + 1,
      "Identifiers go on, and a token has keys of its own",
    );
    await next.kill("SIGTERM");
    const open = await serve({ DATABASE_URL: url });
    Reflect.deleteProperty(key, "authorization");
    assert.equal(await (await post(open.url)).json(), kept, "What was made once stays made once");
    const named = encodeURIComponent(texts[3]!);
    assert.is((await ask(open.url, `GET /api/foos/?name=${named}`)).body.items.length, 1);
  },
);

withPsql(test, "moves what an earlier version left, to the schema of this one", async () => {
  await inEmbedded(async (embedded, database) => {
    await migrateDown(database, { to: 1 });
    await embedded`insert into bar (name) values ('Old')`;
  });
  await migrateUp(url);
  const loaded = await load(await dump());
  assert.equal([loaded.status, loaded.stderr], [0, ""]);
  assert.equal([...await sql`select name from bar`], [{ name: "Old" }]);
});

withPsql(test, "moves what a later migration made, without a line about it", async () => {
  const later = `create table "Odd; name" (
    id integer generated always as identity primary key,
    "a ""b""" text,
    twice text generated always as ("a ""b""" || "a ""b""") stored,
    gone text,
    foo_id bigint references foo (id)
  );
  alter table "Odd; name" drop column gone;
  create table aaa (id integer primary key references "Odd; name" (id));
  create schema "Other";
  create table "Other".bar (
    id bigint generated by default as identity primary key,
    odd_id integer references "Odd; name" (id)
  );
  create table heir (age integer) inherits (bar);
  create table empty ();
  create table team (id integer primary key, lead_id integer);
  create table person (id integer primary key, team_id integer not null references team);
  alter table team add foreign key (lead_id) references person;
  alter table team add column owner_id integer references person deferrable;
  insert into team (id) values (8);
  insert into person values (8, 8);
  update team set lead_id = 8;
  create table audit (id integer primary key, changes integer not null default 0);
  create function count_change() returns trigger language plpgsql as $$
  begin
    insert into audit (id) values (new.id) on conflict (id) do update set changes = audit.changes + 1;
    new.age := new.age + 1;
    return new;
  end
  $$;
  create trigger "100%" before insert on heir for each row execute function count_change();
  create trigger unused before insert on heir for each row execute function count_change();
  alter table heir disable trigger unused;
  alter table heir enable always trigger "100%";
  create materialized view elder as select id, age from heir;
  create materialized view eldest as select max(age) as age from elder;
  create function count_deletion() returns trigger language plpgsql as $$
  begin
    insert into audit (id) values (-old.id);
    return null;
  end
  $$;
  create trigger gone after delete on person for each row execute function count_deletion();`;
  const copy = copyWith(migrationFiles("9999_later", later));
  try {
    await relata(["migrate", "up"], { DATA_DIR: folder.path }, copy.how);
    const before = await inEmbedded(async (embedded) => {
      await embedded`insert into bar (name) values ('Bar')`;
      await embedded`insert into foo (name, bar_id) values ('Foo', 1)`;
      await embedded`insert into "Odd; name" ("a ""b""", foo_id) values ('x', 1), (null, null)`;
      await embedded`insert into aaa values (2)`;
      await embedded`insert into "Other".bar (odd_id) values (2), (1)`;
      await embedded`insert into heir (id, name, age) values (9, 'Heir', 1)`;
      await embedded`insert into empty default values`;
      await embedded`insert into empty default values`;
      await embedded`insert into team (id) values (1), (2)`;
      await embedded`insert into person values (1, 2), (2, 1)`;
      await embedded`update team set lead_id = id, owner_id = id`;
      await embedded`refresh materialized view elder`;
      await embedded`refresh materialized view eldest`;
      return await contentOf(embedded);
    });
    await relata(["migrate", "up"], { DATABASE_URL: url }, copy.how);
    const loaded = await load(await dump());
    assert.equal([loaded.status, loaded.stderr], [0, ""]);
    assert.equal(await contentOf(sql), before);
    const state = await sql`
      select tgname, tgenabled from pg_trigger where not tgisinternal order by tgname`;
    assert.equal([...state], [
      { tgname: "100%", tgenabled: "A" },
      { tgname: "gone", tgenabled: "O" },
      { tgname: "unused", tgenabled: "D" },
    ]);
    const put = await sql`
      select conname from pg_constraint where contype = 'f' and condeferrable`;
    assert.equal([...put], [{ conname: "team_owner_id_fkey" }]);
  } finally {
    copy.remove();
  }
});

/** The same dump for every database that refuses it. */
let dumped: Ended | undefined;

for (
  const [title, said, prepare] of [
    ["that lacks the schema", 'run "relata migrate up"', async () => {}],
    [
      "with an earlier schema",
      '"project 1 0001_initial"}',
      () => migrateUp(url, { to: 1 }),
    ],
    ["with a row in a table", "The table bar is not empty", async () => {
      await migrateUp(url);
      await sql`insert into bar (name) values ('Mine')`;
    }],
    ["whose first colere was changed", "The table colere is not empty", async () => {
      await migrateUp(url);
      await sql`update colere set name = 'Mine'`;
    }],
    ["whose first colere is referred to", "The table bottage is not empty", async () => {
      await migrateUp(url);
      await sql`insert into bottage (cul, colere_id) values ('Mine', 1)`;
    }],
  ] as const
) {
  withPsql(test, `is refused by a database ${title}, which stays as it is`, async () => {
    dumped ??= await dumpOfTexts();
    await prepare();
    const before = await contentOf(sql);
    const refused = await load(dumped);
    assert.is.not(refused.status, 0);
    assert.match(refused.stderr, said);
    assert.equal(await contentOf(sql), before);
  });
}

test.run();

function dump(): Promise<Ended> {
  return relata(["dump"], { DATA_DIR: folder.path });
}

async function dumpOfTexts(): Promise<Ended> {
  await inEmbedded(async (embedded) => {
    for (const cul of texts) {
      await embedded`insert into bottage (cul, colere_id) values (${cul}, 1)`;
    }
  });
  return await dump();
}

/** Loads what was dumped as an operator might: without a word about errors. */
async function load({ status, stdout, stderr }: Ended): Promise<Ended> {
  assert.equal([status, stderr], [0, ""]);
  const file = join(folder.path, "dump.sql");
  writeFileSync(file, stdout);
  return await psql(url, ["-v", "ON_ERROR_STOP=off", "-f", file]);
}

async function inEmbedded<Result>(
  work: (sql: postgres.Sql, database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openEmbedded(folder.path);
  try {
    return await work(database.sql, database);
  } finally {
    await database.close();
  }
}

/** Every row of every table but the history, as Postgres writes it, and where the sequences stand. */
async function contentOf(sql: postgres.Sql): Promise<Record<string, string[]>> {
  const relations = async (kind: string) =>
    (await sql<{ name: string }[]>`
      select oid::regclass::text as name
      from pg_class
      where relnamespace::regnamespace::text in ('public', '"Other"')
        and relkind = ${kind}
        and relname <> 'relata_migration'
      order by relname`).map(({ name }) => name);
  const rows = async (name: string) =>
    (await sql<{ text: string }[]>`
      select row::text as text from only ${sql.unsafe(name)} as row order by row::text collate "C"`)
      .map(({ text }) => text);
  const content: Record<string, string[]> = { sequences: [] };
  for (const name of [...await relations("r"), ...await relations("m")]) {
    content[name] = await rows(name);
  }
  for (const name of await relations("S")) {
    const [state] = await sql<{ text: string }[]>`
      select concat_ws(' ', last_value, is_called) as text from ${sql.unsafe(name)}`;
    content["sequences"]!.push(`${name} ${state!.text}`);
  }
  return content;
}
