// Which tables are resources, which link two of them, and which are neither.
import { integerTypes } from "../../model/number.ts";
import { namesOf, ownNames } from "../../openapi/document.ts";
import { placeColumns } from "../../statements/follow.ts";
import { identifier, resource, text } from "../../words.ts";
import type { Table, TableColumn } from "../catalogue.ts";
import { literalOf } from "./literal.ts";
import { keyOf, primaryKeyOf, typeOfKey } from "./key.ts";
import { plural, singular, snake, stem, uniqueNames } from "./names.ts";
import { isDotted, whyNone } from "./reason.ts";

/** A table that is a resource. */
export interface Declared {
  table: Table;
  /** The name of the resource. */
  name: string;
  path: string;
  relations: DeclaredRelation[];
  /** What a column may refer to by its name, without a foreign key. */
  guesses: Map<TableColumn, Declared>;
}

/** What a resource refers to: one row, by a column, or many, by a table of links. */
export interface DeclaredRelation {
  from: Declared;
  to: Declared;
  column?: TableColumn;
  links?: DeclaredLinks;
}

interface DeclaredLinks {
  table: Table;
  /** Its columns that refer to the rows that it links. */
  from: string;
  to: string;
  /** The column with the rank of a link. */
  order: string | undefined;
  /** Whether the table has columns that no answer shows. */
  hasMore: boolean;
}

/** A table that is in no resource. */
export interface Left {
  table: Table;
  reason: string;
}

/** The names of a column with the rank of a link. */
const ORDER_NAME = /^(position|place|rank|ordinal|sequence|(sort_?)?order)$/;

/** The resources, in the order of their tables, and the tables that are in none. */
export function divided(
  tables: Table[],
  linking: Table[],
): { resources: Declared[]; left: Left[] } {
  const all = [...tables, ...linking.filter((table) => endsOf(table, tables))];
  const alone = tables.filter((table) => !whyNone(table));
  const resources = resourcesOf(alone.filter((table) => !endsOf(table, alone)), all);
  const left: Left[] = [];
  for (const table of all) {
    const resource = resources.find((resource) => resource.table === table);
    if (resource) {
      resource.relations.unshift(...relationsOf(resource, resources));
      resource.guesses = guessesOf(resource, resources);
      continue;
    }
    const link = linkOf(table, resources);
    const reason = whyNone(table);
    if (link) link.from.relations.push(link);
    else if (reason !== undefined) left.push({ table, reason });
  }
  return { resources, left };
}

function resourcesOf(named: Table[], all: Table[]): Declared[] {
  const [free, freePath] = [uniqueNames(new Set(ownNames), documented), uniqueNames()];
  const ownName = namesIn(named);
  // The short ones first: a customer has a list in the document, so a customer_list gets a number
  const names = new Map(
    named.toSorted((one, other) => one.title.length - other.title.length)
      .map((table) => [table, free(singular(ownName(table), referringTo(table, all)))]),
  );
  return named.map((table) => {
    const own = ownName(table);
    const name = names.get(table)!;
    const segment = freePath(name === own ? plural(name) : own).replaceAll("_", "-");
    return { table, name, path: `/api/${segment}/`, relations: [], guesses: new Map() };
  });
}

/** What each of these tables is called. Where several have one name, the name of the schema stands before it,
 * unless the table is found without. */
function namesIn(tables: Table[]): (table: Table) => string {
  const titles = tables.map(({ title }) => snake(title));
  return ({ schema, title, isVisible }) => {
    const own = snake(title);
    const isOnly = titles.indexOf(own) === titles.lastIndexOf(own);
    return isVisible || isOnly ? own : snake(`${schema}_${title}`);
  };
}

/** What a resource is called in the document, with all that goes by its name there. */
function documented(name: string): Set<string> {
  const fields = { id: identifier(), name: text() };
  return namesOf(resource(name, { path: "/", fields }));
}

/** The names by which foreign keys refer to a table. */
function referringTo({ oid }: Table, tables: Table[]): string[] {
  return tables.flatMap(({ references }) => references)
    .filter((reference) => reference.oid === oid)
    .map(({ columns }) => snake(stem(columns.join("_"))));
}

function relationsOf(from: Declared, resources: Declared[]): DeclaredRelation[] {
  return Object.values(from.table.columns).flatMap((column) => {
    const to = targetOf(from.table, column.name, resources);
    if (!to || (isWholeKey(column, from.table) && isKeyOfItself(from, resources))) return [];
    return [{ from, to, column }];
  });
}

/** Whether the key of a resource is that of another one whose key is in the end that of this one. */
function isKeyOfItself(from: Declared, resources: Declared[]): boolean {
  const reached = new Set([from]);
  for (const { table } of reached) { // it grows during the loop
    const [column, ...others] = keyOf(table);
    const to = others.length === 0 ? targetOf(table, column!, resources) : undefined;
    if (to === from) return true;
    if (to) reached.add(to);
  }
  return false;
}

/** What columns may refer to that have no foreign key, but the name of a resource or its table and the type of its key:
 * `artist_id` or `artistId`. */
function guessesOf({ table }: Declared, resources: Declared[]): Map<TableColumn, Declared> {
  const own = Object.values(table.columns).filter((column) =>
    !isWholeKey(column, table) &&
    !table.references.some(({ columns }) => columns.includes(column.name))
  );
  return new Map(own.flatMap((column): [TableColumn, Declared][] => {
    const name = stem(column.name);
    if (name === column.name) return [];
    const to = resources.find((each) =>
      [each.name, snake(each.table.title)].includes(snake(name)) && fitsKey(column, each.table)
    );
    return to ? [[column, to]] : [];
  }));
}

/** Whether a column can hold the key of a table. */
function fitsKey(column: TableColumn, table: Table): boolean {
  const key = Object.values(table.columns).find((each) => isWholeKey(each, table));
  const type = typeOfKey(column);
  return key !== undefined && type !== undefined && type === typeOfKey(key);
}

/** The resource that a column refers to by its key. */
function targetOf(table: Table, column: string, resources: Declared[]): Declared | undefined {
  return resources.find(({ table: target }) => refersTo(target, table, column));
}

function refersTo(target: Table, { references }: Table, column: string): boolean {
  return references.some(({ columns, oid, targets }) =>
    columns.join() === column && oid === target.oid && targets.join() === keyOf(target).join()
  );
}

/** The columns by which a table links two rows of some tables: those of its key, where nothing else needs a value; or else
 * the only two that refer to any, where nothing else is worth a resource. */
function endsOf(table: Table, targets: Table[]): [from: string, to: string] | undefined {
  const key = primaryKeyOf(table);
  const columns = key.length > 1 ? key : Object.keys(table.columns);
  const ends = columns.filter((column) => targets.some((to) => refersTo(to, table, column)));
  const [from, to, ...others] = ends;
  if (from === undefined || to === undefined || others.length > 0) return undefined;
  const order = orderOf(table, from, to);
  if (key.length > 1) {
    const needsMore = Object.values(table.columns).some((column) =>
      needsValue(column) && !key.includes(column.name) && column !== order
    );
    return key.length > 2 || needsMore ? undefined : [from, to];
  }
  const isReferredTo = targets.some(({ references }) =>
    references.some(({ oid }) => oid === table.oid)
  );
  if (isReferredTo || ends.includes(key[0]!)) return undefined;
  const isPair = isUniquePair(table, from, to);
  const isTelling = (column: TableColumn) =>
    !ends.includes(column.name) && column !== order &&
    !(isFilledAlone(column) && (isPair || column.name === key[0]));
  return Object.values(table.columns).some(isTelling) ? undefined : [from, to];
}

/** The to-many whose links are in a table; undefined if it links no two resources. */
function linkOf(table: Table, resources: Declared[]): DeclaredRelation | undefined {
  const [from, to] = endsOf(table, resources.map(({ table }) => table)) ?? [];
  if (from === undefined || to === undefined || isDotted(table)) return undefined;
  const order = orderOf(table, from, to);
  const rest = Object.values(table.columns).filter((column) =>
    ![from, to, ...primaryKeyOf(table)].includes(column.name) && column !== order
  );
  return {
    from: targetOf(table, from, resources)!,
    to: targetOf(table, to, resources)!,
    links: { table, from, to, order: order?.name, hasMore: rest.length > 0 },
  };
}

/** The column with the rank of a link among those of one row. */
function orderOf(table: Table, from: string, to: string): TableColumn | undefined {
  return Object.values(table.columns).find(({ name, type }) =>
    ORDER_NAME.test(name) && integerTypes.includes(type) && name !== from && name !== to &&
    !isUniquePair(table, to, name) // then it is one among the links of the other
  );
}

/** Whether a unique index is on two columns. */
function isUniquePair({ indexes }: Table, one: string, other: string): boolean {
  return indexes.some(({ isUnique, parts }) =>
    isUnique && parts.length === 2 &&
    parts.every(({ column }) => column === one || column === other)
  );
}

/** Whether Postgres gives a column a value that nobody would send, such as a number or the moment of the link. */
function isFilledAlone({ isFilled, isGenerated, default: expression }: TableColumn): boolean {
  const isPlain = /^NULL\b/.test(expression ?? "") || literalOf(expression ?? "") !== undefined;
  return isGenerated || (isFilled && !isPlain);
}

/** Whether an insert has to give a column its value. */
export function needsValue({ isNotNull, isFilled }: TableColumn): boolean {
  return isNotNull && !isFilled;
}

/** Whether a column is the key of its table, and no other one is; a view has one by its name. */
export function isWholeKey({ name }: TableColumn, table: Table): boolean {
  return keyOf(table).join() === name;
}

/** The columns of the fields that are the key of a resource; none if it has an identifier. */
export function keyColumnsIn({ table, relations }: Declared): string[] {
  const key = keyOf(table);
  const isIdentifier = key.length === 1 && typeOfKey(table.columns[key[0]!]!) !== undefined &&
    relations.every(({ column }) => column?.name !== key[0]);
  return isIdentifier ? [] : key;
}

/** Whether a column has the identifier of a resource. */
export function isIdentifier(column: TableColumn, resource: Declared): boolean {
  return isWholeKey(column, resource.table) && keyColumnsIn(resource).length === 0;
}

/** The columns with the places of rows that can be followed; none if the table lacks one of them. */
export function placesOf({ keepsRows, columns }: Table): string[] {
  const places = Object.keys(placeColumns);
  const hasAll = places.every((place) => Object.hasOwn(columns, place));
  return hasAll && keepsRows ? places : [];
}

/** A table, as a declaration names it. */
export function shortName({ schema, title, isVisible }: Table): string {
  return isVisible ? title : `${schema}.${title}`;
}
