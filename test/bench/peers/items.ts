// Items with their tags on Fastify: a page in one query, whose tags Postgres gathers as JSON; a create in a
// transaction, which makes the item, then its links.
import type { FastifyInstance } from "fastify";
import type { Pool, PoolClient } from "pg";
import { identifier, name, object, price, problem } from "./schemas.ts";
import { inTransaction } from "./transaction.ts";

interface ItemBody {
  name: string;
  price: string;
  tags: number[];
}

interface Item {
  id: number;
  name: string;
  price: string;
  tags: { id: number; name: string }[];
}

interface ItemsQuery {
  price__gte?: string;
  sort?: string;
  cursor?: string;
  limit?: string;
}

const sent = object({
  name,
  price,
  tags: { type: "array", maxItems: 1000, uniqueItems: true, items: identifier },
});
const shown = object({
  id: identifier,
  name,
  price: { type: "string" },
  tags: { type: "array", items: object({ id: identifier, name }) },
});
const page = object({ items: { type: "array", items: shown }, next: { type: ["string", "null"] } });
const pageQuery = {
  type: "object",
  properties: {
    price__gte: { type: "string", pattern: "^[0-9]{1,8}([.][0-9]{1,2})?$" },
    sort: { type: "string", enum: ["name"] },
    cursor: { type: "string", maxLength: 200 },
    limit: { type: "string", pattern: "^([1-9][0-9]?|1[0-9]{2}|200)$" },
  },
  additionalProperties: false,
};

const tagsOf = (item: string) => `
  (
    select coalesce(json_agg(json_build_object('id', tag.id, 'name', tag.name) order by tag.id), '[]')
    from item_tag
    join tag
      on tag.id = item_tag.tag_id
    where item_tag.item_id = ${item}.id
  ) as tags`;

const listItems = `
  select item.id, item.name, item.price, ${tagsOf("item")}
  from item
  where item.id > $1
  order by item.id
  limit $2`;

const listByName = `
  select item.id, item.name, item.price, ${tagsOf("item")}
  from item
  where item.price >= $1
    and (item.name collate "C", item.id) > ($2, $3)
  order by item.name collate "C", item.id
  limit $4`;

const createItem = `
  insert into item (name, price)
  values ($1, $2)
  returning id, name, price`;

const createLinks = `
  with written as (
    insert into item_tag (item_id, tag_id)
    select $1, unnest($2::bigint[])
    returning tag_id
  )
  select tag.id, tag.name
  from written
  join tag
    on tag.id = written.tag_id
  order by tag.id`;

export function serveItems(app: FastifyInstance, pool: Pool): void {
  app.get<{ Querystring: ItemsQuery }>("/api/items/", {
    schema: { querystring: pageQuery, response: { 200: page } },
  }, async ({ query }) => {
    const { price__gte = "0", sort, cursor = "", limit = "50" } = query;
    const size = Number(limit);
    const [id = "0", ...words] = cursor.split(" ");
    const { rows } = sort
      ? await pool.query<Item>({
        name: "listByName",
        text: listByName,
        values: [price__gte, words.join(" "), Number(id), size + 1],
      })
      : await pool.query<Item>({
        name: "listItems",
        text: listItems,
        values: [Number(id), size + 1],
      });
    const items = rows.slice(0, size);
    const last = items.at(-1);
    const after = new URLSearchParams({
      ...query,
      cursor: `${last?.id} ${sort ? last?.name : ""}`,
    });
    return { items, next: rows.length > size ? `/api/items/?${after}` : null };
  });

  app.post<{ Body: ItemBody }>("/api/items/", {
    schema: { body: sent, response: { 201: shown, 422: problem } },
  }, async ({ body }, reply) => {
    const made = await inTransaction(pool, (client) => create(client, body));
    if (!made) return reply.code(422).send({ title: "Invalid" });
    return reply.code(201).header("Location", `/api/items/${made.id}/`).send(made);
  });
}

async function create(client: PoolClient, { name, price, tags }: ItemBody): Promise<Item> {
  const { rows: [item] } = await client.query<Item>({
    name: "createItem",
    text: createItem,
    values: [name, price],
  });
  const links = await client.query<Item["tags"][number]>({
    name: "createLinks",
    text: createLinks,
    values: [item!.id, tags],
  });
  return { ...item!, tags: links.rows };
}
