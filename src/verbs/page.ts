// What lists and choices share: their query parameters, cursors and the path of the next page.
// A page is found by the key of the last row before it, so the last page costs what the first does.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Parameter, Query } from "../declaration/declaration.ts";
import { identifierSchema, isStorable } from "../declaration/field.ts";
import { Problem } from "../problem.ts";

const MAXIMUM_LIMIT = 200;
export const DEFAULT_LIMIT = 50;

export const limit = v.pipe(
  v.string(),
  v.metadata({
    type: "integer",
    minimum: 1,
    maximum: MAXIMUM_LIMIT,
    default: DEFAULT_LIMIT,
    description: "How many items a page has at most",
  }),
  v.regex(/^[1-9][0-9]{0,2}$/, `an integer from 1 to ${MAXIMUM_LIMIT}`),
  v.transform(Number),
  v.maxValue(MAXIMUM_LIMIT, `an integer from 1 to ${MAXIMUM_LIMIT}`),
) satisfies Parameter;

export const cursor = v.pipe(
  v.string(),
  v.metadata({ description: "Where the page begins: an opaque value, taken from `next`" }),
) satisfies Parameter;

/** Text of any kind; says for the document what is done with it. */
export function searchText(description: string) {
  return v.pipe(
    v.string(),
    v.metadata({ description }),
    v.check(isStorable, "text without U+0000"),
  ) satisfies Parameter;
}

/** Finds a text anywhere in a name, whatever its case. */
export const q = searchText("Text that the name contains, in whatever case");

/** The key of the last row of a page: what it was sorted by, the identifier last. */
export type Key = (string | number)[];

const storable = v.pipe(v.string(), v.check(isStorable));

/** What a cursor holds: the list it belongs to, and where it stands in it. */
const cursorSchema = v.tuple([v.string(), v.array(v.union([storable, identifierSchema]))]);

/** Where a page begins: after the key in its cursor; undefined for the first page. */
export function start(list: string, query: Query, isKey: (key: Key) => boolean): Key | undefined {
  if (query["cursor"] === undefined) return undefined;
  const cursor = v.safeParse(cursorSchema, decoded(String(query["cursor"])));
  if (cursor.success && cursor.output[0] === list && isKey(cursor.output[1])) {
    return cursor.output[1];
  }
  throw new Problem("invalid_parameter", 'The query parameter "cursor" is not one of this list');
}

/** The path of the page after a key: the same request with another cursor. */
export function next(list: string, path: string, query: Query, key: Key): string {
  const cursor = Buffer.from(JSON.stringify([list, key])).toString("base64url");
  const parameters = Object.entries({ ...query, cursor });
  return `${path}?${parameters.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}`;
}

/** Tells lists apart, for their cursors: by path, sort and filters, at any limit. */
export function identify(path: string, { cursor: _, limit: __, ...rest }: Query): string {
  const list = JSON.stringify([path, Object.entries(rest).sort()]);
  return createHash("sha256").update(list).digest("base64url").slice(0, 12);
}

/** A pattern of `ilike` that finds the text anywhere, `%`, `_` and `\` being plain characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}
