// How resources refer to each other in circles. No object contains itself, so in each circle one relation is
// read as the identifier; and the modules of a circle, which import each other, refer to each other by functions.
import type { Declared, DeclaredRelation } from "./tables.ts";

export interface Circles {
  /** The relations that are read as the object. */
  nested: Set<DeclaredRelation>;
  /** Whether the other resource of a relation leads back to this one. */
  isCircular(relation: DeclaredRelation): boolean;
}

/** Decides which relations are read as the object: as many as there may be, first those that every row has. */
export function circlesOf(resources: Declared[]): Circles {
  const relations = resources.flatMap(({ relations }) => relations)
    .filter(({ from, to }) => from !== to);
  const nested = new Set<DeclaredRelation>();
  for (const relation of relations.toSorted((one, other) => weight(one) - weight(other))) {
    if (!leads(relation.to, relation.from, [...nested])) nested.add(relation);
  }
  return { nested, isCircular: ({ from, to }) => from !== to && leads(to, from, relations) };
}

/** To-many last, and before them what may be null. */
function weight({ column, links }: DeclaredRelation): number {
  return links ? 2 : Number(!column!.isNotNull);
}

/** Whether one resource leads to another by these relations. */
function leads(from: Declared, to: Declared, relations: DeclaredRelation[]): boolean {
  const reached = new Set([from]);
  for (const resource of reached) { // it grows during the loop
    for (const next of relations) if (next.from === resource) reached.add(next.to);
  }
  return reached.has(to);
}
