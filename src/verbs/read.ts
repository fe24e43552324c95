// Reading one row: by its identifier, or the newest of all.
import type { Resource, Service, Verb } from "../declaration/declaration.ts";
import { readConditions } from "../api/conditions.ts";
import { coalesce } from "../database/coalesce.ts";
import { composedOnce, type Fragment } from "../database/sql.ts";
import { Problem } from "../problem.ts";
import { type Representation, representation, shown } from "./representation.ts";

/** The reads that one statement answers at most. */
const TOGETHER = 128;

/** The statements of one kind under way at most: Postgres goes from one to the next without a rest,
 * and this process has the answers of the last to write meanwhile. */
const ABREAST = 3;

export const read: Verb = {
  name: "read",
  method: "GET",
  operation: ({ name, title }) => ({
    id: `read${title}`,
    summary: `Read one ${name}`,
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed"],
  }),
  headers: readConditions,
  prepare(resource, _path, service) {
    const find = finder(resource, service);
    return async ({ identifier }) => {
      const { body, tag } = orNotFound(await find(identifier), resource, identifier);
      return { status: 200, body, tag };
    };
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
    problems: ["not_found", "precondition_failed"],
  }),
  headers: readConditions,
  prepare(resource, _path, { sql, metrics }) {
    const { name } = resource;
    const represent = representation(resource);
    const text = shown(sql, resource, name);
    const select = composedOnce(sql, () =>
      sql<{ text: string }[]>`
        select ${text} as text
        from ${sql(name)}
        order by id desc
        limit 1`);
    const find = coalesce(
      async (requests: null[]) => {
        const [row] = await select();
        const newest = row && represent(row.text);
        return requests.map(() => newest);
      },
      { size: TOGETHER, abreast: ABREAST, observe: metrics.batches(`last ${name}`) },
    );
    return async () => {
      const newest = await find(null);
      if (newest) return { status: 200, body: newest.body, tag: newest.tag };
      throw new Problem("not_found", `There is no ${name} yet`);
    };
  },
};

/** Makes, once, what finds the representation of a row; undefined where there is none. */
export function finder(
  resource: Resource,
  { sql, metrics }: Service,
): (id: number) => Promise<Representation | undefined> {
  const represent = representation(resource);
  const text = shown(sql, resource, resource.name);
  const select = (condition: Fragment) =>
    sql<{ id: number; text: string }[]>`
      select
        id,
        ${text} as text
      from ${sql(resource.name)}
      where id ${condition}`;
  const one = composedOnce(sql, (identifier: number) => select(sql`= ${identifier}::bigint`));
  // Postgres cannot look into the inner select, so it keeps one plan for any number of identifiers.
  const many = composedOnce(
    sql,
    (identifiers: number[]) => select(sql`= any((select ${identifiers}::bigint[])::bigint[])`),
  );
  return coalesce(
    async (identifiers: number[]) => {
      const found = new Map<number, Representation>();
      const alone = identifiers.length === 1;
      const rows = await (alone ? one(identifiers[0]!) : many(identifiers));
      for (const { id, text } of rows) found.set(id, represent(text));
      return identifiers.map((id) => found.get(id));
    },
    { size: TOGETHER, abreast: ABREAST, observe: metrics.batches(`read ${resource.name}`) },
  );
}

/** What was found by an identifier; throws a problem where nothing was. */
export function orNotFound(
  found: Representation | undefined,
  resource: Resource,
  identifier: number,
): Representation {
  if (found) return found;
  throw notFound(resource, identifier);
}

/** What a request meets whose path names a row that is not there. */
export function notFound({ name }: Resource, identifier: number): Problem {
  return new Problem("not_found", `No ${name} has the identifier ${identifier}`);
}
