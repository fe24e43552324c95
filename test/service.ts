// The one helper of the tests that speak HTTP: a service on a fresh database of its own, which also
// holds every answer to the rules that all answers share.
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as assert from "uvu/assert";
import { openEmbedded } from "../src/database/embedded.ts";
import { prefixOf } from "../src/config.ts";
import { connect, type Sql } from "../src/database/sql.ts";
import type { Log } from "../src/log.ts";
import { problems } from "../src/problem.ts";
import { resources } from "../src/resources/index.ts";
import { openapiDocument } from "../src/openapi/document.ts";
import { pages } from "../src/server/pages.ts";
import { drift } from "./drift.ts";
import { toResponse } from "../src/server/answer.ts";
import { type App, type AppOptions, createApp } from "../src/server/app.ts";

/** An answer, its JSON parsed; the body of one that is no JSON is its text. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body, of whatever shape the test expects; undefined where there is none. */
  // deno-lint-ignore no-explicit-any
  body: any;
}

export interface Service {
  app: App;
  /** Answers a request of the web's own. */
  fetch(request: Request): Promise<Response>;
  /** The database behind the service. */
  sql: Sql;
  /** Sends a request, written as `GET /api/foos/`; a body that is no string goes out as JSON. */
  send(request: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends the service and throws its database away. */
  stop(): Promise<void>;
}

export type Options = Partial<Omit<AppOptions, "sql">>;

/** A log that nobody reads. */
export const silent: Log = () => {};

/** What never tells that the process is about to end. */
const { signal: ending } = new AbortController();

/** Whether this run of the tests is on the embedded database. */
export const onEmbedded = process.env["TEST_DATABASE"] === "embedded";

/** The service on a fresh, migrated database: the one that TEST_DATABASE names. */
export async function startService(options: Options = {}): Promise<Service> {
  const { sql, stop } = onEmbedded ? await freshEmbedded() : await freshPostgres();
  return { ...serviceOn(sql, options), stop };
}

/** The service on a database that a test has made. */
export function serviceOn(sql: Sql, options: Options = {}): Omit<Service, "stop"> {
  const settings = {
    baseUrl: "http://relata.test",
    authRequired: false,
    rateLimit: undefined,
    corsOrigins: [],
    resources,
    idempotencyHours: 24,
    bodyLimit: 1024 * 1024,
    capacity: 1000,
    timeLimit: 10,
    log: silent,
    ending,
    ...options,
    sql,
  };
  const app = createApp(settings);
  const prefix = prefixOf(settings.baseUrl);
  const allows = drift(openapiDocument({ ...settings, pages }));
  const fetch = async (request: Request) => toResponse(await app(request));
  return {
    app,
    fetch,
    sql,
    async send(request, body, headers = {}) {
      const [method = "", path = ""] = request.split(/ (.*)/s);
      const response = await fetch(
        new Request(`http://relata.test${path}`, {
          method,
          headers: body === undefined
            ? headers
            : { "content-type": "application/json", ...headers },
          ...(body === undefined ? {} : { body: textOf(body) }),
        }),
      );
      const answer = await checked(method, response);
      const [target = ""] = path.split("?");
      if (target.startsWith(prefix)) {
        const sent = parsed(body);
        allows({ method, path: target.slice(prefix.length), sent, ...answer });
      }
      return answer;
    },
  };
}

/** A fresh, migrated database on the real Postgres. */
export async function freshPostgres(): Promise<{ sql: Sql; url: string; stop(): Promise<void> }> {
  return await freshDatabase(`template ${setting("TEST_TEMPLATE")}`);
}

/** A fresh database on the real Postgres, made as the words after `create database` say. */
export async function freshDatabase(
  how = "",
): Promise<{ sql: Sql; url: string; stop(): Promise<void> }> {
  const server = connect(setting("TEST_DATABASE_URL"), { connections: 1, timeLimit: 60 });
  const name = `relata_test_${randomUUID().replaceAll("-", "")}`;
  await server`create database ${server(name)} ${server.unsafe(how)}`;
  const url = new URL(`/${name}`, setting("TEST_DATABASE_URL")).href;
  const sql = connect(url, { connections: 4, timeLimit: 10 });
  return {
    sql,
    url,
    async stop() {
      await sql.end({ timeout: 1 });
      await server`drop database ${server(name)} with (force)`;
      await server.end({ timeout: 1 });
    },
  };
}

/** A fresh, migrated database on the embedded Postgres. */
export async function freshEmbedded(): Promise<{ sql: Sql; stop(): Promise<void> }> {
  const folder = temporaryFolder();
  cpSync(setting("TEST_EMBEDDED_TEMPLATE"), folder.path, { recursive: true });
  const { sql, close } = await openEmbedded(folder.path);
  return {
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

/** What an answer says of each failing field, as `{ "/bar": "does_not_exist" }`. */
export function failures(answer: Answer): Record<string, string> {
  assert.is(answer.status, 422);
  return Object.fromEntries(
    answer.body.errors.map((
      { pointer, code }: { pointer: string; code: string },
    ) => [pointer, code]),
  );
}

/** Holds an answer to what every answer keeps. */
async function checked(method: string, response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  assert.is(headers.get("cache-control"), "no-cache");
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
  assert.is(text, JSON.stringify(body), "JSON is compact");
  if (status < 400) {
    assert.is(headers.get("content-type"), "application/json");
    return { status, headers, body };
  }
  const { type, title, detail, instance, status: told, errors, ...rest } = body;
  assert.is(headers.get("content-type"), "application/problem+json");
  assert.is(told, status);
  assert.match(type, /\/problems\/[a-z_]+$/);
  const code = type.split("/").at(-1) as keyof typeof problems;
  assert.equal({ status, title }, { status: problems[code].status, title: problems[code].title });
  assert.type(detail, "string");
  assert.is(instance, `urn:uuid:${headers.get("x-request-id")}`);
  assert.is(Array.isArray(errors), status === 422);
  assert.equal(rest, {});
  return { status, headers, body };
}

/** What a body is as JSON; undefined where it is none. */
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
