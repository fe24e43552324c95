// The kind of field that holds a value of any type of Postgres, as its text. Only Postgres knows which texts a type
// takes, so the statement that would write one asks first.
import * as v from "valibot";
import { raw, type Sql, sql } from "../db/sql.ts";
import { jsonTypeOf, onlyNull } from "./field.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { isStorable } from "./storable.ts";
import { checkedOptions, describeValue, word } from "./word.ts";

/** The name of a type as Postgres writes it: `numeric(6,2)[]`, `public."My Type"`, `time(3) with time zone`. */
const PART = String.raw`([a-z_][a-z\d_]*|"([^"()]|"")+")`;
const TYPE = new RegExp(
  String.raw`^${PART}(\.${PART})?( [a-z]+)*(\(-?\w+(,-?\w+)*\))?( [a-z]+)*(\[\])?$`,
);

/** The text that Postgres gives a value of a type, which reads back as the same value. */
export const pgType = word((type: string, options: Options["pgType"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("pgType", options);
  if (typeof type !== "string" || !TYPE.test(type)) {
    throw new Error(
      'pgType takes a type as Postgres writes it, such as "inet", "bit varying(5)" or ' +
        `'music."Key"[]', not ${describeValue(type)}`,
    );
  }
  // A JSON string is a value of these, and nothing else is the text of one
  if (/^jsonb?$/.test(type)) throw new Error(`pgType takes no "${type}", which is json()`);
  return {
    kind: "pgType",
    example: `Text of ${type}`,
    ...rest,
    bytes: (column) => sql`coalesce(pg_column_size(${column}), 0)`,
    columnType: { types: [type], converted: [] },
    read: v.string(),
    // As its own output has it: a cast to text is another text for some types, and null for a row of nulls
    value: (column) => sql`case when ${column} is distinct from null then concat(${column}) end`,
    write: {
      schema: v.pipe(v.string("incorrect_type"), v.check(isStorable, "invalid_format")),
      sqlType: "text",
      givenType: type,
      default: fallback,
      explain: (code, value) =>
        code === "invalid_format"
          ? `Send a text that Postgres takes for ${type}`
          : `Send a string, not ${jsonTypeOf(value)}`,
      // As a change takes it from JSON: a cast of a text is another value for some types
      stored: (value) =>
        sql`(
          select relata_typed.value
          from json_to_record(json_build_object('value', ${value})) as relata_typed (
            value ${raw(type)}
          )
        )`,
      refusal: (value, field) => refusedText(type, value, field),
    },
    filter: onlyNull,
  };
});

/** What is wrong with a text that a type does not take, as `address:invalid_format`; null if it does, or is null. */
export function refusedText(type: string, value: Sql, field: string): Sql {
  return sql`case when not relata_takes(${type}, ${value}) then ${`${field}:invalid_format`} end`;
}
