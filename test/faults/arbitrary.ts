// From a JSON Schema of the document to values: those it allows, and those with one thing wrong.
import { Buffer } from "node:buffer";
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

/** Ten texts, and ten UUIDs, that rows of the conference have as identifiers. */
const known = Array.from({ length: 10 }, (_, place) => place + 1);
const knownTexts = known.map((n) => `A/${n}`);
const knownUuids = known.map((n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);

/** Whether a text is one segment of a path for whoever writes a URL, and so can be an identifier. */
export function isSegment(text: string): boolean {
  return !["", ".", ".."].includes(text.trimEnd());
}

/** Text of a length that a schema allows, now and then of the greatest. */
function text({ minLength = 0, maxLength: maximum = LONG }: Json): fc.Arbitrary<string> {
  const longest = fc.tuple(character, character)
    .map(([one, other]) => one + other.repeat(maximum - 1));
  const usual = { unit: character, minLength, maxLength: Math.min(maximum, 64) };
  return fc.oneof(
    { weight: 9, arbitrary: fc.string(usual) },
    { weight: 3, arbitrary: fc.constantFrom(...knownTexts).filter((one) => one.length <= maximum) },
    { weight: 1, arbitrary: longest },
  );
}

/** Integers in a range: most often one of its first from 1 on, which are the identifiers that there are. */
function integer({ minimum = 1, maximum = Number.MAX_SAFE_INTEGER }: Json): fc.Arbitrary<number> {
  const first = minimum < 0 ? 1 : minimum;
  return fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: first, max: Math.min(first + 9, maximum) }) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  );
}

function number({ minimum, maximum }: Json): fc.Arbitrary<number> {
  return fc.double({
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
    noNaN: true,
    noDefaultInfinity: true,
  });
}

/** Days and moments of the years that have four digits; an offset leads out of none of them. */
const time = fc.date({
  min: new Date("0001-01-02T00:00:00Z"),
  max: new Date("9999-12-30T00:00:00Z"),
  noInvalidDate: true,
}).map((date) => date.toISOString());

const offset = fc.constantFrom("Z", "z", "+00:00", "-00:00", "+05:45", "-12:00", "+23:59");

const formats: Record<string, fc.Arbitrary<string>> = {
  "uuid": fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...knownUuids) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.uuid().map((text) => text.toUpperCase()) },
  ),
  "date": time.map((text) => text.slice(0, 10)),
  "date-time": fc.tuple(time, fc.constantFrom(19, 21, 22, 23), offset)
    .map(([text, length, offset]) => text.slice(0, length) + offset),
};

/** Texts that are neither a day nor a moment. */
export const timeless = fc.constantFrom(
  ...["", "now", "2026-02-30", "0000-01-01", "10000-01-01", "2026-11-21T09:30:00"],
  ...["2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:30:00.1234567Z"],
);

/** Bytes in base64, few of as many as a schema allows. */
function bytes({ maxLength = Infinity }: Json): fc.Arbitrary<string> {
  return fc.uint8Array({ maxLength: Math.min(maxLength / 4 * 3, 64) })
    .map((some) => Buffer.from(some).toString("base64"));
}

/** Texts of the types that stand for others, and texts of none. */
const addresses = fc.constantFrom("10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32");
const [noAddresses, noBytes] = [["", "10.0.0", "::1::"], ["a", "YQ", "Y Q=", "YR=="]]
  .map((some) => fc.constantFrom(...some));

/** Whether only Postgres knows which texts a schema allows. */
export function isOfType(schema: Json): boolean {
  return schema["x-relata"]?.kind === "pgType";
}

/** Text that a pattern is found in, of a length that a schema allows. */
function matching({ pattern, minLength = 0, maxLength = Infinity }: Json): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(pattern)).filter((text) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength;
  });
}

/** An object of any JSON, whose members are in the order in which Postgres keeps them. */
const { object } = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: character, maxLength: 8 }),
    fc.constantFrom(null, true, 0, -0.5, 1e300),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("object"),
  ),
  object: fc.record(
    { a: tie("value"), b: tie("value"), cc: tie("value") },
    { requiredKeys: [], noNullPrototype: true },
  ),
}));

/** How many elements an array has at most, so that what is sent stays small. */
const FEW = 4;

/** From a reference of the document to what it refers to; the elements of an array likewise. */
export function resolved(document: Json, part: Json): Json {
  if (part.items) return { ...part, items: resolved(document, part.items) };
  if (!part.$ref) return part;
  return part.$ref.slice(2).split("/").reduce((value: Json, name: string) => value[name], document);
}

/** A schema without the union of an enum and null. */
function flat(schema: Json): Json {
  if (!schema.anyOf) return schema;
  const [{ type, enum: values }] = schema.anyOf;
  return { ...schema, type: [type, "null"], enum: [...values, null] };
}

/** Whether a schema is that of the identifier of a row, or of one that it refers to, which may be its own. */
export function isKey(schema: Json): boolean {
  return ["identifier", "relation"].includes(schema["x-relata"]?.kind);
}

/** Values that a schema allows. */
export function allowed(nested: Json): fc.Arbitrary<Json> {
  const schema = flat(nested);
  const { type, format, pattern } = schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(type)) { // of a kind, or null
    return fc.oneof(
      { weight: 3, arbitrary: allowed({ ...schema, type: type[0] }) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }
  if (type === "integer") return integer(schema);
  if (type === "number") return number(schema);
  if (type === "boolean") return fc.boolean();
  if (type === "string" && formats[format]) return formats[format]!;
  if (isOfType(schema)) return addresses;
  if (schema.contentEncoding) return bytes(schema);
  if (schema.examples && type === "string") return fc.constantFrom(...schema.examples);
  if (type === "string" && pattern) return matching(schema);
  if (type === "string") return isKey(schema) ? text(schema).filter(isSegment) : text(schema);
  if (type === "array") {
    const { items, minItems: minLength = 0, maxItems = FEW, uniqueItems } = schema;
    const limits = { minLength, maxLength: Math.min(maxItems, FEW) };
    const array = uniqueItems ? fc.uniqueArray : fc.array;
    return array(allowed(items), limits);
  }
  if (type === "object" && !schema.properties) return object;
  if (type === "object") {
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
  const refused = types.includes("number") ? [...types, "integer"] : types;
  return fc.oneof(
    ...Object.keys(values).filter((type) => !refused.includes(type)).map((type) => values[type]!),
  );
}

/** Values that a schema, or the storage of text, refuses because of one thing. */
export function refused(nested: Json): fc.Arbitrary<Json> {
  const schema = flat(nested);
  const types: string[] = [schema.type].flat();
  const { minimum, maximum } = schema;
  const other = otherThan(...types);
  if (types.includes("integer")) {
    return fc.oneof(other, fc.constantFrom(minimum - 1, maximum + 1, -(2 ** 63), 2 ** 63, 1e300));
  }
  if (types.includes("number")) {
    const outside = [minimum - 1, maximum + 1].filter((limit) => !Number.isNaN(limit));
    return outside.length > 0 ? fc.oneof(other, fc.constantFrom(...outside)) : other;
  }
  if (types.includes("string")) return fc.oneof(other, unstorable, ...refusedTexts(schema));
  if (types.includes("array")) return fc.oneof(other, ...refusedArrays(schema));
  if (types.includes("object") && !schema.properties) {
    return fc.oneof(other, unstorable.map((text) => ({ a: [text] })));
  }
  if (types.includes("object")) return refusedObject(schema);
  return other;
}

function refusedTexts(schema: Json): fc.Arbitrary<string>[] {
  const { minLength, maxLength, pattern, format } = schema;
  const text = fc.string();
  return [
    ...(maxLength ? [character.map((one) => one.repeat(maxLength + 1))] : []),
    ...(minLength ? [character.map((one) => one.repeat(minLength - 1))] : []),
    ...(pattern ? [text.filter((value) => !new RegExp(pattern).test(value))] : []),
    ...(schema.enum ? [text.filter((value) => !schema.enum.includes(value))] : []),
    ...(format ? [timeless] : []),
    ...(isOfType(schema) ? [noAddresses!] : []),
    ...(schema.contentEncoding ? [noBytes!] : []),
  ];
}

function refusedArrays(schema: Json): fc.Arbitrary<Json>[] {
  const { items, minItems, maxItems, uniqueItems } = schema;
  const among = (element: fc.Arbitrary<Json>, start = allowed(schema)) =>
    fc.tuple(start, element).map(([some, one]) => [...some, one]);
  const tooMany = Array.from({ length: maxItems + 1 }, (_, place) => uniqueItems ? place + 1 : {});
  return [
    among(refused(items)),
    fc.constant(tooMany),
    ...(minItems ? [fc.constant([])] : []),
    ...(uniqueItems ? [allowed(items).map((one) => [one, one])] : []),
  ];
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

/** A value in a query: of several, those within which a comma or a backslash has another one before it. */
export function queryText(value: Json): string {
  if (!Array.isArray(value)) {
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return value.map((one) => String(one).replace(/[\\,]/g, "\\$&")).join(",");
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
