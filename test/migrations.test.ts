// Needs: time
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  connectAll,
  migrateDown,
  migrateUp,
  migrationStatus,
  openPostgres,
  serverNames,
  type Step,
} from "./house.ts";
import {
  ask,
  endAll,
  type Ended,
  relata,
  sentence,
  serve,
  type Server,
  until,
  untilReady,
} from "./program.ts";
import { psql as psqlOf, withPsql } from "./psql.ts";
import { schemaOf } from "./schema.ts";
import { freshDatabase } from "./service.ts";

const test = suite("migrations");

const folder = fileURLToPath(new URL("../sql/", import.meta.url));
const files = readdirSync(folder).filter((file) => file !== "server").sort();
const names = files.flatMap((file) => /^(\d{4}_\w+)\.up\.sql$/.exec(file)?.[1] ?? []);
const all = [...serverNames, ...names];
const ups: Step[] = all.map((name) => ({ name, direction: "up" }));
const downs: Step[] = names.toReversed().map((name) => ({ name, direction: "down" }));

/** The tables of the server, which nothing reverts. */
const own = [
  "relata_change",
  "relata_epoch",
  "relata_forgotten",
  "relata_idempotency",
  "relata_migration",
  "relata_token",
];

let sql: postgres.Sql;
let url: string;
let stop: () => Promise<void>;

test.before.each(async () => {
  ({ sql, url, stop } = await freshDatabase());
});
test.after.each(async () => {
  await endAll();
  await stop();
});

test("are numbered without a gap, and each of the project has a way up and a way down", () => {
  assert.equal(
    files,
    names.flatMap((name) => [`${name}.down.sql`, `${name}.up.sql`]),
  );
  for (const numbered of [names, serverNames]) {
    assert.equal(
      numbered.map((name) => Number.parseInt(name.replace("server/", ""), 10)),
      numbered.map((_, index) => index + 1),
    );
  }
});

test("make the schema of an empty database, and the second time do nothing", async () => {
  assert.equal(await migrateUp(url), ups);
  assert.equal(await states(), all.map((name) => [name, "applied"]));
  const schema = await schemaOf(sql);

  assert.equal(await migrateUp(url), []);
  assert.equal(await schemaOf(sql), schema);
});

test("leave nothing but the tables of the server when every one is reverted", async () => {
  await migrateUp(url);
  assert.equal(await revertAll(), downs);
  assert.equal(await migrateDown(url), []);
  assert.equal((await schemaOf(sql)).tables, own);
  assert.equal(await states(), [
    ...serverNames.map((name) => [name, "applied"]),
    ...names.map((name) => [name, "pending"]),
  ]);
});

test("make the same schema again after they were reverted", async () => {
  await migrateUp(url);
  const schema = await schemaOf(sql);
  await revertAll();
  assert.equal(await migrateUp(url), ups.slice(serverNames.length));
  assert.equal(await schemaOf(sql), schema);
});

test("make the first colere, which the client flow begins with", async () => {
  await migrateUp(url);
  assert.equal([...await sql`select name from colere`], [{ name: "" }]);
});

test("let plain SQL insert rows that name only the columns of the contract", async () => {
  await migrateUp(url);
  await sql`insert into bar (id, name) values (7, 'Bar')`;
  await sql`insert into foo (id, name, bar_id) values (7, 'Foo', 7)`;
  await sql`insert into colere (id, name) values (7, 'Colere')`;
  await sql`insert into bottage (id, cul, colere_id, created_at) values (7, 'Cul', 7, now())`;
  await sql`insert into bottage (cul, colere_id) values ('Cul', 7)`;
});

test("are each applied once by two migrators at once", async () => {
  const open = () => openPostgres(url, { sessions: 1 });
  const both = [open(), open()];
  try {
    await Promise.all(both.map(connectAll)); // both are connected and begin at once
    const steps = await Promise.all(both.map((database) => migrateUp(database)));
    assert.equal(steps.flat().sort(byName), ups.toSorted(byName));
  } finally {
    await Promise.all(both.map(({ close }) => close()));
  }
  assert.equal(await states(), all.map((name) => [name, "applied"]));
});

test("are each applied once by two processes at once", async () => {
  const both = await Promise.all([migrate("up"), migrate("up")]);
  for (const { status, stderr } of both) {
    assert.equal([status, stderr.replace(/^These are the migrations of the samples .*\n/, "")], [
      0,
      "",
    ]);
  }
  assert.equal(
    both.flatMap(({ stdout }) => stdout.match(/^(server\/)?\d{4}_\w+ up$/gm) ?? []).sort(),
    all.map((name) => `${name} up`).sort(),
  );
  assert.equal(await states(), all.map((name) => [name, "applied"]));
});

test("are listed with their state by `relata migrate status`, which changes nothing", async () => {
  const before = await migrate("status");
  assert.equal([before.status, before.stderr], [1, ""], "One is pending");
  assert.equal(lines(before.stdout), [
    ...serverNames.map((name) => ["server", name.replace("server/", ""), "pending", "-"]),
    ...names.map((name) => ["project", name, "pending", "-"]),
  ]);
  assert.equal((await schemaOf(sql)).tables, []);

  const started = Date.now();
  assert.is((await migrate("up")).status, 0);
  const after = await migrate("status");
  assert.is(after.status, 0);
  for (const [index, line] of lines(after.stdout).entries()) {
    const [, name, state, time] = line;
    assert.equal([name, state], [all[index]!.replace("server/", ""), "applied"]);
    assert.ok(Math.abs(Date.parse(time!) - started) < 60_000, `Applied at ${time}`);
  }
});

test("show as unverified if an operator took the checksum away, which accepts the file", async () => {
  await migrateUp(url);
  await sql`update relata_migration set checksum = null where name = ${names[0]!}`;
  const { status, stdout } = await migrate("verify");
  assert.is(status, 0);
  assert.match(stdout, `without a checksum: "${names[0]}"\n`);
  assert.match(
    (await migrate("status")).stdout,
    new RegExp(`^project +${names[0]} +unverified `, "m"),
  );
  assert.is((await migrate("up")).stdout, "Nothing to do\n");
});

test("show as unknown if this program does not have them, and are not reverted", async () => {
  await migrateUp(url);
  await sql`
    insert into relata_migration (owner, number, name)
    values ('project', 9999, '9999_later')`;
  assert.equal(await states(), [
    ...all.map((name) => [name, "applied"]),
    ["9999_later", "unknown"],
  ]);
  const schema = await schemaOf(sql);
  const down = await migrate("down");
  assert.match(sentence(down, [1]), "9999_later");
  assert.equal(await schemaOf(sql), schema);
});

withPsql(test, "are applied by psql as well, from what is printed", async () => {
  await migrateUp(url);
  const schema = await schemaOf(sql);
  await revertAll();

  await psqlUp();
  assert.equal(await schemaOf(sql), schema);
  assert.equal(await states(), all.map((name) => [name, "applied"]));
  const server = await serve({ DATABASE_URL: url });
  assert.is((await ask(server.url, "GET /readyz")).status, 200);
  assert.is((await ask(server.url, "GET /colere/")).status, 200);
});

test("are refused with a sentence by a database that is not UTF-8", async () => {
  await onAscii(async (ascii, url) => {
    const up = await migrate("up", url);
    const [, ...told] = up.stderr.split(/(?=^relata: )/m); // after what is migrated
    assert.match(sentence({ ...up, stderr: told.join("") }, [1, 2]), /UTF-?8/);
    assert.equal((await schemaOf(ascii)).tables, []);

    const server = await serve({ DATABASE_URL: url });
    assert.is((await ask(server.url, "GET /livez")).status, 200);
    assert.is((await ask(server.url, "GET /readyz")).status, 503);
    assert.is((await ask(server.url, "GET /colere/")).status, 503);
  });
});

withPsql(test, "are refused by psql in a database that is not UTF-8", async () => {
  await onAscii(async (ascii, url) => {
    const { status, stderr } = await psqlOf(url, ["-c", await printed(url)]);
    assert.is.not(status, 0);
    assert.match(stderr, /UTF-?8/);
    assert.equal((await schemaOf(ascii)).tables, []);
  });
});

test("are left to operators: a server waits for them and never applies them", async () => {
  const server = await serve({ DATABASE_URL: url });
  assert.is((await ask(server.url, "GET /livez")).status, 200);
  await assertUnready(server);
  assert.equal((await schemaOf(sql)).tables, []);

  assert.is((await migrate("up")).status, 0);
  await untilReady(server);
  const { body: { id: colere } } = await ask(server.url, "GET /colere/");
  assert.is((await ask(server.url, "POST /bottage/", { cul: "Cul", colere })).status, 201);

  await revertAll();
  await until(
    "it is not ready",
    async () => (await ask(server.url, "GET /readyz")).status === 503,
  );
  await assertUnready(server);
  assert.equal((await schemaOf(sql)).tables, own);

  await migrateUp(url);
  await untilReady(server);
  assert.is((await ask(server.url, "GET /colere/")).status, 200);
});

test.run();

async function assertUnready(server: Server): Promise<void> {
  const ready = await ask(server.url, "GET /readyz");
  assert.is(ready.status, 503);
  for (const word of [...names, "relata migrate up"]) assert.match(ready.body.detail, word);

  for (const [request, body] of [["GET /colere/"], ["POST /api/bars/", { name: "Bar" }]] as const) {
    const refused = await ask(server.url, request, body);
    assert.is(refused.status, 503);
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assert.match(refused.body.type, /\/problems\/unavailable$/);
  }
}

async function revertAll(): Promise<Step[]> {
  const steps: Step[] = [];
  for (let step = await migrateDown(url); step.length > 0; step = await migrateDown(url)) {
    steps.push(...step);
  }
  return steps;
}

async function states(): Promise<[name: string, state: string][]> {
  return (await migrationStatus(url)).map(({ owner, name, state }) => [
    owner === "server" ? `server/${name}` : name,
    state,
  ]);
}

function migrate(direction: string, database = url): Promise<Ended> {
  return relata(["migrate", direction], { DATABASE_URL: database });
}

async function psqlUp(): Promise<void> {
  assert.is((await psqlOf(url, ["-c", await printed(url)])).status, 0);
}

/** What `relata migrate print` prints for a database. */
async function printed(database: string): Promise<string> {
  return (await migrate("print", database)).stdout;
}

/** Works on a fresh database that is not UTF-8. */
async function onAscii(work: (sql: postgres.Sql, url: string) => Promise<void>): Promise<void> {
  const ascii = await freshDatabase("encoding 'SQL_ASCII' template template0 locale 'C'");
  try {
    await work(ascii.sql, ascii.url);
  } finally {
    await endAll();
    await ascii.stop();
  }
}

/** The lines of a table that a command prints, below its head, each as its cells. */
function lines(output: string): string[][] {
  return output.trimEnd().split("\n").slice(1).map((line) => line.split(/ +/));
}

function byName(one: Step, other: Step): number {
  return one.name < other.name ? -1 : 1;
}
