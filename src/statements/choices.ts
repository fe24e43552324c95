// The statements of the candidates of a relation: their identifiers and display texts.
import { raw, reads, slot, type Sql, sql, type Statement, where } from "../db/sql.ts";
import type { Query, Resource } from "../model/model.ts";
import { relationOf } from "../model/resource.ts";
import { folded } from "../model/text.ts";
import { identifiersIn } from "./filter.ts";
import { forms } from "./forms.ts";
import { PAGE_BYTES } from "./long.ts";

interface Choice {
  id: string;
  /** Null if the page has no room for it. */
  text: string | null;
}

/** The parameter for the choices with some identifiers, so that a form can show what is already chosen. */
export function chosenOf(resource: Resource, field: string) {
  return identifiersIn(relationOf(resource, field).target(resource), sql`candidate.id`);
}

/** What tells a statement from the others of the same field. */
export interface ChoicesForm {
  /** Whether the candidates contain a text. */
  contains: boolean;
  /** Whether they are among some identifiers. */
  isChosen: boolean;
  /** The most candidates of a page: part of the text, as in a list. */
  limit: number;
}

export function choicesStatements(resource: Resource, field: string) {
  return forms(
    ({ contains, isChosen, limit }: ChoicesForm) => [contains, isChosen, limit].join(),
    (form) => choicesStatement(resource, field, form),
  );
}

export function choicesStatement(
  resource: Resource,
  field: string,
  { contains, isChosen, limit }: ChoicesForm,
): Statement<Query, Choice> {
  const relation = relationOf(resource, field);
  const target = relation.target(resource);
  const type = target.identifiers.sqlType;
  const words = [
    ...(contains ? ["that contain a text"] : []),
    ...(isChosen ? ["with some identifiers"] : []),
  ];
  const conditions = [
    sql`candidate.id > ${slot("after", type)}`,
    ...(contains ? [sql`${folded(sql`candidate.text`)} like lower(${slot("q", "text")})`] : []),
    ...(isChosen ? [chosenOf(resource, field).condition] : []),
  ];
  const page = sql`
    select
      candidate.id::text as id,
      candidate.text
    from (
      ${relation.candidates(resource)}
    ) as candidate${where(conditions)}
    order by candidate.id
    limit ${limit + 1}`;
  return reads(
    [`choices of ${field}`, ...words].join(" "),
    hasLongLabels(target) ? withinBytes(page, sql`id::${raw(type)}`) : page,
    { replans: contains, isForm: true },
  );
}

/** Whether the texts that people know the rows by may be long. */
function hasLongLabels({ display, fields }: Resource): boolean {
  return display !== undefined && fields[display]!.bytes !== undefined;
}

/** A page without the texts that come after a megabyte of them. */
function withinBytes(page: Sql, id: Sql): Sql {
  const before = sql`sum(octet_length(text)) over (
        order by ${id}
        rows between unbounded preceding and 1 preceding
      )`;
  return sql`
    select
      id,
      case when coalesce(${before}, 0) < ${PAGE_BYTES} then text end as text
    from (
      ${page}
    ) as page
    order by ${id}`;
}
