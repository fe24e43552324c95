// `relata token`, as an operator uses it: on the embedded database and on a Postgres.
// Needs: time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig, sha256, tokenCreate } from "./house.ts";
import {
  afterwards,
  embeddedFolder,
  endAll,
  type Ended,
  type Environment,
  refusalOf,
  relata,
  sentence,
  serve,
} from "./program.ts";
import { ruledProject } from "./ruled.ts";
import { freshDatabase, freshPostgres, temporaryFolder } from "./service.ts";
import { grant } from "./tokens.ts";

const test = suite("relata token");
test.after.each(endAll);

/** What is asked wrongly is refused before the database is opened. */
const unreachable = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
const TOKEN = /^relata_[\w-]{43}\n$/;
const DAY = 86_400_000;

/** Runs `relata token`, written as on a command line. */
const token = (words: string, environment: Environment) =>
  relata(["token", ...words.split(" ")], environment);

async function made(words: string, environment: Environment): Promise<string> {
  const { status, stdout, stderr } = await token(words, environment);
  assert.is(status, 0, stderr);
  assert.match(stdout, TOKEN);
  assert.not.match(stderr, stdout.trim(), "It is shown once");
  return stdout.trim();
}

/** The rows of a list, without its head. */
function listed({ status, stdout, stderr }: Ended): string[][] {
  assert.equal([status, stderr], [0, ""]);
  return stdout.trimEnd().split("\n").slice(1).map((line) => line.split(/ {2,}/));
}

/** Whether a time of a list is this one, give or take how long a command takes. */
function near(time = "", expected: number): void {
  assert.ok(Math.abs(Date.parse(time) - expected) < 60_000, time);
}

/** The databases, each with a fresh one of its kind. */
const databases: Record<string, () => Promise<Environment>> = {
  "the embedded database": () => {
    const folder = embeddedFolder();
    afterwards(folder.remove);
    return Promise.resolve({ DATA_DIR: folder.path });
  },
  "a Postgres": async () => {
    const { url, stop } = await freshPostgres();
    afterwards(stop);
    return { DATABASE_URL: url };
  },
};

for (const [kind, fresh] of Object.entries(databases)) {
  test(`makes, lists and revokes tokens on ${kind}, and shows each once`, async () => {
    const environment = await fresh();
    const tokens = [
      await made("create --scope write --scope read --name Ünï --expires 30", environment),
      await made("create --expires 2999-12-31T12:00:00+02:00", environment),
    ];
    assert.is((await token("revoke 1", environment)).stdout, "Token 1 is revoked\n");
    const list = await token("list", environment);
    for (const each of tokens) {
      assert.not.match(list.stdout, each);
      assert.not.match(list.stdout, sha256(each));
    }
    const [revoked, other] = listed(list);
    const [id, scopes, created, expires, since, as, name] = revoked!;
    assert.equal([id, scopes, as, name], ["1", "read write", "-", "Ünï"]);
    near(created, Date.now());
    near(expires, Date.now() + 30 * DAY);
    near(since, Date.now());
    const [, , , time, ...rest] = other!;
    assert.equal([other!.slice(0, 2), time, rest], [["2", "read"], "2999-12-31T10:00:00.000Z", [
      "-",
      "-",
    ]]);

    const server = await serve({ ...environment, AUTH: "required" });
    const status = async (token: string) =>
      (await fetch(`${server.url}/colere/`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    assert.equal(await Promise.all(tokens.map(status)), [401, 200]);
    assert.is((await server.kill("SIGTERM")).status, 0);
  });
}

test("tells that a token for nobody is a service, where a project has access", async () => {
  const environment = ruledProject();
  const service = "It is a service, to which all rows are open";
  assert.match((await token("create", environment)).stderr, service);
  const own = await relata(["token", "create", "--as", '{"sub":"ann"}'], environment);
  assert.not.match(own.stderr, service);
});

for (const [kind, fresh] of Object.entries(databases)) {
  test(`makes a token on ${kind} that stands for somebody, and lists for whom`, async () => {
    const environment = await fresh();
    const claims = { sub: "importer ü", roles: ["editor"], org_id: "org-1" };
    const { stdout, stderr, status } = await relata(
      ["token", "create", "--as", JSON.stringify(claims), "--scope", "write"],
      environment,
    );
    assert.is(status, 0, stderr);
    assert.match(stderr, 'Token 1 may read and write as "importer ü", never expires');
    const [[, , , , , as] = []] = listed(await token("list", environment));
    assert.is(as, "importer ü");
    assert.equal(JSON.parse((await token("list --json", environment)).stdout)[0].claims, claims);

    const server = await serve({ ...environment, AUTH: "required" });
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    const { caller, scopes } = await (await fetch(`${server.url}/`, { headers })).json();
    assert.equal(caller, { subject: "importer ü", roles: ["editor"] });
    assert.equal(scopes, ["read", "write"]);
    assert.is((await server.kill("SIGTERM")).status, 0);
  });
}

test("makes the embedded database where there is none", async () => {
  const folder = temporaryFolder();
  afterwards(folder.remove);
  const environment = { DATA_DIR: folder.path };
  await made("create", environment);
  const [[, , , expires, revoked] = []] = listed(await token("list", environment));
  assert.equal([expires, revoked], ["-", "-"]);
});

test("never migrates a Postgres, but says what to do", async () => {
  const { sql, url, stop } = await freshDatabase();
  afterwards(stop);
  const said = sentence(await token("create", { DATABASE_URL: url }), [1]);
  assert.match(said, "server/0002_token");
  assert.match(said, "relata migrate up");
  assert.equal([...await sql`select tablename from pg_tables where schemaname = 'public'`], []);
});

test("revokes a token for good, and refuses an ID that does not exist", async () => {
  const { sql, url, stop } = await freshPostgres();
  afterwards(stop);
  await grant(sql, { revoked: true });
  const tokens = async () => [...await sql`select id, revoked_at from relata_token`];
  const before = await tokens();
  assert.is((await token("revoke 1", { DATABASE_URL: url })).status, 0);
  assert.equal(await tokens(), before);
  assert.match(sentence(await token("revoke 2", { DATABASE_URL: url })), "No token has the ID 2");
});

test("keeps a name as it is written, with invisible characters inside", async () => {
  const { url, stop } = await freshPostgres();
  afterwards(stop);
  const names = [
    "a 👩‍💻",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "می\u200cخواهم",
    "x".repeat(64),
  ];
  for (const name of names) {
    assert.is((await relata(["token", "create", "--name", name], { DATABASE_URL: url })).status, 0);
  }
  const rows = listed(await token("list", { DATABASE_URL: url }));
  assert.equal(rows.map((row) => row.at(-1)), names);
});

test("takes the last moment of the year 9999, as UTC has it", async () => {
  const { url, stop } = await freshPostgres();
  afterwards(stop);
  await made("create --expires 9999-12-31T22:59:59-01:00", { DATABASE_URL: url });
  const [[, , , expires] = []] = listed(await token("list", { DATABASE_URL: url }));
  assert.is(expires, "9999-12-31T23:59:59.000Z");
});

const SECRET = "relata_0123456789-0123456789_0123456789-0123456789";
for (
  const [words, part] of [
    [`revoke ${SECRET}`, "Give the ID that"],
    ["create --json", "The command is used as"],
    ["list --scope read", "The command is used as"],
    ["revoke", "The command is used as"],
    ["create --expires", "--expires"],
  ] as const
) {
  test(`refuses \`relata token ${words}\` with one sentence`, async () => {
    const said = sentence(await token(words, unreachable));
    assert.match(said, part);
    assert.not.match(said, SECRET);
  });
}

const impossible: [wishes: Parameters<typeof tokenCreate>[1], part: string][] = [
  [{ scope: ["all"] }, '--scope takes read or write: it is "all"'],
  [{ scope: ["read", ""] }, '--scope takes read or write: it is ""'],
  [{ expires: "0" }, "--expires takes"],
  [{ expires: "999999999" }, "--expires takes"],
  [{ expires: "2001-01-01" }, "--expires takes"],
  [{ expires: "2999-02-29" }, "--expires takes"],
  [{ expires: "2999-13-01" }, "--expires takes"],
  [{ expires: "2999-01-01T00:00" }, "--expires takes"],
  [{ expires: "9999-12-31T23:59:59-23:59" }, "--expires takes"],
  [{ expires: "soon" }, "--expires takes"],
  [{ expires: "" }, "--expires takes"],
  [{ as: "" }, "--as takes"],
  [{ as: "importer" }, "--as takes"],
  [{ as: "null" }, "--as takes"],
  [{ as: '["importer"]' }, "--as takes"],
  [{ as: '{"roles":["editor"]}' }, "--as takes"],
  [{ as: '{"sub":7}' }, "--as takes"],
  [{ as: '{"sub":""}' }, "--as takes"],
  [{ as: '{"sub":{"id":"ann"}}' }, "--as takes"],
  [{ as: `{"sub":"${"x".repeat(256)}"}` }, "--as takes"],
  [{ as: '{"sub":"a\\u0000"}' }, "--as takes"],
  [{ as: '{"sub":"\\u001b[2J"}' }, "--as takes"],
  [{ as: '{"sub":"\\ud800"}' }, "--as takes"],
  [{ as: `{"sub":"ann","more":"${"x".repeat(8192)}"}` }, "--as takes"],
  [{ name: "x".repeat(65) }, "--name takes"],
  [{ name: "\u001b[2J" }, "--name takes"],
  [{ name: "one\ntwo" }, "--name takes"],
  [{ name: "one\u2028two" }, "--name takes"],
  [{ name: "one\u2029two" }, "--name takes"],
  [{ name: "\u202eeno" }, "--name takes"],
  [{ name: "\u2066one" }, "--name takes"],
];
for (const [wishes, part] of impossible) {
  test(`makes no token of ${JSON.stringify(wishes)}`, async () => {
    assert.match(await refusalOf(tokenCreate(readConfig(unreachable), wishes)), part);
  });
}

test.run();
