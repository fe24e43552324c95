// The log of a process: for programs, and for a person at a terminal.
// Needs: Deno, time
import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "./port.ts";
import {
  afterwards,
  ask,
  endAll,
  serve,
  type Server,
  source,
  start,
  through,
  until,
} from "./program.ts";
import { ruledProject } from "./ruled.ts";
import { freshPostgres, temporaryFolder } from "./service.ts";

const test = suite("log");
test.after.each(endAll);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test("has one JSON object a request, which never holds a body or a secret", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const server = await serve({ DATABASE_URL: database.url, LOG_LEVEL: "info" });
  const { body: bar } = await ask(server.url, "POST /api/bars/", { name: "secret" });
  const sent: [request: string, route: string | null, status: number, body?: object][] = [
    ["GET /api/bars/1/", "/api/bars/{bar_id}/", 200],
    ["GET /api/bars?q=secret", "/api/bars/", 200],
    ["HEAD /api/bars/1/", "/api/bars/{bar_id}/", 200],
    ["POST /api/bars/", "/api/bars/", 422, { secret: "secret" }],
    ["DELETE /colere/", "/colere/", 405],
    ["GET /secret/path?secret=secret", null, 404],
  ];
  const bytes: number[] = [];
  for (const [request, _, status, body] of sent) {
    const answer = await ask(server.url, request, body);
    assert.is(answer.status, status, request);
    bytes.push(answer.body === undefined ? 0 : JSON.stringify(answer.body).length);
  }
  const { stderr } = await server.kill("SIGTERM");

  assert.not.match(stderr, /secret/);
  const [created, ...lines] = stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
  const { time, id, traceparent, milliseconds, ...rest } = created;
  assert.match(time, TIME);
  assert.match(id, UUID);
  assert.is(traceparent.split("-")[1], id.replaceAll("-", ""));
  assert.ok(milliseconds > 0);
  const request = { level: "info", message: "request" };
  assert.equal(rest, {
    ...request,
    method: "POST",
    route: "/api/bars/",
    caller: null,
    row: bar.id,
    status: 201,
    bytes: JSON.stringify(bar).length,
  });
  assert.equal(
    lines.map(({ level, message, method, route, row, status, bytes }) => [
      level,
      message,
      method,
      route,
      row,
      status,
      bytes,
    ]),
    sent.map(([text, route, status], place) => [
      "info",
      "request",
      text.split(" ")[0],
      route,
      route?.includes("{") ? bar.id : null,
      status,
      bytes[place],
    ]),
  );
});

test("has a warning at the start for each difference from the declarations", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  await database.sql`drop index foo_bar_id_id, bottage_colere_id_id`;
  const server = await serve({ DATABASE_URL: database.url, LOG_LEVEL: "warn" });
  await until("it has looked", () => server.stderr().trimEnd().split("\n").length === 2);
  const { status, stderr } = await server.kill("SIGTERM");
  const lines = stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal([status, ...lines.map(({ level }) => level)], [0, "warn", "warn"]);
  assert.match(lines[0].message, /^No index serves "bar" in the list of foo: create index on/);
  assert.match(lines[1].message, /^No index serves "colere" in the list of bottage: create index/);
});

test("has a warning at the start where nobody is asked for a token, although there is access", async () => {
  const server = await serve({ ...ruledProject(), LOG_LEVEL: "warn" });
  await until("it warns", () => server.stderr().includes("\n"));
  const { stderr } = await server.kill("SIGTERM");
  assert.match(
    JSON.parse(stderr.split("\n")[0]!).message,
    /^AUTH=off sets access aside: everybody may do everything to all rows of note$/,
  );
});

for (
  const [what, settings, warns] of [
    ["nothing that limits its JWTs", () => ({}), true],
    ["a scope to read", () => ({ JWT_READ_SCOPE: "read" }), false],
    ["a scope to write", () => ({ JWT_WRITE_SCOPE: "write" }), false],
    ["access", () => ({ PROJECT_DIR: ruledProject().PROJECT_DIR }), false],
  ] as const
) {
  test(`has ${warns ? "a" : "no"} warning at the start with an issuer and ${what}`, async () => {
    const { path, remove } = temporaryFolder();
    afterwards(remove);
    const { url, stop } = await freshPostgres();
    afterwards(stop);
    const keys = join(path, "keys.json");
    writeFileSync(keys, '{ "keys": [] }');
    const server = await serve({
      DATABASE_URL: url,
      LOG_LEVEL: "warn",
      JWT_ISSUER: "https://login.example.org/",
      JWT_AUDIENCE: "store",
      JWT_KEYS: keys,
      ...settings(),
    });
    const { stderr } = await server.kill("SIGTERM");
    const warning = "Every JWT of the issuer may read and write all rows: declare access, or set " +
      "JWT_READ_SCOPE and JWT_WRITE_SCOPE";
    assert.is(stderr.includes(warning), warns, stderr);
  });
}

test("has the stack of an error of the database, with its code and constraint", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  await database.sql.unsafe(`
    create function meddle() returns trigger language plpgsql as
      $$begin raise 'Given up' using errcode = '40001', constraint = 'given'; end$$;
    create trigger meddle before insert on colere for each row execute function meddle();
    alter table bar add constraint short check (length(name) < 10)`);
  const server = await serve({ DATABASE_URL: database.url, LOG_LEVEL: "info" });
  assert.is((await ask(server.url, "POST /api/bars/", { name: "A long name" })).status, 422);
  assert.is((await ask(server.url, "POST /colere/", {})).status, 503);
  const { stderr } = await server.kill("SIGTERM");
  const lines = stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
  const [refused, outrun] = lines.filter(({ error }) => error);
  assert.equal([refused.level, outrun.level], ["info", "warn"]);
  assert.match(refused.error, /^PostgresError: new row .* violates check constraint.*\n +at /);
  assert.equal([refused.code, refused.constraint, refused.cause], ["23514", "short", undefined]);
  assert.match(outrun.error, /^PostgresError: Given up\n +at /);
  assert.equal([outrun.code, outrun.constraint], ["40001", "given"]);
});

/** Linux's device that takes nothing, as a full disk. */
const FULL = "/dev/full";
const unread = "has a warning where nobody can be told where the server serves, which it does";
if (!existsSync(FULL)) test.skip(`${unread} (skipped: no ${FULL})`);
else {
  test(unread, async () => {
    const port = await freePort();
    const environment = { DATABASE_URL: "postgres://127.0.0.1:1/none", PORT: String(port) };
    const server = start(through(`exec "$@" > ${FULL}`), environment);
    await until(
      "it serves",
      () => ask(`http://127.0.0.1:${port}`, "GET /livez").then(() => true, () => false),
    );
    const { status, stderr } = await server.kill("SIGTERM");
    const lines = stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
    const [warning, ...rest] = lines.filter(({ level }) => level === "warn");
    assert.match(warning.message, /^Cannot write the output: .*no space left/i);
    assert.equal([rest, status], [[], 0]);
  });
}

// The `script` of util-linux runs a program at a terminal that it makes.
const script = spawnSync("script", ["--version"]).status === 0;
const atTerminal =
  "is text where a terminal shows it, stacks below their line, control characters replaced";
if (!script) test.skip(`${atTerminal} (skipped: no script of util-linux)`);
else {
  test(atTerminal, async () => {
    const [database, folder] = [await freshPostgres(), temporaryFolder()];
    afterwards(database.stop);
    afterwards(folder.remove);
    const output = join(folder.path, "output");
    const server = await serve(
      { DATABASE_URL: database.url, LOG_LEVEL: "info" },
      { command: ["script", "-qefc", source.join(" "), output] },
    );
    await ask(server.url, "GET /colere/");
    await database.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as
        $$begin raise exception e'It is \x1b[31mred'; end$$;
      create trigger refuse before insert on bar execute function refuse()`);
    assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 422);
    const written = () => readFileSync(output, "utf8");
    await until("the terminal shows all of it", () => /route=\/api\/bars\/ /.test(written()));
    await server.kill("SIGTERM");

    const lines = written().split(/\r?\n/);
    const line = lines.find((line) => line.includes("route=/colere/")) ?? "";
    assert.match(line, /^\d\d:\d\d:\d\d\.\d{3} info {2}request id=[0-9a-f-]{36} traceparent=00-/);
    assert.match(
      line,
      / method=GET route=\/colere\/ caller=null row=null status=200 milliseconds=[\d.]+ bytes=\d+$/,
    );
    const place = lines.findIndex((line) => / info .* code=P0001/.test(line));
    assert.is(lines[place + 1], "PostgresError: It is \ufffd[31mred");
    assert.match(lines[place + 2] ?? "", /^ +at /);
  });
}

/** Serves with a pipe for its log, which is open to be read, and not read. */
async function serveUnread(): Promise<{ server: Server; log: string }> {
  const folder = temporaryFolder();
  afterwards(folder.remove);
  const log = join(folder.path, "log");
  spawnSync("mkfifo", [log]);
  const reader = openSync(log, constants.O_RDONLY | constants.O_NONBLOCK);
  afterwards(() => closeSync(reader));
  const environment = { DATABASE_URL: "postgres://127.0.0.1:1/none", LOG_LEVEL: "info" };
  return { server: await serve(environment, { command: through(`exec "$@" 2> ${log}`) }), log };
}

/** Asks so often, and waits for the answers. */
async function askOften({ url }: Server, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(url, "GET /livez")));
    assert.ok(answers.every(({ status }) => status === 200));
  }
}

test("drops and counts the lines that nobody reads, while the server keeps serving", async () => {
  const { server, log } = await serveUnread();
  let asked = 6000; // some 1.5 MB of lines
  await askOften(server, asked);
  const reader = start(["cat", log]);
  const lines = () => reader.stdout().trimEnd().split("\n").map((line) => JSON.parse(line));
  await until("the log says how many lines were dropped", async () => {
    await ask(server.url, "GET /livez");
    asked++;
    return reader.stdout().includes("were dropped");
  });
  await until("what is told and what is lost is all there was", () => {
    if (!reader.stdout().endsWith("\n")) return false;
    const told = lines().filter(({ message }) => message === "request").length;
    const lost = lines().filter(({ level }) => level === "warn").map(({ lines }) => lines);
    return told > 1000 && lost.length === 1 && lost[0] > 0 && told + lost[0] === asked;
  });
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("does not keep a process from ending if nobody reads it", async () => {
  const { server } = await serveUnread();
  await askOften(server, 1000);
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test.run();
