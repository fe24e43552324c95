// The idea of the service: a relation is written as an identifier and read, in the same field, as the
// object it refers to (or as the identifier, if declared so). Its candidate set defines the valid
// identifiers: validation, the write itself and the choices all use this one set.
import { name, projectSql, raw, Sql, sql, where } from "../db/sql.ts";
import type { FieldCode } from "../errors/problem.ts";
import { jsonTypeOf } from "./field.ts";
import { filterBy } from "./key.ts";
import type { Field, Payload, Relation, Resource, Sent } from "./model.ts";
import type { Condition, Options } from "./options.ts";
import { identifierFrom, isResource, nestedIn, withArticle } from "./resource.ts";
import { selectedIdentifier, selection, shownRow } from "./selection.ts";
import {
  givenIdentifier,
  identifierOf,
  inColumn,
  isNarrowed,
  rowsOf,
  sentIdentifier,
} from "./table.ts";
import { checkedOptions, describeValue, word } from "./word.ts";

/** What a relation refers to: a resource, its own resource, or one that is declared further down. */
export type Target = Resource | "self" | (() => Resource);

/** A relation to one row of another resource. */
export const relation = word((target: Target, options: Options["relation"] = {}): Field => {
  const { read = "object", where: condition, default: fallback, ...rest } = checkedOptions(
    "relation",
    options,
  );
  const nested = read === "object";
  checkTarget("relation", target);
  const relation = relationTo(target, nested, condition);
  return {
    kind: "relation",
    ...rest,
    relation,
    ...(nested && {
      show: ({ resource, written, row, column, joined }) => {
        const shown = nestedIn(resource, relation);
        const key = selectedIdentifier(shown, joined);
        // A row that refers to itself is joined as it was before the statement
        const isOther = relation.target(resource) === resource
          ? sql` and ${key} <> ${identifierOf(resource, row)}`
          : sql``;
        return {
          value: shownOrHidden(
            shown,
            sql`row_to_json(${shownRow(shown, joined)})`,
            sql`${row}.${column}`,
            written,
          ),
          join: sql`
            left join (
              ${selection(shown, rowsOf(shown), written)}
            ) as ${joined}
              on ${key} = ${row}.${column}`,
          isSeen: sql`(${row}.${column} is null or ${key} is not null${isOther})`,
        };
      },
    }),
    whenDeclared(resource) {
      const target = relation.target(resource);
      const key = target.identifiers;
      return {
        columnType: key.referenceType,
        read: key.read,
        ...(key.cast && { value: (column) => givenIdentifier(target, column) }),
        write: {
          schema: key.write,
          sqlType: key.sqlType,
          ...(key.cast && { stored: inColumn }),
          default: fallback,
          explain: (code, value) => explainIdentifier(relation, resource, code, value),
          refusal: (value, field, sent) =>
            sql`case when ${value} is not null
              and ${isCandidate(relation, sent.resource, value)} is null${
              unlessKept(relation, value, field, sent)
            }
              then ${`${field}:does_not_exist`}
            end`,
        },
        filter: filterBy(key),
      };
    },
  };
});

/** That a value is not the one that the row has: an identifier of a row that is hidden may stay. */
function unlessKept(
  relation: Relation,
  value: Sql,
  field: string,
  { resource, stored }: Sent,
): Sql {
  const target = relation.target(resource);
  if (!stored || !isNarrowed(target)) return sql``;
  const kept = givenIdentifier(target, stored(resource.fields[field]!.column));
  return sql` and ${value} is distinct from ${kept}`;
}

/** Throws an error about what a relation cannot refer to. A function may give a resource. */
export function checkTarget(word: string, target: unknown): void {
  if (target === "self" || isResource(target) || typeof target === "function") return;
  throw new Error(
    `${word} takes a resource, a function that gives one, or "self", not ${describeValue(target)}`,
  );
}

/** SQL for whether an identifier is among candidates: true or null. It is checked row by row: with `exists`,
 * Postgres would read the whole set if it is small. */
export function isCandidate(relation: Relation, resource: Payload, identifier: Sql): Sql {
  return sql`(
    select true
    from (
      ${relation.candidates(resource)}
    ) as candidate
    where candidate.id = ${sentIdentifier(relation.target(resource), identifier)}
  )`;
}

/** What all relations have. */
export function relationTo(
  target: Target,
  nested: boolean,
  condition?: Condition,
): Relation {
  const targetOf = (of: Payload) => {
    const seen = (declared: Resource) => of.view?.of(declared) ?? declared;
    if (target !== "self") return seen(typeof target === "function" ? target() : target);
    const resource = of as Resource; // no action refers to itself
    // A row that is owned may refer to one that another row owns
    return resource.owned ? seen(resource.owned.of) : resource;
  };
  return {
    target: targetOf,
    nested,
    isMany: false,
    isOrdered: false,
    isNarrowed: condition !== undefined,
    pairs: (resource, column) => ({ table: resource.table, to: column }),
    bytes({ resource, column, other, bytes }) {
      const target = targetOf(resource);
      const rows = rowsOf(target, other);
      const key = identifierOf(target, other);
      return sql`coalesce((select ${bytes} from ${rows} where ${key} = ${column}), 0)`;
    },
    candidates: (resource) => {
      const target = targetOf(resource);
      return sql`
        select
          ${identifierOf(target, name(target.name))} as id,
          ${label(target)} as text
        from ${rowsOf(target)}
        ${where([condition && sqlOf(condition)])}`;
    },
  };
}

function sqlOf(condition: Condition): Sql {
  const made = condition(projectSql);
  if (made instanceof Sql) return made;
  throw new Error(`its "where" gives SQL, as in (sql) => sql\`…\`, not ${describeValue(made)}`);
}

/** What is shown of a row, where callers may not read it its identifier alone, as the row that refers to it has it. */
export function shownOrHidden(
  target: Resource,
  shown: Sql,
  refers: Sql,
  written: Resource | undefined,
): Sql {
  if (!isNarrowed(target)) return shown;
  const identifier = sql`${shownIdentifier(target, refers, written)} as ${name(target.key)}`;
  return sql`coalesce(
    ${shown},
    case when ${refers} is not null then (
      select row_to_json(relata_hidden)
      from (select ${identifier}) as relata_hidden
    ) end
  )`;
}

/** The identifier of a row as its field shows it: where that is a relation to an object, the object, which callers may
 * read or not by its own rules. */
function shownIdentifier(target: Resource, refers: Sql, written: Resource | undefined): Sql {
  const relation = target.relations[target.key];
  if (!relation?.nested) return givenIdentifier(target, refers);
  const object = nestedIn(target, relation);
  const row = raw("relata_identified");
  return sql`(
    select ${shownOrHidden(object, sql`row_to_json(${shownRow(object, row)})`, refers, written)}
    from (select) as relata_one
    left join (
      ${selection(object, rowsOf(object), written)}
    ) as ${row}
      on ${selectedIdentifier(object, row)} = ${refers}
  )`;
}

/** The display text of a row: its display field, or `bar 3` if that is empty. The search index is on this
 * expression in lower case. */
export function label(resource: Resource): Sql {
  const { display, fields } = resource;
  const row = name(resource.name);
  const numbered = sql`${`${resource.name} `} || ${identifierOf(resource, row)}::text`;
  if (!display) return numbered;
  return sql`coalesce(nullif(${row}.${name(fields[display]!.column)}, ''), ${numbered})`;
}

/** The detail for a refused identifier. */
export function explainIdentifier(
  { target: targetOf, isNarrowed }: Relation,
  resource: Payload,
  code: FieldCode,
  value: unknown,
): string {
  const target = targetOf(resource);
  const { is, noun, range } = target.identifiers;
  if (code === "does_not_exist") {
    // A row outside of a narrowed set gets the same answer as one that does not exist
    const which = isNarrowed ? `${target.name} that this field takes` : target.name;
    return is(value) ? `No ${which} has the identifier ${value}` : `Identifiers are ${range}`;
  }
  const nested = identifierFrom(target, Object(value));
  return is(nested)
    ? `Send the identifier ${nested}, not the object`
    : `Send the identifier of ${withArticle(target)}, ${noun}, not ${jsonTypeOf(value)}`;
}
