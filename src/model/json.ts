// The kind of field that holds JSON. A merge patch reaches into its objects, on the locked row.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { sql } from "../db/sql.ts";
import type { FieldCode } from "../errors/problem.ts";
import { jsonTypeOf } from "./field.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { isStorable } from "./storable.ts";
import { checkedOptions, word } from "./word.ts";

/** The most objects and arrays that are within each other. */
const MOST_LEVELS = 100;

/** The most bytes, unless the field says otherwise. */
const MOST_BYTES = 100_000;

/** The JSON that a field takes: its types in the document, what a message calls it, and an example. */
const forms = {
  any: {
    types: ["object", "array", "string", "number", "boolean"],
    noun: "any JSON but null",
    example: { any: ["JSON"] },
  },
  object: { types: "object", noun: "an object", example: { plan: "pro" } },
  array: { types: "array", noun: "an array", example: [1, "two"] },
};

/** Any JSON but null, which is the null of the column, or only objects, or only arrays. Numbers are doubles. */
export const json = word((options: Options["json"] = {}): Field => {
  const { only = "any", maximum = MOST_BYTES, default: fallback, ...rest } = checkedOptions(
    "json",
    options,
  );
  const { types, noun, example } = forms[only];
  const isTaken = (value: unknown) =>
    value !== null &&
    (only === "any" || (typeof value === "object" && Array.isArray(value) === (only === "array")));
  const typed = v.pipe(v.unknown(), v.metadata({ type: types }));
  return {
    kind: "json",
    example,
    ...rest,
    bytes: (column) => sql`coalesce(octet_length(${column}::text), 0)`,
    columnType: { types: ["jsonb", "json"], converted: [] },
    read: typed,
    write: {
      schema: v.pipe(
        typed,
        v.check(isTaken, "incorrect_type"),
        v.check(
          (value) => problemIn(value, maximum) === undefined,
          ({ input }) => problemIn(input, maximum)!,
        ),
      ),
      sqlType: "jsonb",
      default: fallback,
      explain: (code, value) => {
        if (code === "too_deep") return `Send JSON of at most ${MOST_LEVELS} levels`;
        if (code === "too_long") return `Store at most ${maximum} bytes of JSON`;
        if (code === "invalid_text") return "Send JSON without U+0000 and unpaired surrogates";
        if (isTaken(value)) return "Send JSON whose numbers a double holds";
        return `Send ${noun}${only === "any" ? "" : `, not ${jsonTypeOf(value)}`}`;
      },
      merge: {
        value: (stored, sent) => sql`relata_merge_patch(${stored}::jsonb, ${sent}::jsonb)`,
        refusal: (text, field) =>
          sql`case when octet_length(${text}) > ${maximum} then ${`${field}:too_long`} end`,
      },
    },
    filter: {
      value: jsonText,
      sqlType: "jsonb",
      isOrdered: false,
      asks: "what it contains",
      compared: (column) => sql`relata_jsonb(${column})`,
    },
  };
});

/** JSON in a query. */
const jsonText = v.pipe(
  v.string(),
  v.metadata({ description: "JSON that it contains", examples: ['{"plan":"pro"}'] }),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      const value: unknown = JSON.parse(dataset.value);
      if (!problemIn(value, Infinity)) return JSON.stringify(value);
    } catch {
      // It is no JSON
    }
    addIssue({ message: 'JSON such as {"plan":"pro"}, without U+0000' });
    return NEVER;
  }),
);

/** What is wrong with JSON, whatever its type: texts, numbers, levels, then bytes. */
function problemIn(whole: unknown, maximum: number): FieldCode | undefined {
  let bytes = 0;

  function visit(value: unknown, level: number): FieldCode | undefined {
    if (typeof value === "string") {
      bytes += Buffer.byteLength(JSON.stringify(value));
      return isStorable(value) ? undefined : "invalid_text";
    }
    if (typeof value === "number") {
      bytes += plainLength(value);
      return Number.isFinite(value) ? undefined : "incorrect_type";
    }
    if (value === null || typeof value !== "object") {
      bytes += String(value).length;
      return undefined;
    }
    if (level > MOST_LEVELS) return "too_deep";
    const members = Object.entries(value);
    bytes += 2 * Math.max(members.length, 1); // brackets, and a comma and a blank between two
    for (const [name, member] of members) {
      const problem = nameProblem(value, name) ?? visit(member, level + 1);
      if (problem) return problem;
    }
    return undefined;
  }

  function nameProblem(value: object, name: string): FieldCode | undefined {
    if (Array.isArray(value)) return undefined;
    bytes += 2; // a colon and a blank
    return visit(name, 0);
  }

  return visit(whole, 1) ?? (bytes > maximum ? "too_long" : undefined);
}

/** The characters of a number as Postgres writes it, without an exponent: 1e308 has 309. */
function plainLength(value: number): number {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) return digits.length;
  const [whole = "", fraction = ""] = digits.split(".");
  const zeros = Math.abs(Number(exponent));
  return whole.length + zeros + (Number(exponent) < 0 ? 1 + fraction.length : 0);
}
