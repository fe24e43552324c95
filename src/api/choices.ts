// The choices of a relation, for forms: a map from identifier to display text. Only these two are read,
// never whole objects.
import { reads, slot, type Sql, sql, type Statement, where } from "../db/sql.ts";
import type { Query, Verb } from "../model/model.ts";
import { oneOf, relationOf, titleOf } from "../model/resource.ts";
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
      id: `list${resource.title}${titleOf(field)}Choices`,
      summary: `List what the ${field} of ${oneOf(resource)} can refer to`,
      answer: { status: 200, holds: "choices" },
      candidatesOf: field,
      problems: [],
    }),
    query: () => ({
      limit: page.limit,
      cursor: page.cursor,
      q: page.searchText("Text that the display text contains, in whatever case"),
    }),
    statements: (resource) => {
      const candidates = relationOf(resource, field).candidates(resource);
      return [choicesStatement(field, candidates), searchStatement(field, candidates)];
    },
    prepare(resource, path, { database, prefix }) {
      const candidates = relationOf(resource, field).candidates(resource);
      const all = choicesStatement(field, candidates);
      const found = searchStatement(field, candidates);
      const from = prefix + path;
      return async ({ query }) => {
        const { q } = query;
        const identity = page.identify(from, query);
        const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
        const rows = await database.run(q === undefined ? all : found, {
          after: page.start(identity, query, page.idKey)?.[0] ?? 0,
          limit: limit + 1,
          ...(q !== undefined && { q: page.containing(String(q)) }),
        });
        const shown = rows.slice(0, limit);
        const last = shown.at(-1);
        const next = last && rows.length > limit
          ? page.next(identity, from, query, [last.id])
          : null;
        // A JavaScript object lists integer keys in ascending order, which is the order of choices
        const choices = Object.fromEntries(shown.map(({ id, text }) => [id, text]));
        return { status: 200, body: JSON.stringify({ choices, next }), next };
      };
    },
  };
}

function choicesStatement(field: string, candidates: Sql): Statement<Query, Choice> {
  return statementOf(`choices of ${field}`, candidates);
}

function searchStatement(field: string, candidates: Sql): Statement<Query, Choice> {
  return statementOf(`choices of ${field} that contain a text`, candidates, { contains: true });
}

function statementOf(
  title: string,
  candidates: Sql,
  { contains = false } = {},
): Statement<Query, Choice> {
  const conditions = [
    sql`candidate.id > ${slot("after", "bigint")}`,
    ...(contains ? [sql`lower(candidate.text) like lower(${slot("q", "text")})`] : []),
  ];
  return reads(
    title,
    sql`
      select
        candidate.id,
        candidate.text
      from (
        ${candidates}
      ) as candidate${where(conditions)}
      order by candidate.id
      limit ${slot("limit", "integer")}`,
    { replans: contains },
  );
}
