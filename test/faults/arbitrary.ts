// From a JSON Schema of the document to values: those it allows, and those with one thing wrong.
import fc from "fast-check";

/** A schema, or any other part of the document: JSON of a shape that is not known beforehand. */
// deno-lint-ignore no-explicit-any
export type Json = any;

/** Characters that mean something to some layer, or are folded, joined or counted by it. */
const delicate = [
  ...`%_\\"'\`;\t\n\r\u0001\u007f\u0085\u00a0\u00df\u0130\u0301\u200d\u2028\ufeff\uffff😀`,
];

/** Any code point that can be stored, each as likely as any other. */
const codePoint = fc.integer({ min: 1, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

/** Characters of a text that can be stored. */
export const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.constantFrom(...delicate) },
  { weight: 2, arbitrary: codePoint },
);

/** What is no text that can be stored: it holds U+0000, or half a pair of surrogates. */
export const unstorable = fc.tuple(
  fc.string({ unit: character, maxLength: 8 }),
  fc.constantFrom("\0", "\ud83d", "\ude00", "\ude00\ud83d"),
  fc.string({ unit: character, maxLength: 8 }),
).map((parts) => parts.join(""));

/** Code points of a text that no schema limits. */
const LONG = 20_000;

/** Text of a length that a schema allows, now and then of the greatest. */
function text(maximum = LONG): fc.Arbitrary<string> {
  const longest = fc.tuple(character, character)
    .map(([one, other]) => one + other.repeat(maximum - 1));
  return fc.oneof(
    { weight: 9, arbitrary: fc.string({ unit: character, maxLength: Math.min(maximum, 64) }) },
    { weight: 1, arbitrary: longest },
  );
}

/** Integers in a range: most often one of its first, which are the identifiers that there are. */
function integer({ minimum, maximum }: Json): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: minimum, max: Math.min(minimum + 9, maximum) }) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  );
}

/** From a reference of the document to what it refers to. */
export function resolved(document: Json, part: Json): Json {
  if (!part.$ref) return part;
  return part.$ref.slice(2).split("/").reduce((value: Json, name: string) => value[name], document);
}

/** Values that a schema allows. */
export function allowed(schema: Json): fc.Arbitrary<Json> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.examples && schema.type === "string") return fc.constantFrom(...schema.examples);
  if (schema.type === "integer") return integer(schema);
  if (schema.type === "string" && schema.pattern) return fc.stringMatching(RegExp(schema.pattern));
  if (schema.type === "string") return text(schema.maxLength);
  if (schema.type === "object") {
    return fc.record(mapped(schema.properties, allowed), {
      requiredKeys: schema.required ?? [],
      noNullPrototype: true,
    });
  }
  throw new Error(`Nothing makes values of the schema ${JSON.stringify(schema)}`);
}

/** Values of any JSON type but some. */
function otherThan(...types: string[]): fc.Arbitrary<Json> {
  const values: Record<string, fc.Arbitrary<Json>> = {
    null: fc.constant(null),
    boolean: fc.boolean(),
    integer: fc.maxSafeInteger(),
    number: fc.constantFrom(0.5, -1.5, 1e-7, 5e-324),
    string: fc.string(),
    array: fc.array(fc.jsonValue(), { maxLength: 3 }),
    object: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3, noNullPrototype: true }),
  };
  return fc.oneof(
    ...Object.keys(values).filter((type) => !types.includes(type)).map((type) => values[type]!),
  );
}

/** Values that a schema, or the storage of text, refuses because of one thing. */
export function refused(schema: Json): fc.Arbitrary<Json> {
  if (schema.type === "integer") {
    return fc.oneof(
      otherThan("integer"),
      fc.constantFrom(schema.minimum - 1, schema.maximum + 1, -1, 2 ** 63, 1e300),
    );
  }
  if (schema.type === "string") {
    const tooLong = schema.maxLength === undefined
      ? []
      : [character.map((character) => character.repeat(schema.maxLength + 1))];
    return fc.oneof(otherThan("string"), unstorable, ...tooLong);
  }
  if (schema.type === "object") return refusedObject(schema);
  throw new Error(`Nothing makes values that the schema ${JSON.stringify(schema)} refuses`);
}

function refusedObject(schema: Json): fc.Arbitrary<Json> {
  const { properties, required = [], additionalProperties } = schema;
  const whole = allowed(schema);
  const unknown = fc.oneof(
    fc.string().filter((name) => !Object.hasOwn(properties, name)),
    fc.constantFrom("__proto__", "constructor", "toString", ""),
  );
  return fc.oneof(
    otherThan("object"),
    ...Object.entries(properties).map(([name, property]) =>
      fc.tuple(whole, refused(property)).map(([value, wrong]) => ({ ...value, [name]: wrong }))
    ),
    ...required.map((missing: string) =>
      whole.map((value) =>
        Object.fromEntries(Object.entries(value).filter(([name]) => name !== missing))
      )
    ),
    ...(additionalProperties === false
      ? [
        fc.tuple(whole, unknown, fc.jsonValue()).map(([value, name, more]) => ({
          ...value,
          [name]: more,
        })),
      ]
      : []),
  );
}

/** Whether a text can be the value of a header, and is not trimmed there. */
export function isHeader(text: string): boolean {
  return /^[\x20-\x7e\x80-\xff]*$/.test(text) && !/^ | $/.test(text);
}

/** Text that can stand in a header. */
export const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
}).filter(isHeader);

function mapped(values: Record<string, Json>, map: (value: Json) => fc.Arbitrary<Json>) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
