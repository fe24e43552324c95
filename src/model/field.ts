// What all kinds of fields have in common. Each kind is one function: numbers in `number.ts`, text in
// `text.ts`, dates in `time.ts`, relations in `relation.ts`.
import * as v from "valibot";
import { type Sql, sql } from "../db/sql.ts";
import type { Field } from "./model.ts";

/** What every kind of field takes. */
export interface FieldOptions {
  /** The column, if its name is not that of the field. */
  column?: string;
  /** What the field is, for people who read the document. */
  description?: string;
}

/** What a field that clients send takes besides. */
export interface WriteOptions<Value> extends FieldOptions {
  /** What a POST or PUT without the field stores; without a default, the field is required. */
  default?: Value;
  /** An example for the document. */
  example?: Value;
}

/** The types of columns that hold text as it was sent. */
export const textTypes = ["text", "character varying", "citext"];

/** True or false. */
export function boolean({ example = true, ...options }: WriteOptions<boolean> = {}): Field {
  const { default: fallback, ...rest } = options;
  return {
    kind: "boolean",
    ...rest,
    example,
    stored: { types: ["boolean"], converted: textTypes },
    read: v.boolean(),
    write: {
      schema: v.boolean("incorrect_type"),
      sqlType: "boolean",
      ...defaultOf(fallback),
      explain: (_, value) => `Send true or false, not ${kindOf(value)}`,
    },
    filter: { value: booleanText, sqlType: "boolean", isOrdered: false },
  };
}

/** True or false in a query. */
export const booleanText = v.pipe(
  v.string(),
  v.metadata({ type: "boolean" }),
  v.check((text) => text === "true" || text === "false", "true or false"),
  v.transform((text) => text === "true"),
);

/** A field that may also be null. If a POST or PUT leaves it out, its default is stored, else null. */
export function nullable(field: Field): Field {
  const { read, write } = field;
  return {
    ...field,
    nullable: true,
    read: v.nullable(read),
    ...(write && {
      write: { default: null, ...write, schema: v.nullable(write.schema) },
    }),
  };
}

/** A field that is read and never written: Postgres fills its column. */
export function readonly({ write: _, ...field }: Field): Field {
  return field;
}

/** Shows what the column holds, and null for a value that the field cannot have. */
export function showHeld(holds: (column: Sql) => Sql): NonNullable<Field["show"]> {
  return ({ row, column }) => {
    const own = sql`${row}.${column}`;
    return {
      value: sql`
        case
          when ${holds(own)}
          then ${own}
        end`,
    };
  };
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
