// The idea of the service. A relation is written as an identifier and read, in the same field, as
// the object it refers to (or, where it is declared so, as the identifier). Its candidate set says
// which identifiers hold: validation, the write itself and the choices all ask this one set.
import * as v from "valibot";
import type { Fragment, Sql } from "../database/sql.ts";
import type { FieldCode } from "../problem.ts";
import type { Relation, Resource } from "./declaration.ts";
import { identifierSchema, kindOf, MAXIMUM_IDENTIFIER } from "./field.ts";
import { example } from "./resource.ts";

export interface RelationOptions {
  /** The column of the foreign key. */
  column: string;
  /** What the field holds in an answer. */
  read: "object" | "identifier";
  /** A condition on the target's table that narrows the candidate set; without it, every row. */
  only?(sql: Sql): Fragment;
}

export function relation(target: Resource, { column, read, only }: RelationOptions): Relation {
  return {
    kind: "relation",
    sqlType: "bigint",
    column,
    target,
    example: read === "object" ? example(target) : 1,
    nested: read === "object",
    read: read === "object" ? target.schemas.read : identifierSchema,
    write: v.pipe(
      v.number("incorrect_type"),
      v.metadata({ type: "integer" }),
      v.check(isIntegral, "incorrect_type"),
      v.minValue(1, "does_not_exist"),
      v.maxValue(MAXIMUM_IDENTIFIER, "does_not_exist"),
    ),
    explain: (code, value) => explain(target, code, value),
    objects: (sql) => target.statements(sql).read(sql`${sql(target.name)}`),
    candidates: (sql) =>
      sql`
        select
          ${sql(target.name)}.id,
          ${label(sql, target)} as text
        from ${sql(target.name)}
        where ${only?.(sql) ?? sql`true`}`,
  };
}

/** Whether what `sent` bears in a relation's field holds: it is a candidate, or was left out. Looked
 * up row by row: for `exists`, Postgres would rather read all candidates of a small set. */
export function holds(sql: Sql, field: string, relation: Relation): Fragment {
  return sql`coalesce(
    (
      select true
      from (${relation.candidates(sql)}) as candidate
      where candidate.id = sent.${sql(field)}
    ),
    sent.${sql(field)} is null
  )`;
}

/** Whether one identifier holds, asked when there is nothing to write because the shape failed. */
export async function isCandidate(sql: Sql, relation: Relation, id: number): Promise<boolean> {
  const rows = await sql`
    select
    from (${relation.candidates(sql)}) as candidate
    where candidate.id = ${id}::bigint`;
  return rows.length > 0;
}

/** The text a person knows a row by: its display field, or `bar 3` where that is empty. Where the
 * database has trigrams, they are those of this very expression. */
export function label(sql: Sql, { name, display }: Resource): Fragment {
  const numbered = sql`${sql.unsafe(`'${name} '`)} || ${sql(name)}.id::text`;
  if (!display) return numbered;
  return sql`coalesce(nullif(${sql(name)}.${sql(display)}, ''), ${numbered})`;
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
