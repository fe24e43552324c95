// What commands are made of: values to send and wishes for lists, in which a number picks one of the rows that
// there are when the command runs.
import fc from "fast-check";
import type { Resource } from "../house.ts";
import { allowed, isKey, isOfType, isSegment, type Json } from "./arbitrary.ts";
import {
  type Identifier,
  identifierIn,
  type Model,
  parsed,
  type Row,
  type Wishes,
} from "./model.ts";
import type { Parameter } from "./requests.ts";

/** Values to send, and for each relation a number that picks a row, or several of them. */
export type Picks = Record<string, Json>;

// Letters in both cases, what patterns mean something by, and two that UTF-16 and Unicode sort apart.
export const text = fc.string({ unit: fc.constantFrom(..."aAbB%_\\ é～😀"), maxLength: 5 });
export const pick = fc.nat(20);
export const limit = fc.integer({ min: 1, max: 4 });

/** Identifiers that no row has, by the types of JSON. */
const NEVER: Record<string, Identifier> = {
  number: 9_000_000_000_000_000,
  string: "ffffffff-ffff-4fff-bfff-ffffffffffff",
};

/** One of the type that a resource has; of several fields, that of their examples, where they refer to none. */
function never(resource: Resource): Identifier {
  const { keys, fields, relations, identifiers } = resource;
  if (keys.length === 1) return NEVER[typeof identifiers.example]!;
  return JSON.stringify(keys.map((field) => {
    const target = relations[field]?.target(resource);
    return target ? never(target) : fields[field]!.example;
  }));
}

/** Values for all fields that a row needs, or for any of them. */
export function picks(
  { writable }: Resource,
  schemas: Record<string, Json>,
  { whole }: { whole: boolean },
): fc.Arbitrary<Picks> {
  const fields = Object.entries(writable);
  const needed = fields.filter(([, { write }]) => whole && write.default === undefined);
  return fc.record<Picks>(
    Object.fromEntries(fields.map(([name, { relation, nullable }]) => {
      const value = relation?.isMany
        ? fc.array(pick, { maxLength: 4 })
        : relation
        ? pick
        : valueOf(schemas[name]);
      return [name, nullable ? fc.oneof(value, value, fc.constant(null)) : value];
    })),
    { requiredKeys: needed.map(([name]) => name), noNullPrototype: true },
  );
}

/** A value of a field: most texts of few characters, so that some are equal. */
function valueOf(schema: Json): fc.Arbitrary<Json> {
  const { pattern, format, contentEncoding, enum: choices, minLength = 0 } = schema;
  const isOther = pattern || format || contentEncoding || choices || isOfType(schema);
  const isText = [schema.type].flat().includes("string") && !isOther;
  if (!isText) return allowed(schema);
  return text.filter((one) => one.length >= minLength && (!isKey(schema) || isSegment(one)));
}

/** What a list is asked for; of a filter, a number that picks what rows have. */
export function wishes({ parameters }: { parameters: Parameter[] }): fc.Arbitrary<Wishes> {
  const queried = parameters.filter((parameter) => parameter.in === "query");
  const schemas = Object.fromEntries(queried.map(({ name, schema }) => [name, schema]));
  const { sort, q, count: _count, limit: _limit, cursor: _cursor, ...filters } = schemas;
  return fc.record({
    sort: fc.constantFrom(...sort.enum),
    limit,
    count: fc.constant(true),
    ...(q && { q: text }),
    filters: fc.uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(filters)), pick), {
      maxLength: 2,
      selector: ([name]) => name,
    }).map((some) => Object.fromEntries(some)),
  }, { requiredKeys: ["sort", "filters"], noNullPrototype: true }) as fc.Arbitrary<Wishes>;
}

/** The value of a filter: what rows have, or whether they have something; undefined where none has. */
export function filtered(model: Model, resource: Resource, filter: string, nth: number): Json {
  const { path, operator } = parsed(filter);
  if (operator === "isnull") return nth % 2 === 0;
  const values = model.identifiers(resource).flatMap((id) => model.valuesAt(resource, id, path));
  if (values.length === 0) return undefined;
  const [one, other] = [nth, nth + 3].map((nth) => values[nth % values.length]);
  const isOne = !/__(in|contains)$/.test(filter) || typeof one === "object";
  return isOne ? one : [one, other];
}

/** One of the rows that there are, now and then none. */
export function identifier(model: Model, resource: Resource, nth: number): Identifier {
  const identifiers = model.identifiers(resource);
  return nth % 7 === 6 ? never(resource) : identifiers[nth % identifiers.length] ?? never(resource);
}

/** The row that a PUT is for: of two that send an identifier, one has it in its path. */
export function replaced(
  model: Model,
  resource: Resource,
  nth: number,
  values: Row,
): Identifier {
  const id = identifier(model, resource, nth);
  const sent = identifierIn(resource, values);
  const isOfSent = sent !== undefined && (nth % 2 === 0 || !model.has(resource, id));
  return isOfSent ? sent : id;
}

export function picked(model: Model, resource: Resource, picks: Picks): Row {
  const { relations } = resource;
  return Object.fromEntries(
    Object.entries(picks).map(([name, pick]) => {
      const relation = relations[name];
      if (!relation || pick === null) return [name, pick];
      const those = [pick].flat().map((nth) => identifier(model, relation.target(resource), nth));
      return [name, Array.isArray(pick) ? [...new Set(those)] : those[0]];
    }),
  );
}
