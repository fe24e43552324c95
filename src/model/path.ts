// Paths to what lists filter and sort by: a field, or a field at the end of relations to one row, such as
// `album__artist`.
import { name, raw, type Sql, sql } from "../db/sql.ts";
import type { Column, Field, Filter, Relation, Resource } from "./model.ts";
import { identifierOf, mayHide, rowsOf } from "./table.ts";

/** A relation on the way to a field. */
export interface PathStep {
  column: string;
  /** What the relation refers to. */
  target: Resource;
}

export interface Path {
  /** The path as a query has it. */
  text: string;
  steps: PathStep[];
  /** The resource that has the field at the end. */
  owner: Resource;
  field: Column;
  filter: Filter;
  /** Whether rows may have no value there. */
  nullable: boolean;
  /** Whether it will be gone: the field, or a relation on the way. */
  isDeprecated: boolean;
}

/** Finds the field of a path. Throws if there is none, if lists cannot compare it, or if a relation on the way is
 * to many rows; the message says what the resource does by it. */
export function pathTo(resource: Resource, text: string, does?: string): Path {
  const last = text.split("__").length - 1;
  const steps: PathStep[] = [];
  let [owner, nullable, isDeprecated] = [resource, false, false];
  for (let place = 0; place < last; place++) {
    const { field, relation } = stepOf(resource, text, owner, place, does);
    owner = relation!.target(owner);
    steps.push({ column: field.column, target: owner });
    // What is behind a row that the callers do not read is as if there were none
    nullable ||= field.nullable === true || mayHide(owner);
    isDeprecated ||= field.deprecation !== undefined;
  }
  const { field } = stepOf(resource, text, owner, last, does);
  nullable ||= field.nullable ?? false;
  isDeprecated ||= field.deprecation !== undefined;
  return { text, steps, owner, field, filter: field.filter!, nullable, isDeprecated };
}

/** The field at a place of a path, in the resource that the path has led to. */
export function stepOf<Of extends Field>(
  { name }: Pick<Resource, "name">,
  text: string,
  owner: { name: string; fields: Record<string, Of> },
  place: number,
  does = "filters or sorts by",
): { field: Of; relation: Relation | undefined } {
  const names = text.split("__");
  const step = names[place]!;
  const field = Object.hasOwn(owner.fields, step) ? owner.fields[step] : undefined;
  const [whose, what] = [`The resource "${name}" ${does} "${text}"`, `"${step}"`];
  if (!field) throw new Error(`${whose}, but ${owner.name} has no field ${what}`);
  const { kind, filter, relation } = field;
  const isLast = place === names.length - 1;
  if (isLast && !filter && !relation) {
    throw new Error(
      `${whose}, but the field ${what} of ${owner.name} holds ${kind}, which lists cannot compare`,
    );
  }
  if (!isLast && (!relation || relation.isMany)) {
    throw new Error(`${whose}, but the field ${what} of ${owner.name} is no relation to one row`);
  }
  return { field, relation };
}

/** A condition on the row at the end of a path. Each step is a subquery, so that no row is found twice. */
export function along(
  [step, ...rest]: readonly PathStep[],
  row: Sql,
  test: (row: Sql) => Sql,
  depth = 1,
): Sql {
  if (!step) return test(row);
  const next = raw(`relata_${depth}`);
  return sql`exists (
    select
    from ${rowsOf(step.target, next)}
    where ${identifierOf(step.target, next)} = ${row}.${name(step.column)}
      and ${along(rest, next, test, depth + 1)}
  )`;
}
