// Identifiers that are texts.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { quotedArray, raw, sql } from "../db/sql.ts";
import type { Key, KeyField } from "./key.ts";
import type { ColumnType, Resource, Write } from "./model.ts";
import type { Options } from "./options.ts";
import { isStorable } from "./storable.ts";
import { columnDefault, inColumn } from "./table.ts";
import { text } from "./text.ts";

const textType: ColumnType = {
  types: ["text", "character varying", "citext", "character", "bigint"],
  converted: ["name"],
};
const storable = v.pipe(v.string(), v.check(isStorable, "text without U+0000"));

/** Texts, by the equality and the order of their column. One of citext, character(n) or bigint compares in its own way,
 * so a statement takes each in its type (sql/server/0006_key.up.sql), and gives it as text. */
export const textKey: Key = {
  sqlType: "text",
  cast: (value, column) => sql`relata_key(${value}, ${column})`,
  columnType: textType,
  referenceType: textType,
  example: "text",
  schema: { type: "string" },
  read: v.string(),
  write: v.pipe(v.string("incorrect_type"), v.check(isStorable, "does_not_exist")),
  text: storable,
  segment: v.pipe(
    v.string(),
    v.metadata({ examples: ["text"] }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        return decodeURIComponent(dataset.value);
      } catch {
        addIssue({ message: "percent-encoded UTF-8" });
        return NEVER;
      }
    }),
    storable,
  ),
  stored: storable,
  isBefore: (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0,
  ordered: (identifier) => sql`${identifier}::text collate "C"`,
  isChronological: false,
  noun: "a string",
  range: "strings without U+0000",
  is: (value) => typeof value === "string" && isStorable(value),
};

/** The field of texts that clients give, or else the default of the column. */
export function textField(
  { default: fallback, maximum, pattern, column = "id" }: NonNullable<Options["identifier"]>,
): KeyField {
  const { write, isText, example } = text({
    minimum: 1,
    ...(maximum !== undefined && { maximum }),
    ...(pattern !== undefined && { pattern }),
  });
  return {
    identifiers: textKey,
    isText: isText!,
    ...(example !== undefined && { example }),
    write: write!,
    whenDeclared: (resource: Resource) => {
      const segments = raw(quotedArray(["", ...segmentsOf(resource)]));
      return {
        columnType: {
          ...textType,
          maximum: maximum ?? Infinity,
          holds: (column) => sql`${column}::text <> all (${segments})`,
        },
        write: {
          ...isNoneOfRoutes(resource, write!),
          stored: inColumn,
          ...(fallback === "database" && { default: columnDefault(resource, column) }),
        },
      };
    },
  };
}

/** What no identifier can be: the segments of paths that are routes where an identifier would be, of whatever is
 * declared, and those that URLs leave out. */
function segmentsOf({ routes, beside }: Resource): string[] {
  const own = Object.keys(routes);
  const parents = own.filter((path) => path.includes("{"))
    .map((path) => path.slice(0, path.indexOf("{")));
  const taken = [...own, ...beside].flatMap((path) =>
    parents.filter((parent) => path.startsWith(parent))
      .map((parent) => path.slice(parent.length).split("/")[0]!)
  );
  return [...new Set([".", "..", ...taken.filter((segment) => /^[^{]/.test(segment))])];
}

/** What clients send for a key that is none of these segments; character(n) drops the blanks at the end of a text. */
export function isNoneOfRoutes(resource: Resource, { schema, explain, ...write }: Write): Write {
  const segments = segmentsOf(resource);
  const isAmong = (value: unknown) =>
    typeof value === "string" && ["", ...segments].includes(value.replace(/ +$/, ""));
  return {
    ...write,
    schema: v.pipe(
      schema,
      v.check((value) => !isAmong(value), "invalid_format"),
    ),
    explain: (code, value) =>
      code === "invalid_format" && isAmong(value)
        ? `Send another text than "${value}", which paths have for something else`
        : explain(code, value),
  };
}
