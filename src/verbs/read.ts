// Reading one row: by its identifier, or the newest of all.
import type { Resource, Service, Verb } from "../declaration/declaration.ts";
import { Problem } from "../problem.ts";
import { representation } from "./representation.ts";

export const read: Verb = {
  name: "read",
  method: "GET",
  operation: ({ name, title }) => ({
    id: `read${title}`,
    summary: `Read one ${name}`,
    answer: { status: 200, holds: "object" },
    problems: ["not_found"],
  }),
  prepare(resource, _path, service) {
    const find = finder(resource, service);
    return async ({ identifier }) => ({ status: 200, body: await find(identifier) });
  },
};

/** The most recently created row: the order of creation is that of the identifiers. */
export const last: Verb = {
  name: "last",
  method: "GET",
  operation: ({ name, title }) => ({
    id: `readLast${title}`,
    summary: `Read the most recently created ${name}`,
    answer: { status: 200, holds: "object" },
    problems: ["not_found"],
  }),
  prepare(resource, _path, { sql }) {
    const rows = resource.statements(sql).read(sql`${sql(resource.name)}`);
    const represent = representation(resource);
    return async () => {
      const [row] = await sql<{ text: string }[]>`
        select row_to_json(item)::text as text
        from (${rows}) as item
        order by item.${sql(resource.key)} desc
        limit 1`;
      if (!row) throw new Problem("not_found", `There is no ${resource.name} yet`);
      return { status: 200, body: represent(row.text) };
    };
  },
};

/** Makes, once, what finds the representation of a row; throws a problem where there is none. */
export function finder(resource: Resource, { sql }: Service): (id: number) => Promise<string> {
  const rows = resource.statements(sql).read(sql`${sql(resource.name)}`);
  const represent = representation(resource);
  return async (id) => {
    const [row] = await sql<{ text: string }[]>`
      select row_to_json(item)::text as text
      from (${rows}) as item
      where item.${sql(resource.key)} = any(${[id]}::bigint[])`;
    if (!row) throw absent(resource, id);
    return represent(row.text);
  };
}

/** What a request meets whose path names a row that is not there. */
export function absent({ name }: Resource, identifier: number): Problem {
  return new Problem("not_found", `No ${name} has the identifier ${identifier}`);
}
