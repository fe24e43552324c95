// How resources refer to each other in circles. No object contains itself, so in each circle one relation is
// read as the identifier; and the modules of a circle, which import each other, refer to each other by functions.
import type { Declared, DeclaredRelation } from "./tables.ts";

export interface Circles {
  /** The relations that are read as the object. */
  nested: Set<DeclaredRelation>;
  /** Those that are not because lists would join too much. */
  deep: Set<DeclaredRelation>;
  /** Whether the other resource of a relation leads back to this one. */
  isCircular(relation: DeclaredRelation): boolean;
}

/** The most joins of a list: Postgres plans them for each request, and with many more takes seconds. */
const MOST_JOINS = 19;

/** Decides which relations are read as the object: as many as there may be, first those that every row has. */
export function circlesOf(resources: Declared[]): Circles {
  const relations = resources.flatMap(({ relations }) => relations)
    .filter(({ from, to }) => from !== to);
  const nested = new Set<DeclaredRelation>();
  const deep = new Set<DeclaredRelation>();
  for (const relation of relations.toSorted((one, other) => weight(one) - weight(other))) {
    if (leads(relation.to, relation.from, [...nested])) continue;
    nested.add(relation);
    if (mostJoins(resources, nested) <= MOST_JOINS) continue;
    nested.delete(relation);
    deep.add(relation);
  }
  return {
    nested,
    deep,
    isCircular: ({ from, to }) => from !== to && leads(to, from, relations),
  };
}

/** To-many last, and before them what may be null. */
function weight({ column, links }: DeclaredRelation): number {
  return links ? 2 : Number(!column!.isNotNull);
}

/** The joins of the list that has the most: one for each object in it and in those, and one for links. */
function mostJoins(resources: Declared[], nested: Set<DeclaredRelation>): number {
  const counts = new Map<Declared, number>();
  const joinsOf = (resource: Declared): number => {
    const known = counts.get(resource);
    if (known !== undefined) return known;
    const objects = resource.relations.filter((relation) => nested.has(relation));
    const count = objects.map(({ to, links }) => (links ? 2 : 1) + joinsOf(to))
      .reduce((sum, each) => sum + each, 0);
    counts.set(resource, count);
    return count;
  };
  return Math.max(0, ...resources.map(joinsOf));
}

/** Whether one resource leads to another by these relations. */
function leads(from: Declared, to: Declared, relations: DeclaredRelation[]): boolean {
  const reached = new Set([from]);
  for (const resource of reached) { // it grows during the loop
    for (const next of relations) if (next.from === resource) reached.add(next.to);
  }
  return reached.has(to);
}
