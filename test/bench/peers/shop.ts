// A shop on Fastify, with the queries that each thing takes: see `items.ts` and `invoices.ts` for what takes several.
// Who asks is told by a token that @fastify/jwt reads, where JWT_PUBLIC_KEY names a file with the key of its issuer.
import { readFileSync } from "node:fs";
import process from "node:process";
import jwt from "@fastify/jwt";
import type { FastifyInstance } from "fastify";
import type { Pool, PoolClient } from "pg";
import { serveInvoices } from "./invoices.ts";
import { serveItems } from "./items.ts";
import { identifier, name, object, problem, text } from "./schemas.ts";
import { inTransaction } from "./transaction.ts";

const uuid = { type: "string", format: "uuid" };
const product = object({ id: identifier, name });
const note = object({ id: identifier, title: name, owner: text });
const voucher = object({ id: uuid, title: name });
const notes = object({ items: { type: "array", items: note }, next: { type: ["string", "null"] } });
const sales = object({
  items: {
    type: "array",
    items: object({ product: identifier, quantity: { type: "integer" }, total: text }),
  },
});

const listNotes = `
  select id, title, owner
  from note
  where owner collate "C" = $1
    and id > $2
  order by id
  limit $3`;

const readVoucher = `
  select id, title
  from voucher
  where id = $1`;

const sell = `
  select
    product_id as product,
    sum(quantity) as quantity,
    sum(quantity * price) as total
  from line
  where invoice_id >= $1
    and invoice_id < $1 + 100
  group by product_id
  order by total desc, product_id
  limit 10`;

const takeKey = `
  insert into sent_key (key, body)
  values ($1, $2)
  on conflict do nothing
  returning key`;

const readKey = `
  select body, answer
  from sent_key
  where key = $1`;

const createProduct = `
  insert into product (name)
  values ($1)
  returning id, name`;

const keepAnswer = `
  update sent_key
  set answer = $2
  where key = $1`;

export async function serveShop(app: FastifyInstance, pool: Pool): Promise<void> {
  const file = process.env["JWT_PUBLIC_KEY"];
  if (file !== undefined) {
    await app.register(jwt, {
      secret: { public: readFileSync(file, "utf8") },
      verify: {
        allowedIss: process.env["JWT_ISSUER"]!,
        allowedAud: process.env["JWT_AUDIENCE"]!,
        cache: true,
      },
    });
    app.addHook("onRequest", (request) => request.jwtVerify());
  }
  serveInvoices(app, pool);
  serveItems(app, pool);

  app.get<{ Querystring: { cursor?: string } }>("/api/notes/", {
    schema: { response: { 200: notes } },
  }, async ({ query: { cursor = "0" }, user }) => {
    const { sub } = user as { sub: string };
    const { rows } = await pool.query({
      name: "listNotes",
      text: listNotes,
      values: [sub, cursor, 51],
    });
    const items = rows.slice(0, 50);
    return {
      items,
      next: rows.length > 50 ? `/api/notes/?cursor=${items.at(-1)!.id}` : null,
    };
  });

  app.get<{ Params: { id: string } }>("/api/vouchers/:id/", {
    schema: { params: object({ id: uuid }), response: { 200: voucher, 404: problem } },
  }, async ({ params: { id } }, reply) => {
    const { rows: [row] } = await pool.query({
      name: "readVoucher",
      text: readVoucher,
      values: [id],
    });
    return row ?? reply.code(404).send({ title: "Not found" });
  });

  app.get<{ Querystring: { from: string } }>("/api/reports/sales/", {
    schema: {
      querystring: object({ from: { type: "string", pattern: "^[1-9][0-9]{0,14}$" } }),
      response: { 200: sales },
    },
  }, async ({ query: { from } }) => {
    const { rows } = await pool.query({ name: "sell", text: sell, values: [from] });
    return { items: rows };
  });

  // What was sent before is answered again
  app.post<{ Body: { name: string }; Headers: { "idempotency-key": string } }>(
    "/api/products/",
    { schema: { body: object({ name }), response: { 201: product, 422: problem } } },
    async ({ body, headers: { "idempotency-key": key } }, reply) => {
      const made = await inTransaction(pool, (client) => createOnce(client, key, body));
      if (!made) return reply.code(422).send({ title: "Invalid" });
      return reply.code(201).header("Location", `/api/products/${made.id}/`).send(made);
    },
  );
}

/** Creates a product, or gives the one that was created under the key; undefined if that was another. */
async function createOnce(client: PoolClient, key: string, body: { name: string }) {
  const sent = JSON.stringify(body);
  const taken = await client.query({ name: "takeKey", text: takeKey, values: [key, sent] });
  if (taken.rowCount === 0) {
    const { rows: [had] } = await client.query({ name: "readKey", text: readKey, values: [key] });
    return had.body === sent ? had.answer : undefined;
  }
  const { rows: [made] } = await client.query({
    name: "createProduct",
    text: createProduct,
    values: [body.name],
  });
  await client.query({ name: "keepAnswer", text: keepAnswer, values: [key, made] });
  return made;
}
