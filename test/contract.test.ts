import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { contractCheck } from "../src/commands/contract.ts";
import { compare } from "../src/contract/compare.ts";
import type { Document } from "../src/contract/document.ts";
import { report, table } from "../src/contract/report.ts";
import { type Direction, rules, type SharedRule } from "../src/contract/rules.ts";
import { UsageError } from "../src/usage.ts";

const test = suite("contract check");

/** A part of a document, of whatever shape the case is about. */
type Part = Record<string, unknown>;
type Schema = Part | boolean;

const json = "application/json";

function api(paths: Part, rest: Part = {}): Document {
  return { openapi: "3.1.0", info: { title: "Foos", version: "1.0.0" }, paths, ...rest };
}

/** A document with one operation, `GET /foos`. */
function get(operation: Part, rest?: Part): Document {
  return api({ "/foos": { get: { responses: { 200: {} }, ...operation } } }, rest);
}

/** A document with one operation, `POST /foos`, that answers nothing. */
function post(operation: Part, rest?: Part): Document {
  return api({ "/foos": { post: { responses: { 204: {} }, ...operation } } }, rest);
}

function content(schema: Schema): Part {
  return { content: { [json]: { schema } } };
}

/** One schema in a request or in an answer, beside the components it refers to. */
function document(direction: Direction, schema: Schema, schemas: Part = {}): Document {
  const rest = { components: { schemas } };
  return direction === "request"
    ? post({ requestBody: content(schema) }, rest)
    : get({ responses: { 200: content(schema) } }, rest);
}

const places = {
  request: `POST /foos request ${json}`,
  response: `GET /foos response 200 ${json}`,
};

const met = new Set<string>();

/** The changes between two documents, a line each, in the order of the alphabet. */
function changes(before: Document, after: Document): string[] {
  return compare(before, after).map(({ direction, rule, verdict, place }) => {
    met.add(`${direction} ${rule}`);
    return `${verdict}: ${direction} ${rule} at ${place}`;
  }).sort();
}

function object(properties: Part, required = Object.keys(properties)) {
  return { type: "object", properties, required };
}

const string = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const bar = object({ id: integer, name: string });
const cat = object({ kind: { const: "cat" }, lives: integer });
const dog = object({ kind: { const: "dog" }, bark: string });
const fish = object({ kind: { const: "fish" }, depth: number });

function ref(name: string): Part {
  return { $ref: name.includes(".") ? name : `#/components/schemas/${name}` };
}

function list(items: Schema): Part {
  return { type: "array", items };
}

function map(additionalProperties: Schema): Part {
  return { type: "object", additionalProperties };
}

/** A union of references, told apart by the values that the mapping lists. */
function discriminated(mapping: Record<string, string>): Part {
  return {
    oneOf: [...new Set(Object.values(mapping))].map(ref),
    discriminator: { propertyName: "kind", mapping },
  };
}

/** A union of references, told apart by the names of the components. */
function discriminatedByName(name: string): Part {
  return { oneOf: [ref(name), ref("Cat")], discriminator: { propertyName: "kind" } };
}

const tree = object({ value: string, children: list(ref("Tree")) });
const rose = object({ value: string, children: list(ref("Rose")) });
const left = object({ kind: { const: "left" }, value: string });
const right = object({ kind: { const: "right" }, value: string });
const components = {
  Left: left,
  Right: right,
  Text: string,
  Bar: bar,
  Cat: cat,
  Dog: dog,
  Kind: object({ kind: string, size: integer }),
  Tree: tree,
  Rose: rose,
  Chain: object({ next: { anyOf: [ref("Chain"), { type: "null" }] } }),
  Link: object({ next: { oneOf: [{ type: "null" }, ref("Link")] } }),
  Ring: { allOf: [ref("Ring"), string] },
};

interface SchemaChange {
  request: "breaking" | "compatible";
  response: "breaking" | "compatible";
  /** The rule that the same pair meets when it is swapped. */
  swapped: SharedRule;
  /** What happens: the schemas before and after, and the pointer to the place. */
  cases: Record<string, [before: Schema, after: Schema, pointer?: string]>;
}

/** The changes of schemas, by the one rule that each of them meets. */
const schemaChanges: Partial<Record<SharedRule, SchemaChange>> = {
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

for (const [rule, { cases, swapped, ...verdicts }] of Object.entries(schemaChanges)) {
  for (const [says, [before, after, pointer]] of Object.entries(cases)) {
    for (const direction of ["request", "response"] as const) {
      const place = pointer ? `${places[direction]} ${pointer}` : places[direction];
      const pair = [before, after].map((schema) => document(direction, schema, components));
      const verdict = verdicts[direction];

      test(`finds ${direction} ${rule} ${verdict} where ${says}`, () => {
        const found = changes(pair[0]!, pair[1]!);
        assert.equal(found, [`${verdict}: ${direction} ${rule} at ${place}`]);
      });

      test(`finds ${direction} ${swapped} where it is taken back that ${says}`, () => {
        const found = compare(pair[1]!, pair[0]!).map(({ rule, place }) => `${rule} at ${place}`);
        assert.equal(found, [`${swapped} at ${place}`]);
      });
    }
  }
}

/** Schemas that say the same in different words. */
const synonyms: Record<string, [one: Schema, other: Schema]> = {
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
  "required stands in another order": [bar, object(bar.properties, ["name", "id"])],
  "a limit without effect is left out": [
    { ...string, minLength: 0 },
    { ...string, maximum: 3, minItems: 1 },
  ],
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

for (const [says, pair] of Object.entries(synonyms)) {
  for (const direction of ["request", "response"] as const) {
    test(`finds no change of a ${direction} where ${says}`, () => {
      const [one, other] = pair.map((schema) => document(direction, schema, components));
      assert.equal(changes(one!, other!), []);
      assert.equal(changes(other!, one!), []);
    });
  }
}

const limit = { name: "limit", in: "query", schema: integer };
const required = { required: true };
const noSchemes = { components: { securitySchemes: {} } };
const schemes = {
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      token: { type: "http", scheme: "bearer" },
    },
  },
};

/** A component as every answer and the request of one resource embed it. */
function embedding(bar: Schema): Document {
  const answer = (schema: Schema) => ({ 200: content(schema) });
  return api({
    "/foos": {
      get: { responses: answer(list(ref("Foo"))) },
      post: { requestBody: content(ref("FooWrite")), responses: answer(ref("Foo")) },
    },
    "/foos/{foo_id}": { get: { responses: answer(ref("Foo")) } },
    "/bars": { post: { requestBody: content(ref("Bar")), responses: { 204: {} } } },
  }, {
    components: {
      schemas: { Bar: bar, Foo: object({ bar: ref("Bar") }), FooWrite: object({ bar: integer }) },
    },
  });
}

/** Documents, what changes from the one to the other, and what changes back if not the same. */
const documentChanges: Record<
  string,
  [before: Document, after: Document, there: string[], back?: string[]]
> = {
  "a path is added": [
    api({}),
    api({ "/foos/{id}": { get: {} } }),
    ["compatible: request path-added at /foos/{}"],
    ["breaking: request path-removed at /foos/{}"],
  ],
  "a path is renamed": [
    api({ "/foos": { get: {} } }),
    api({ "/foos/": { get: {} } }),
    ["breaking: request path-removed at /foos", "compatible: request path-added at /foos/"],
    ["breaking: request path-removed at /foos/", "compatible: request path-added at /foos"],
  ],
  "a method is added": [
    api({ "/foos": { get: {} } }),
    api({ "/foos": { get: {}, delete: {} } }),
    ["compatible: request method-added at DELETE /foos"],
    ["breaking: request method-removed at DELETE /foos"],
  ],
  "a path parameter is renamed": [
    api({ "/foos/{id}": { get: { parameters: [inPath("id", integer)] } } }),
    api({ "/foos/{foo_id}": { parameters: [inPath("foo_id", integer)], get: {} } }),
    ["compatible: request path-parameter-renamed at GET /foos/{}"],
  ],
  "a path parameter is renamed and its type widened": [
    api({ "/foos/{id}": { get: { parameters: [inPath("id", integer)] } } }),
    api({ "/foos/{foo}": { get: { parameters: [inPath("foo", number)] } } }),
    [
      "compatible: request path-parameter-renamed at GET /foos/{}",
      "compatible: request type-widened at GET /foos/{} path parameter 1",
    ],
    [
      "breaking: request type-narrowed at GET /foos/{} path parameter 1",
      "compatible: request path-parameter-renamed at GET /foos/{}",
    ],
  ],
  "an operation is renamed": [
    get({ operationId: "listFoos" }),
    get({ operationId: "foosList" }),
    ["compatible: request operation-renamed at GET /foos"],
  ],
  "an operation is deprecated": [
    get({}),
    get({ deprecated: true }),
    ["compatible: request deprecated at GET /foos"],
    [],
  ],
  "a member is deprecated": [
    document("response", object({ a: string })),
    document("response", object({ a: { ...string, deprecated: true } })),
    [`compatible: response deprecated at ${places.response} /a`],
    [],
  ],
  "the servers change": [
    get({}, { servers: [{ url: "https://a.example" }] }),
    get({ servers: [{ url: "https://b.example" }] }),
    [
      "compatible: request servers-changed at GET /foos",
      "compatible: request servers-changed at servers",
    ],
  ],
  "a token is asked for": [
    get({}, schemes),
    get({ security: [{ token: [] }] }, schemes),
    ["breaking: request security-tightened at GET /foos"],
    ["compatible: request security-loosened at GET /foos"],
  ],
  "a second scheme is asked for, everywhere": [
    get({}, { ...schemes, security: [{ token: [] }] }),
    get({}, { ...schemes, security: [{ token: [], key: [] }] }),
    ["breaking: request security-tightened at GET /foos"],
    ["compatible: request security-loosened at GET /foos"],
  ],
  "a second scheme suffices": [
    get({ security: [{ token: [] }] }, schemes),
    get({ security: [{ key: [] }, { token: [] }] }, schemes),
    ["compatible: request security-loosened at GET /foos"],
    ["breaking: request security-tightened at GET /foos"],
  ],
  "a scope is asked for": [
    get({ security: [{ token: ["read"] }] }, schemes),
    get({ security: [{ token: ["read", "write"] }] }, schemes),
    ["breaking: request security-tightened at GET /foos"],
    ["compatible: request security-loosened at GET /foos"],
  ],

  "an optional query parameter is added": [
    get({}),
    get({ parameters: [limit] }),
    ["compatible: request optional-parameter-added at GET /foos query parameter limit"],
    ["breaking: request parameter-removed at GET /foos query parameter limit"],
  ],
  "a required header is asked for": [
    get({}),
    get({ parameters: [{ ...limit, in: "header", name: "X-Limit", required: true }] }),
    ["breaking: request required-parameter-added at GET /foos header parameter x-limit"],
    ["breaking: request parameter-removed at GET /foos header parameter x-limit"],
  ],
  "a cookie becomes required": [
    get({ parameters: [{ ...limit, in: "cookie" }] }),
    get({ parameters: [{ ...limit, in: "cookie", required: true }] }),
    ["breaking: request parameter-became-required at GET /foos cookie parameter limit"],
    ["compatible: request parameter-became-optional at GET /foos cookie parameter limit"],
  ],
  "a parameter is renamed": [
    get({ parameters: [limit] }),
    get({ parameters: [{ ...limit, name: "size" }] }),
    [
      "breaking: request parameter-removed at GET /foos query parameter limit",
      "compatible: request optional-parameter-added at GET /foos query parameter size",
    ],
    [
      "breaking: request parameter-removed at GET /foos query parameter size",
      "compatible: request optional-parameter-added at GET /foos query parameter limit",
    ],
  ],
  "a parameter moves to a header": [
    get({ parameters: [limit] }),
    get({ parameters: [{ ...limit, in: "header" }] }),
    ["breaking: request parameter-moved at GET /foos query parameter limit"],
    ["breaking: request parameter-moved at GET /foos header parameter limit"],
  ],
  "a list is written with commas": [
    get({ parameters: [{ ...limit, schema: list(integer) }] }),
    get({ parameters: [{ ...limit, schema: list(integer), explode: false }] }),
    ["breaking: request parameter-style-changed at GET /foos query parameter limit"],
  ],
  "a parameter takes more values": [
    get({ parameters: [{ ...limit, schema: { enum: ["id"] } }] }),
    get({ parameters: [{ ...limit, schema: { enum: ["id", "-id"] } }] }),
    ["compatible: request values-added at GET /foos query parameter limit"],
    ["breaking: request values-removed at GET /foos query parameter limit"],
  ],
  "a parameter of a path becomes required": [
    api({ "/foos": { parameters: [limit], get: {}, post: {} } }),
    api({ "/foos": { parameters: [{ ...limit, ...required }], get: {}, post: {} } }),
    [
      "breaking: request parameter-became-required at GET /foos query parameter limit",
      "breaking: request parameter-became-required at POST /foos query parameter limit",
    ],
    [
      "compatible: request parameter-became-optional at GET /foos query parameter limit",
      "compatible: request parameter-became-optional at POST /foos query parameter limit",
    ],
  ],
  "an operation overrides a parameter of its path": [
    api({ "/foos": { parameters: [limit], get: {} } }),
    api({ "/foos": { parameters: [limit], get: { parameters: [{ ...limit, schema: number }] } } }),
    ["compatible: request type-widened at GET /foos query parameter limit"],
    ["breaking: request type-narrowed at GET /foos query parameter limit"],
  ],
  "a parameter of another document is another": [
    get({ parameters: [ref("a.json#/A")] }),
    get({ parameters: [ref("b.json#/B")] }),
    ["breaking: request not-judged at GET /foos"],
  ],

  "an optional body is taken": [
    post({}),
    post({ requestBody: content(bar) }),
    ["compatible: request optional-body-added at POST /foos request"],
    ["breaking: request body-removed at POST /foos request"],
  ],
  "a body is asked for": [
    post({}),
    post({ requestBody: { ...required, ...content(bar) } }),
    ["breaking: request required-body-added at POST /foos request"],
    ["breaking: request body-removed at POST /foos request"],
  ],
  "a body becomes required": [
    post({ requestBody: content(bar) }),
    post({ requestBody: { ...required, ...content(bar) } }),
    ["breaking: request body-became-required at POST /foos request"],
    ["compatible: request body-became-optional at POST /foos request"],
  ],
  "another media type is taken": [
    post({ requestBody: { content: { [json]: {} } } }),
    post({ requestBody: { content: { [json]: {}, "text/csv": {} } } }),
    ["compatible: request media-type-added at POST /foos request text/csv"],
    ["breaking: request media-type-removed at POST /foos request text/csv"],
  ],
  "every media type is taken": [
    post({ requestBody: { content: { [json]: { schema: bar } } } }),
    post({ requestBody: { content: { "*/*": { schema: bar } } } }),
    ["compatible: request media-type-added at POST /foos request */*"],
    [
      "breaking: request media-type-removed at POST /foos request */*",
      `compatible: request media-type-added at ${places.request}`,
    ],
  ],
  "a member is only read from now on": [
    document("request", bar),
    document("request", { ...bar, properties: { ...bar.properties, id: { readOnly: true } } }),
    [`breaking: request member-removed at ${places.request} /id`],
    [`breaking: request required-member-added at ${places.request} /id`],
  ],
  "a member is only written from now on": [
    document("response", bar),
    document("response", {
      ...bar,
      properties: { ...bar.properties, id: { ...integer, writeOnly: true } },
    }),
    [`breaking: response member-removed at ${places.response} /id`],
    [`compatible: response required-member-added at ${places.response} /id`],
  ],
  "a member that may be null and is only read changes its type": [
    document("request", object({ id: { ...integer, readOnly: true, nullable: true } })),
    document("request", object({ id: { ...string, readOnly: true, nullable: true } })),
    [],
  ],
  "a member that is only read joins a request": [
    document("request", object({})),
    document("request", object({ id: { ...integer, readOnly: true } })),
    [],
  ],

  "another status of success is answered": [
    get({ responses: { 200: {} } }),
    get({ responses: { 200: {}, 202: {} } }),
    ["compatible: response success-status-added at GET /foos response 202"],
    ["breaking: response success-status-removed at GET /foos response 202"],
  ],
  "another error is answered": [
    get({ responses: { 200: {} } }),
    get({ responses: { 200: {}, 404: {}, default: {} } }),
    [
      "compatible: response error-status-added at GET /foos response 404",
      "compatible: response error-status-added at GET /foos response default",
    ],
    [
      "compatible: response error-status-removed at GET /foos response 404",
      "compatible: response error-status-removed at GET /foos response default",
    ],
  ],
  "a status is told by its range": [
    get({ responses: { 200: content(bar) } }),
    get({ responses: { "2xx": content(object({ id: integer })) } }),
    [`breaking: response member-removed at GET /foos response 2XX ${json} /name`],
    [`compatible: response required-member-added at ${places.response} /name`],
  ],
  "another media type is answered": [
    get({ responses: { 200: { content: { [json]: {} } } } }),
    get({
      responses: { 200: { content: { "application/json; charset=UTF-8": {}, "text/csv": {} } } },
    }),
    ["compatible: response media-type-added at GET /foos response 200 text/csv"],
    ["breaking: response media-type-removed at GET /foos response 200 text/csv"],
  ],
  "a header is answered": [
    get({ responses: { 200: { headers: {} } } }),
    get({ responses: { 200: { headers: { ETag: { schema: string } } } } }),
    ["compatible: response header-added at GET /foos response 200 header etag"],
    ["breaking: response header-removed at GET /foos response 200 header etag"],
  ],
  "a header becomes required": [
    get({ responses: { 200: { headers: { ETag: { schema: string } } } } }),
    get({ responses: { 200: { headers: { etag: { schema: string, required: true } } } } }),
    ["compatible: response header-became-required at GET /foos response 200 header etag"],
    ["breaking: response header-became-optional at GET /foos response 200 header etag"],
  ],
  "a header gets a format": [
    get({ responses: { 200: { headers: { Age: { schema: string } } } } }),
    get({ responses: { 200: { headers: { Age: { schema: { ...string, format: "date" } } } } } }),
    ["compatible: response format-tightened at GET /foos response 200 header age"],
    ["breaking: response format-loosened at GET /foos response 200 header age"],
  ],
  "a link is answered": [
    get({ responses: { 200: {} } }),
    get({ responses: { 200: { links: { next: { operationId: "a" } } } } }),
    ["compatible: response link-added at GET /foos response 200 link next"],
    ["breaking: response link-removed at GET /foos response 200 link next"],
  ],
  "a callback differs": [
    post({ callbacks: { done: { "{$url}": { post: {} } } } }),
    post({ callbacks: { done: { "{$url}": { put: {} } } } }),
    ["breaking: request not-judged at POST /foos"],
  ],
  "webhooks differ": [
    get({}, { webhooks: { done: { post: {} } } }),
    get({}, { webhooks: { done: { put: {} } } }),
    ["breaking: request not-judged at webhooks"],
  ],
  "a webhook that is called like a description differs": [
    get({}, { webhooks: { title: { post: {} } } }),
    get({}, { webhooks: { title: { put: {} } } }),
    ["breaking: request not-judged at webhooks"],
  ],
  "a link that is called like a description differs": [
    get({ responses: { 200: { links: { example: { operationId: "a" } } } } }),
    get({ responses: { 200: { links: { example: { operationRef: "b" } } } } }),
    ["breaking: response not-judged at GET /foos response 200 link example"],
  ],
  "a schema with an anchor changes": [
    document("response", { $ref: "#name" }, { Name: { $anchor: "name", ...string } }),
    document("response", { $ref: "#name" }, { Name: { $anchor: "name", ...integer } }),
    [`breaking: response type-changed at ${places.response}`],
  ],
  "a schema with a dynamic anchor changes": [
    document("response", { $dynamicRef: "#name" }, { Name: { $dynamicAnchor: "name", ...string } }),
    document("response", { $dynamicRef: "#name" }, {
      Name: { $dynamicAnchor: "name", ...integer },
    }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "a component is renamed whose name a discriminator looks for": [
    document("response", discriminatedByName("Bar"), { Bar: bar, Cat: cat }),
    document("response", discriminatedByName("Baz"), { Baz: bar, Cat: cat }),
    [
      `breaking: response alternative-added at ${places.response}`,
      `compatible: response alternative-removed at ${places.response}`,
    ],
  ],
  "an answer of another document is another": [
    get({ responses: { 200: ref("a.json#/A") } }),
    get({ responses: { 200: ref("b.json#/B") } }),
    ["breaking: response not-judged at GET /foos response 200"],
  ],

  "a component changes that others embed": [
    embedding(bar),
    embedding(object({ id: integer, name: string }, ["id"])),
    [
      `breaking: response member-became-optional at GET /foos response 200 ${json} /[]/bar/name`,
      `breaking: response member-became-optional at GET /foos/{} response 200 ${json} /bar/name`,
      `breaking: response member-became-optional at POST /foos response 200 ${json} /bar/name`,
      `compatible: request member-became-optional at POST /bars request ${json} /name`,
    ],
    [
      `breaking: request member-became-required at POST /bars request ${json} /name`,
      `compatible: response member-became-required at GET /foos response 200 ${json} /[]/bar/name`,
      `compatible: response member-became-required at GET /foos/{} response 200 ${json} /bar/name`,
      `compatible: response member-became-required at POST /foos response 200 ${json} /bar/name`,
    ],
  ],
  "every form of a union gains a member": [
    document("request", { oneOf: [kind("cat"), kind("dog")] }),
    document("request", {
      oneOf: [kind("dog", { bark: string }), kind("cat", { lives: integer })],
    }),
    ["bark", "lives"].map((name) =>
      `breaking: request required-member-added at ${places.request} /${name}`
    ),
    ["bark", "lives"].map((name) =>
      `breaking: request member-removed at ${places.request} /${name}`
    ),
  ],
  "one form of a union gives way to another that has little in common with it": [
    document("response", { oneOf: [dog, object({ id: integer, name: string, size: number })] }),
    document("response", { oneOf: [dog, object({ id: integer })] }),
    [
      `breaking: response alternative-added at ${places.response}`,
      `compatible: response alternative-removed at ${places.response}`,
    ],
    ["name", "size"].map((name) =>
      `compatible: response required-member-added at ${places.response} /${name}`
    ),
  ],
  "one component is embedded twice in one answer": [
    document("response", object({ one: ref("Bar"), other: ref("Bar") }), { Bar: object({}) }),
    document("response", object({ one: ref("Bar"), other: ref("Bar") }), {
      Bar: object({ a: string }),
    }),
    ["one", "other"].map((name) =>
      `compatible: response required-member-added at ${places.response} /${name}/a`
    ),
    ["one", "other"].map((name) =>
      `breaking: response member-removed at ${places.response} /${name}/a`
    ),
  ],
  "a 3.0 document becomes a 3.1 document with one more member": [
    {
      ...document("response", object({ a: { ...string, nullable: true } })),
      openapi: "3.0.3",
    },
    document("response", object({ a: { type: ["null", "string"] }, b: integer })),
    [`compatible: response required-member-added at ${places.response} /b`],
    [`breaking: response member-removed at ${places.response} /b`],
  ],
};

function kind(name: string, more: Part = {}): Part {
  return object({ kind: { const: name }, ...more });
}

function inPath(name: string, schema: Schema): Part {
  return { name, in: "path", required: true, schema };
}

for (const [says, [before, after, there, back = there]] of Object.entries(documentChanges)) {
  test(`finds what it means that ${says}`, () => {
    assert.equal(changes(before, after), there);
  });

  test(`finds what it means to take back that ${says}`, () => {
    assert.equal(changes(after, before), back);
  });

  test(`finds no change from a document to itself: ${says}`, () => {
    assert.equal(changes(before, before), []);
    assert.equal(changes(after, structuredClone(after)), []);
  });
}

/** Documents that say the same in different words. */
const documentSynonyms: Record<string, [one: Document, other: Document]> = {
  "a parameter becomes one of the path": [
    get({ parameters: [limit] }),
    api({ "/foos": { parameters: [limit], get: { responses: { 200: {} } } } }),
  ],
  "parts are kept as components": [
    api({
      "/foos": {
        post: {
          parameters: [limit],
          requestBody: content(bar),
          responses: { 200: { ...content(bar), headers: { ETag: { schema: string } } } },
        },
      },
    }),
    api({ "/foos": ref("#/components/pathItems/Foos.") }, {
      components: {
        pathItems: {
          "Foos.": {
            post: {
              parameters: [{ $ref: "#/components/parameters/Limit" }],
              requestBody: { $ref: "#/components/requestBodies/Foo" },
              responses: { 200: { $ref: "#/components/responses/Foo" } },
            },
          },
        },
        parameters: { Limit: limit },
        requestBodies: { Foo: content(bar) },
        responses: {
          Foo: { ...content(bar), headers: { ETag: { $ref: "#/components/headers/Tag" } } },
        },
        headers: { Tag: { schema: string } },
      },
    }),
  ],
  "a security scheme is renamed": [
    get({ security: [{ token: [] }] }, schemes),
    get({}, {
      security: [{ bearer: [] }],
      components: { securitySchemes: { bearer: schemes.components.securitySchemes.token } },
    }),
  ],
  "no security is said to be none": [get({}), get({ security: [] }, noSchemes)],
  "headers that OpenAPI tells readers to ignore are described": [
    get({}),
    get({ parameters: [{ name: "Accept", in: "header", required: true }] }),
  ],
  "summaries and tags change": [
    get({ summary: "a", tags: ["a"] }),
    get({ description: "b" }, { tags: [] }),
  ],
};

for (const [says, [one, other]] of Object.entries(documentSynonyms)) {
  test(`finds no change where ${says}`, () => {
    assert.equal(changes(one, other), []);
    assert.equal(changes(other, one), []);
  });
}

/** An answer of 40 schemas that embed each other: `form` makes one of what it leads to. */
function mesh(form: (schemas: Part[], index: number) => Schema): Document {
  const refs = Array.from({ length: 40 }, (_, index) => ref(`Schema${index}`));
  const schemas = refs.map((_, index) => [
    `Schema${index}`,
    form([1, 2, 3, 5, 7, 11].map((step) => refs[(index * step + step) % 40]!), index),
  ]);
  return document("response", refs[0]!, Object.fromEntries(schemas));
}

const meshes: Record<string, [form: (name: Schema) => Document, found: string]> = {
  "embed each other in many ways": [
    (name) => mesh((refs) => object({ name: copy(name), ...refs })),
    `breaking: response type-changed at ${places.response} /0/name`,
  ],
  "admit each other in many ways": [
    (name) => mesh((refs, index) => object({ name: copy(name), [`a${index}`]: { oneOf: refs } })),
    `breaking: response type-changed at ${places.response} /a0/name`,
  ],
  "combine each other in many ways": [
    (name) =>
      mesh(([a, b, c, d, e, f]) => ({
        allOf: [[a, b, c], [d, e, f]].map((refs) => ({
          oneOf: refs.map((one, index) => object({ one, [`a${index}`]: integer, name })),
        })),
      })),
    `breaking: response type-changed at ${places.response} /name`,
  ],
  "follow each other down to the last": [
    (name) => mesh((_, index) => index === 39 ? name : object({ a: ref(`Schema${index + 1}`) })),
    `breaking: response type-changed at ${places.response} ${"/a".repeat(39)}`,
  ],
};

/** A schema of its own, as every place of a document has one. */
function copy(schema: Schema): Schema {
  return structuredClone(schema);
}

for (const [says, [form, expected]] of Object.entries(meshes)) {
  test(`ends on schemas that ${says}, and reports a change`, () => {
    assert.ok(changes(form(string), form(integer)).includes(expected));
    assert.equal(changes(form(string), form({ ...string })), []);
  });
}

test("names a change at every place of an answer, but follows a recursion once", () => {
  const order = (name: Schema) =>
    document("response", object({ first: ref("Order"), last: ref("Order") }), {
      Order: object({ buyer: ref("Person"), seller: ref("Person") }),
      Person: object({ name, orders: list(ref("Order")), home: ref("Home") }),
      Home: object({ owner: name }),
    });
  const found = compare(order(string), order(copy(integer))).map(({ place }) => place);
  const people = ["first", "last"].flatMap((one) => [`/${one}/buyer`, `/${one}/seller`]);
  assert.equal(
    found.toSorted(),
    people.flatMap((one) => [`${one}/home/owner`, `${one}/name`])
      .map((pointer) => `${places.response} ${pointer}`).sort(),
  );
});

test("says what was and what is", () => {
  const [change] = compare(
    document("request", { ...string, maxLength: 64 }),
    document("request", { ...string, maxLength: 32 }),
  );
  assert.equal(change, {
    rule: "limit-tightened",
    direction: "request",
    verdict: "breaking",
    bump: "major",
    place: places.request,
    detail: "Values within the old limit are refused: maxLength 64, now 32",
  });
});

test("asks for a major version of what breaks, a minor one of additions, else a patch", () => {
  const [none, added] = [get({}), get({ parameters: [limit] })];
  assert.is(report(compare(added, none)).bump, "major");
  assert.is(report(compare(none, added)).bump, "minor");
  assert.is(report(compare(none, get({ operationId: "foos" }))).bump, "patch");
  assert.is(report(compare(none, none)).bump, "patch");
});

test("judges by a table in which what breaks asks for a major version, and nothing else does", () => {
  for (const table of Object.values(rules)) {
    for (const [name, { verdict, bump, sentence }] of Object.entries(table)) {
      assert.is(verdict === "breaking", bump === "major", name);
      assert.match(sentence, /^[A-Z].*[^.]$/, name);
    }
  }
});

const folder = mkdtempSync(join(tmpdir(), "relata-contract-"));
const files = {
  old: file("old.json", get({ parameters: [limit], responses: { 200: content(bar) } })),
  compatible: file(
    "new.json",
    get({
      responses: { 200: content(bar) },
      parameters: [limit, {
        ...limit,
        name: "size",
      }],
    }),
  ),
  breaking: file("next.json", get({ responses: { 200: content({ ...bar, not: {} }) } })),
};

test.after(() => rmSync(folder, { recursive: true }));

function file(name: string, contents: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof contents === "string" ? contents : JSON.stringify(contents));
  return path;
}

/** The exit status of the command and what it prints. */
async function check(...args: Parameters<typeof contractCheck>) {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => lines.push(line);
  try {
    const status = await contractCheck(...args);
    return { status, output: lines.join("\n") };
  } finally {
    console.log = log;
  }
}

test("prints a table, the gravest first, and what version it asks for", async () => {
  const { status, output } = await check(files.old, files.breaking);
  assert.is(status, 1);
  const cells = output.split("\n").map((line) => line.split(/ {2,}/));
  assert.equal(cells, [
    ["VERDICT", "DIRECTION", "RULE", "PLACE", "DETAIL"],
    [
      "breaking",
      "request",
      "parameter-removed",
      "GET /foos query parameter limit",
      "The server no longer knows a parameter that clients send",
    ],
    [
      "not judged",
      "response",
      "not-judged",
      places.response,
      'No rule judges what differs here, so it counts as breaking: "not" differs',
    ],
    [""],
    ["Breaking: asks for a major version (2 breaking, 1 of them not judged, 0 compatible)"],
  ]);
});

test("prints tables of any length", () => {
  const [change] = compare(get({}), get({ deprecated: true }));
  const lines = table(report(Array.from({ length: 200_000 }, () => change!))).split("\n");
  assert.is(lines.length, 200_003);
});

test("ends with 0 where the change is compatible", async () => {
  const { status, output } = await check(files.old, files.compatible);
  assert.is(status, 0);
  assert.match(output, /\nCompatible: asks for a minor version \(0 breaking, 1 compatible\)$/);
});

test("prints one line where nothing changed", async () => {
  const { status, output } = await check(files.old, files.old);
  assert.is(status, 0);
  assert.is(output, "Compatible: asks for a patch version (0 breaking, 0 compatible)");
});

test("prints JSON where it is asked for", async () => {
  const { status, output } = await check(files.old, files.compatible, { json: true });
  assert.is(status, 0);
  assert.equal(JSON.parse(output), {
    verdict: "compatible",
    bump: "minor",
    changes: [{
      rule: "optional-parameter-added",
      direction: "request",
      verdict: "compatible",
      bump: "minor",
      place: "GET /foos query parameter size",
      detail: "Clients may send a new parameter",
    }],
  });
});

test("reads URLs, and says where one answers no document", async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/openapi.json" ? 200 : 404;
    response.end(JSON.stringify(get({ parameters: [limit] })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    assert.is((await check(`${url}/openapi.json`, `${url}/openapi.json`)).status, 0);
    const message = await refusal(`${url}/openapi.jso`);
    assert.is(message, `Cannot read "${url}/openapi.jso": the server answers 404`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  assert.match(await refusal(url), new RegExp(`^Cannot read "${url}": `));
});

const unreadable: [says: string, contents: unknown, message: string][] = [
  ["no JSON text", "openapi: 3.1.0", 'Cannot read "…": it is no JSON text'],
  ["an array", [], 'Cannot judge "…": it is no OpenAPI 3.0 or 3.1 document'],
  ["null", null, 'Cannot judge "…": it is no OpenAPI 3.0 or 3.1 document'],
  ["Swagger 2.0", { swagger: "2.0" }, 'Cannot judge "…": it is no OpenAPI 3.0 or 3.1 document'],
  ["OpenAPI 3.2", { openapi: "3.2.0" }, 'Cannot judge "…": it is no OpenAPI 3.0 or 3.1 document'],
  ["no paths", { openapi: "3.0.3" }, 'Cannot judge "…": its "paths" are no object'],
];

for (const [says, contents, message] of unreadable) {
  test(`refuses ${says}`, async () => {
    const path = file("unreadable.json", contents);
    assert.is(await refusal(path), message.replace("…", path));
  });
}

test("refuses a file that does not exist and a folder", async () => {
  const path = join(folder, "nothing.json");
  assert.is(await refusal(path), `Cannot read "${path}": no such file`);
  assert.is(await refusal(folder), `Cannot read "${folder}": it is a folder`);
});

/** The sentence with which the command refuses a source; `main.ts` makes exit status 2 of it. */
async function refusal(source: string): Promise<string> {
  try {
    await check(files.old, source);
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as UsageError).message;
  }
  return "no refusal";
}

test("has met every rule of the table", () => {
  const all = Object.entries(rules).flatMap(([direction, table]) =>
    Object.keys(table).map((rule) => `${direction} ${rule}`)
  );
  assert.equal([...met].sort(), all.sort());
});

test.run();
