// The role of `relata migrate grants`: it serves everything that the document has, and can do nothing else.
// Needs: Deno, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { clientOf } from "../client.ts";
import { pathOf, resources } from "../house.ts";
import { endAll, type Environment, relata, sentence, serve, start } from "../program.ts";
import { grants, type Role, serverRole } from "../roles.ts";
import { freshPostgres, temporaryFolder } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { inTransaction } from "../transaction.ts";

const test = suite("least privilege");
let database: Awaited<ReturnType<typeof freshPostgres>>;
let role: Role;
let restricted: postgres.Sql;

test.before(async () => {
  database = await freshPostgres();
  role = await serverRole(database);
  restricted = clientOf(role.url);
  await database.sql`create schema elsewhere`;
  await database.sql`create table elsewhere.payroll (id bigint)`;
});
test.after.each(endAll);
test.after(async () => {
  await restricted.end();
  await role.stop();
  await database.stop();
});

/** Milliseconds that an answer has. */
const PATIENCE = 90_000;

/** What the document says of an operation, as far as it is read here. */
interface Operation {
  parameters: { name: string; in: string; schema: { examples?: unknown[] } }[];
  requestBody?: { content: Record<string, { example: unknown }> };
  responses: Record<string, unknown>;
}

const order = ["post", "get", "put", "patch", "delete"];

test("the server serves every operation of its document with it, and is ready", async () => {
  const token = bearer(await grant(database.sql, { scope: "write" }));
  const server = await serve({ DATABASE_URL: role.url, AUTH: "required" });
  const send = (method: string, path: string, headers = {}, body?: unknown) =>
    fetch(server.url + path, {
      method: method.toUpperCase(),
      headers: { ...token, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE),
    });
  const document = await (await send("get", "/openapi.json")).json();
  const operations = Object.entries<Record<string, Operation>>(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
    );
  const served = order.flatMap((method) => {
    const those = operations.filter((each) => each.method === method);
    return method === "delete" ? those.toReversed() : those; // what refers goes first
  });
  assert.is(served.length, operations.length);
  for (const { path, method, operation: { parameters, requestBody, responses } } of served) {
    // What batches made refers to bars too, and no example of the document deletes it
    if (method === "delete") await database.sql`delete from foo where id > 1`;
    const at = path.replace(
      /\{(\w+)\}/g,
      (_, name) => String(parameters.find((each) => each.name === name)?.schema.examples?.[0]),
    );
    const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const heeds = (name: string) => parameters.some((each) => each.name === name);
    const answer = await send(
      method,
      at,
      {
        ...(mediaType && { "content-type": mediaType }),
        ...(heeds("Idempotency-Key") && { "idempotency-key": "key" }),
        ...(heeds("If-Match") && { "if-match": (await send("get", at)).headers.get("etag") }),
      },
      content?.example,
    );
    const expected = Number(Object.keys(responses)[0]);
    assert.is(answer.status, expected, `${method} ${at}: ${await answer.text()}`);
  }
});

const changes: Record<string, string> = {
  "add a column": "alter table bar add column more text",
  "drop a constraint": "alter table bar drop constraint bar_name_length",
  "drop a table": "drop table bottage",
  "drop an index": "drop index bar_name_id",
  "truncate a table": "truncate bottage",
  "make a table": "create table other (id bigint)",
  "make a schema": "create schema other",
  "make a function": "create function other() returns int language sql as 'select 1'",
  "make a trigger":
    "create trigger other before update on bar execute function suppress_redundant_updates_trigger()",
  "make a role": "create role relata_other",
  "become another role": "set role pg_monitor",
  "give a table away": "alter table bar owner to pg_monitor",
  "change a record": "update bottage set cul = ''",
  "delete a record": "delete from bottage",
  "change a colere": "update colere set name = ''",
  "delete a colere": "delete from colere where id = 0",
  "change what was answered": "update relata_idempotency set text = ''",
  "make a token": "insert into relata_token (sha256, scopes) values (repeat('0', 64), '{read}')",
  "extend a token": "update relata_token set expires_at = null",
  "delete a token": "delete from relata_token",
  "number tokens": "select setval('relata_token_id_seq', 9)",
  "write the history": "update relata_migration set checksum = null",
  "forget the history": "delete from relata_migration",
  "read another schema": "select from elsewhere.payroll",
  "read passwords": "select from pg_authid",
  "read files": "select pg_read_file('PG_VERSION')",
};

for (const [what, statement] of Object.entries(changes)) {
  test(`it cannot ${what}, which the owner of the tables can`, async () => {
    const refused = await restricted.unsafe(statement).then(() => undefined, (error) => error);
    assert.is(refused?.code, "42501", `${statement}: ${refused}`);
    const undone = new Error("Undone");
    await inTransaction(database.sql, async (transaction) => {
      await transaction.unsafe(statement);
      throw undone;
    }).catch((error) => assert.is(error, undone));
  });
}

test("its rights are those that the declarations need, and no others", async () => {
  const expected: Record<string, string[]> = {
    relata_migration: ["select"],
    relata_epoch: ["select"],
    relata_change: ["select"],
    relata_forgotten: ["select"],
    relata_token: ["select"],
    relata_idempotency: ["select", "insert", "delete"],
  };
  for (const resource of resources) {
    expected[resource.name] = [
      ...["select", "insert"],
      ...(pathOf(resource, "replace") ? ["update"] : []),
      ...(pathOf(resource, "delete") ? ["delete"] : []),
    ];
  }
  assert.equal(await rights(), expected);
});

const psqlFound = spawnSync("psql", ["--version"]).status === 0;
const byPsql = psqlFound ? test : test.skip;
byPsql(`psql grants the same${psqlFound ? "" : " (skipped: psql is not found)"}`, async () => {
  const expected = await rights();
  await database.sql`drop owned by ${database.sql(role.name)}`;
  assert.is.not(JSON.stringify(await rights()), JSON.stringify(expected));
  const options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-1", "-v", `role=${role.name}`];
  const { stdout } = await relata(["migrate", "grants"]);
  assert.is(stdout, `${grants}\n`);
  const folder = temporaryFolder();
  const file = join(folder.path, "grants.sql");
  writeFileSync(file, stdout);
  const { status, stderr } = await start(["psql", ...options, "-f", file, database.url]).ended;
  folder.remove();
  assert.equal({ status, stderr }, { status: 0, stderr: "" });
  assert.equal(await rights(), expected);
});

test("tokens are listed with it, but made and revoked by the owner of the tables", async () => {
  await grant(database.sql);
  const run = (words: string[], environment: Environment) =>
    relata(["token", ...words], environment);
  const [own, owner] = [{ DATABASE_URL: role.url }, { DATABASE_URL: database.url }];
  assert.is((await run(["list"], own)).status, 0);
  for (const words of [["create"], ["revoke", "1"]]) {
    assert.match(sentence(await run(words, own), [1]), "permission denied");
    assert.is((await run(words, owner)).status, 0);
  }
});

test("granting again is harmless, adds what is new, and revokes what is too much", async () => {
  const { sql } = database;
  const before = await rights();
  await role.grant();
  assert.equal(await rights(), before);
  await sql`create table later (id bigint generated by default as identity primary key)`;
  await sql`grant truncate on bar to ${sql(role.name)}`;
  await sql`grant create on schema public to ${sql(role.name)}, public`;
  await role.grant();
  assert.equal(await rights(), { ...before, later: ["select"] });
  await restricted`select setval('later_id_seq', nextval('later_id_seq'))`;
  const refused = await restricted`create table other ()`.then(() => "", (error) => error.code);
  assert.is(refused, "42501");
});

test.run();

/** The rights that it has on each table. */
async function rights(): Promise<Record<string, string[]>> {
  const rows = await database.sql<{ table: string; rights: string }[]>`
    select
      tablename as table,
      (
        select coalesce(string_agg(right_, ' ' order by place), '')
        from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'])
          with ordinality as those (right_, place)
        where has_table_privilege(${role.name}, format('public.%I', tablename), right_)
      ) as rights
    from pg_tables
    where schemaname = 'public'`;
  return Object.fromEntries(rows.map(({ table, rights }) => [table, rights.split(" ")]));
}
