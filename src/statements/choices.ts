// The statements of the candidates of a relation: their identifiers and display texts.
import { reads, slot, sql, type Statement, where } from "../db/sql.ts";
import type { Query, Resource } from "../model/model.ts";
import { relationOf } from "../model/resource.ts";
import { identifiersIn } from "./filter.ts";

interface Choice {
  id: number;
  text: string;
}

/** The parameter for the choices with some identifiers, so that a form can show what is already chosen. */
export function chosenOf(resource: Resource, field: string) {
  return identifiersIn(relationOf(resource, field).target(resource), sql`candidate.id`);
}

/** The statements, by whether there is a text and whether there are identifiers. */
export function choicesStatements(resource: Resource, field: string) {
  return {
    all: statementOf(resource, field),
    found: statementOf(resource, field, { contains: true }),
    chosen: statementOf(resource, field, { isChosen: true }),
    both: statementOf(resource, field, { contains: true, isChosen: true }),
  };
}

export function formOf(
  contains: boolean,
  isChosen: boolean,
): keyof ReturnType<typeof choicesStatements> {
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
