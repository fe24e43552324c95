// Changes of schemas, and schemas that say the same.
import type { rules } from "../house.ts";
import {
  bar,
  cat,
  dog,
  integer,
  list,
  map,
  number,
  object,
  type Part,
  ref,
  type Schema,
  string,
} from "./parts.ts";

/** The rules for both directions. */
type SharedRule = keyof (typeof rules)["request"] & keyof (typeof rules)["response"];

interface SchemaChange {
  request: "breaking" | "compatible";
  response: "breaking" | "compatible";
  /** The rule that the same pair meets when it is swapped. */
  swapped: SharedRule;
  /** What happens: the schemas before and after, and the pointer to the place. */
  cases: Record<string, [before: Schema, after: Schema, pointer?: string]>;
}

/** The changes of schemas, by the one rule that each of them meets. */
export const schemaChanges: Partial<Record<SharedRule, SchemaChange>> = {
  "type-changed": {
    request: "breaking",
    response: "breaking",
    swapped: "type-changed",
    cases: {
      "a string became an integer": [string, integer],
      "an object became its identifier": [object({ bar }), object({ bar: integer }), "/bar"],
    },
  },
  "type-widened": {
    request: "compatible",
    response: "breaking",
    swapped: "type-narrowed",
    cases: {
      "an integer became a number": [integer, number],
      "a type joined the list": [string, { type: ["integer", "string"] }],
      "a text is listed beside integers": [
        { type: ["integer", "string"], enum: [10, 20] },
        { type: ["integer", "string"], enum: [10, 20, "all"] },
      ],
      "a type is no longer told": [string, {}],
      "values of a map are no longer told": [map(string), { type: "object" }, "/*"],
    },
  },
  "type-narrowed": {
    request: "breaking",
    response: "compatible",
    swapped: "type-widened",
    cases: {
      "a number became an integer": [number, integer],
      "a type left the list": [{ type: ["integer", "string"] }, string],
      "a member admits nothing": [object({ a: string }, []), object({ a: false }, []), "/a"],
    },
  },
  "became-nullable": {
    request: "compatible",
    response: "breaking",
    swapped: "no-longer-nullable",
    cases: {
      "null joined the types": [string, { type: ["string", "null"] }],
      "nullable is said, as in 3.0": [string, { ...string, nullable: true }],
      "nullable is said beside allOf": [bar, { allOf: [ref("Bar")], nullable: true }],
      "null became an alternative": [bar, { anyOf: [bar, { type: "null" }] }],
      "null is listed beside integers": [
        { ...integer, enum: [1, 2] },
        { type: ["integer", "null"], enum: [1, 2, null] },
      ],
      "nullable is said beside an enumeration": [
        { ...string, enum: ["a"] },
        { ...string, enum: ["a"], nullable: true },
      ],
    },
  },
  "no-longer-nullable": {
    request: "breaking",
    response: "compatible",
    swapped: "became-nullable",
    cases: {
      "null left the enumeration": [{ enum: ["a", null] }, { enum: ["a"] }],
      "null left a member": [
        object({ a: { ...string, nullable: true } }),
        object({ a: string }),
        "/a",
      ],
    },
  },
  "values-added": {
    request: "compatible",
    response: "breaking",
    swapped: "values-removed",
    cases: {
      "a value joined": [{ enum: ["a"] }, { enum: ["b", "a"] }],
      "a constant became an enumeration": [{ const: 1 }, { enum: [1, 2] }],
      "every value is admitted": [{ ...string, const: "a" }, string],
    },
  },
  "values-removed": {
    request: "breaking",
    response: "compatible",
    swapped: "values-added",
    cases: {
      "a value left": [{ enum: [1, 2] }, { enum: [2] }],
      "values are listed": [string, { ...string, enum: ["a"] }],
      "false left": [{ type: "boolean" }, { const: true }],
      "enumerations meet in allOf": [
        { enum: ["a", "b"] },
        { allOf: [{ enum: ["a", "b"] }, { enum: ["c", "a"] }] },
      ],
    },
  },
  "limit-loosened": {
    request: "compatible",
    response: "breaking",
    swapped: "limit-tightened",
    cases: {
      "maxLength grew": [{ ...string, maxLength: 32 }, { ...string, maxLength: 64 }],
      "maxLength is gone": [{ ...string, maxLength: 32 }, string],
      "a divisor became one of its own": [
        { ...number, multipleOf: 0.5 },
        { ...number, multipleOf: 0.1 },
      ],
    },
  },
  "limit-tightened": {
    request: "breaking",
    response: "compatible",
    swapped: "limit-loosened",
    cases: {
      ...tightened("maxLength", string, 64, 32),
      ...tightened("minLength", string, 1, 2),
      ...tightened("pattern", string, undefined, "^a"),
      ...tightened("maximum", number, 10, 9.5),
      ...tightened("minimum", number, 1, 1.5),
      ...tightened("exclusiveMaximum", number, 10, 9),
      ...tightened("exclusiveMinimum", number, 1, 2),
      ...tightened("multipleOf", integer, 2, 4),
      ...tightened("maxItems", list(string), 9, 8),
      ...tightened("minItems", list(string), 1, 2),
      ...tightened("uniqueItems", list(string), false, true),
      ...tightened("maxProperties", map(string), 9, 8),
      ...tightened("minProperties", map(string), 0, 1),
      "a limit joined in allOf": [string, { allOf: [ref("Text"), { maxLength: 9 }] }],
      "a limit joined beside a reference": [ref("Text"), { ...ref("Text"), maxLength: 9 }],
      "a limit joined for one of two types": [
        { type: ["string", "integer"] },
        { type: ["string", "integer"], maximum: 9 },
      ],
    },
  },
  "limit-changed": {
    request: "breaking",
    response: "breaking",
    swapped: "limit-changed",
    cases: {
      "a pattern changed": [{ ...string, pattern: "^a" }, { ...string, pattern: "^b" }],
      "a divisor changed": [{ ...integer, multipleOf: 2 }, { ...integer, multipleOf: 3 }],
    },
  },
  "format-loosened": {
    request: "compatible",
    response: "breaking",
    swapped: "format-tightened",
    cases: {
      "a format is gone": [{ ...string, format: "date" }, string],
      "a format grew wider": [{ ...integer, format: "int32" }, { ...integer, format: "int64" }],
    },
  },
  "format-tightened": {
    request: "breaking",
    response: "compatible",
    swapped: "format-loosened",
    cases: { "a format is told": [string, { ...string, format: "uuid" }] },
  },
  "format-changed": {
    request: "breaking",
    response: "breaking",
    swapped: "format-changed",
    cases: {
      "a format changed": [{ ...string, format: "date" }, { ...string, format: "date-time" }],
    },
  },
  "member-removed": {
    request: "breaking",
    response: "breaking",
    swapped: "required-member-added",
    cases: {
      "a member left": [object({ a: string, b: string }), object({ a: string }), "/b"],
      "a member of a nested object left": [
        object({ bar: ref("Bar") }),
        object({ bar: object({ id: integer }) }),
        "/bar/name",
      ],
      "a member of an element left": [list(bar), list(object({ id: integer })), "/[]/name"],
      "a member of the values of a map left": [map(bar), map(object({ id: integer })), "/*/name"],
      "a member of a part of allOf left": [
        { allOf: [ref("Bar"), object({ a: string })] },
        ref("Bar"),
        "/a",
      ],
      "a member with a slash in its name left": [
        object({ "a/b~": string }),
        object({}),
        "/a~1b~0",
      ],
      "a member of a nullable object left": [
        { anyOf: [bar, { type: "null" }] },
        { ...object({ id: integer }), nullable: true },
        "/name",
      ],
    },
  },
  "required-member-added": {
    request: "breaking",
    response: "compatible",
    swapped: "member-removed",
    cases: { "a required member joined": [object({}), object({ a: string }), "/a"] },
  },
  "optional-member-added": {
    request: "compatible",
    response: "compatible",
    swapped: "member-removed",
    cases: {
      "an optional member joined": [object({}), object({ a: string }, []), "/a"],
      "an optional member joined a closed object": [
        { ...bar, additionalProperties: false },
        {
          ...object({ ...bar.properties, a: string }, ["id", "name"]),
          additionalProperties: false,
        },
        "/a",
      ],
    },
  },
  "member-became-required": {
    request: "breaking",
    response: "compatible",
    swapped: "member-became-optional",
    cases: {
      "a member became required": [object({ a: string }, []), object({ a: string }), "/a"],
      "a member became required in allOf": [
        object({ a: string }, []),
        { allOf: [object({ a: string }, []), { required: ["a"] }] },
        "/a",
      ],
      "a member with a default became required": [
        object({ a: { ...string, default: "" } }, []),
        object({ a: { ...string, default: "" } }),
        "/a",
      ],
    },
  },
  "member-became-optional": {
    request: "compatible",
    response: "breaking",
    swapped: "member-became-required",
    cases: {
      "a member became optional": [object({ a: string }), object({ a: string }, []), "/a"],
    },
  },
  "object-closed": {
    request: "breaking",
    response: "compatible",
    swapped: "object-opened",
    cases: { "an object is closed": [bar, { ...bar, additionalProperties: false }] },
  },
  "object-opened": {
    request: "compatible",
    response: "breaking",
    swapped: "object-closed",
    cases: {
      "an object is opened": [{ ...bar, additionalProperties: false }, {
        ...bar,
        additionalProperties: true,
      }],
    },
  },
  "default-changed": {
    request: "compatible",
    response: "compatible",
    swapped: "default-changed",
    cases: { "a default changed": [{ ...integer, default: 1 }, { ...integer, default: 2 }] },
  },
  "not-judged": {
    request: "breaking",
    response: "breaking",
    swapped: "not-judged",
    cases: {
      "not differs": [{ ...string, not: { const: "a" } }, { ...string, not: { const: "b" } }],
      "a component within not differs": [{ not: ref("Cat") }, { not: ref("Dog") }],
      "then differs": [{ if: {}, then: { maxLength: 1 } }, { if: {}, then: { maxLength: 2 } }],
      "patternProperties appear": [map(true), { ...map(true), patternProperties: { a: {} } }],
      "external references differ": [ref("a.json#/A"), ref("b.json#/A")],
      "a reference leads nowhere": [{}, ref("Nothing")],
      "a schema consists of itself": [ref("Text"), ref("Ring")],
      "the second of two values of a keyword differs": [
        { allOf: [{ not: { const: "a" } }, { not: { const: "a" } }] },
        { allOf: [{ not: { const: "a" } }, { not: { const: "b" } }] },
      ],
      "an unknown keyword appears": [string, { ...string, maxWords: 3 }],
      "a keyword is malformed": [string, { ...string, maxLength: "3" }],
      "a type is unknown": [{}, { type: "file" }],
      "a form joins a union": [{ oneOf: [cat, dog] }, { oneOf: [cat, dog, bar] }],
      "a component within a union differs": [
        { oneOf: [cat, { ...ref("Bar"), title: "a" }] },
        { oneOf: [cat, { ...ref("Dog"), title: "b" }] },
      ],
      "values are listed where a limit held": [
        { ...string, enum: ["a"], maxLength: 1 },
        { ...string, enum: ["a"], maxLength: 2 },
      ],
      "a bound excludes itself, as in 3.0": [
        { ...number, minimum: 9 },
        { ...number, minimum: 9, exclusiveMinimum: true },
      ],
      "parts of a schema contradict each other": [
        object({ a: string }),
        object({ a: { allOf: [string, integer] } }),
        "/a",
      ],
      "the values of a nullable are none of its type": [
        { ...string, nullable: true, enum: ["a", "b"] },
        { ...integer, nullable: true, enum: ["a", "b"] },
      ],
      "a list of types is empty": [{}, { type: [] }],
      "a discriminator looks elsewhere": [
        { oneOf: [cat, dog], discriminator: { propertyName: "kind" } },
        { oneOf: [cat, dog], discriminator: { propertyName: "type" } },
      ],
    },
  },
};

function tightened(
  keyword: string,
  schema: Part,
  before: unknown,
  after: unknown,
): Record<string, [Schema, Schema]> {
  const schemaWith = (value: unknown) =>
    value === undefined ? schema : { ...schema, [keyword]: value };
  return { [`${keyword} grew tighter`]: [schemaWith(before), schemaWith(after)] };
}

/** Schemas that say the same in different words. */
export const synonyms: Record<string, [one: Schema, other: Schema]> = {
  "a component is renamed": [ref("Tree"), ref("Rose")],
  "a reference is inlined": [object({ bar: ref("Bar") }), object({ bar })],
  "a schema is annotated": [bar, {
    ...bar,
    title: "Bar",
    description: "x",
    examples: [],
    "x-a": 1,
  }],
  "null is told as in 3.0": [{ type: ["string", "null"] }, { ...string, nullable: true }],
  "null is an alternative": [{ oneOf: [{ type: "null" }, ref("Bar")] }, {
    allOf: [bar],
    nullable: true,
  }],
  "null is listed": [{ enum: ["a", null] }, { ...string, nullable: true, enum: ["a", null] }],
  "an object is split by allOf": [bar, {
    allOf: [{ properties: { id: integer } }, object({ name: string }, ["name", "id"])],
  }],
  "nested allOf is flat": [{ allOf: [{ allOf: [ref("Bar")] }, {}] }, bar],
  "a union of one is that one": [{ oneOf: [ref("Bar")] }, bar],
  "values stand in another order": [{ enum: ["a", "b"] }, { enum: ["b", "a"] }],
  "a constant is an enumeration of one": [{ const: { a: 1, b: 2 } }, { enum: [{ b: 2, a: 1 }] }],
  "numbers are listed where only integers go": [
    { allOf: [integer, { enum: [1, 1.5] }] },
    { allOf: [{ enum: [1, 1.5] }, { enum: [1, 2.5] }] },
  ],
  "required stands in another order": [bar, object(bar.properties, ["name", "id"])],
  "a limit without effect is left out": [
    { ...string, minLength: 0 },
    { ...string, maximum: 3, minItems: 1 },
  ],
  "names of members are said to be texts": [map(string), { ...map(string), propertyNames: string }],
  "an open object is said to be open": [bar, { ...bar, additionalProperties: {} }],
  "an external reference stays": [ref("a.json#/A"), ref("a.json#/A")],
};
