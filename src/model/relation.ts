// The idea of the service. A relation is written as an identifier and read, in the same field, as
// the object it refers to (or, where it is declared so, as the identifier). Its candidate set says
// which identifiers hold: validation, the write itself and the choices all ask this one set.
import * as v from "valibot";
import { name, type Sql, sql, where } from "../db/sql.ts";
import type { FieldCode } from "../problem.ts";
import { identifierSchema, kindOf, MAXIMUM_IDENTIFIER } from "./field.ts";
import type { Field, Resource } from "./model.ts";
import { example } from "./resource.ts";
import { selection } from "./selection.ts";

export interface RelationOptions {
  /** The column of the foreign key. */
  column: string;
  /** What the field holds in an answer. */
  read?: "object" | "identifier";
  /** A condition on the target's table that narrows the candidate set; without it, every row. */
  where?: (sql: Tag) => Sql;
}

/** The tag, handed to declarations. */
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
        v.metadata({ type: "integer" }),
        v.check(isIntegral, "incorrect_type"),
        v.minValue(1, "does_not_exist"),
        v.maxValue(MAXIMUM_IDENTIFIER, "does_not_exist"),
      ),
      sqlType: "bigint",
      explain: (code, value) => explain(target, code, value),
      // Looked up row by row: for `exists`, Postgres would rather read all candidates of a small set
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

/** The text that a person knows a row by: its display field, or `bar 3` where that is empty. The index
 * of a search is on this very expression, in lower case. */
export function label({ name: table, display, fields }: Resource): Sql {
  const numbered = sql`${table + " "} || ${name(table)}.id::text`;
  if (!display) return numbered;
  return sql`coalesce(nullif(${name(table)}.${name(fields[display]!.column)}, ''), ${numbered})`;
}

/** JSON knows no integers: a number is one if it has no fraction, be it too large for a double. */
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
