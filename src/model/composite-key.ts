// Keys of several fields. Within the row that owns it, a row is identified by the rest: the field that is not the
// relation to its owner.
import { dateKey } from "./date-key.ts";
import { integerKey } from "./integer-key.ts";
import type { Key } from "./key.ts";
import type { Declaration, Field, Resource } from "./model.ts";
import { textKey } from "./text-key.ts";
import { uuidKey } from "./uuid-key.ts";

/** What the values of a field are that identify a row, by its kind; those of a relation are what identifies its
 * target. */
const keys: Record<string, Key> = {
  date: dateKey,
  integer: integerKey,
  text: textKey,
  uuid: uuidKey,
};

/** The values of the field that a row is identified by within its owner. */
export function restKey(resource: Resource, { kind, relation }: Field): Key {
  return relation ? relation.target(resource).identifiers : keys[kind]!;
}

/** Throws an error about the first mistake in a key of several fields that can be told without the other resources. */
export function checkKey(name: string, { fields, keys: key = [], isPart }: Declaration): void {
  const subject = `The resource "${name}"`;
  if (!isPart) throw new Error(`${subject} has a key, and so neither a path nor routes yet`);
  if (new Set(key).size !== 2 || key.length !== 2) {
    throw new Error(
      `${subject} needs a key of two fields: the relation to what owns its rows, and another one`,
    );
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
}
