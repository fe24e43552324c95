// The candidate list of a relation, for documentation and forms: identifier → display text. It is
// built from those two alone; no object is read.
import type { Query, Relation, Resource, Verb } from "../declaration/declaration.ts";
import { planned, type Sql } from "../database/sql.ts";
import * as page from "./page.ts";

interface Choice {
  id: number;
  text: string;
}

export function choices(field: string): Verb {
  return {
    name: "choices",
    method: "GET",
    operation: (resource) => ({
      id: `list${resource.title}${relationOf(resource, field).target.title}Choices`,
      summary: `List what the ${field} of a ${resource.name} can refer to`,
      answer: { status: 200, holds: "choices" },
      candidatesOf: field,
      problems: [],
    }),
    query: () => ({
      limit: page.limit,
      cursor: page.cursor,
      q: page.searchText("Text that the display text contains, in whatever case"),
    }),
    prepare(resource, path, { sql, prefix }) {
      const compose = composer(sql, relationOf(resource, field));
      const from = prefix + path;
      return async ({ query }) => {
        const identity = page.identify(from, query);
        const after = page.start(identity, query, page.idKey)?.[0] ?? 0;
        const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
        const rows = await compose(query["q"], after, limit);
        const found = rows.slice(0, limit);
        const last = found.at(-1);
        const next = last && rows.length > limit
          ? page.next(identity, from, query, [last.id])
          : null;
        // An object lists keys that are integers in ascending order, which is the order of choices.
        const choices = Object.fromEntries(found.map(({ id, text }) => [id, text]));
        return { status: 200, body: JSON.stringify({ choices, next }), next };
      };
    },
  };
}

function composer(sql: Sql, relation: Relation) {
  const candidates = relation.candidates(sql);
  return (q: Query[string] | undefined, after: number, limit: number) => {
    const found = q === undefined
      ? sql`true`
      : sql`candidate.text ilike ${page.containing(String(q))}`;
    const statement = sql<Choice[]>`
      select
        candidate.id,
        candidate.text
      from (${candidates}) as candidate
      where candidate.id > ${after}
        and ${found}
      order by candidate.id
      limit ${limit + 1}`;
    return q === undefined ? statement : planned(statement);
  };
}

function relationOf({ name, relations }: Resource, field: string): Relation {
  const relation = relations[field];
  if (!relation) throw new Error(`The resource "${name}" has no relation "${field}"`);
  return relation;
}
