// The peer on Fastify and node-postgres.
import process from "node:process";
import fastify from "fastify";
import pg from "pg";
import type { BottageBody, FooBody } from "./bodies.ts";
import { type Bottage, type FooRow, nested, statements } from "./statements.ts";

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const connectionString = process.env["DATABASE_URL"];

/** One connection, on which the client pipelines, reads about twice what eight without it do; but
 * several commit at once, and more than eight of them gain nothing that can be measured. */
const reading = new pg.Client({ connectionString, pipeline: true });
await reading.connect();
const writing = new pg.Pool({ connectionString, max: 8, idleTimeoutMillis: 0 });

const identifier = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const name = { type: "string", maxLength: 64 };
const text = { type: "string" };
const object = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const problem = object({ title: text });
const foo = object({ id: identifier, name, bar: object({ id: identifier, name }) });
const bottage = object({ bottage: identifier, cul: text, colere: identifier, date: text });

const app = fastify({
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
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

app.setErrorHandler<{ validation?: unknown }>((error, _request, reply) => {
  reply.code(error.validation ? 422 : 500).send({ title: error.validation ? "Invalid" : "Failed" });
});

async function ask<Row>(
  database: pg.Client | pg.Pool,
  name: keyof typeof statements,
  values: unknown[],
): Promise<Row[]> {
  return (await database.query({ name, text: statements[name], values })).rows;
}

console.log(`Serves ${await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) })}`);
