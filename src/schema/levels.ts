// The rows that requests to a resource read and write: its own, and at each level below the rows that those own.
import type { Resource, RowWrite } from "../model/model.ts";
import { writesOf } from "../model/resource.ts";

export interface RowLevel {
  /** The resource of the rows, as it is declared. */
  resource: Resource;
  /** What the routes do to these rows, besides reading. */
  writes: RowWrite[];
  /** Where the rows are, if others own them. */
  owned?: Owned;
}

export interface Owned {
  /** The name of the resource that has them, and of its field. */
  owner: string;
  field: string;
  /** The columns with the row that owns a row, and with its rank. */
  column: string;
  order: string | undefined;
}

export function levelsOf(resource: Resource): RowLevel[] {
  const writes = writesOf(resource);
  return [{ resource, writes }, ...levelsBelow(resource, writes)];
}

/** The levels of all resources. Also the routes of a resource that is owned write where its rows are. */
export function levelsIn(resources: Resource[]): RowLevel[] {
  const all = resources.flatMap(levelsOf);
  return all.map((level) => {
    const within = all.find(({ resource, owned }) => owned && resource === level.resource);
    return { ...within, ...level };
  });
}

function levelsBelow(owner: Resource, ofOwner: RowWrite[]): RowLevel[] {
  return Object.entries(owner.relations).flatMap(([field, relation]) => {
    if (!relation.isOwned) return [];
    const rows = relation.target(owner);
    const { of, column, order } = rows.owned!;
    const writes = Object.hasOwn(owner.writable, field)
      ? withReplaced(ofOwner)
      : ofOwner.filter((write) => write === "delete");
    return [
      { resource: of, writes, owned: { owner: owner.name, field, column, order } },
      ...levelsBelow(rows, writes),
    ];
  });
}

/** To update a row is to replace the rows that it owns. */
function withReplaced(writes: RowWrite[]): RowWrite[] {
  return writes.includes("update") ? ["insert", "update", "delete"] : writes;
}

/** The columns of the table of a level that belong to what owns the rows, not to their fields. */
export function ownerColumns({ owned }: RowLevel): string[] {
  if (!owned) return [];
  return owned.order === undefined ? [owned.column] : [owned.column, owned.order];
}
