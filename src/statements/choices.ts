// The statements of the candidates of a relation: their identifiers and display texts. In test/statements.sql one
// is called `choices of bar that contain a text with some identifiers`.
import { reads, slot, sql, type Statement, where } from "../db/sql.ts";
import type { Query, Resource } from "../model/model.ts";
import { relationAt } from "../model/resource.ts";
import { cursorParts, tuple } from "../model/table.ts";
import { folded } from "../model/text.ts";
import { identifiersIn } from "./filter.ts";
import { forms } from "./forms.ts";
import { ifItFits } from "./long.ts";

interface Choice {
  id: string;
  /** Null if the page has no room for it. */
  text: string | null;
}

/** The parameter for the choices with some identifiers, so that a form can show what is already chosen. */
export function chosenOf(resource: Resource, field: string) {
  return identifiersIn(relationAt(resource, field).target, sql`candidate.id`);
}

/** What tells a statement from the others of the same field. */
interface ChoicesForm {
  /** Whether the candidates contain a text. */
  contains: boolean;
  /** Whether they are among some identifiers. */
  isChosen: boolean;
  /** Whether they begin after one. */
  isAfter: boolean;
  /** The most candidates that are found: part of the text, as in a list. */
  size: number;
}

export function choicesStatements(resource: Resource, field: string) {
  return forms(
    ({ contains, isChosen, isAfter, size }: ChoicesForm) =>
      [contains, isChosen, isAfter, size].join(),
    (form) => choicesStatement(resource, field, form),
  );
}

export function choicesStatement(
  resource: Resource,
  field: string,
  { contains, isChosen, isAfter, size }: ChoicesForm,
): Statement<Query, Choice> {
  const { relation, of, target } = relationAt(resource, field);
  const { display, fields } = target;
  const [id, text] = [sql`candidate.id`, sql`candidate.text`];
  const bytes = display === undefined ? undefined : fields[display]!.bytes?.(text);
  const words = [contains && "that contain a text", isChosen && "with some identifiers"];
  const conditions = [
    isAfter &&
    sql`${id} > ${tuple(cursorParts(target, slot("after", target.identifiers.sqlType)))}`,
    contains && sql`${folded(text)} like lower(${slot("q", "text")})`,
    isChosen && chosenOf(resource, field).condition,
  ];
  return reads(
    [`choices of ${field}`, ...words].filter(Boolean).join(" "),
    sql`
      select
        ${id}::text as id,
        ${ifItFits(text, bytes, id)} as text
      from (
        select candidate.*
        from (
          ${relation.candidates(of)}
        ) as candidate
        ${where(conditions)}
        order by ${id}
        limit ${size + 1}
      ) as candidate
      order by ${id}`,
    { replans: contains, isForm: true },
  );
}
