// The choices of a relation, for forms: a map from identifier to display text. Only these two are read,
// never whole objects.
import { reads, slot, sql, type Statement, where } from "../db/sql.ts";
import type { Query, Resource, Verb } from "../model/model.ts";
import { oneOf, relationOf, titleOf } from "../model/resource.ts";
import { identifiersIn } from "./filter.ts";
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
    query: (resource) => {
      const chosen = chosenOf(resource, field);
      return {
        limit: page.limit,
        cursor: page.cursor,
        q: page.searchText("Text that the display text contains, in whatever case"),
        [chosen.name]: chosen.parameter,
      };
    },
    statements: (resource) => Object.values(formsOf(resource, field)),
    prepare(resource, path, { database, prefix }) {
      const forms = formsOf(resource, field);
      const chosen = chosenOf(resource, field).name;
      const from = prefix + path;
      return async ({ query }) => {
        const { q } = query;
        const identity = page.identify(from, query);
        const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
        const rows = await database.run(
          forms[formOf(q !== undefined, Object.hasOwn(query, chosen))],
          {
            ...query,
            after: page.start(identity, query, page.idKey)?.[0] ?? 0,
            limit: limit + 1,
            ...(q !== undefined && { q: page.containing(String(q)) }),
          },
        );
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

/** The parameter for the choices with some identifiers, so that a form can show what is already chosen. */
function chosenOf(resource: Resource, field: string) {
  return identifiersIn(relationOf(resource, field).target(resource), sql`candidate.id`);
}

/** The statements, by whether there is a text and whether there are identifiers. */
function formsOf(resource: Resource, field: string) {
  return {
    all: statementOf(resource, field),
    found: statementOf(resource, field, { contains: true }),
    chosen: statementOf(resource, field, { isChosen: true }),
    both: statementOf(resource, field, { contains: true, isChosen: true }),
  };
}

function formOf(contains: boolean, isChosen: boolean): keyof ReturnType<typeof formsOf> {
  if (contains) return isChosen ? "both" : "found";
  return isChosen ? "chosen" : "all";
}

function statementOf(
  resource: Resource,
  field: string,
  { contains = false, isChosen = false } = {},
): Statement<Query, Choice> {
  const words = [
    ...(contains ? ["that contain a text"] : []),
    ...(isChosen ? ["with some identifiers"] : []),
  ];
  const conditions = [
    sql`candidate.id > ${slot("after", "bigint")}`,
    ...(contains ? [sql`lower(candidate.text) like lower(${slot("q", "text")})`] : []),
    ...(isChosen ? [chosenOf(resource, field).condition] : []),
  ];
  return reads(
    [`choices of ${field}`, ...words].join(" "),
    sql`
      select
        candidate.id,
        candidate.text
      from (
        ${relationOf(resource, field).candidates(resource)}
      ) as candidate${where(conditions)}
      order by candidate.id
      limit ${slot("limit", "integer")}`,
    { replans: contains },
  );
}
