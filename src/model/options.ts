// What each word of a declaration takes, by its name: the types of its options and their checks, which a
// project needs because its types are stripped. The guide and the types for editors are compared with it.
import * as v from "valibot";
import type { projectSql, Slot, Sql } from "../db/sql.ts";
import { accessOption, type ClaimSql } from "./access.ts";
import { defaultAmong } from "./default.ts";
import type { Declaration, Field, Optional } from "./model.ts";

/** The bytes of the longest name in Postgres; what is longer, it cuts. */
const LONGEST_NAME = 63;

/** The most digits of a decimal. */
export const MOST_DIGITS = 1000;

/** The condition of a relation; it gets the tag. */
export type Condition = (tag: typeof projectSql) => Sql;

/** Writes the SQL of a report or an action, with a placeholder for each parameter or input, and for each claim that it
 * asks for. */
export type Rows<Name extends string = string> = (
  tag: typeof projectSql,
  placeholders: Record<Name, Slot>,
  claim: ClaimSql,
) => Sql;

/** The parameters of a report, by their names. */
export type Parameters = Record<string, Field | Optional>;

/** The input of an action, by its names. */
export type Inputs = Record<string, Field>;

/** What is least and what is greatest. */
export interface Limits {
  minimum?: number;
  maximum?: number;
}

const string = v.string("a string");
const boolean = v.boolean("true or false");
const number = v.pipe(v.number("a number"), v.finite("a number"));
const integer = v.pipe(v.number("an integer"), v.safeInteger("an integer"));
const count = v.pipe(integer, v.minValue(0, "an integer of at least 0"));
const day = v.pipe(
  string,
  // A day that no month has is read as one of the next month
  v.check((text) => new Date(text).toJSON()?.slice(0, 10) === text, 'a day such as "2026-11-21"'),
);
const expression = v.pipe(string, v.check(isExpression, "a regular expression"));
const names = v.array(string, "an array of strings");

/** A column. */
const sqlName = v.pipe(
  string,
  v.nonEmpty("a name"),
  v.excludes("\0", "a name without U+0000"),
  v.maxBytes(LONGEST_NAME, `a name of at most ${LONGEST_NAME} bytes`),
  v.check((text) => !text.startsWith("relata_"), 'a name that does not begin with "relata_"'),
);

/** A table, perhaps with its schema. */
const qualifiedName = v.pipe(
  string,
  v.check((text) => /^[^.]+(\.[^.]+)?$/.test(text), '"table" or "schema.table"'),
  v.check(
    (text) => text.split(".").every((part) => v.is(sqlName, part)),
    'a name whose parts are names, and do not begin with "relata_"',
  ),
);

/** What every kind of field takes. */
const described = { label: v.exactOptional(string), description: v.exactOptional(string) };

/** What a kind with a column takes. */
const stored = { column: v.exactOptional(sqlName), ...described };

/** What a kind takes that clients send. */
function writable<Value extends v.GenericSchema>(value: Value) {
  return {
    ...stored,
    default: v.exactOptional(defaultAmong(value)),
    example: v.exactOptional(value),
  };
}

/** What a kind takes whose values are amounts. */
const measured = { unit: v.exactOptional(string) };

/** The limits of a number, or of the length of a text. */
function limits<Value extends v.GenericSchema<number>>(value: Value) {
  return { minimum: v.exactOptional(value), maximum: v.exactOptional(value) };
}

const isOrdered = v.check<Limits, string>(
  ({ minimum = -Infinity, maximum = Infinity }) => minimum <= maximum,
  'a "minimum" that is not above its "maximum"',
);

/** What both kinds of relation take. */
const related = {
  read: v.exactOptional(v.picklist(["object", "identifier"], '"object" or "identifier"')),
  where: v.exactOptional(
    v.custom<Condition>(isFunction, "a function, which gets the tag"),
  ),
};

/** What only identifiers of some types take. */
const ofIdentifiers = {
  integer: ["generated"],
  uuid: ["default"],
  text: ["default", "maximum", "pattern"],
};

export const options = {
  identifier: v.pipe(
    v.strictObject({
      type: v.exactOptional(
        v.picklist(["integer", "uuid", "text"], '"integer", "uuid" or "text"'),
      ),
      generated: v.exactOptional(boolean),
      default: v.exactOptional(v.literal("database", '"database"')),
      maximum: v.exactOptional(count),
      pattern: v.exactOptional(expression),
      ...stored,
      example: v.exactOptional(v.union([integer, string], "an integer or a string")),
    }),
    v.check(
      (given) => strangerIn(given) === undefined,
      ({ input }) =>
        `no option "${strangerIn(input)}" for identifiers of the type "${input.type ?? "integer"}"`,
    ),
  ),
  text: v.pipe(
    v.strictObject({
      ...limits(count),
      pattern: v.exactOptional(expression),
      ...writable(string),
    }),
    isOrdered,
  ),
  choice: v.strictObject(writable(string)),
  integer: v.pipe(
    v.strictObject({ ...limits(integer), ...measured, ...writable(integer) }),
    isOrdered,
  ),
  number: v.pipe(
    v.strictObject({ ...limits(number), ...measured, ...writable(number) }),
    isOrdered,
  ),
  decimal: v.pipe(
    v.strictObject({
      digits: v.exactOptional(v.pipe(
        integer,
        v.minValue(1, "an integer of at least 1"),
        v.maxValue(MOST_DIGITS, `an integer of at most ${MOST_DIGITS}`),
      )),
      places: v.exactOptional(count),
      ...measured,
      ...writable(string),
    }),
    v.check(
      ({ digits, places }) => (digits === undefined) === (places === undefined),
      'both "digits" and "places", or neither',
    ),
    v.check(
      ({ digits = 0, places = 0 }) => places <= digits,
      '"places" that are not above its "digits"',
    ),
  ),
  boolean: v.strictObject(writable(boolean)),
  uuid: v.strictObject(writable(string)),
  json: v.strictObject({
    only: v.exactOptional(v.picklist(["object", "array"], '"object" or "array"')),
    maximum: v.exactOptional(count),
    ...writable(v.unknown()),
  }),
  array: v.pipe(
    v.strictObject({ ...limits(count), ...writable(v.array(v.unknown(), "an array")) }),
    isOrdered,
  ),
  bytes: v.strictObject({ maximum: v.exactOptional(count), ...writable(string) }),
  pgType: v.strictObject(writable(string)),
  date: v.strictObject(writable(string)),
  time: v.strictObject(writable(string)),
  timestamp: v.strictObject(writable(string)),
  created: v.strictObject({ ...stored, example: v.exactOptional(string) }),
  relation: v.strictObject({
    ...related,
    ...stored,
    default: v.exactOptional(defaultAmong(v.union([integer, string], "an identifier"))),
  }),
  many: v.strictObject({
    through: qualifiedName,
    from: v.exactOptional(sqlName),
    to: v.exactOptional(sqlName),
    order: v.exactOptional(sqlName),
    ...related,
    ...described,
  }),
  owned: v.strictObject({
    parent: string,
    order: v.exactOptional(sqlName),
    ...described,
  }),
  deprecated: v.pipe(
    v.strictObject({
      since: day,
      sunset: v.exactOptional(day),
      link: v.exactOptional(
        v.pipe(string, v.check(isAddress, 'an address such as "https://example.com/news"')),
      ),
    }),
    v.check(
      ({ since, sunset = since }) => since <= sunset,
      'a "sunset" that is not before its "since"',
    ),
  ),
  list: v.strictObject({
    sort: v.exactOptional(string),
  }),
  resource: v.strictObject(
    {
      path: v.exactOptional(string),
      record: v.exactOptional(boolean),
      routes: v.exactOptional(v.custom<Declaration["routes"]>(isRecord, "verbs by their paths")),
      ...described,
      display: v.exactOptional(string),
      table: v.exactOptional(qualifiedName),
      access: v.exactOptional(accessOption),
      fields: v.custom<Declaration["fields"]>(isRecord, "fields by their names"),
      key: v.exactOptional(names),
      history: v.exactOptional(boolean),
      filter: v.exactOptional(names),
      sort: v.exactOptional(names),
    } satisfies Record<
      Exclude<keyof Declaration, "isPart" | "keys"> | "path" | "record" | "key",
      v.GenericSchema
    >,
  ),
  report: v.strictObject({
    path: string,
    summary: string,
    access: v.exactOptional(accessOption),
    parameters: v.exactOptional(v.custom<Parameters>(isRecord, "parameters by their names")),
    fields: v.custom<Declaration["fields"]>(isRecord, "fields by their names"),
    rows: v.custom<Rows>(isFunction, "a function that gives SQL"),
  }),
  action: v.strictObject({
    path: string,
    summary: string,
    access: v.exactOptional(accessOption),
    input: v.exactOptional(v.custom<Inputs>(isRecord, "fields by their names")),
    fields: v.exactOptional(
      v.custom<Declaration["fields"]>(isRecord, "fields by their names"),
    ),
    single: v.exactOptional(boolean),
    tables: v.exactOptional(v.array(qualifiedName, "an array of tables")),
    statement: v.custom<Rows>(isFunction, "a function that gives SQL"),
  }),
};

export type Word = keyof typeof options;

export type Options = { [Each in Word]: v.InferInput<(typeof options)[Each]> };

/** Whether a text is an address as a header has it: other characters are escaped (RFC 3986). */
function isAddress(text: string): boolean {
  return /^[!-~]+$/.test(text) && !/[<>"]/.test(text);
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}

/** An option that identifiers of the type do not take; undefined if there is none. */
function strangerIn(
  { type = "integer", ...given }: { type?: keyof typeof ofIdentifiers },
): string | undefined {
  const others = Object.values(ofIdentifiers).flat()
    .filter((option) => !ofIdentifiers[type].includes(option));
  return Object.keys(given).find((option) => others.includes(option));
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
