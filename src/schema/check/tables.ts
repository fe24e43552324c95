// The tables of a resource, as its declaration wants them.
import type { Resource } from "../../model/model.ts";
import { linksOf } from "../../model/links.ts";
import { has, storedIn } from "../../model/resource.ts";
import { epochTable } from "../../statements/follow.ts";
import type { Wanted } from "../privileges.ts";

/** The table of a resource, and those of its links, with the columns that requests read. */
export function tablesOf(resource: Resource): Wanted[] {
  return [
    { name: resource.table, columns: storedIn(resource.fields).map(({ column }) => column) },
    ...has(resource, "follow") ? [epochTable] : [],
    ...linksOf(resource).map(({ table, from, to, order }) => ({
      name: table,
      columns: [from, to, ...order === undefined ? [] : [order]],
    })),
  ];
}
