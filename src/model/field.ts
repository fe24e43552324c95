// What all kinds of fields have in common. Each kind is one function: texts in `text.ts`, numbers in `number.ts`, dates
// and times in `time.ts`, relations in `relation.ts`, `many.ts` and `owned.ts`, others in files of their names.
import * as v from "valibot";
import { type Sql, sql } from "../db/sql.ts";
import { Claim } from "./claim.ts";
import type { Field, Filter } from "./model.ts";
import { describeValue, word } from "./word.ts";

/** How lists filter by what they do not compare, and ask no more of than whether it is null. */
export const onlyNull: Filter = {
  value: v.string(),
  isOrdered: false,
  asks: "whether it is null",
};

/** The types of columns that hold text as it was sent. */
export const textTypes = ["text", "character varying", "citext"];

/** A field that may also be null. If a POST or PUT leaves it out, its default is stored, else null. */
export const nullable = word((field: Field): Field => {
  if (fieldIn("nullable", field).relation?.isMany) {
    throw new Error("nullable takes no to-many, which is empty instead");
  }
  return changed(field, ({ read, write, ...rest }) => ({
    ...rest,
    nullable: true,
    ...(read && { read: v.nullable(read) }),
    ...(write && {
      write: { ...write, default: write.default ?? null, schema: v.nullable(write.schema) },
    }),
  }));
});

/** A field that clients read and never write: Postgres fills its column, or a claim does. */
export const readonly = word((field: Field): Field =>
  changed(
    fieldIn("readonly", field),
    ({ write, ...rest }) =>
      write?.default instanceof Claim ? { ...rest, write: { ...write, isFilled: true } } : rest,
  )
);

/** A field with a change, which what is known once all resources are declared gets, too. */
export function changed<Some extends Field>(
  field: Some,
  change: (part: Partial<Field>) => Partial<Field>,
): Some {
  const { whenDeclared } = field;
  return {
    ...change(field),
    ...(whenDeclared && { whenDeclared: (resource) => change(whenDeclared(resource)) }),
  } as Some;
}

/** The field that tells when a row was created, where the order of the identifiers does not; undefined if there is none. */
export function creationOf(fields: Record<string, Field>): string | undefined {
  const all = Object.entries(fields);
  if (all.some(([, { identifiers }]) => identifiers?.isChronological)) return undefined;
  return all.find(([, { kind }]) => kind === "created")?.[0];
}

/** A type of Postgres without its modifiers: `numeric` of `numeric(10,2)`. */
export function unmodified(type: string): string {
  return type.replace(/\(.*\)/, "");
}

export function isField(value: unknown): value is Field {
  return Object.hasOwn(Object(value), "kind");
}

function fieldIn(word: string, value: Field): Field {
  if (isField(value)) return value;
  throw new Error(`${word} takes a field, such as text(), not ${describeValue(value)}`);
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

/** The JSON type of a value, as a message names it. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a fraction";
  return `a ${typeof value}`;
}
