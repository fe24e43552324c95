// What all kinds of fields have in common. Each kind is one function: numbers in `number.ts`, text in
// `text.ts`, dates in `time.ts`, relations in `relation.ts`.
import * as v from "valibot";
import { type Sql, sql } from "../db/sql.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { taken, told, word } from "./word.ts";

/** The types of columns that hold text as it was sent. */
export const textTypes = ["text", "character varying", "citext"];

/** True or false. */
export const boolean = word((options: Options["boolean"] = {}): Field => {
  const { default: fallback, ...rest } = taken("boolean", options);
  return {
    kind: "boolean",
    example: true,
    ...rest,
    columnType: { types: ["boolean"], converted: textTypes },
    read: v.boolean(),
    write: {
      schema: v.boolean("incorrect_type"),
      sqlType: "boolean",
      ...defaultOf(fallback),
      explain: (_, value) => `Send true or false, not ${kindOf(value)}`,
    },
    filter: { value: booleanText, sqlType: "boolean", isOrdered: false },
  };
});

/** True or false in a query. */
export const booleanText = v.pipe(
  v.string(),
  v.metadata({ type: "boolean" }),
  v.check((text) => text === "true" || text === "false", "true or false"),
  v.transform((text) => text === "true"),
);

/** A field that may also be null. If a POST or PUT leaves it out, its default is stored, else null. */
export const nullable = word((field: Field): Field => {
  const { read, write, relation } = fieldIn("nullable", field);
  if (relation?.links) throw new Error("nullable takes no to-many, which is empty instead");
  return {
    ...field,
    nullable: true,
    read: v.nullable(read),
    ...(write && {
      write: { default: null, ...write, schema: v.nullable(write.schema) },
    }),
  };
});

/** A field that is read and never written: Postgres fills its column. */
export const readonly = word((field: Field): Field => {
  const { write: _, ...rest } = fieldIn("readonly", field);
  return rest;
});

/** Whether a value is what a kind of field makes. */
export function isField(value: unknown): value is Field {
  return Object.hasOwn(Object(value), "kind");
}

function fieldIn(word: string, value: Field): Field {
  if (isField(value)) return value;
  throw new Error(`${word} takes a field, such as text(), not ${told(value)}`);
}

/** What the column holds, and null for a value that the field cannot have. */
export function held(holds: (column: Sql) => Sql): (column: Sql) => Sql {
  return (column) =>
    sql`
      case
        when ${holds(column)}
        then ${column}
      end`;
}

/** The default of a field, if it has one. */
export function defaultOf<Value>(fallback: Value | undefined): { default?: Value } {
  return fallback === undefined ? {} : { default: fallback };
}

/** The JSON type of a value, as a message names it. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a fraction";
  return `a ${typeof value}`;
}
