// The idea of the service: a relation is written as an identifier and read, in the same field, as the
// object it refers to (or as the identifier, if declared so). Its candidate set defines the valid
// identifiers: validation, the write itself and the choices all use this one set.
import * as v from "valibot";
import { name, type Sql, sql, where } from "../db/sql.ts";
import type { FieldCode } from "../errors/problem.ts";
import { identifierSchema, identifierType, kindOf, MAXIMUM_IDENTIFIER } from "./field.ts";
import type { Field, Resource } from "./model.ts";
import { example } from "./resource.ts";
import { selection } from "./selection.ts";

export interface RelationOptions {
  /** The column of the foreign key. */
  column: string;
  /** Whether an answer holds the object or the identifier. */
  read?: "object" | "identifier";
  /** A condition on the target's table that narrows the candidate set; the default is every row. */
  where?: (sql: Tag) => Sql;
}

/** The tag that declarations get. */
type Tag = typeof sql;

export function relation(target: Resource, options: RelationOptions): Field {
  const { column, read = "object", where: condition } = options;
  const nested = read === "object";
  const table = name(target.name);
  const candidates = sql`
    select
      ${table}.id,
      ${label(target)} as text
    from ${table}${where(condition ? [condition(sql)] : [])}`;
  return {
    kind: "relation",
    column,
    example: nested ? example(target) : 1,
    read: nested ? target.schemas.read : identifierSchema,
    relation: { target, nested, candidates },
    ...(nested && {
      show: ({ row, column, joined }) => ({
        value: sql`row_to_json(${joined})`,
        join: sql`
          join (
            ${selection(target, table)}
          ) as ${joined}
            on ${joined}.${name(target.key)} = ${row}.${column}`,
      }),
    }),
    write: {
      schema: v.pipe(
        v.number("incorrect_type"),
        v.metadata(identifierType),
        v.check(isIntegral, "incorrect_type"),
        v.minValue(1, "does_not_exist"),
        v.maxValue(MAXIMUM_IDENTIFIER, "does_not_exist"),
      ),
      sqlType: "bigint",
      explain: (code, value) => explain(target, code, value),
      // Checked row by row: with `exists`, Postgres would read the whole set if it is small
      refusal: (value) =>
        sql`case when ${value} is not null and (
          select true
          from (
            ${candidates}
          ) as candidate
          where candidate.id = ${value}
        ) is null then 'does_not_exist' end`,
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

/** JSON has no integer type: a number without a fraction counts as one, even one too large for a double. */
function isIntegral(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Infinity;
}

function explain(target: Resource, code: FieldCode, value: unknown): string {
  if (code === "does_not_exist") {
    return Number.isSafeInteger(value)
      ? `No ${target.name} has the identifier ${value}`
      : `Identifiers are integers from 1 to ${MAXIMUM_IDENTIFIER}`;
  }
  const nested = (value as Record<string, unknown> | null)?.[target.key];
  return Number.isSafeInteger(nested)
    ? `Send the identifier ${nested}, not the object`
    : `Send the identifier of a ${target.name}, an integer, not ${kindOf(value)}`;
}
