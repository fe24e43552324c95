// The shape of a schema: its keywords, the schema that it refers to, and the parts of its `allOf` combined.
// It lists the schemas inside, but does not follow them.
import { type Document, hasOldKeywords, isReference, resolve } from "./document.ts";
import { elements, isObject, literal, type Members, members } from "./json.ts";
import { nonNull, unjudgedIn } from "./keywords.ts";
import { type Limited, limitsOf } from "./limits.ts";
import { types, typesNamed, typesOf } from "./types.ts";

/** Schemas as in the document, all of which must hold; if there is none, every value is allowed. */
export type Schema = readonly unknown[];

export interface Shape extends Limited {
  /** Objects: the schema of each listed member, and of every other one. */
  members: ReadonlyMap<string, Schema>;
  required: readonly string[];
  additional: Schema;
  /** Arrays: the schema of every element. */
  items: Schema;
  /** Which of `deprecated`, `readOnly` and `writeOnly` are set. */
  flags: readonly string[];
  /** The literal of the default. */
  fallback: string;
  /** The keywords that no rule judges. If there are any, nothing else is certain. */
  unjudged: readonly string[];
}

export const anything: Shape = {
  types: new Set(types),
  values: undefined,
  limits: new Map(),
  members: new Map(),
  required: [],
  additional: [],
  items: [],
  flags: [],
  fallback: "none",
  unjudged: [],
};

/** Whether an object has only the listed members. */
export function isClosed({ additional }: Shape): boolean {
  return additional.includes(false);
}

/** A schema, if the document has one. */
export function schemaOf(value: unknown): Schema {
  return value === undefined || value === true ? [] : [value];
}

/** Reads the shapes of one document. */
export function shapes(document: Document): (schema: Schema) => Shape {
  const known = new Map<unknown, Shape>();
  return (schema) => schema.map((one) => shapeOf(one, [])).reduce(both, anything);

  function shapeOf(value: unknown, trail: unknown[]): Shape {
    if (typeof value === "boolean") return value ? anything : nothing;
    if (!isObject(value) || trail.includes(value)) return unfollowed;
    const shape = known.get(value) ?? together(value, [...trail, value]);
    known.set(value, shape);
    return shape;
  }

  function together(schema: Members, trail: unknown[]): Shape {
    const parts = elements(schema["allOf"]).map((part) => shapeOf(part, trail));
    for (const keyword of ["oneOf", "anyOf"]) {
      const union = elements(schema[keyword]);
      const [form, ...others] = nonNull(union);
      if (form === undefined || others.length > 0) continue; // the scan tells of others
      const shape = shapeOf(form, trail);
      parts.push(union.length > 1 ? nullableShape(shape) : shape);
      // Null would meet two forms of a `oneOf`, and so not be allowed
      const nulls = union.length - 1 + Number(shape.types.has("null"));
      if (keyword === "oneOf" && nulls > 1) parts.push({ ...anything, unjudged: [keyword] });
    }
    if (Array.isArray(schema["enum"])) parts.push(enumeration(schema["enum"]));
    if (Object.hasOwn(schema, "const")) parts.push(enumeration([schema["const"]]));
    if (isReference(schema)) {
      const target = resolve(document, schema);
      parts.push(isReference(target) ? unfollowed : shapeOf(target, trail));
    }
    const all = parts.reduce(both, ownShape(schema, hasOldKeywords(document)));
    // A schema that nothing meets stays one
    return schema["nullable"] === true && all.types.size > 0 ? nullableShape(all) : all;
  }
}

const nothing: Shape = { ...anything, types: new Set() };
/** The shape of a reference that cannot be followed. */
const unfollowed: Shape = { ...anything, unjudged: ["$ref"] };

function nullableShape(shape: Shape): Shape {
  return { ...shape, types: new Set(shape.types).add("null") };
}

/** The shape of a schema's own keywords. */
function ownShape(schema: Members, isOld: boolean): Shape {
  const { type, properties, required, additionalProperties, items } = schema;
  return {
    ...anything,
    types: new Set(type === undefined ? types : typesNamed(type)),
    limits: limitsOf(schema),
    members: new Map(
      Object.entries(members(properties)).map(([name, member]) => [name, schemaOf(member)]),
    ),
    required: elements(required).map(String),
    additional: schemaOf(additionalProperties),
    items: schemaOf(items),
    flags: ["deprecated", "readOnly", "writeOnly"].filter((flag) => schema[flag] === true),
    fallback: literal(schema["default"]),
    unjudged: unjudgedIn(schema, isOld),
  };
}

/** The shape of listed values. The types alone tell whether null is one of them. */
function enumeration(values: unknown[]): Shape {
  const literals = values.filter((value) => value !== null).map(literal);
  return { ...anything, types: new Set(values.flatMap(typesOf)), values: new Set(literals) };
}

/** The shape of values that match two shapes. */
function both(one: Shape, other: Shape): Shape {
  if (one === anything) return other;
  const keywords = [...one.limits.keys(), ...other.limits.keys()];
  const names = [...one.members.keys(), ...other.members.keys()];
  return {
    ...admitted(one, other),
    limits: new Map(
      keywords.map((name) => [name, union(one.limits.get(name), other.limits.get(name))]),
    ),
    members: new Map(names.map((name) => [
      name,
      union(one.members.get(name) ?? one.additional, other.members.get(name) ?? other.additional),
    ])),
    required: union(one.required, other.required),
    additional: union(one.additional, other.additional),
    items: union(one.items, other.items),
    flags: union(one.flags, other.flags),
    fallback: one.fallback === "none" ? other.fallback : one.fallback,
    unjudged: union(one.unjudged, other.unjudged),
  };
}

/** The common types and values, without values of other types and types without values. */
function admitted(one: Shape, other: Shape): Pick<Shape, "types" | "values"> {
  const shared = new Set([...one.types].filter((type) => other.types.has(type)));
  const [first, second = first] = [one.values, other.values].filter((values) => values);
  if (!first) return { types: shared, values: undefined };
  const values = [...first].filter((value) =>
    second!.has(value) && typesOf(JSON.parse(value)).every((type) => shared.has(type))
  );
  const left = new Set(values.flatMap((value) => typesOf(JSON.parse(value)))).add("null");
  return { types: new Set([...shared].filter((type) => left.has(type))), values: new Set(values) };
}

function union<Item>(one: readonly Item[] = [], other: readonly Item[] = []): Item[] {
  return [...new Set([...one, ...other])];
}
