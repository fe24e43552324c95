// The peer on Fastify and node-postgres, bare, or equipped with what a service has.
import { randomUUID } from "node:crypto";
import process from "node:process";
import fastify, { type FastifyBaseLogger } from "fastify";
import pg from "pg";
import type { BottageBody, FooBody } from "./bodies.ts";
import * as equipment from "./equipment.ts";
import { identifier, name, object, problem, text } from "./schemas.ts";
import { serveShop } from "./shop.ts";
import {
  type Bottage,
  type Choice,
  containing,
  type FooRow,
  nested,
  pageOfChoices,
  pageOfFoos,
  statements,
} from "./statements.ts";

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const connectionString = process.env["DATABASE_URL"];
const { log } = equipment;

/** A pool as the documentation has it; or the fastest that was found. One connection, on which the client
 * pipelines, reads about twice what eight without it do; but several commit at once, and more than eight of
 * them gain nothing that can be measured. */
const writing = new pg.Pool({
  connectionString,
  ...(!log && { max: 8, idleTimeoutMillis: 0 }),
});
const reading = log ? writing : await pipelining();

const foo = object({ id: identifier, name, bar: object({ id: identifier, name }) });
const bottage = object({ bottage: identifier, cul: text, colere: identifier, date: text });

const list = object({
  items: { type: "array", items: foo },
  next: { type: ["string", "null"] },
});
const choices = object({
  choices: { type: "object", additionalProperties: text },
  next: { type: ["string", "null"] },
});

const app = fastify({
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  ...(log && { loggerInstance: log as FastifyBaseLogger, genReqId: () => randomUUID() }),
});

if (log) {
  const { default: etag } = await import("@fastify/etag");
  await app.register(etag);
  app.addHook("onSend", (request, reply, _payload, done) => {
    reply.header("X-Request-Id", request.id);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    equipment.observe(
      request.method,
      request.routeOptions.url ?? "",
      reply.statusCode,
      reply.elapsedTime / 1000,
    );
    done();
  });
  app.get("/metrics", async (_request, reply) => {
    return reply.type("text/plain").send(await equipment.metrics());
  });
}

const pageQuery = {
  type: "object",
  properties: {
    bar: { type: "string", pattern: "^[1-9][0-9]{0,14}$" },
    cursor: { type: "string", pattern: "^[1-9][0-9]{0,14}$" },
    limit: { type: "string", pattern: "^([1-9][0-9]?|1[0-9]{2}|200)$" },
    q: text,
  },
  additionalProperties: false,
};

interface PageQuery {
  bar?: string;
  cursor?: string;
  limit?: string;
  q?: string;
}

app.get<{ Querystring: PageQuery }>("/api/foos/", {
  schema: { querystring: pageQuery, response: { 200: list } },
}, async ({ query: { bar, cursor = "0", limit = "50" } }) => {
  const size = Number(limit);
  const rows = bar
    ? await ask<FooRow>(reading, "listFoosOfBar", [bar, cursor, size + 1])
    : await ask<FooRow>(reading, "listFoos", [cursor, size + 1]);
  return pageOfFoos(rows, size, bar);
});

app.get<{ Querystring: PageQuery }>("/api/foos/choices/bar/", {
  schema: { querystring: pageQuery, response: { 200: choices } },
}, async ({ query: { q = "", cursor = "0", limit = "50" } }) => {
  const size = Number(limit);
  const rows = await ask<Choice>(reading, "findBars", [containing(q), cursor, size + 1]);
  return pageOfChoices(rows, size, q);
});

app.get<{ Params: { id: string } }>("/api/foos/:id(^[1-9][0-9]{0,14}$)/", {
  schema: { response: { 200: foo, 404: problem } },
}, async (request, reply) => {
  const [row] = await ask<FooRow>(reading, "readFoo", [request.params.id]);
  return row ? nested(row) : reply.code(404).send({ title: "Not found" });
});

app.get("/bottage/last", {
  schema: { response: { 200: bottage, 404: problem } },
}, async (_request, reply) => {
  const [row] = await ask<Bottage>(reading, "lastBottage", []);
  return row ?? reply.code(404).send({ title: "Not found" });
});

app.post<{ Body: FooBody }>("/api/foos/", {
  schema: { body: object({ name, bar: identifier }), response: { 201: foo, 422: problem } },
}, async ({ body }, reply) => {
  const [row] = await ask<FooRow>(writing, "createFoo", [body.name, body.bar]);
  if (!row) return reply.code(422).send({ title: "Invalid" });
  return reply.code(201).header("Location", `/api/foos/${row.id}/`).send(nested(row));
});

app.post<{ Body: BottageBody }>("/bottage/", {
  schema: {
    body: object({ cul: text, colere: identifier }),
    response: { 201: bottage, 422: problem },
  },
}, async ({ body }, reply) => {
  const [row] = await ask<Bottage>(writing, "createBottage", [body.cul, body.colere]);
  if (!row) return reply.code(422).send({ title: "Invalid" });
  return reply.code(201).header("Location", `/bottage/${row.bottage}`).send(row);
});

await serveShop(app, writing);

app.setErrorHandler<{ validation?: unknown }>((error, _request, reply) => {
  reply.code(error.validation ? 422 : 500).send({ title: error.validation ? "Invalid" : "Failed" });
});

async function pipelining(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, pipeline: true });
  await client.connect();
  return client;
}

async function ask<Row>(
  database: pg.Client | pg.Pool,
  name: keyof typeof statements,
  values: unknown[],
): Promise<Row[]> {
  return (await database.query({ name, text: statements[name], values })).rows;
}

console.log(`Serves ${await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) })}`);
