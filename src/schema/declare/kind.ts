// The kind of field that a column is, by its type and its checks.
import type { TableColumn } from "../catalogue.ts";
import { array } from "../../model/array.ts";
import { boolean } from "../../model/boolean.ts";
import { bytes } from "../../model/bytes.ts";
import { isField, unmodified } from "../../model/field.ts";
import { json } from "../../model/json.ts";
import type { Field } from "../../model/model.ts";
import { decimal, integer, MAXIMUM_INTEGER, number } from "../../model/number.ts";
import type { Limits } from "../../model/options.ts";
import { pgType } from "../../model/pg-type.ts";
import { choice, text } from "../../model/text.ts";
import { created, date, time, timestamp } from "../../model/time.ts";
import { uuid } from "../../model/uuid.ts";
import { type Conditions, conditionsOf, narrower } from "./checks.ts";
import { call, type Code, object, plain } from "./code.ts";
import { bytesLiteral, elementsIn, momentLiteral } from "./literal.ts";

export interface Kind {
  /** A field of the kind, with the limits of the column. */
  field: Field;
  /** What its word takes. */
  first?: Code;
  options?: Record<string, unknown>;
  /** What it takes besides, which is about what clients send. */
  limits?: Limits;
  /** Whether Postgres takes no text for its type. */
  isUnwritten?: boolean;
  /** Turns the text of a constant of Postgres into the value that a client would send; by default, it is that. */
  parse?(text: string): unknown;
}

/** The ends of the integer types, as far as JSON numbers reach. */
const ranges: Record<string, Required<Limits>> = {
  smallint: { minimum: -(2 ** 15), maximum: 2 ** 15 - 1 },
  integer: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  bigint: { minimum: -MAXIMUM_INTEGER, maximum: MAXIMUM_INTEGER },
};

/** The types of Postgres whose values it makes itself, and takes from nobody. */
const MADE = /^pg_(node_tree|ndistinct|dependencies|mcv_list|brin_\w+)$/;

/** The defaults that tell when a row was created, and what such columns are called. */
const CLOCK =
  /^\(?((now|(clock|statement|transaction)_timestamp)\(\)|(CURRENT_|LOCAL)TIMESTAMP(\(\d\))?)( AT TIME ZONE '(utc|UTC)'::text\))?$/;
const CREATED = /^(created|inserted|added)/;

/** What tells the kind of a column. */
interface Signs extends TableColumn, Conditions {
  /** What its type has in parentheses, else 0: the characters of a text; the digits of a decimal, and its places. */
  size: number;
  places: number;
}

/** A row for each word: a field whose column has one of the same types, and the kind of such a column, if it is
 * this one. The first row that fits counts. */
const kinds: [like: Field, of: (signs: Signs) => Kind | undefined][] = [
  [choice(["any"]), ({ choices }) => choices && choiceOf(choices)],
  [text({ minimum: 1, maximum: 1 }), textOf],
  [integer(), integerOf],
  [number(), ({ value }) => ({ field: number(value), limits: value, parse: Number })],
  [boolean(), () => ({ field: boolean(), parse: (text) => text === "true" })],
  [date(), () => ({ field: date() })],
  [created(), createdOf],
  [timestamp(), () => ({ field: timestamp(), parse: momentLiteral })],
  [decimal(), decimalOf],
  [uuid(), () => ({ field: uuid() })],
  [json(), () => ({ field: json(), parse: JSON.parse })],
  [bytes(), () => ({ field: bytes(), parse: bytesLiteral })],
  [time(), () => ({ field: time() })],
];

/** The kind of a column, or why it has none. */
export function kindOf(column: TableColumn): Kind | string {
  const { type, fullType, labels } = column;
  if (fullType.endsWith("[]")) return arrayOf(column) ?? otherOf(fullType);
  if (labels) return choiceOf(labels);
  const [size = 0, places = 0] = /\((.*)\)/.exec(fullType)?.[1]?.split(",").map(Number) ?? [];
  const signs = { ...column, ...conditionsOf(column), size, places };
  for (const [{ columnType }, of] of kinds) {
    const kind = columnType!.types.map(unmodified).includes(type) && of(signs);
    if (kind) return kind;
  }
  return otherOf(fullType);
}

/** The kind of a type that no other word has. */
function otherOf(fullType: string): Kind | string {
  const field = pgType(fullType);
  if (!isField(field)) return `${fullType} has no kind`; // its name has parentheses
  return { field, first: plain(fullType), isUnwritten: MADE.test(fullType) };
}

/** An array of a kind that has arrays. Its checks are on the whole, and say nothing about an element. */
function arrayOf(column: TableColumn): Kind | undefined {
  const { type, fullType } = column;
  const element = kindOf({
    ...column,
    type: type.slice(0, -2),
    fullType: fullType.slice(0, -2),
    default: null,
    checks: [],
  });
  if (typeof element === "string") return undefined;
  const { field, first, options, limits, parse = String } = element;
  const whole = array(field);
  if (!isField(whole)) return undefined;
  const all = object({ ...options, ...limits });
  return {
    field: whole,
    first: first === undefined ? call(field.kind, all) : call(field.kind, first, all),
    parse: (text) => elementsIn(text)?.map((one) => parse(one)),
  };
}

function choiceOf(choices: string[]): Kind {
  return { field: choice(choices), first: plain(choices) };
}

/** In a column of character(n), a shorter text would be read with spaces after it. */
function textOf({ type, length, size }: Signs): Kind | undefined {
  const isPadded = type === "character";
  if (isPadded && size === 0) return undefined;
  const most = size > 0 ? { maximum: size } : {};
  const limits = isPadded ? { minimum: size, ...most } : narrower(length, most);
  return { field: text(limits), limits };
}

/** Limits that every integer has are left out. */
function integerOf({ type, value }: Signs): Kind {
  const all = narrower(value, ranges[type]!);
  const limits = Object.entries(all).filter(([, limit]) => Math.abs(limit) < MAXIMUM_INTEGER);
  return { field: integer(all), limits: Object.fromEntries(limits), parse: Number };
}

function createdOf({ name, default: expression }: Signs): Kind | undefined {
  return CREATED.test(name) && CLOCK.test(expression ?? "") ? { field: created() } : undefined;
}

function decimalOf({ size: digits, places }: Signs): Kind | undefined {
  if (digits === 0) return { field: decimal() };
  if (places < 0 || places > digits) return undefined;
  return { field: decimal({ digits, places }), options: { digits, places } };
}
