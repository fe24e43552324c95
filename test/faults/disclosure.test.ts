// Every problem, over a socket: none discloses an internal detail.
// Needs: Deno, time
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ProblemCode, problems, resources } from "../house.ts";
import { endAll, relata, serve, until } from "../program.ts";
import { type Role, serverRole } from "../roles.ts";
import { freshPostgres, temporaryFolder } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { head, open } from "./wire.ts";
import { inTransaction } from "../transaction.ts";

const test = suite("disclosure");
let database: Awaited<ReturnType<typeof freshPostgres>>;
let role: Role;
let url: string;
/** Where a server is that needs no token, because only this machine can connect. */
let unguarded: string;
/** Where a server is whose only resource nobody but admins may touch. */
let ruled: string;
let inside: string[];
const project = temporaryFolder();
const vault = `
import { identifier, resource, role, text } from "relata";
export default resource("vault", {
  path: "/vaults/",
  access: role("hidden_role", { hidden_owner: "hidden" }),
  fields: { id: identifier(), hidden_owner: text() },
});
`;
const tokens: Record<string, Record<string, string>> = {};

/** Requests a minute of one token. */
const RATE = 60;

test.before(async () => {
  database = await freshPostgres();
  role = await serverRole(database);
  const { sql } = database;
  await sql`insert into bar (name) values ('Bar')`;
  await sql`insert into foo (name, bar_id) values ('Foo', 1)`;
  tokens["writer"] = bearer(await grant(sql, { scope: "write" }));
  tokens["reader"] = bearer(await grant(sql));
  tokens["spent"] = bearer(await grant(sql));
  mkdirSync(join(project.path, "resources"));
  writeFileSync(join(project.path, "resources", "vault.ts"), vault);
  const made = await relata(["token", "create", "--scope", "write", "--as", '{"sub":"ann"}'], {
    PROJECT_DIR: project.path,
  });
  tokens["ann"] = bearer(made.stdout.trim());
  ({ url } = await serve({
    DATABASE_URL: role.url,
    AUTH: "required",
    RATE_LIMIT: String(RATE),
    TIME_LIMIT: "3",
    BODY_LIMIT: "1000",
  }));
  ({ url: unguarded } = await serve({ DATABASE_URL: role.url, AUTH: "off" }));
  ({ url: ruled } = await serve({ PROJECT_DIR: project.path, AUTH: "required" }));
  inside = await namesOfTheInside(sql);
});
test.after(async () => {
  await endAll();
  await role.stop();
  await database.stop();
  project.remove();
});

interface Case {
  /** `GET /api/foos/` */
  request: string;
  body?: string;
  headers?: Record<string, string>;
  token?: "reader" | "spent" | "ann";
  /** The request as no client sends it. */
  bytes?(): string;
  /** Whether it is sent where no token is needed. */
  isUnguarded?: boolean;
  /** Whether it is sent where access has rules. */
  isRuled?: boolean;
  during?: During;
  /** What it names of the inside, for those who look after the database. */
  names?: string[];
}

/** Sends a request while something is wrong. */
type During = (send: () => Promise<unknown>) => Promise<unknown>;

/** While others hold what a statement takes. */
const holding = (statement: string): During => (send) =>
  inTransaction(database.sql, async (transaction) => {
    await transaction.unsafe(statement);
    await send();
  });

/** Between a statement that breaks the database and one that mends it. */
const between = (away: string, back: string): During => async (send) => {
  const statement = (text: string) => database.sql.unsafe(text.replace("ROLE", role.name));
  await statement(away);
  await send().finally(() => statement(back));
};

/** While every write of a bar does something else first. */
const doing = (statement: string): During =>
  between(
    `create function secret_function() returns trigger language plpgsql
      as $$ begin ${statement}; return new; end $$;
    create trigger secret_trigger before insert on bar execute function secret_function()`,
    "drop function secret_function() cascade",
  );

/** While every write of a bar fails with a code of Postgres. */
const failing = (code: string) => doing(`raise exception 'secret cause' using errcode = '${code}'`);

/** The headers that an answer may have: none tells what the server is made of. */
const known = new Set([
  ...[
    "content-security-policy",
    "etag",
    "link",
    "location",
    "referrer-policy",
    "x-content-type-options",
  ],
  ...["allow", "cache-control", "connection", "content-encoding", "content-length", "content-type"],
  ...["accept", "accept-patch", "date", "keep-alive", "ratelimit", "ratelimit-policy"],
  ...["retry-after", "traceparent", "transfer-encoding", "vary", "www-authenticate"],
  "x-request-id",
]);

const create = { request: "POST /api/bars/", body: '{"name":"Bar"}' };

/** What is locked for the key "busy", as in src/api/keyed.ts. */
const busy = hash("sha256", JSON.stringify(["token 1", "POST", "/api/bars/", "busy"]), "hex");

const cases: Record<ProblemCode, [Case, ...Case[]]> = {
  malformed_request: [{
    request: "GET /livez",
    bytes: () => "GET /livez HTTP/1.1\r\nHost: a?b\r\n\r\n",
  }],
  request_timeout: [{
    request: "POST /api/bars/",
    bytes: () =>
      `${
        head(
          "POST /api/bars/",
          `Authorization: ${tokens["writer"]!["authorization"]}`,
          "Content-Type: application/json",
          "Content-Length: 15",
        )
      }\r\n\r\n{"name":`,
  }],
  invalid_parameter: [
    { request: "GET /api/foos/?bar=' or 1=1" },
    { request: "GET /api/foos/?cursor=W10" },
    { request: "GET /api/foos/?q=%00" },
  ],
  invalid_header: [{ ...create, headers: { "idempotency-key": "" } }],
  malformed_body: [{ ...create, body: '{"name":' }],
  unauthorized: [{ request: "GET /colere/", headers: bearer(`relata_${"a".repeat(43)}`) }],
  insufficient_scope: [{ ...create, token: "reader" }],
  forbidden: [
    { request: "GET /vaults/", token: "ann", isRuled: true },
    { request: "DELETE /vaults/1/", token: "ann", isRuled: true },
  ],
  not_found: [
    { request: "GET /api/foos/9007199254740991/" },
    { request: "GET /docs/..%2f..%2fpackage.json" },
    { request: "GET /problems/constructor" },
  ],
  method_not_allowed: [{ request: "DELETE /bottage/1" }],
  not_acceptable: [{ request: "GET /colere/", headers: { accept: "text/html" } }],
  in_progress: [{
    ...create,
    headers: { "idempotency-key": "busy" },
    during: holding(`select pg_advisory_xact_lock(hashtextextended('${busy}', 0))`),
  }],
  still_referenced: [{ request: "DELETE /api/bars/1/" }],
  precondition_failed: [{ request: "DELETE /api/bars/1/", headers: { "if-match": '"other"' } }],
  content_too_large: [{ ...create, body: `{"name":"${"a".repeat(1000)}"}` }],
  unsupported_media_type: [{ ...create, headers: { "content-type": "text/plain" } }],
  misdirected_request: [{
    request: "GET /colere/",
    bytes: () => "GET /colere/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    isUnguarded: true,
  }],
  invalid: [
    { ...create, body: '{"name":"\\u0000"}' },
    { ...create, body: `{"name":"${"a".repeat(65)}"}` },
    { request: "POST /api/foos/", body: '{"name":1,"bar":1e300,"__proto__":{}}' },
    { request: "POST /api/foos/", body: '{"name":"Foo","bar":{"id":1}}' },
    { request: "PATCH /api/foos/1/", body: '{"bar":9007199254740991}' },
    { ...create, during: doing("raise 'The bar is closed' using errcode = '23514'") },
    {
      ...create,
      during: between(
        "alter table bar add constraint secret_constraint check (name <> 'Bar') not valid",
        "alter table bar drop constraint secret_constraint",
      ),
    },
  ],
  too_many_requests: [{
    request: "GET /colere/",
    token: "spent",
    async during(send) {
      for (let left = RATE; left > 0; left--) {
        await ask({ request: "GET /colere/", token: "spent" });
      }
      await send();
    },
  }],
  internal: [{ ...create, during: doing("set transaction isolation level serializable") }],
  unavailable: [
    { ...create, during: failing("53100") },
    { ...create, during: doing("perform secret()") },
    {
      request: "GET /api/foos/",
      during: between("alter table foo rename to gone", "alter table gone rename to foo"),
    },
    {
      request: "GET /api/foos/1/",
      during: between(
        "alter table foo rename bar_id to gone",
        "alter table foo rename gone to bar_id",
      ),
    },
    {
      request: "GET /api/bars/",
      during: between("revoke select on bar from ROLE", "grant select on bar to ROLE"),
    },
    {
      request: "GET /readyz",
      during: between(
        "revoke select on relata_migration from ROLE",
        "grant select on relata_migration to ROLE",
      ),
      names: ["relata_migration"],
    },
  ],
  out_of_time: [{ ...create, during: doing("perform pg_sleep(3)") }],
};

for (const [code, those] of Object.entries(cases)) {
  for (const [place, each] of those.entries()) {
    test(`${code} discloses no internal detail: ${each.request} (${place + 1})`, async () => {
      await (each.during ?? ((send) => send()))(async () => {
        const { status, headers, body } = await ask(each);
        assert.is(status, problems[code as ProblemCode].status, body);
        assert.match(JSON.parse(body).type, `/problems/${code}`);
        const told = JSON.stringify([...headers]) + body;
        for (const name of inside) {
          const isMeant = each.names?.includes(name) ?? false;
          assert.is(told.includes(name), isMeant, `${told} has "${name}"`);
        }
        assert.not.match(
          told,
          /secret|stack|\\n|file:|\.[jt]s\b|node_modules|node\b|deno\b|hidden/i,
        );
        assert.not.match(told, /postgres|pglite|sqlstate|relation "|permission|constraint|column/i);
        assert.not.match(told, /\b(insert|delete|update|select)\b.*\b(into|from|set)\b/i);
        assertKnown(headers);
      });
    });
  }
}

for (
  const [request, body] of [
    ...["GET /", "GET /docs/", "GET /openapi.json", "GET /livez", "GET /metrics", "HEAD /colere/"],
    ...["GET /api/foos/?limit=1", "GET /api/foos/1/", "GET /api/foos/choices/bar/"],
    ...["OPTIONS /api/foos/", ["POST /colere/", "{}"], ["PATCH /api/bars/1/", "{}"]],
  ].map((each) => typeof each === "string" ? [each] : each) as [string, string?][]
) {
  test(`no header of a successful answer tells what the server is built with: ${request}`, async () => {
    const { status, headers } = await ask({ request, ...(body !== undefined && { body }) });
    assert.ok(status < 300, String(status));
    assertKnown(headers);
  });
}

test.run();

function assertKnown(headers: Headers): void {
  for (const [name] of headers) assert.ok(known.has(name), `The header "${name}" is unknown`);
}

async function ask({ request, body, headers, token, bytes, isUnguarded, isRuled }: Case) {
  if (bytes) return await exchange(bytes(), isUnguarded ? unguarded : url);
  const [, method = "", path] = /^(\S+) (.*)$/.exec(request)!;
  const response = await fetch((isRuled ? ruled : url) + path, {
    method,
    headers: { "content-type": "application/json", ...tokens[token ?? "writer"], ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

async function exchange(bytes: string, url: string) {
  const wire = await open(Number(new URL(url).port));
  wire.send(bytes);
  await until("an answer has come", () => wire.answers().length > 0);
  wire.socket.destroy();
  const { status, headers, body } = wire.answers()[0]!;
  return { status, headers: new Headers(headers), body };
}

/** What the database calls its parts, but for what the API calls so too; where it is, and who asks. */
async function namesOfTheInside(sql: postgres.Sql): Promise<string[]> {
  const open = resources.flatMap(({ name, fields }) => [name, ...Object.keys(fields)]);
  const rows = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace
    union
    select conname
    from pg_constraint
    where connamespace = 'public'::regnamespace
    union
    select attname
    from pg_attribute
    where attrelid = any(${resources.map(({ name }) => name)}::text[]::regclass[])
      and attnum > 0
    union
    select current_database()
    union
    select current_setting('server_version')`;
  const { username, password, port } = new URL(role.url);
  return [...rows.map(({ name }) => name), username, password, `:${port}`]
    .filter((name) => !open.includes(name) && name !== "id");
}
