// Migration files that contradict each other or the database, the notices of Postgres while one is applied,
// and dates, which are right whatever the settings of the role are.
// Needs: time
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { copyWith, migrationFiles } from "./copy.ts";
import { migrationNames, openEmbedded } from "./house.ts";
import { afterwards, embeddedFolder, endAll, relata, sentence } from "./program.ts";
import { serverRole } from "./roles.ts";
import { freshDatabase, freshPostgres } from "./service.ts";

const test = suite("migration files");
test.after.each(endAll);

const next = migrationNames.length + 1;
const named = (word: string, number = next) => `${String(number).padStart(4, "0")}_${word}`;

/** What is wrong with the files, and what is said of it. */
const contradictions: [
  what: string,
  files: Record<string, string | Uint8Array>,
  said: string,
][] = [
  [
    "two have one number",
    { ...migrationFiles(named("one"), ""), ...migrationFiles(named("two"), "") },
    `Two files have the number ${next}: "${named("one")}", "${named("two")}"`,
  ],
  [
    "two have one number, written in two ways",
    { ...migrationFiles(named("one"), ""), ...migrationFiles(`${next}_two`, "") },
    `Two files have the number ${next}: "${named("one")}", "${next}_two"`,
  ],
  [
    "one has no number",
    { "later.up.sql": "", "later.down.sql": "" },
    '"later.down.sql" has no number',
  ],
  [
    "one has no direction",
    { [`${named("one")}.sql`]: "" },
    `"${named("one")}.sql" has no direction`,
  ],
  ["one has the number 0", { "0000_a.up.sql": "", "0000_a.down.sql": "" }, "has no number"],
  ["one has no way down", { [`${named("one")}.up.sql`]: "" }, `without "${named("one")}.down.sql"`],
  [
    "one is more than one transaction",
    migrationFiles(named("one"), "begin;\ncreate table later ();\ncommit;"),
    `"${named("one")}.up.sql" has "begin" in line 1: it must not begin or end a transaction`,
  ],
  [
    "one ends its transaction on the way down",
    migrationFiles(named("one"), "", "drop table later; -- over\nRollback work;"),
    `"${named("one")}.down.sql" has "Rollback" in line 2`,
  ],
  [
    "one ends its transaction after a body that ends, too",
    migrationFiles(
      named("one"),
      "create function one() returns integer begin atomic select case 1 when 1 then 2 end; end;\nEND;",
    ),
    `"${named("one")}.up.sql" has "END" in line 2`,
  ],
  [
    "one has data for psql",
    migrationFiles(
      named("one"),
      "create table later (id int);\ncopy later (id) from stdin;\n1\n\\.",
    ),
    `"${named("one")}.up.sql" has "copy later (id) from stdin" in line 2: it must not`,
  ],
  [
    "one has a command of psql",
    migrationFiles(named("one"), "\n\\restrict dump\n\nset check_function_bodies = off;"),
    `"${named("one")}.up.sql" has "\\restrict" in line 2`,
  ],
  ...([
    ["Latin-1", Buffer.from("create table later ();\n-- café", "latin1"), 2],
    ["UTF-16", Buffer.from("\ufeffcreate table later ();", "utf16le"), 1],
    ["UTF-16 without a mark", Buffer.from("create table later ();", "utf16le"), 1],
    ["zero bytes", Buffer.from("-- café\n\n\0"), 3],
  ] as const).map(([what, bytes, line]): (typeof contradictions)[number] => [
    `one is written in ${what}`,
    { ...migrationFiles(named("one"), ""), [`${named("one")}.up.sql`]: bytes },
    `The file "${named("one")}.up.sql" is not UTF-8 text: see its line ${line}`,
  ]),
  ["one has no way up", { [`${named("one")}.down.sql`]: "" }, `without "${named("one")}.up.sql"`],
];

for (const [what, files, said] of contradictions) {
  test(`every command of migrate says that ${what}`, async () => {
    const { url, stop } = await freshPostgres();
    afterwards(stop);
    const { how, remove } = copyWith(files);
    afterwards(remove);
    const commands = what === "two have one number"
      ? ["up", "down", "status", "verify", "print", "grants"]
      : ["up"];
    for (const command of commands) {
      const ended = await relata(["migrate", command], { DATABASE_URL: url }, how);
      assert.ok(sentence(ended).includes(said), ended.stderr);
    }
  });
}

test("are applied in the order of their numbers, however these are written", async () => {
  const { url, sql, stop } = await freshPostgres();
  afterwards(stop);
  const [first, second] = [`${next}_first`, named("second", next + 1)];
  const { how, remove } = copyWith({
    ...migrationFiles(first, "create table later ();", "drop table later;"),
    ...migrationFiles(second, "alter table later add column id bigint;"),
  });
  afterwards(remove);
  const { status, stdout } = await relata(["migrate", "up"], { DATABASE_URL: url }, how);
  assert.equal([status, stdout], [0, `${first} up\n${second} up\n`]);
  await sql`select id from later`;
});

test("may have the words of transactions within functions, texts, comments and names", async () => {
  const { url, sql, stop } = await freshPostgres();
  afterwards(stop);
  const { how, remove } = copyWith(migrationFiles(
    named("words"),
    `-- It's; commit; copy begin from stdin;
    /* Don't;
    rollback; */
    create table begin (commit text default E'it''\\'s; commit;', "; abort" text);
    do $étape$ begin perform 1; /* ; commit; */ end $étape$;
    create function one() returns integer begin atomic
      select case when true then case 1 when 1 then 2 end end; end;
    create procedure two() language plpgsql as $body$
    begin
      execute $$ select 1 $$;
      commit;
    end;
    $body$;
    insert into begin default values;`,
  ));
  afterwards(remove);
  const ended = await relata(["migrate", "up"], { DATABASE_URL: url }, how);
  assert.equal(ended, { status: 0, stdout: `${named("words")} up\n`, stderr: "" });
  assert.equal([...await sql`select commit from begin`], [{ commit: "it''s; commit;" }]);
});

for (const where of ["Postgres", "the embedded database"]) {
  for (
    const [role, ends] of [
      ["set role", ""],
      ["set local role", "set search_path = '';"],
      // The session of the embedded database has no other user to go back to
      ...(where === "Postgres" ? [["set session authorization", ""] as const] : []),
    ] as const
  ) {
    test(`leave nothing to the history, the next migration and the server after ${role}, ${where}`, async () => {
      const { environment, query } = await databaseOn(where);
      const other = `relata_other_${randomUUID().slice(0, 8)}`;
      const { how, remove } = copyWith({
        ...migrationFiles(
          named("first"),
          `set timezone = 'Asia/Tokyo';
          select set_config('search_path', '', false);
          create table public.later as select 1 as nothing;
          create temporary table later as select 2 as nothing;
          declare later cursor with hold for select 1;
          listen later;
          select pg_advisory_lock(1);
          create role ${other};
          ${role} ${other}`,
          `drop table public.later;
          ${role} ${other};
          ${ends}`,
        ),
        ...migrationFiles(
          named("second", next + 1),
          `create table found as
          select
            nothing,
            current_setting('TimeZone') as zone,
            current_user = session_user and current_user <> '${other}' as is_owner,
            (select count(*) from pg_cursors where name = 'later') as cursors,
            (select count(*) from pg_listening_channels()) as channels,
            (select count(*) from pg_locks where locktype = 'advisory' and objid = 1) as locks
          from later;`,
          "drop table found;",
        ),
      });
      afterwards(remove);
      afterwards(() => query(`drop role if exists ${other}`));
      const up = await relata(["migrate", "up"], environment, how);
      assert.equal([up.status, up.stderr], [0, ""]);
      assert.equal(await query("select * from found"), [{
        nothing: 1,
        zone: "UTC",
        is_owner: true,
        cursors: 0,
        channels: 0,
        locks: 0,
      }]);
      const down = await relata(["migrate", "down", "--to", String(next - 1)], environment, how);
      assert.equal([down.status, down.stderr], [0, ""]);
    });
  }

  test(`may begin with a byte order mark, end with a comment, and have lines of Windows, ${where}`, async () => {
    const { environment, query } = await databaseOn(where);
    const lines = [
      "create table later (id integer);",
      "insert into later values (1)",
      "-- the end;",
    ];
    const copyOf = (up: string) => {
      const { how, remove } = copyWith(
        migrationFiles(named("lines"), up, "drop table later -- over"),
      );
      afterwards(remove);
      return how;
    };
    const how = copyOf(`\ufeff${lines.join("\r\n")}`);
    assert.equal(await relata(["migrate", "up"], environment, how), {
      status: 0,
      stdout: `${named("lines")} up\n`,
      stderr: "",
    });
    assert.equal(await query("select id from later"), [{ id: 1 }]);
    const verified = await relata(["migrate", "verify"], environment, copyOf(lines.join("\n")));
    assert.equal([verified.status, verified.stderr], [0, ""]);
    assert.is((await relata(["migrate", "down"], environment, how)).status, 0);
  });
}

test("are applied as the role that the address sets", async () => {
  const { sql, url, stop } = await freshDatabase();
  afterwards(stop);
  const [login, owner] = ["login", "owner"].map((word) =>
    `relata_${word}_${randomUUID().slice(0, 8)}`
  );
  await sql.unsafe(`
    create role ${owner};
    create role ${login} noinherit login password 'secret' in role ${owner};
    grant create on schema public to ${owner}`);
  afterwards(async () => {
    await sql.unsafe(`drop owned by ${owner}; drop role ${login}, ${owner}`);
  });
  const address = Object.assign(new URL(url), {
    username: login,
    password: "secret",
    search: `options=-c%20role%3D${owner}`,
  });
  const { status, stderr } = await relata(["migrate", "up"], { DATABASE_URL: address.href });
  assert.is(status, 0, stderr);
  const [row] = await sql`select tableowner from pg_tables where tablename = 'bar'`;
  assert.is(row!["tableowner"], owner);
});

test("pass on the notices of Postgres, on the standard error stream", async () => {
  const { url, stop } = await freshPostgres();
  afterwards(stop);
  const raise = (level: string) => `do $$ begin raise ${level} 'Look\n at this'; end $$;`;
  const { how, remove } = copyWith(
    migrationFiles(named("noisy"), raise("notice") + raise("warning"), raise("notice")),
  );
  afterwards(remove);
  const environment = { DATABASE_URL: url };
  const up = await relata(["migrate", "up"], environment, how);
  assert.equal([up.status, up.stdout, up.stderr], [
    0,
    `${named("noisy")} up\n`,
    "NOTICE: Look at this\nWARNING: Look at this\n",
  ]);
  const down = await relata(["migrate", "down"], environment, how);
  assert.equal([down.status, down.stderr], [0, "NOTICE: Look at this\n"]);
});

test("say that the extension pg_trgm is not available", async () => {
  const { sql, url, stop } = await freshDatabase();
  afterwards(stop);
  const name = `relata_poor_${randomUUID().slice(0, 8)}`;
  await sql.unsafe(
    `create role ${name} login password 'secret'; grant create on schema public to ${name}`,
  );
  afterwards(async () => {
    await sql.unsafe(`drop owned by ${name}; drop role ${name}`);
  });
  const poor = Object.assign(new URL(url), { username: name, password: "secret" });
  const { status, stderr } = await relata(["migrate", "up"], { DATABASE_URL: poor.href });
  assert.is(status, 0, stderr);
  assert.match(stderr, /^NOTICE: Searches go row by row: permission denied[^\n]+\n$/m);
});

for (
  const settings of [
    ["datestyle = 'SQL, DMY'"],
    ["datestyle = 'German'", "timezone = 'Asia/Kathmandu'"],
    [
      "datestyle = 'Postgres, MDY'",
      "timezone = 'America/New_York'",
      "intervalstyle = 'sql_standard'",
    ],
  ]
) {
  test(`dates are right for a role with ${settings.join(", ")}`, async () => {
    const database = await freshPostgres();
    afterwards(database.stop);
    const role = await serverRole(database);
    afterwards(role.stop);
    const { sql } = database;
    const owner = sql.options.user;
    await sql.unsafe(`insert into relata_token (sha256, scopes, created_at, expires_at) values
      (repeat('0', 64), '{read}', '2026-02-01 23:30:00.5+00', '2031-12-11 00:00:00+00'),
      (repeat('1', 64), '{read,write}', '2026-02-01 23:30:00+00', 'infinity')`);
    await sql`update relata_migration set applied_at = '2026-01-02 03:04:05.678+00'`;
    const name = new URL(database.url).pathname.slice(1);
    for (const setting of settings) {
      for (const one of [owner, role.name]) {
        await sql.unsafe(`alter role ${one} in database ${name} set ${setting}`);
      }
    }
    const listed = await relata(["token", "list", "--json"], { DATABASE_URL: role.url });
    assert.is(listed.stderr, "");
    const dates = JSON.parse(listed.stdout).map((
      { createdAt, expiresAt, revokedAt }: Record<string, unknown>,
    ) => [createdAt, expiresAt, revokedAt]);
    assert.equal(dates, [
      ["2026-02-01T23:30:00.500Z", "2031-12-11T00:00:00.000Z", null],
      ["2026-02-01T23:30:00.000Z", null, null],
    ]);
    const table = await relata(["token", "list"], { DATABASE_URL: role.url });
    assert.match(table.stdout, /read +2026-02-01T23:30:00.500Z +2031-12-11T00:00:00.000Z +-/);

    const { stdout } = await relata(["migrate", "status"], { DATABASE_URL: role.url });
    assert.match(stdout, /^project +0001_initial +\w+ +2026-01-02T03:04:05.678Z$/m);

    const made = await relata(["token", "create", "--expires", "2032-03-04T05:06:07Z"], {
      DATABASE_URL: database.url,
    });
    assert.is(made.status, 0, made.stderr);
    const [row] = await sql`select extract(epoch from max(expires_at)) as at from relata_token
      where isfinite(expires_at)`;
    assert.is(Number(row!["at"]), Date.UTC(2032, 2, 4, 5, 6, 7) / 1000);
  });
}

test("a copy without its own folder of migrations says so", async () => {
  const { how, remove } = copyWith();
  afterwards(remove);
  rmSync(join(how.folder!, "sql"), { recursive: true });
  sentence(await relata(["migrate", "print"], {}, how), [1]);
});

test.run();

/** A database with the migrations of the program, for its commands and for queries. */
async function databaseOn(where: string) {
  if (where === "Postgres") {
    const { url, sql, stop } = await freshPostgres();
    afterwards(stop);
    const query = async (text: string) => [...await sql.unsafe(text)];
    return { environment: { DATABASE_URL: url }, query };
  }
  const { path, remove } = embeddedFolder();
  afterwards(remove);
  const query = async (text: string) => {
    const { sql, close } = await openEmbedded(path);
    try {
      return [...await sql.unsafe(text)];
    } finally {
      await close();
    }
  };
  return { environment: { DATA_DIR: path }, query };
}
