// What identifies a row. `identifier()` says it of a resource (identifier.ts); whoever handles identifiers asks its
// key, and takes them for values of which nothing else is known.
import type * as v from "valibot";
import type { Slot, Sql } from "../db/sql.ts";
import type { ColumnType, Field, Filter } from "./model.ts";

/** An identifier, as a statement takes and gives it; two are of the same row if they are equal. */
export type Identifier = string | number;

/** All that is known of the identifiers of a resource. */
export interface Key {
  /** The type in which a statement takes and gives one. */
  sqlType: string;
  /** SQL for one that was sent, in the type of the column that has it, where that may be another one; null if the
   * column cannot have it. Rows are compared, joined and sorted by the column, and shown in the type of the key. */
  cast?(value: Sql | Slot, column: Sql): Sql;
  /** The keys of what it is made of, if it is of several fields. Then an identifier is the JSON array of these, as
   * Postgres writes it, and `cast` is that of each. */
  parts?: readonly Key[];
  /** What the column of the identifier has to be, and one that refers to it. */
  columnType: ColumnType;
  referenceType: ColumnType;
  example: Identifier;
  /** The JSON Schema of one. */
  schema: object;
  /** One in an answer. */
  read: v.GenericSchema;
  /** One in a body, to refer to a row. The message of each issue is a code of `fieldProblems`. */
  write: v.GenericSchema<unknown, Identifier>;
  /** One in a query. The message of an issue says what to send. */
  text: v.GenericSchema<string, Identifier>;
  /** One in a path, as it was sent, if that is not the same as in a query. */
  segment?: v.GenericSchema<string, Identifier>;
  /** One in a cursor or a position, as Postgres writes it. */
  stored: v.GenericSchema<string, string>;
  /** Whether one comes before another among those who follow records, both as Postgres writes them. */
  isBefore(one: string, other: string): boolean;
  /** The same order in SQL, if it is not that of the column. */
  ordered?(identifier: Sql): Sql;
  /** Whether the order of identifiers is that in which rows are created. */
  isChronological: boolean;
  /** What one is, and what all are, as messages name them. */
  noun: string;
  range: string;
  /** Whether a JSON value is one. */
  is(value: unknown): boolean;
}

/** A key, and the field that has it: what clients may send, if Postgres does not give every identifier. */
export interface KeyField extends Omit<Partial<Field>, "read"> {
  identifiers: Key;
}

/** The keys of what an identifier is made of: the key itself, if that is of one field. */
export function keysOfParts(key: Key): readonly Key[] {
  return key.parts ?? [key];
}

/** What an identifier is made of: itself, if it is of one field. */
export function splitIdentifier(
  { parts }: Pick<Key, "parts">,
  identifier: Identifier,
): Identifier[] {
  return parts ? JSON.parse(String(identifier)) : [identifier];
}

/** The identifier that is made of these. */
export function joinIdentifier(
  { parts }: Pick<Key, "parts">,
  values: readonly Identifier[],
): Identifier {
  return parts ? `[${values.map((value) => JSON.stringify(value)).join(", ")}]` : values[0]!;
}

/** Whether the database may take two identifiers for the same. */
export function mayEqual({ cast, parts = [] }: Key): boolean {
  return cast !== undefined || parts.some(mayEqual);
}

/** How lists filter by identifiers, those of relations too. */
export function filterBy(key: Key): Filter {
  return { value: key.text, sqlType: key.sqlType, isOrdered: false };
}
