// Paths to what lists filter and sort by: a field, or a field at the end of relations to one row, such as
// `album__artist`. Filters also go through rows that are owned: `lines__product`.
import { name, raw, type Sql, sql, where } from "../db/sql.ts";
import type { Column, Field, Filter, Relation, Resource } from "./model.ts";
import { identifierOf, mayHide, rowsOf } from "./table.ts";

/** A relation on the way to a field. */
export interface PathStep {
  field: string;
  column: string;
  /** The resource that has the relation, and what it refers to. */
  from: Resource;
  target: Resource;
  /** Whether it leads to all rows that the row owns there. */
  isOwned: boolean;
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
 * to many rows that it does not own; the message says what the resource does by it. */
export function pathTo(resource: Resource, text: string, does?: string): Path {
  const last = text.split("__").length - 1;
  const steps: PathStep[] = [];
  let [owner, nullable, isDeprecated] = [resource, false, false];
  for (let index = 0; index < last; index++) {
    const { name, field, relation } = stepOf(resource, text, owner, index, does);
    const [from, isOwned] = [owner, relation!.isOwned ?? false];
    owner = relation!.target(from);
    steps.push({ field: name, column: field.column, from, target: owner, isOwned });
    // What is behind a row that the callers do not read is as if there were none; of owned rows, one that is there
    // is meant
    nullable = !isOwned && (nullable || field.nullable === true || mayHide(owner));
    isDeprecated ||= field.deprecation !== undefined;
  }
  const { field } = stepOf(resource, text, owner, last, does);
  nullable = !field.relation?.isMany && (nullable || field.nullable === true);
  isDeprecated ||= field.deprecation !== undefined;
  return { text, steps, owner, field, filter: field.filter!, nullable, isDeprecated };
}

/** The field at an index of a path, in the resource that the path has led to. */
export function stepOf<Of extends Field>(
  { name }: Pick<Resource, "name">,
  text: string,
  owner: { name: string; fields: Record<string, Of> },
  index: number,
  does = "filters or sorts by",
): { name: string; field: Of; relation: Relation | undefined } {
  const names = text.split("__");
  const step = names[index]!;
  const field = Object.hasOwn(owner.fields, step) ? owner.fields[step] : undefined;
  const [whose, what] = [`The resource "${name}" ${does} "${text}"`, `"${step}"`];
  if (!field) throw new Error(`${whose}, but ${owner.name} has no field ${what}`);
  const { kind, filter, relation } = field;
  const isLast = index === names.length - 1;
  if (isLast && !filter && !relation) {
    throw new Error(
      `${whose}, but the field ${what} of ${owner.name} holds ${kind}, which lists cannot compare`,
    );
  }
  if (!isLast && (!relation || (relation.isMany && !relation.isOwned))) {
    throw new Error(`${whose}, but the field ${what} of ${owner.name} is no relation to one row`);
  }
  return { name: step, field, relation };
}

/** Conditions on a row to which steps lead. */
export interface Located {
  steps: readonly PathStep[];
  conditions(row: Sql): Sql[];
}

/** Conditions on a row, each on the one to which its steps lead. Those whose steps begin alike are on the same one. Each
 * step is a subquery, so that no row is found twice. */
export function together(all: readonly Located[], row: Sql, depth = 1): Sql[] {
  const next = raw(`relata_${depth}`);
  const byField = Map.groupBy(all, ({ steps: [step] }) => step?.field);
  return [...byField.values()].flatMap((those) => {
    const [step] = those[0]!.steps;
    if (!step) return those.flatMap(({ conditions }) => conditions(row));
    const behind = those.map(({ steps, conditions }) => ({ steps: steps.slice(1), conditions }));
    return [
      sql`exists (
    select
    from ${rowsOf(step.target, next)}
    ${where([leads(step, row, next), ...together(behind, next, depth + 1)])}
  )`,
    ];
  });
}

/** A condition on the row at the end of a path. */
export function along(
  steps: readonly PathStep[],
  row: Sql,
  test: (row: Sql) => Sql,
  depth?: number,
): Sql {
  return together([{ steps, conditions: (row) => [test(row)] }], row, depth)[0]!;
}

/** That a step leads from one row to another. */
function leads({ column, from, target, isOwned }: PathStep, row: Sql, to: Sql): Sql {
  return isOwned
    ? sql`${to}.${name(target.owned!.column)} = ${identifierOf(from, row)}`
    : sql`${identifierOf(target, to)} = ${row}.${name(column)}`;
}
