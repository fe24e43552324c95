// What `/readyz` and the commands say about a database that requests cannot use: they distinguish what is
// missing from what the role may not see, and name "migrate up" only if it helps.
// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrateDown, type Opened, openPostgres, statements } from "./house.ts";
import { endAll, relata, sentence, until } from "./program.ts";
import { type Role, serverRole } from "./roles.ts";
import { freshDatabase, freshPostgres, serviceOn } from "./service.ts";
import { inTransaction } from "./transaction.ts";

const test = suite("readiness");

let database: Awaited<ReturnType<typeof freshPostgres>>;
let role: Role;
let opened: Opened;

test.before.each(async () => {
  database = await freshPostgres();
  role = await serverRole(database);
  opened = openPostgres(role.url, { sessions: 1 });
});
test.after.each(async () => {
  await endAll();
  await opened.close();
  await role.stop();
  await database.stop();
});

/** What is done to a database (ROLE is the role that serves), and words of what is said then. */
const cases: [what: string, statement: string, words: string[]][] = [
  ["usage of the schema is revoked", "revoke usage on schema public from public, ROLE", [
    'may not use the schema "public"',
    '"bar"',
    "relata migrate grants",
  ]],
  ["the search_path is that of another schema", "alter role ROLE set search_path = app", [
    'schema "public"',
    '"bar"',
    "search_path",
  ]],
  [
    "the search_path is that of a schema which has nothing",
    "create schema app; grant usage on schema app to ROLE; alter role ROLE set search_path = app",
    ['schema "public"', "search_path"],
  ],
  ["a table is renamed", "alter table bar rename to pub", [
    "The database does not have",
    '"bar"',
  ]],
  ["two tables are gone", "drop table bottage, relata_idempotency", [
    '"bottage", "relata_idempotency"',
  ]],
  ["a column is renamed", "alter table bottage rename column cul to text", [
    '"bottage"',
    '"cul"',
  ]],
  ["a table may not be read", "revoke select on colere from ROLE", [
    "may not read",
    '"colere"',
    "relata migrate grants",
  ]],
  ["rows may not be written", "revoke insert, update on foo from ROLE", [
    'may not insert and update in "foo"',
    "relata migrate grants",
  ]],
  ["the history may not be read", "revoke select on relata_migration from ROLE", [
    "may not read",
    '"relata_migration"',
  ]],
  ["the history is renamed", "alter table relata_migration rename to other", [
    "The database does not have",
    '"relata_migration"',
  ]],
  ["a function is renamed", "alter function relata_each rename to other", [
    "The database does not have the function",
    '"relata_each(text, json, boolean)"',
  ]],
  ["a function may not be executed", "revoke execute on function relata_each from public, ROLE", [
    "may not execute the function",
    '"relata_each(text, json, boolean)"',
    "relata migrate grants",
  ]],
  ["a table moved to another schema", "create schema app; alter table foo set schema app", [
    'schema "app"',
    '"foo"',
  ]],
];

for (const [what, statement, words] of cases) {
  test(`says so when ${what}, and is ready again when that is undone`, async () => {
    const { send } = serviceOn(opened);
    assert.is((await send("GET /readyz")).status, 200);
    await database.sql.unsafe(statement.replaceAll("ROLE", role.name));
    // The search path of a role is that of its next session
    const next = openPostgres(role.url, { sessions: 1 });
    const { status, body } = await serviceOn(next).send("GET /readyz").finally(next.close);
    assert.is(status, 503);
    for (const word of words) assert.ok(body.detail.includes(word), body.detail);
    assert.not.match(body.detail, "migrate up");
    assert.not.match(body.detail, role.name);
  });
}

test("is ready while a migration holds the lock of a table", async () => {
  // It would wait for a lock no longer than its share of the time limit
  const limited = openPostgres(role.url, { sessions: 1, timeLimit: 10 });
  await inTransaction(database.sql, async (transaction) => {
    await transaction`lock table foo`;
    assert.is((await serviceOn(limited).send("GET /readyz")).status, 200);
  }).finally(limited.close);
});

const { reads, sql } = statements;
const slow = reads("be slow", sql`select pg_sleep(5)`);

test("is ready while every session is busy with statements that end", async () => {
  const limited = openPostgres(role.url, { sessions: 2, timeLimit: 600 });
  let [looks, questions] = [0, 0];
  const { send } = serviceOn({
    client: {
      ...limited.client,
      run(statement, values) {
        if (statement.name === "look for the history") questions++;
        return limited.client.run(statement, values);
      },
      isBusy() {
        looks++;
        return limited.client.isBusy();
      },
    },
  });
  const ready = async () => assert.is((await send("GET /readyz")).status, 200);
  await ready();
  const asked = questions;
  // More than there are sessions, so whoever asked Postgres would wait for them
  let isOver = false;
  const busy = Promise.all(Array.from({ length: 3 }, () => limited.client.run(slow, {})));
  busy.then(() => isOver = true);
  await until("it has looked", async () => {
    await ready();
    return looks > 0;
  });
  assert.not(isOver);
  assert.is(questions, asked, "It asked nothing that would wait behind them");
  await busy;
  await limited.close();
});

test("names the missing migrations, and the command that applies them", async () => {
  const empty = await freshDatabase();
  try {
    const { status, body } = await serviceOn(empty).send("GET /readyz");
    assert.is(status, 503);
    assert.match(body.detail, /"0001_initial", .*: run "relata migrate up"$/);
    // A table of the operator's is there before the server is
    await empty.sql`create table bar ()`;
    const { body: { detail } } = await serviceOn(empty).send("GET /readyz");
    assert.match(detail, /"server\/0001_history", .*: run "relata migrate up"$/);
  } finally {
    await empty.stop();
  }
  await migrateDown(database);
  const { body } = await serviceOn(opened).send("GET /readyz");
  assert.match(body.detail, /lacks the migrations "0002_text_search": run "relata migrate up"$/);
});

test("is ready with the rights that requests need, and no more", async () => {
  const { sql } = database;
  await sql.unsafe(`revoke all on all tables in schema public from ${role.name}`);
  await sql.unsafe(
    `grant select on relata_migration, relata_idempotency, relata_epoch, bar, foo, colere, bottage
    to ${role.name}`,
  );
  await sql.unsafe(`grant insert on foo, colere, bottage to ${role.name}`);
  await sql.unsafe(
    `grant insert (id, name), update (name) on bar to ${role.name}`,
  );
  await sql.unsafe(`grant update (name, bar_id) on foo to ${role.name}`);
  await sql.unsafe(`grant delete on bar, foo to ${role.name}`);
  await sql`alter table bar add column internal text`;
  const { send } = serviceOn(opened);
  assert.is((await send("GET /readyz")).status, 200);
  assert.is((await send("GET /api/foos/")).status, 200);
  const { status, body } = await serviceOn(opened, { authRequired: true }).send("GET /readyz");
  assert.is(status, 503, "Where tokens are asked for, their table is one that requests take");
  assert.match(body.detail, '"relata_token"');
});

test("commands say the same", async () => {
  const environment = { DATABASE_URL: role.url };
  const { sql } = database;
  await sql.unsafe(`revoke usage on schema public from public, ${role.name}`);
  for (const args of ["token list", "migrate status", "migrate up", "migrate verify"]) {
    const said = sentence(await relata(args.split(" "), environment), [1]);
    assert.match(said, 'may not use the schema "public"');
    assert.not.match(said, "migrate up");
  }
  await sql.unsafe(`grant usage on schema public to ${role.name}`);
  await sql.unsafe(`revoke select on relata_token from ${role.name}`);
  const said = sentence(await relata(["token", "list"], environment), [1]);
  assert.match(said, /may not read .*"relata_token"/);
});

test.run();
