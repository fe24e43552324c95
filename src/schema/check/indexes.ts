// The indexes that make a page cost the same in a table of any size, as the guide lists them
// (src/README.md, "Filters and sorts"): they follow from what a list filters and sorts by.
import { tableName, textOf } from "../../db/sql.ts";
import { claimedPaths } from "../../model/access.ts";
import type { Column, Pairs, Resource } from "../../model/model.ts";
import { pathTo } from "../../model/path.ts";
import { has } from "../../model/resource.ts";
import { keyColumnsOf } from "../../model/table.ts";
import { isIndexed } from "../../statements/filter.ts";
import type { Catalogue, Index, Table } from "../catalogue.ts";
import { levelsOf } from "../levels.ts";
import { type Finding, isSlow } from "./finding.ts";

/** What an index of a table has to begin with, for a path that the list of a resource filters or sorts by, or for the
 * rows that others own. */
interface Wish {
  /** What it serves, for the sentence. */
  served: string;
  table: string;
  keys: IndexKey[];
}

/** A column, and whether it is compared by code point. */
interface IndexKey {
  column: string;
  byCodePoint: boolean;
}

/** Finds what these resources read without an index: their lists, and the rows that they own. */
export function compareIndexes(resources: Resource[], catalogue: Catalogue): Finding[] {
  const wishes = resources.flatMap((resource) => [...forOwned(resource), ...wishesOf(resource)]);
  const unmet = wishes.filter(({ table, keys }) => {
    const found = catalogue.get(table);
    return found?.keepsRows &&
      keys.every(({ column }) => Object.hasOwn(found.columns, column)) &&
      !found.indexes.some((index) => serves(index, keys, found));
  });
  return unmet
    .filter((wish, at) => !unmet.some((other, before) => makesNeedless(other, wish, before < at)))
    .map(({ served, table, keys }) => lacksIndex(served, table, keys));
}

/** That no index of a table begins with these keys. */
export function lacksIndex(served: string, table: string, keys: IndexKey[]): Finding {
  return isSlow(
    `No index serves ${served}`,
    `create index on ${textOf(tableName(table))} (${keys.map(quotedKey).join(", ")})`,
  );
}

/** The rows that a row owns are read with it, in their order. */
function forOwned(resource: Resource): Wish[] {
  return levelsOf(resource).flatMap(({ resource: rows, owned }): Wish[] => {
    if (!owned) return [];
    const { owner, field, column, order } = owned;
    const first = plainKey(column);
    const keys = order === undefined ? thenKey(first, rows) : [first, plainKey(order)];
    return [{ served: `"${field}" of ${owner}`, table: rows.table, keys }];
  });
}

function wishesOf(resource: Resource): Wish[] {
  if (!has(resource, "list")) return [];
  const { key, display, relations, filter = [], sort = [] } = resource;
  const shown = display === undefined ? [] : [display];
  return [
    ...[...shown, ...sort.filter((path) => path !== key)].flatMap((path) =>
      forSort(resource, path)
    ),
    ...[...Object.keys(relations), ...filter].flatMap((path) => forFilter(resource, path)),
    ...claimedPaths(resource).flatMap((path) => forFilter(resource, path, "rule")),
  ];
}

/** No index serves a sort by a path of two relations. */
function forSort(resource: Resource, path: string): Wish[] {
  const { steps, owner, field } = pathTo(resource, path);
  if (steps.length > 1) return [];
  const wish = { served: servedBy(resource, path) };
  return [
    { ...wish, table: owner.table, keys: thenKey(indexKey(field), owner) },
    ...steps.map(({ column }) => ({
      ...wish,
      table: resource.table,
      keys: thenKey(plainKey(column), resource),
    })),
  ];
}

/** A filter by a path sorts what it finds, so that only its own table needs the identifier. What has few
 * values, true and false or a choice, is found as fast without an index. */
function forFilter(resource: Resource, path: string, where?: "rule"): Wish[] {
  const way = pathTo(resource, path);
  const { steps, owner, field } = way;
  const { relation, column } = field;
  const wish = { served: servedBy(resource, path, where) };
  const ways = steps.flatMap(({ column, from, isOwned }, depth) => {
    if (isOwned) return []; // wished for with the rows
    const keys = depth === 0 ? thenKey(plainKey(column), resource) : [plainKey(column)];
    return [{ ...wish, table: from.table, keys }];
  });
  if (relation?.isMany) {
    const { table, from, to } = relation.pairs(owner, column) as Pairs;
    return [
      ...ways,
      { ...wish, table, keys: [plainKey(to), plainKey(from)] },
      ...relation.isOwned ? [] : [{ ...wish, table, keys: [plainKey(from)] }],
    ];
  }
  if (!isIndexed(way)) return ways;
  const keys = steps.length === 0 ? thenKey(indexKey(field), owner) : [indexKey(field)];
  return [...ways, { ...wish, table: owner.table, keys }];
}

function servedBy({ name }: Resource, path: string, where: "list" | "rule" = "list"): string {
  return `"${path}" in the ${where} of ${name}`;
}

function plainKey(column: string): IndexKey {
  return { column, byCodePoint: false };
}

function indexKey({ column, isText = false }: Column): IndexKey {
  return { column, byCodePoint: isText };
}

/** A column, then what identifies the rows; it may be one of these. */
function thenKey(first: IndexKey, resource: Resource): IndexKey[] {
  const key = keyColumnsOf(resource).map(plainKey);
  return [
    first,
    ...key.filter(({ column, byCodePoint }) =>
      column !== first.column || byCodePoint !== first.byCodePoint
    ),
  ];
}

/** Whether an index begins with these keys, or finds a single row by the first of them. */
export function serves(
  { isOrdered, isUnique, parts }: Index,
  keys: IndexKey[],
  { columns }: Table,
): boolean {
  if (!isOrdered) return false;
  // A column whose own order is by code point is in the index once
  const wanted = keys.filter(({ column }, at) =>
    columns[column]!.collation !== '"C"' || keys.findIndex((key) => key.column === column) === at
  );
  const fits = wanted.map(({ column, byCodePoint }, at) => {
    const part = parts[at];
    return part?.column === column &&
      part.collation === (byCodePoint ? '"C"' : columns[column]!.collation);
  });
  return fits.every(Boolean) || (isUnique && fits.slice(0, parts.length).every(Boolean));
}

/** Whether an index for a wish serves another one, too. Of two that are the same, the first stays. */
function makesNeedless(wish: Wish, other: Wish, isBefore: boolean): boolean {
  const begins = wish.table === other.table &&
    other.keys.every(({ column }, at) => wish.keys[at]?.column === column);
  return begins && (wish.keys.length > other.keys.length || (isBefore && wish !== other));
}

function quotedKey({ column, byCodePoint }: IndexKey): string {
  return byCodePoint ? `"${column}" collate "C"` : `"${column}"`;
}
