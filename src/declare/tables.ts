// Which tables are resources, which link two of them, and which are neither.
import type { Described, DescribedColumn } from "../db/described.ts";
import { integerTypes } from "../model/number.ts";
import { placeColumns } from "../statements/follow.ts";
import { plural, singular, snake, stem, taking } from "./names.ts";
import { isDotted, quoted, whyNone } from "./reason.ts";

/** A table that is a resource. */
export interface Declared {
  table: Described;
  /** The name of the resource. */
  name: string;
  path: string;
  relations: Relation[];
}

/** What a resource refers to: one row, by a column, or many, by a table of links. */
export interface Relation {
  from: Declared;
  to: Declared;
  column?: DescribedColumn;
  links?: Links;
}

export interface Links {
  table: Described;
  /** The column with the place of a link. */
  order: string | undefined;
  /** Whether the table has columns that no answer shows. */
  hasMore: boolean;
}

/** A table that is in no resource. */
export interface Left {
  table: Described;
  reason: string;
}

/** The names of a column with the place of a link. */
const ORDER = /^(position|place|rank|ordinal|sequence|(sort_?)?order)$/;

/** The resources, in the order in which their tables were asked for, and the tables that are in none. */
export function sorted(tables: Described[]): { resources: Declared[]; left: Left[] } {
  const resources = resourcesOf(tables);
  const left: Left[] = [];
  for (const table of tables) {
    const resource = resources.find((resource) => resource.table === table);
    if (resource) {
      resource.relations.unshift(...relationsOf(resource, resources));
      continue;
    }
    const link = linkOf(table, resources);
    if (typeof link === "object") link.from.relations.push(link);
    else left.push({ table, reason: link ?? whyNone(table)! });
  }
  return { resources, left };
}

function resourcesOf(tables: Described[]): Declared[] {
  const [free, freePath] = [taking(), taking()];
  return tables.filter((table) => table.place !== null && !whyNone(table)).map((table) => {
    const own = snake(table.name);
    const name = free(singular(own, referringTo(table, tables)));
    const segment = freePath(name === own ? plural(name) : own).replaceAll("_", "-");
    return { table, name, path: `/api/${segment}/`, relations: [] };
  });
}

/** The names by which foreign keys refer to a table. */
function referringTo({ oid }: Described, tables: Described[]): string[] {
  return tables.flatMap(({ references }) => references)
    .filter((reference) => reference.oid === oid)
    .map(({ columns }) => snake(stem(columns.join("_"))));
}

function relationsOf(from: Declared, resources: Declared[]): Relation[] {
  return from.table.columns.flatMap((column) => {
    const to = targetOf(from.table, column.name, resources);
    return to ? [{ from, to, column }] : [];
  });
}

/** The resource that a column refers to by its key. */
function targetOf(
  { references }: Described,
  column: string,
  resources: Declared[],
): Declared | undefined {
  const targets = references
    .filter(({ columns, isToKey }) => columns.join() === column && isToKey)
    .map(({ oid }) => oid);
  return resources.find(({ table }) => targets.includes(table.oid));
}

/** The to-many whose links are in a table, or why it cannot be one; undefined if it links no two resources. */
function linkOf(table: Described, resources: Declared[]): Relation | string | undefined {
  const { key, columns } = table;
  const [from, to, ...others] = key.map((column) => targetOf(table, column, resources));
  if (!from || !to || others.length > 0 || isDotted(table)) return undefined;
  if (from === to) return "a resource has no to-many to itself";
  const wanted = [`${from.name}_id`, `${to.name}_id`];
  if (key.join() !== wanted.join()) return `its key would have to be ${quoted(wanted)}`;
  const rest = columns.filter(({ name }) => !key.includes(name));
  const order = rest.find(({ name, type }) => ORDER.test(name) && integerTypes.includes(type));
  const needed = rest.find((column) => column !== order && needsValue(column));
  if (needed) return `links do not have the value that its "${needed.name}" needs`;
  const hasMore = rest.length > (order ? 1 : 0);
  return { from, to, links: { table, order: order?.name, hasMore } };
}

/** Whether an insert has to give a column its value. */
export function needsValue(column: DescribedColumn): boolean {
  const { isNullable, isGenerated, isIdentity, default: fallback } = column;
  return !isNullable && !isGenerated && !isIdentity && fallback === null;
}

/** Whether a column is the key of its table; a view has one by its name. */
export function isKey({ name }: DescribedColumn, { key }: Described): boolean {
  return name === (key[0] ?? "id");
}

/** The columns with the places of rows that can be followed; none if the table lacks one of them. */
export function placesOf({ isView, columns }: Described): string[] {
  const places = Object.keys(placeColumns);
  const hasAll = places.every((place) => columns.some(({ name }) => name === place));
  return hasAll && !isView ? places : [];
}

/** A table, as a declaration names it. */
export function shortName({ schema, name, isVisible }: Described): string {
  return isVisible ? name : `${schema}.${name}`;
}
