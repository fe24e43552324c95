// Invoices with their lines on Fastify: a transaction on one client of the pool to create one, as the documentation
// of node-postgres has it, and two queries to read one.
import type { FastifyInstance } from "fastify";
import type { Pool, PoolClient } from "pg";
import { identifier, name, object, price, problem } from "./schemas.ts";
import { inTransaction } from "./transaction.ts";

interface LineBody {
  product: number;
  quantity: number;
  price: string;
}

interface InvoiceBody {
  title: string;
  lines: LineBody[];
}

interface Invoice {
  id: number;
  title: string;
}

interface LineRow {
  id: number;
  product_id: number;
  product_name: string;
  quantity: number;
  price: string;
}

const quantity = { type: "integer", minimum: 1 };
const sent = object({
  title: name,
  lines: {
    type: "array",
    maxItems: 1000,
    items: object({ product: identifier, quantity, price }),
  },
});
const shown = object({
  id: identifier,
  title: name,
  lines: {
    type: "array",
    items: object({
      id: identifier,
      product: object({ id: identifier, name }),
      quantity,
      price: { type: "string" },
    }),
  },
});

const createInvoice = `
  insert into invoice (title)
  values ($1)
  returning id, title`;

const createLines = `
  with written as (
    insert into line (invoice_id, place, product_id, quantity, price)
    select $1, place, product_id, quantity, price
    from unnest($2::bigint[], $3::integer[], $4::numeric[])
      with ordinality as sent (product_id, quantity, price, place)
    returning id, place, product_id, quantity, price
  )
  select
    written.id,
    product.id as product_id,
    product.name as product_name,
    written.quantity,
    written.price
  from written
  join product
    on product.id = written.product_id
  order by written.place`;

const readInvoice = `
  select id, title
  from invoice
  where id = $1`;

const readLines = `
  select
    line.id,
    product.id as product_id,
    product.name as product_name,
    line.quantity,
    line.price
  from line
  join product
    on product.id = line.product_id
  where line.invoice_id = $1
  order by line.place`;

export function serveInvoices(app: FastifyInstance, pool: Pool): void {
  app.get<{ Params: { id: string } }>(
    "/api/invoices/:id(^[1-9][0-9]{0,14}$)/",
    {
      schema: { response: { 200: shown, 404: problem } },
    },
    async ({ params: { id } }, reply) => {
      const [{ rows: [invoice] }, { rows: lines }] = await Promise.all([
        pool.query<Invoice>({
          name: "readInvoice",
          text: readInvoice,
          values: [id],
        }),
        pool.query<LineRow>({
          name: "readLines",
          text: readLines,
          values: [id],
        }),
      ]);
      return invoice ? whole(invoice, lines) : reply.code(404).send({ title: "Not found" });
    },
  );

  app.post<{ Body: InvoiceBody }>("/api/invoices/", {
    schema: { body: sent, response: { 201: shown, 422: problem } },
  }, async ({ body }, reply) => {
    const made = await inTransaction(pool, (client) => create(client, body));
    if (!made) return reply.code(422).send({ title: "Invalid" });
    return reply.code(201).header("Location", `/api/invoices/${made.id}/`).send(made);
  });
}

async function create(client: PoolClient, { title, lines }: InvoiceBody) {
  const { rows: [invoice] } = await client.query<Invoice>({
    name: "createInvoice",
    text: createInvoice,
    values: [title],
  });
  const { rows } = await client.query<LineRow>({
    name: "createLines",
    text: createLines,
    values: [
      invoice!.id,
      lines.map(({ product }) => product),
      lines.map(({ quantity }) => quantity),
      lines.map(({ price }) => price),
    ],
  });
  return whole(invoice!, rows);
}

function whole(invoice: Invoice, lines: LineRow[]) {
  return {
    ...invoice,
    lines: lines.map(({ product_id, product_name, ...line }) => ({
      ...line,
      product: { id: product_id, name: product_name },
    })),
  };
}
