// The statements of the candidates of a relation: their identifiers and display texts.
import { reads, slot, sql, type Statement, where } from "../db/sql.ts";
import type { Query, Resource } from "../model/model.ts";
import { relationOf } from "../model/resource.ts";
import { identifiersIn } from "./filter.ts";
import { forms } from "./forms.ts";

interface Choice {
  id: string;
  text: string;
}

/** The parameter for the choices with some identifiers, so that a form can show what is already chosen. */
export function chosenOf(resource: Resource, field: string) {
  return identifiersIn(relationOf(resource, field).target(resource), sql`candidate.id`);
}

/** What tells a statement from the others of the same field. */
export interface Form {
  /** Whether the candidates contain a text. */
  contains: boolean;
  /** Whether they are among some identifiers. */
  isChosen: boolean;
  /** The most candidates of a page: part of the text, as in a list. */
  limit: number;
}

export function choicesStatements(resource: Resource, field: string) {
  return forms(
    ({ contains, isChosen, limit }: Form) => [contains, isChosen, limit].join(),
    (form) => choicesStatement(resource, field, form),
  );
}

export function choicesStatement(
  resource: Resource,
  field: string,
  { contains, isChosen, limit }: Form,
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
        candidate.id::text as id,
        candidate.text
      from (
        ${relationOf(resource, field).candidates(resource)}
      ) as candidate${where(conditions)}
      order by candidate.id
      limit ${limit + 1}`,
    { replans: contains, isForm: true },
  );
}
