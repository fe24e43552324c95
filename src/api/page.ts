// Pages of lists and choices: query parameters, cursors, the path of the next page. A page is found by the
// key of the row before it, so the last page is as fast as the first.
import { hash } from "node:crypto";
import * as v from "valibot";
import { isInvalidValue } from "../db/errors.ts";
import { Problem } from "../errors/problem.ts";
import type { Key } from "../model/key.ts";
import type { Parameter, Query } from "../model/model.ts";
import { booleanText } from "../model/boolean.ts";
import { isStorable } from "../model/storable.ts";
import { queryText } from "../model/values.ts";
import { decoded, encoded } from "./opaque.ts";

const MAXIMUM_LIMIT = 200;
export const DEFAULT_LIMIT = 50;

/** How many rows are found for a page: a few sizes, so that pages of other limits share the plans of their
 * statements. */
const SIZES = [10, 25, DEFAULT_LIMIT, 100];

/** The size for a limit: 10 up to 10, beyond that at most two and a half times the limit. */
export function sizeFor(limit: number): number {
  return SIZES.find((size) => limit <= size) ?? MAXIMUM_LIMIT;
}

export const limit = v.pipe(
  v.string(),
  v.metadata({
    type: "integer",
    minimum: 1,
    maximum: MAXIMUM_LIMIT,
    default: DEFAULT_LIMIT,
    description: "How many items a page has at most",
  }),
  // No `regex`: the document would have a `pattern` on an integer
  v.check(
    (text) => /^[1-9][0-9]*$/.test(text) && Number(text) <= MAXIMUM_LIMIT,
    `an integer from 1 to ${MAXIMUM_LIMIT}`,
  ),
  v.transform(Number),
) satisfies Parameter;

export const count = v.pipe(
  booleanText,
  v.metadata({ description: "Whether to count the rows that match, on all pages" }),
) satisfies Parameter;

export const etags = v.pipe(
  booleanText,
  v.metadata({ description: "Whether to tell the entity tag of each item" }),
) satisfies Parameter;

export const cursor = v.pipe(
  v.string(),
  v.metadata({ description: "Where the page begins: an opaque value, taken from `next`" }),
) satisfies Parameter;

/** The key of the last row of a page: what it was sorted by, and the identifier, both as Postgres writes them. */
export type CursorKey =
  | [id: string]
  | [value: string | null, id: string]
  | [value: string, id: string, "begins"];

const value = v.pipe(v.string(), v.check(isStorable));

/** How keys are taken from a cursor: the identifier alone, with a value, or with one that may be null. */
export function keySchemas(id: Key["stored"]) {
  const begins = v.strictTuple([value, id, v.literal("begins")]);
  return {
    id: v.strictTuple([id]),
    value: v.union([v.strictTuple([value, id]), begins]),
    nullable: v.union([v.strictTuple([value, id]), begins, v.strictTuple([v.null(), id])]),
  };
}

/** The most characters of a text in a cursor, because proxies and clients limit what an address may have. */
const LONGEST_TEXT = 500;

/** The last of all characters: behind all texts that begin alike, there is their beginning with this one. */
export const LAST = "\u{10ffff}";

/** The key of a row that is sorted by this value: of a long text, it has the beginning. */
export function keyOfRow(value: string | null, id: string, isText: boolean): CursorKey {
  if (value === null || !isText || value.length <= LONGEST_TEXT) return [value, id];
  return [value.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, ""), id, "begins"];
}

/** The key in a cursor, after which the page begins; undefined for the first page. Throws if the cursor is of
 * another list, or malformed. */
export function cursorKey<K extends CursorKey>(
  list: string,
  query: Query,
  key: v.GenericSchema<K>,
): K | undefined {
  if (query["cursor"] === undefined) return undefined;
  const schema = v.strictTuple([v.literal(list), key]);
  const cursor = v.safeParse(schema, decoded(String(query["cursor"])));
  if (cursor.success) return cursor.output[1];
  throw foreignCursor();
}

/** The problem of a cursor of another list, or of none. */
function foreignCursor(): Problem {
  return new Problem(
    "invalid_parameter",
    'The query parameter "cursor" does not belong to this list',
  );
}

/** Throws the error of a page, or that of its cursor if Postgres does not take what is in that. */
export function refuseForeign(after: unknown): (error: unknown) => never {
  return (error) => {
    throw after !== undefined && isInvalidValue(error) ? foreignCursor() : error;
  };
}

/** The path of the next page: the same request with another cursor, which counts nothing again. */
export function next(list: string, path: string, query: Query, key: CursorKey): string {
  const { count: _, ...rest } = query;
  const cursor = encoded([list, key]);
  const parameters = Object.entries({ ...rest, cursor }).map(([name, value]) =>
    `${encodeURIComponent(name)}=${encodeURIComponent(queryText(value))}`
  );
  return `${path}?${parameters.join("&")}`;
}

/** Identifies a list in its cursors, by path, sort and filters; the limit, the count and the tags may differ. */
export function identify(
  path: string,
  { cursor: _, limit: __, count: ___, etags: ____, ...rest }: Query,
): string {
  const list = JSON.stringify([path, Object.entries(rest).sort()]);
  return hash("sha256", list, "base64url").slice(0, 12);
}

/** A `like` pattern that finds the text anywhere; `%`, `_` and `\` in it are plain characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
