// The idea of the service: a relation is written as an identifier and read, in the same field, as the
// object it refers to (or as the identifier, if declared so). Its candidate set defines the valid
// identifiers: validation, the write itself and the choices all use this one set.
import * as v from "valibot";
import { name, type Sql, sql, where } from "../db/sql.ts";
import type { FieldCode } from "../errors/problem.ts";
import { defaultOf, type FieldOptions, kindOf } from "./field.ts";
import type { Field, Relation, Resource } from "./model.ts";
import {
  identifierFilter,
  identifierSchema,
  identifierStored,
  integerType,
  isIntegral,
  MAXIMUM_INTEGER,
} from "./number.ts";
import { nestedIn } from "./resource.ts";
import { selection } from "./selection.ts";

export interface RelationOptions extends FieldOptions {
  /** Whether an answer holds the object or the identifier. */
  read?: "object" | "identifier";
  /** A condition on the target's table that narrows the candidate set; without it, every row is one. */
  where?: (sql: Tag) => Sql;
  /** The identifier that a POST or PUT without the field stores; without a default, the field is required. */
  default?: number;
}

/** What a relation refers to: a resource, its own resource, or one that is declared further down. */
export type Target = Resource | "self" | (() => Resource);

/** The tag that declarations get. */
type Tag = typeof sql;

/** A relation to one row of another resource. */
export function relation(target: Target, options: RelationOptions = {}): Field {
  const { read = "object", where: condition, default: fallback, ...rest } = options;
  const nested = read === "object";
  const relation = relationTo(target, nested, condition);
  return {
    kind: "relation",
    ...rest,
    stored: { types: identifierStored.types, converted: identifierStored.converted },
    read: identifierSchema,
    relation,
    ...(nested && {
      show: ({ resource, row, column, joined }) => {
        const shown = nestedIn(resource, relation);
        const key = sql`${joined}.${name(shown.key)}`;
        // A row that refers to itself is joined as it was before the statement
        const isOther = relation.target(resource) === resource
          ? sql` and ${key} <> ${row}.id`
          : sql``;
        return {
          value: sql`row_to_json(${joined})`,
          join: sql`
            left join (
              ${selection(shown, name(shown.name))}
            ) as ${joined}
              on ${key} = ${row}.${column}`,
          isSeen: sql`(${row}.${column} is null or ${key} is not null${isOther})`,
        };
      },
    }),
    write: {
      schema: identifierOfOne,
      sqlType: "bigint",
      ...defaultOf(fallback),
      explain: (code, value, resource) => explainIdentifier(relation, resource, code, value),
      refusal: (value, field, resource) =>
        sql`case when ${value} is not null
          and ${isCandidate(relation.candidates(resource), value)} is null
          then ${`${field}:does_not_exist`}
        end`,
    },
    filter: identifierFilter,
  };
}

/** SQL for whether an identifier is among candidates: true or null. It is checked row by row: with `exists`,
 * Postgres would read the whole set if it is small. */
export function isCandidate(candidates: Sql, identifier: Sql): Sql {
  return sql`(
    select true
    from (
      ${candidates}
    ) as candidate
    where candidate.id = ${identifier}
  )`;
}

/** What a client sends to refer to a row. */
export const identifierOfOne = v.pipe(
  v.number("incorrect_type"),
  v.metadata(integerType),
  v.check(isIntegral, "incorrect_type"),
  v.minValue(1, "does_not_exist"),
  v.maxValue(MAXIMUM_INTEGER, "does_not_exist"),
);

/** What all relations have. */
export function relationTo(
  target: Target,
  nested: boolean,
  condition?: (sql: Tag) => Sql,
): Relation {
  const targetOf = (resource: Resource) => {
    if (target === "self") return resource;
    return typeof target === "function" ? target() : target;
  };
  return {
    target: targetOf,
    nested,
    isNarrowed: condition !== undefined,
    candidates: (resource) => {
      const target = targetOf(resource);
      const table = name(target.name);
      return sql`
        select
          ${table}.id,
          ${label(target)} as text
        from ${table}${where(condition ? [condition(sql)] : [])}`;
    },
  };
}

/** The display text of a row: its display field, or `bar 3` if that is empty. The search index is on this
 * expression in lower case. */
export function label({ name: table, display, fields }: Resource): Sql {
  const numbered = sql`${table + " "} || ${name(table)}.id::text`;
  if (!display) return numbered;
  return sql`coalesce(nullif(${name(table)}.${name(fields[display]!.column)}, ''), ${numbered})`;
}

/** The detail for a refused identifier. */
export function explainIdentifier(
  { target: targetOf, isNarrowed }: Relation,
  resource: Resource,
  code: FieldCode,
  value: unknown,
): string {
  const target = targetOf(resource);
  if (code === "does_not_exist") {
    // A row outside of a narrowed set gets the same answer as one that does not exist
    const which = isNarrowed ? `${target.name} that this field takes` : target.name;
    return Number.isSafeInteger(value)
      ? `No ${which} has the identifier ${value}`
      : `Identifiers are integers from 1 to ${MAXIMUM_INTEGER}`;
  }
  const nested = (value as Record<string, unknown> | null)?.[target.key];
  return Number.isSafeInteger(nested)
    ? `Send the identifier ${nested}, not the object`
    : `Send the identifier of a ${target.name}, an integer, not ${kindOf(value)}`;
}
