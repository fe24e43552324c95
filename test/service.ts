// The one helper of the tests that speak HTTP: a service on a fresh database of its own. It checks every
// answer against the rules that all answers share. The server and the test each have a client of the
// database.
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gunzipSync } from "node:zlib";
import type postgres from "postgres";
import * as assert from "uvu/assert";
import { clientOf } from "./client.ts";
import { drift } from "./drift.ts";
import {
  type App,
  type AppOptions,
  type Caller,
  createApp,
  type Database,
  type Log,
  nobody,
  openapiDocument,
  openEmbedded,
  openPostgres,
  pages,
  prefixOf,
  problems,
  resources,
} from "./house.ts";

/** An answer, with its JSON parsed; a body that is not JSON is its text. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body, in the shape that the test expects; undefined if there is none. */
  // deno-lint-ignore no-explicit-any
  body: any;
}

export interface Service extends Database {
  app: App;
  /** Answers a `Request`. */
  fetch(request: Request): Promise<Response>;
  /** The test's own client of the database behind the service. */
  sql: postgres.Sql;
  /** Sends a request, written as `GET /api/foos/`; a body that is not a string is sent as JSON. */
  send(request: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The same for whom a token with these claims stands for; without claims, for who sends none. */
  as(claims: Claims | null): Pick<Service, "send" | "fetch">;
  /** Ends the service and throws its database away. */
  stop(): Promise<void>;
}

/** What a token says. */
export interface Claims {
  sub?: string;
  roles?: string[];
  [claim: string]: unknown;
}

export type Options = Partial<AppOptions>;

/** A log that nobody reads. */
export const silent: Log = () => {};

/** A signal that is never aborted: the process is not about to end. */
const { signal: ending } = new AbortController();

/** Whether this run of the tests is on the embedded database. */
export const onEmbedded = process.env["TEST_DATABASE"] === "embedded";

/** The service on a fresh, migrated database: the one that TEST_DATABASE names. */
export async function startService(options: Options = {}): Promise<Service> {
  const { client, sql, stop } = onEmbedded ? await freshEmbedded() : await freshPostgres();
  return { ...serviceOn({ client }, options), sql, stop };
}

/** A service on a database that a test has open for the server: that of another service, a fresh one, or
 * one that `openPostgres` opens with limits of its own. */
export function serviceOn(
  { client }: Database,
  options: Options = {},
): Omit<Service, "sql" | "stop"> {
  const settings = {
    baseUrl: "http://relata.test",
    authRequired: false,
    rateLimit: undefined,
    corsOrigins: [],
    resources,
    idempotencyHours: 24,
    historyDays: 30,
    bodyLimit: 1024 * 1024,
    capacity: 1000,
    timeLimit: 60,
    log: silent,
    ending,
    ...options,
  };
  const app = createApp({ client }, settings);
  const prefix = prefixOf(settings.baseUrl);
  const allows = drift(openapiDocument({ ...settings, pages }));
  const { fetch } = app;
  const sendAs = (caller?: Caller): Service["send"] => async (request, body, headers = {}) => {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const response = await fetch(
      new Request(`http://relata.test${path}`, {
        method,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: textOf(body) }),
      }),
      caller,
    );
    const answer = await checked(method, response, path);
    const [target = ""] = path.split("?");
    if (target.startsWith(prefix)) {
      const sent = parsed(body);
      allows({ method, path: target.slice(prefix.length), sent, ...answer });
    }
    return answer;
  };
  return {
    client,
    app,
    fetch,
    send: sendAs(),
    as(claims) {
      const caller = callerWith(claims);
      return { send: sendAs(caller), fetch: (request) => fetch(request, caller) };
    },
  };
}

function callerWith(claims: Claims | null): Caller {
  if (!claims) return nobody;
  const { sub = "somebody", roles = [] } = claims;
  return { kind: "somebody", id: `issuer ${sub}`, subject: sub, roles, claims, scopes: undefined };
}

/** A fresh database: as the server has it open, and with a client for the test. */
export interface Fresh extends Database {
  sql: postgres.Sql;
  stop(): Promise<void>;
}

/** A fresh, migrated database on the real Postgres. */
export async function freshPostgres(): Promise<Fresh & { url: string }> {
  return await freshDatabase(`template ${setting("TEST_TEMPLATE")}`);
}

/** A fresh database on the real Postgres, made as the words after `create database` say. */
export async function freshDatabase(how = ""): Promise<Fresh & { url: string }> {
  const address = setting("TEST_DATABASE_URL");
  const name = `relata_test_${randomUUID().replaceAll("-", "")}`;
  server ??= clientOf(address);
  users++;
  // To copy its files takes a fourth of the processor time of the default, which logs each block
  await server`create database ${server(name)} ${server.unsafe(how)} strategy file_copy`;
  const url = new URL(`/${name}`, address).href;
  const { client, close } = openPostgres(url, { sessions: 4, timeLimit: 60 });
  const sql = clientOf(url, 4);
  return {
    client,
    sql,
    url,
    async stop() {
      await close();
      await sql.end({ timeout: 1 });
      await server!`drop database ${server!(name)} with (force)`;
      users--;
      setTimeout(endUnused, GRACE).unref();
    },
  };
}

/** Milliseconds for which the session stays that makes databases: the next test may need one. */
const GRACE = 50;

/** The session in which this process makes and drops databases, and how many of them there are. */
let server: postgres.Sql | undefined;
let users = 0;

async function endUnused(): Promise<void> {
  if (users > 0 || !server) return;
  const unused = server;
  server = undefined;
  await unused.end({ timeout: 1 });
}

/** A fresh, migrated database on the embedded Postgres. */
export async function freshEmbedded(): Promise<Fresh> {
  const folder = temporaryFolder();
  cpSync(setting("TEST_EMBEDDED_TEMPLATE"), folder.path, { recursive: true });
  const { client, sql, close } = await openEmbedded(folder.path);
  return {
    client,
    sql,
    async stop() {
      await close();
      folder.remove();
    },
  };
}

export function temporaryFolder(parent = tmpdir()): { path: string; remove(): void } {
  const path = mkdtempSync(join(parent, "relata-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The code of each failing field of an answer, as `{ "/bar": "does_not_exist" }`. */
export function failures(answer: Answer): Record<string, string> {
  assert.is(answer.status, 422);
  return Object.fromEntries(
    answer.body.errors.map((
      { pointer, code }: { pointer: string; code: string },
    ) => [pointer, code]),
  );
}

/** Checks the rules that every answer keeps. */
async function checked(method: string, response: Response, path: string): Promise<Answer> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isPacked = headers.get("content-encoding") === "gzip" && bytes.length > 0;
  const text = new TextDecoder().decode(isPacked ? gunzipSync(bytes) : bytes);
  const tag = status < 400 && headers.get("etag")?.slice(1, -1).replace(/-gzip$/, "");
  assert.match(
    headers.get("cache-control") ?? "",
    tag && path.includes(`/docs/${tag}/`)
      ? /^public, max-age=31536000, immutable$/
      : /^(private, )?no-cache$/,
  );
  assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.match(headers.get("traceparent") ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/);
  if ([204, 303, 304].includes(status) || method === "HEAD") {
    assert.is(text, "", "An answer to HEAD, or of status 204, 303 or 304, has no body");
    return { status, headers, body: undefined };
  }
  const [, written] =
    /^(text\/\w+)(?:; version=[\d.]+)?; charset=utf-8$/.exec(headers.get("content-type") ?? "") ??
      [];
  if (written) {
    assert.is(headers.get("x-content-type-options"), "nosniff");
    assert.is(headers.has("content-security-policy"), written === "text/html");
    return { status, headers, body: text };
  }
  const body = JSON.parse(text);
  assert.is(withNumbersOfJavaScript(text), JSON.stringify(body), "JSON is compact");
  if (status < 400) {
    assert.is(headers.get("content-type"), "application/json");
    return { status, headers, body };
  }
  const { type, title, detail, instance, status: told, errors, references, current, ...rest } =
    body;
  assert.is(headers.get("content-type"), "application/problem+json");
  assert.is(told, status);
  assert.match(type, /\/problems\/[a-z_]+$/);
  const code = type.split("/").at(-1) as keyof typeof problems;
  assert.equal({ status, title }, { status: problems[code].status, title: problems[code].title });
  assert.type(detail, "string");
  assert.is(instance, `urn:uuid:${headers.get("x-request-id")}`);
  assert.is(Array.isArray(errors), status === 422);
  assert.is(Array.isArray(references), code === "still_referenced");
  assert.ok(current === undefined || status === 412);
  if (status === 412) assert.is(headers.has("etag"), Boolean(current));
  assert.equal(rest, {});
  return { status, headers, body };
}

/** JSON with its numbers as JavaScript writes them; Postgres writes some in another way, such as 1e-09, and blanks
 * into its own JSON. */
function withNumbersOfJavaScript(json: string): string {
  return json.replaceAll(
    /"(?:\\.|[^"\\])*"|-?\d[\d.e+-]*|(?<=[,:]) /g,
    (token) => token === " " ? "" : token.startsWith('"') ? token : JSON.stringify(Number(token)),
  );
}

/** The JSON value of a body; undefined if it is not JSON. */
function parsed(body: unknown): unknown {
  if (body instanceof Uint8Array) return undefined;
  try {
    return typeof body === "string" ? JSON.parse(body) : body;
  } catch {
    return undefined;
  }
}

function textOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  return typeof body === "string" || body instanceof Uint8Array
    ? body as string | Uint8Array<ArrayBuffer>
    : JSON.stringify(body);
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: run the tests with "npm test -- PART-OF-A-NAME"`);
  }
  return value;
}
