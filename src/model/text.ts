// The kinds of fields that hold text.
import * as v from "valibot";
import { join, type Sql, sql } from "../db/sql.ts";
import { jsonTypeOf, textTypes } from "./field.ts";
import type { Field, Parameter } from "./model.ts";
import type { Options } from "./options.ts";
import { isStorable } from "./storable.ts";
import { inColumn } from "./table.ts";
import { checkedOptions, word } from "./word.ts";

/** A text that may have more code points than this is long: 200 of them are more than a page should have. */
const LONG = 10_000;

/** Text, stored as it was sent, neither trimmed nor normalised. Its limits are in Unicode code points, as
 * JSON Schema and Postgres count them. */
export const text = word((options: Options["text"] = {}): Field => {
  const { minimum = 0, maximum = Infinity, pattern, default: fallback, ...rest } = checkedOptions(
    "text",
    options,
  );
  const limits = {
    ...(minimum > 0 && { minLength: minimum }),
    ...(maximum !== Infinity && { maxLength: maximum }),
  };
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const schema = v.pipe(
    v.string("incorrect_type"),
    v.metadata({ ...limits, ...(pattern !== undefined && { pattern }) }),
    v.check(isStorable, "invalid_text"),
    v.check((value) => !isShorterThan(value, minimum), "too_short"),
    v.check((value) => !isLongerThan(value, maximum), "too_long"),
    v.check((value) => expression === undefined || expression.test(value), "invalid_format"),
  );
  return {
    kind: "text",
    ...exampleOf(schema, minimum, maximum),
    ...rest,
    isText: true,
    ...(maximum > LONG && { bytes: (column) => sql`coalesce(octet_length(${column}), 0)` }),
    columnType: {
      // Texts of one length are what character(n) holds, which fills up those that are shorter
      types: minimum === maximum ? [...textTypes, `character(${maximum})`] : textTypes,
      converted: ["character", "name"],
    },
    read: v.pipe(v.string(), v.metadata(limits)),
    write: {
      schema,
      sqlType: "text",
      default: fallback,
      explain: (code, value) => {
        if (code === "too_long") return `Send at most ${characters(maximum)}`;
        if (code === "too_short") return `Send at least ${characters(minimum)}`;
        if (code === "invalid_format") return `Send text that matches "${pattern}"`;
        if (code === "invalid_text") return "Send text without U+0000 and unpaired surrogates";
        return `Send a string, not ${jsonTypeOf(value)}`;
      },
    },
    filter: {
      // Without an `sqlType`, because a column of citext compares in its own way
      value: v.pipe(v.string(), v.check(isStorable, "text without U+0000")),
      isOrdered: true,
      compared: (column) => sql`${column} collate "C"`,
    },
  };
});

/** An example of these lengths, unless a pattern refuses it. */
function exampleOf(
  schema: v.GenericSchema,
  minimum: number,
  maximum: number,
): { example?: string } {
  const example = "Text".padEnd(minimum, "t").slice(0, maximum);
  return v.is(schema, example) ? { example } : {};
}

/** One of a few strings. The column holds text or an enum. */
export const choice = word((choices: string[], options: Options["choice"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("choice", options);
  if (!v.is(someStrings, choices)) {
    throw new Error("choice takes an array of strings, at least one and each different");
  }
  const all = choices.map((each) => `"${each}"`).join(", ");
  return {
    kind: "choice",
    example: choices[0],
    ...rest,
    columnType: {
      types: textTypes,
      converted: ["character", "name"],
      choices,
      holds: (column) => sql`${column}::text in (${join(choices.map((each) => sql`${each}`))})`,
    },
    read: v.picklist(choices),
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata({ enum: choices }),
        v.check((value) => choices.includes(value), "invalid_choice"),
      ),
      sqlType: "text",
      default: fallback,
      explain: (code, value) =>
        code === "invalid_choice"
          ? `Send one of ${all}`
          : `Send a string, not ${jsonTypeOf(value)}`,
      stored: inColumn, // Postgres does not turn text into an enum by itself
    },
    filter: {
      value: v.picklist(choices, `one of ${choices.join(", ")}`),
      isOrdered: false,
      // The column without its domain, as Postgres plans it, too: one over an enum has no operators
      compared: (column) => sql`case when true then ${column} end`,
    },
  };
});

const someStrings = v.pipe(
  v.array(v.pipe(v.string(), v.check(isStorable))),
  v.nonEmpty(),
  v.check((texts) => new Set(texts).size === texts.length),
);

/** A query parameter that takes any text, with its description for the document. */
export function searchText(description: string) {
  return v.pipe(
    v.string(),
    v.metadata({ description }),
    v.check(isStorable, "text without U+0000"),
  ) satisfies Parameter;
}

/** A text as `q` looks into it: the collation of the database folds its case, as it does that of `q`, whatever
 * collation the column has. An index on an expression that is the same serves it. */
export function folded(text: Sql): Sql {
  return sql`lower(${text} collate "default")`;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

function isShorterThan(value: string, minimum: number): boolean {
  return value.length < 2 * minimum && [...value].length < minimum;
}

function isLongerThan(value: string, maximum: number): boolean {
  if (value.length <= maximum) return false; // a code point has one code unit or two
  return value.length > 2 * maximum || [...value].length > maximum;
}
