// Changes of schemas, and schemas that say the same.
import type { SharedRule } from "../house.ts";
import {
  bar,
  cat,
  discriminated,
  dog,
  fish,
  integer,
  left,
  list,
  map,
  number,
  object,
  type Part,
  ref,
  type Schema,
  string,
  tree,
} from "./parts.ts";

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
      "a member of one alternative changed its type": [
        { oneOf: [cat, dog] },
        { oneOf: [dog, object({ kind: { const: "cat" }, lives: string })] },
        "/lives",
      ],
      "a member changed in one of two alternatives that look alike": [
        { oneOf: [ref("Left"), ref("Right")] },
        { oneOf: [ref("Right"), { ...left, properties: { ...left.properties, value: integer } }] },
        "/value",
      ],
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
      "an alternative of another type joined": [bar, { oneOf: [integer, bar] }],
      "a type is no longer told": [string, {}],
      "values of a map are no longer told": [map(string), { type: "object" }, "/*"],
      "one of two ranges is no longer of integers": [
        { anyOf: [{ ...integer, maximum: 9 }, { ...number, minimum: 100 }] },
        { anyOf: [{ ...number, minimum: 100 }, { ...number, maximum: 9 }] },
      ],
      "a member is widened that is only read in one of its forms": [
        object({ a: { oneOf: [integer, { ...string, readOnly: true, writeOnly: true }] } }),
        object({ a: { oneOf: [number, { ...string, readOnly: true, writeOnly: true }] } }),
        "/a",
      ],
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
  "alternative-added": {
    request: "compatible",
    response: "breaking",
    swapped: "alternative-removed",
    cases: {
      "one of several forms joined": [{ oneOf: [cat, dog] }, { oneOf: [fish, dog, cat] }],
      "a second form joined": [ref("Cat"), { anyOf: [dog, cat] }],
      "a form joined whose component is its own discriminator": [
        { oneOf: [ref("Tree")], discriminator: { propertyName: "kind" } },
        { oneOf: [ref("Tree"), ref("Rose")], discriminator: { propertyName: "kind" } },
      ],
    },
  },
  "alternative-removed": {
    request: "breaking",
    response: "compatible",
    swapped: "alternative-added",
    cases: {
      "one of several forms left": [{ oneOf: [cat, dog, fish] }, { anyOf: [fish, cat] }],
      "one form of an element left": [list({ oneOf: [cat, dog] }), list(cat), "/[]"],
    },
  },
  "values-added": {
    request: "compatible",
    response: "breaking",
    swapped: "values-removed",
    cases: {
      "a value joined": [{ enum: ["a"] }, { enum: ["b", "a"] }],
      "a constant became an enumeration": [{ const: 1 }, { enum: [1, 2] }],
      "a constant joined another": [{ oneOf: [{ const: "a" }] }, constants("a", "b")],
      "every value is admitted": [{ ...string, const: "a" }, string],
      "a discriminator maps another value": [
        discriminated({ cat: "Kind" }),
        discriminated({ cat: "Kind", lion: "Kind" }),
        "/kind",
      ],
    },
  },
  "values-removed": {
    request: "breaking",
    response: "compatible",
    swapped: "values-added",
    cases: {
      "a value left": [{ enum: [1, 2] }, { enum: [2] }],
      "values are listed": [string, { ...string, enum: ["a"] }],
      ...listed("characters", { ...string, maxLength: 5, minLength: 1 }, ["a", "\u{1f600}bcde"]),
      ...listed("integers", { ...integer, minimum: 1, exclusiveMaximum: 4 }, [1, 2, 3]),
      ...listed("multiples", { ...number, multipleOf: 0.5 }, [1.5, 2.5]),
      ...listed("elements", { type: "array", minItems: 1, maxItems: 2 }, [[1], [1, 2]]),
      ...listed("members", { type: "object", minProperties: 1, maxProperties: 1 }, [{ a: "b" }]),
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
      "a bound excludes itself": [{ ...number, maximum: 9 }, { ...number, exclusiveMaximum: 9 }],
      "a bound excludes itself, as in 3.0": [
        { ...number, minimum: 9 },
        { ...number, minimum: 9, exclusiveMinimum: true },
      ],
      "a limit joined in allOf": [string, { allOf: [ref("Text"), { maxLength: 9 }] }],
      "a limit joined beside a reference": [ref("Text"), { ...ref("Text"), maxLength: 9 }],
      "a limit joined in a part of forms that look alike": [
        { oneOf: ["a", "b", "c"].map((name) => lookalike(name, string)) },
        { oneOf: ["c", "b", "a"].map((name) => lookalike(name, { ...string, maxLength: 9 })) },
        "/data/part",
      ],
      "a limit joined in a part of forms one of which contradicts itself": [
        { oneOf: [contradiction(string), dog] },
        { oneOf: [dog, contradiction({ ...string, maxLength: 9 })] },
        "/part",
      ],
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
      "an optional member joined one alternative": [
        { oneOf: [cat, dog] },
        { oneOf: [dog, { allOf: [object({ name: string }, []), ref("Cat")] }] },
        "/name",
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
      "a member of a recursive schema became optional": [
        ref("Tree"),
        object({ value: string, children: list(ref("Tree")) }, ["children"]),
        "/value",
      ],
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
      "a dynamic reference appears": [{}, { $dynamicRef: "#node" }],
      "external references differ": [ref("a.json#/A"), ref("b.json#/A")],
      "a reference leads nowhere": [{}, ref("Nothing")],
      "a schema consists of itself": [ref("Text"), ref("Ring")],
      "the second of two values of a keyword differs": [
        { allOf: [{ not: { const: "a" } }, { not: { const: "a" } }] },
        { allOf: [{ not: { const: "a" } }, { not: { const: "b" } }] },
      ],
      "a union has more forms than are told apart": [forms(600, string), forms(600, integer)],
      "combined unions have more forms than are told apart": [
        { allOf: Array.from({ length: 12 }, () => forms(8, string)) },
        { allOf: Array.from({ length: 12 }, () => forms(8, integer)) },
      ],
      "an unknown keyword appears": [string, { ...string, maxWords: 3 }],
      "a keyword is malformed": [string, { ...string, maxLength: "3" }],
      "a type is unknown": [{}, { type: "file" }],
      "a discriminator looks elsewhere": [
        { oneOf: [cat, dog], discriminator: { propertyName: "kind" } },
        { oneOf: [cat, dog], discriminator: { propertyName: "type" } },
      ],
    },
  },
};

/** A form that only what is deep in it tells from others. */
function lookalike(name: string, part: Schema): Part {
  return object({ data: object({ name: { const: name }, part }) });
}

/** A form with a member that nothing satisfies, as documents of others have by mistake. */
function contradiction(part: Schema): Part {
  return { allOf: [object({ kind: { const: "cat" }, part }), object({ kind: { const: "lion" } })] };
}

function forms(count: number, schema: Schema): Part {
  return { oneOf: Array.from({ length: count }, (_, index) => object({ [`a${index}`]: schema })) };
}

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

/** Values that are listed where a limit held that each of them is within. */
function listed(what: string, schema: Part, values: unknown[]): Record<string, [Schema, Schema]> {
  const { type } = schema;
  return { [`values are listed within a limit of ${what}`]: [schema, { type, enum: values }] };
}

/** Constants that a document describes one by one. */
function constants(...values: unknown[]): Part {
  return { oneOf: values.map((value) => ({ const: value, title: `It is ${value}` })) };
}

/** Schemas that say the same in different words. */
export const synonyms: Record<string, [one: Schema, other: Schema]> = {
  "a component is renamed": [ref("Tree"), ref("Rose")],
  "a reference is inlined": [object({ bar: ref("Bar") }), object({ bar })],
  "a recursive reference is unrolled once": [ref("Tree"), tree],
  "a recursive union is written in another order": [ref("Chain"), ref("Link")],
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
  "open bounds are told as in 3.0": [
    { ...number, exclusiveMinimum: 1, exclusiveMaximum: 2 },
    { ...number, minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
  ],
  "an open bound of integers is closed": [{ ...integer, exclusiveMaximum: 10 }, {
    ...integer,
    maximum: 9,
  }],
  "a list of types is a union": [{ type: ["string", "array"], maxLength: 3 }, {
    anyOf: [list({}), { ...string, maxLength: 3 }],
  }],
  "an object is split by allOf": [bar, {
    allOf: [{ properties: { id: integer } }, object({ name: string }, ["name", "id"])],
  }],
  "nested allOf is flat": [{ allOf: [{ allOf: [ref("Bar")] }, {}] }, bar],
  "alternatives stand in another order": [{ oneOf: [cat, dog, fish] }, { anyOf: [fish, cat, dog] }],
  "an alternative is said twice": [{ oneOf: [cat, dog] }, { anyOf: [ref("Cat"), cat, dog] }],
  "a union of one is that one": [{ oneOf: [ref("Bar")] }, bar],
  "values stand in another order": [{ enum: ["a", "b"] }, { enum: ["b", "a"] }],
  "a constant is an enumeration of one": [{ const: { a: 1, b: 2 } }, { enum: [{ b: 2, a: 1 }] }],
  "an enumeration is a union of constants": [constants("a", "b"), { enum: ["a", "b"] }],
  "numbers are constants": [constants(1, 1.5), { enum: [1.5, 1] }],
  "both booleans are constants": [constants(false, true), { type: "boolean" }],
  "numbers are listed where only integers go": [
    { allOf: [integer, { enum: [1, 1.5] }] },
    { allOf: [{ enum: [1, 1.5] }, { enum: [1, 2.5] }] },
  ],
  "required stands in another order": [bar, object(bar.properties, ["name", "id"])],
  "a limit without effect is left out": [
    { ...string, minLength: 0 },
    { ...string, maximum: 3, minItems: 1 },
  ],
  "integers are said to be multiples of 1": [integer, { ...integer, multipleOf: 1 }],
  "a text is said to be a secret": [string, { ...string, format: "password" }],
  "an open object is said to be open": [bar, { ...bar, additionalProperties: {} }],
  "mapped components are renamed": [
    { oneOf: [ref("Tree")], discriminator: { propertyName: "kind", mapping: { a: "Tree" } } },
    {
      oneOf: [ref("Rose")],
      discriminator: { propertyName: "kind", mapping: { a: "#/components/schemas/Rose" } },
    },
  ],
  "a component within not is renamed": [{ not: ref("Tree") }, { not: ref("Rose") }],
  "values are listed beside any text": [{ anyOf: [string, { enum: ["a"] }] }, {
    anyOf: [{ ...string, enum: ["b"] }, string],
  }],
  "a form contradicts itself": [{ oneOf: [contradiction(string), dog] }, {
    anyOf: [dog, contradiction(string)],
  }],
  "what is deep in a form tells it from others": [
    { oneOf: [lookalike("a", string), lookalike("b", string)] },
    { oneOf: [lookalike("b", string), lookalike("a", string)] },
  ],
  "an external reference stays": [ref("a.json#/A"), ref("a.json#/A")],
};
