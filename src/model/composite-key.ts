// Keys that are declared by fields which a resource has anyway: one that is a reference, or several together. Within the
// row that owns it, a row is identified by the rest: the field that is not the relation to its owner.
import * as v from "valibot";
import { sql } from "../db/sql.ts";
import { dateKey } from "./date-key.ts";
import { integerKey } from "./integer-key.ts";
import { type Identifier, joinIdentifier, type Key } from "./key.ts";
import type { Declaration, Field, Resource } from "./model.ts";
import { isNoneOfRoutes, textKey } from "./text-key.ts";
import { uuidKey } from "./uuid-key.ts";

/** What the values of a field are that identify a row, by its kind; those of a relation are what identifies its
 * target. */
const keys: Record<string, Key> = {
  choice: textKey,
  date: dateKey,
  integer: integerKey,
  text: textKey,
  uuid: uuidKey,
};

/** What the values of a field are that a row is identified by. */
export function keyOfField(
  resource: Resource,
  { kind, relation, identifiers, columnType }: Field,
): Key {
  if (identifiers) return identifiers;
  if (relation) return relation.target(resource).identifiers;
  const key = keys[kind]!;
  if (!columnType?.choices) return key;
  return { ...key, columnType, referenceType: { ...columnType, isHeld: true } };
}

/** What identifies rows by these together. In a path, a comma is between them. */
export function compositeKey(parts: readonly Key[]): Key {
  const stored = v.custom<string>((value) => {
    const values = valuesIn(value);
    return values.length === parts.length &&
      values.every((each, index) => v.is(parts[index]!.stored, String(each)));
  });
  const text = v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }): Identifier => {
      const texts = dataset.value.split(",");
      const values = texts.map((text, index) => {
        const { segment, text: schema } = parts[index] ?? {};
        return v.safeParse(segment ?? schema ?? v.never(), text);
      });
      if (values.length === parts.length && values.every(({ success }) => success)) {
        return joinIdentifier({ parts }, values.map(({ output }) => output as Identifier));
      }
      addIssue({ message: `${parts.length} values with commas between them` });
      return NEVER;
    }),
  );
  return {
    sqlType: "text",
    parts,
    columnType: { types: [], converted: [] }, // it has several columns
    referenceType: { types: [], converted: [] }, // nothing refers to it
    example: joinIdentifier({ parts }, parts.map(({ example }) => example)),
    schema: { type: "string" },
    read: v.string(),
    write: stored,
    text,
    segment: text,
    stored,
    isBefore(one, other) {
      const [values, others] = [valuesIn(one), valuesIn(other)];
      const index = values.findIndex((each, index) => each !== others[index]);
      return index >= 0 && parts[index]!.isBefore(String(values[index]), String(others[index]));
    },
    isChronological: false,
    noun: "several values",
    range: "several values",
    is: (value) => v.is(stored, value),
  };
}

/** What an array as JSON has; nothing, if it is none. */
function valuesIn(json: unknown): unknown[] {
  try {
    const values: unknown = JSON.parse(String(json));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

/** A key in the path of a row: `{user},{team}`. */
export function bracedKey(key: readonly string[]): string {
  return key.map((field) => `{${field}}`).join();
}

/** A field of a key. A text is read as paths have it: one of character(n) without the blanks at its end. */
export function inKey(field: Field & { column: string }): Field & { column: string } {
  if (field.kind !== "text") return field;
  const { types = [], converted = [] } = field.columnType ?? {};
  return {
    ...field,
    columnType: { ...field.columnType, types: [...types, "character"], converted },
    value: (column) => sql`${column}::text`,
  };
}

/** A field that alone identifies a row: no path reads one whose value is the name of a route. */
export function asKey(field: Field & { column: string }): Field & { column: string } {
  return {
    ...field,
    whenDeclared(owner) {
      const { write, ...known } = { ...field, ...field.whenDeclared?.(owner) };
      return { ...known, ...(write && { write: isNoneOfRoutes(owner as Resource, write) }) };
    },
  };
}

/** Throws an error about the first mistake in a key of fields that can be told without the other resources. */
export function checkKey(name: string, { fields, keys: key = [], isPart }: Declaration): void {
  const subject = `The resource "${name}"`;
  if (isPart && key.length !== 2) {
    throw new Error(
      `${subject} needs a key of two fields: the relation to what owns its rows, and another one`,
    );
  }
  if (key.length === 0 || new Set(key).size !== key.length) {
    throw new Error(`${subject} needs a key of one or more fields, each once`);
  }
  for (const field of key) {
    if (!Object.hasOwn(fields, field)) {
      throw new Error(`${subject} has no field "${field}" for its key`);
    }
    const { kind, relation, nullable } = fields[field]!;
    const own = `The field "${field}" of the resource "${name}"`;
    if (nullable) throw new Error(`${own} identifies a row, and so it is never null`);
    if (relation ? relation.isMany : !Object.hasOwn(keys, kind)) {
      throw new Error(`${own} holds ${kind}, which no key has`);
    }
  }
  if (Object.hasOwn(fields, "key")) {
    throw new Error(`${subject} has a field "key", but lists sort by its key as "key"`);
  }
}
