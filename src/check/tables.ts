// The tables of a resource, as its declaration wants them.
import { epochTable } from "../db/readiness.ts";
import type { Wanted } from "../db/seen.ts";
import type { Resource } from "../model/model.ts";
import { has, linksOf, storedIn } from "../model/resource.ts";

/** The name of the table that holds the rows of a resource. */
export function tableOf({ table }: Resource): string {
  return table;
}

/** The column of the identifier. */
export function keyColumnOf({ fields, key }: Resource): string {
  return fields[key]!.column;
}

/** The table of a resource, and those of its links, with the columns that requests read. */
export function tablesOf(resource: Resource): Wanted[] {
  return [
    { name: tableOf(resource), columns: storedIn(resource.fields).map(({ column }) => column) },
    ...has(resource, "follow") ? [epochTable] : [],
    ...linkTablesOf(resource).map(({ table, from, to, order }) => ({
      name: table,
      columns: [from, to, ...order === undefined ? [] : [order]],
    })),
  ];
}

/** The table of the links of a to-many, with the columns that it has. */
export interface LinkTable {
  field: string;
  table: string;
  from: string;
  to: string;
  order: string | undefined;
  target: Resource;
}

export function linkTablesOf(resource: Resource): LinkTable[] {
  return linksOf(resource).map(([field, { table, from, to, order }]) => ({
    field,
    table,
    from: from(resource),
    to: to(resource),
    order,
    target: resource.relations[field]!.target(resource),
  }));
}

/** Whether requests write rows of a resource. */
export function isWritten(resource: Resource): boolean {
  return Object.values(resource.routes).flat().some(({ method }) => method !== "GET");
}
