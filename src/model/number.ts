// The kinds of fields that hold numbers.
import * as v from "valibot";
import { type Sql, sql } from "../db/sql.ts";
import { held, jsonTypeOf, textTypes } from "./field.ts";
import type { ColumnType, Field, Write } from "./model.ts";
import { type Limits, MOST_DIGITS, type Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** The largest integer that every JSON reader holds exactly (RFC 8259, section 6): 2^53 - 1. */
export const MAXIMUM_INTEGER = Number.MAX_SAFE_INTEGER;

/** The type of an integer in the document. Languages with several integers need the format. */
export const integerType = { type: "integer", format: "int64" };

/** Any `bigint`, as Postgres writes it. */
export const bigintText = v.pipe(
  v.string(),
  v.check((text) => /^(0|-?[1-9]\d{0,18})$/.test(text) && isBigint(BigInt(text))),
);

function isBigint(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** SQL for whether a column holds an integer that every JSON reader holds exactly. */
export function isExact(column: Sql): Sql {
  return sql`${column} between ${-MAXIMUM_INTEGER} and ${MAXIMUM_INTEGER}`;
}

/** Whether a type, such as `numeric(9,0)`, is that of decimals without places, which are integers. */
export function isWholeNumeric(fullType: string): boolean {
  return /^numeric\(\d+,0\)$/.test(fullType);
}

/** The types of columns that hold integers. */
export const integerTypes = ["bigint", "integer", "smallint"];

/** The type of a column that holds the rank of a link, or of a row that another one owns. */
export const rankType: ColumnType = { types: integerTypes, converted: ["numeric"] };

/** A number without a fraction, which every JSON reader holds exactly. One that was stored beyond these
 * limits is read as null. */
export const integer = word((options: Options["integer"] = {}): Field => {
  const {
    minimum = -MAXIMUM_INTEGER,
    maximum = MAXIMUM_INTEGER,
    default: fallback,
    ...rest
  } = checkedOptions("integer", options);
  const limits = { minimum, maximum };
  return {
    kind: "integer",
    example: exampleWithin(limits),
    ...rest,
    columnType: {
      types: integerTypes,
      converted: ["numeric", "double precision", "real"],
      holds: isExact,
    },
    read: v.pipe(v.number(), v.metadata(integerType)),
    value: held(isExact),
    write: {
      schema: v.pipe(
        v.number("incorrect_type"),
        v.metadata({ ...integerType, ...limits }),
        v.check(isIntegral, "incorrect_type"),
        v.check((value) => value >= minimum, "too_small"),
        v.check((value) => value <= maximum, "too_large"),
      ),
      sqlType: "bigint",
      default: fallback,
      explain: explaining("an integer", limits),
    },
    filter: { value: integerText, sqlType: "bigint", isOrdered: true },
  };
});

/** The limits of a `bigint`, in which a statement takes integers. */
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** An integer in a query. One beyond the range of `bigint` counts as the end of the range: it compares with
 * every row as the integer itself would, but for the row that has just that end. */
const integerText = v.pipe(
  v.string(),
  v.metadata(integerType),
  v.check((text) => /^-?(0|[1-9][0-9]*)$/.test(text), "an integer"),
  v.transform((text) => {
    const value = BigInt(text);
    return String(value < LEAST ? LEAST : value > MOST ? MOST : value);
  }),
);

/** A number, read back as the same double. Infinity and NaN, which JSON lacks, are read as null. */
export const number = word((options: Options["number"] = {}): Field => {
  const { minimum, maximum, default: fallback, ...rest } = checkedOptions("number", options);
  const limits: Limits = {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
  const { minimum: least = -Number.MAX_VALUE, maximum: most = Number.MAX_VALUE } = limits;
  const holds = (column: Sql) => sql`${column} > '-Infinity' and ${column} < 'Infinity'`;
  return {
    kind: "number",
    example: exampleWithin(limits),
    ...rest,
    columnType: {
      types: ["double precision"],
      converted: ["real", "numeric", ...textTypes],
      holds,
    },
    read: v.number(),
    value: held(holds),
    write: {
      schema: v.pipe(
        v.number("incorrect_type"),
        v.metadata({ ...limits }),
        v.check((value) => value >= least, "too_small"),
        v.check((value) => value <= most, "too_large"),
      ),
      sqlType: "double precision",
      default: fallback,
      explain: explaining("a number", { minimum: least, maximum: most }),
    },
    filter: { value: numberText, sqlType: "double precision", isOrdered: true },
  };
});

/** A number in a query. One beyond the doubles counts as the last of them. */
const numberText = v.pipe(
  v.string(),
  v.metadata({ type: "number" }),
  v.check((text) => /^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?$/i.test(text), "a number"),
  v.transform((text) => Math.min(Math.max(Number(text), -Number.MAX_VALUE), Number.MAX_VALUE)),
);

/** A decimal number, such as an amount of money: a string, because JSON readers take numbers as doubles. It has a
 * fixed precision, or as many digits as are sent. Infinity and NaN are read as null. */
export const decimal = word((options: Options["decimal"] = {}): Field => {
  const { digits, places, default: fallback, ...rest } = checkedOptions("decimal", options);
  const form = digits === undefined || places === undefined ? FREE : fixed(digits, places);
  const written = new RegExp(`^-?(0|[1-9][0-9]*)${form.fraction}$`);
  const holds = (column: Sql) =>
    sql`${column}::numeric > '-Infinity' and ${column}::numeric < 'Infinity'`; // NaN is the largest
  return {
    kind: "decimal",
    example: form.zero,
    ...rest,
    columnType: {
      types: [form.type],
      isUnmodified: true,
      converted: ["numeric", "bigint", "integer", "smallint"],
      holds,
    },
    read: v.pipe(v.string(), v.metadata({ pattern: form.read })),
    value: (column) =>
      sql`
        case
          when ${holds(column)}
          then ${form.rounded(column)}::text
        end`,
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata({ pattern: `^-?${form.whole}${form.fraction}$` }),
        v.check((value) => written.test(value), "invalid_format"),
        v.check((value) => !form.isTooLarge(value), "too_large"),
      ),
      sqlType: "numeric",
      default: fallback,
      explain: (code, value) => {
        if (code === "too_large") return `Send a number with at most ${form.most}`;
        if (code === "invalid_format") return form.invalid;
        return `Send a string that holds a number, such as "${form.zero}", not ${
          jsonTypeOf(value)
        }`;
      },
    },
    filter: { value: decimalText, sqlType: "numeric", isOrdered: true },
  };
});

/** Decimals of some precision: their column, what a client sends and reads. */
interface DecimalForm {
  type: string;
  zero: string;
  /** The parts of a pattern before the point, and with it behind. */
  whole: string;
  fraction: string;
  /** The pattern of what is read. */
  read: string;
  rounded(column: Sql): Sql;
  isTooLarge(value: string): boolean;
  /** What a number has at most, and what to send instead of what is no such number. */
  most: string;
  invalid: string;
}

/** As many digits as are sent. */
const FREE: DecimalForm = {
  type: "numeric",
  zero: "0",
  whole: "(0|[1-9][0-9]*)",
  fraction: String.raw`(\.[0-9]+)?`,
  read: String.raw`^-?[0-9]+(\.[0-9]+)?$`,
  rounded: (column) => column,
  isTooLarge: (value) => value.replace(/\D/g, "").length > MOST_DIGITS,
  most: `${MOST_DIGITS} digits`,
  invalid: 'Send a decimal number as a string, such as "12.5"',
};

function fixed(digits: number, places: number): DecimalForm {
  const whole = digits - places;
  const hasPlaces = places > 0;
  return {
    type: `numeric(${digits},${places})`,
    zero: hasPlaces ? `0.${"0".repeat(places)}` : "0",
    whole: wholeDigits(whole),
    fraction: hasPlaces ? String.raw`(\.[0-9]{1,${places}})?` : "",
    read: hasPlaces ? String.raw`^-?[0-9]+\.[0-9]{${places}}$` : "^-?[0-9]+$",
    rounded: (column) => sql`round(${column}, ${places})`,
    isTooLarge: (value) => /^-?(0(?=\.|$))?([0-9]*)/.exec(value)![2]!.length > whole,
    most: `${whole} digits before the point`,
    invalid: hasPlaces
      ? `Send a decimal number as a string, such as "12.5", with at most ${places} decimals`
      : 'Send an integer as a string, such as "12"',
  };
}

/** A decimal number in a query. Postgres takes more digits than these, but not any number of them. */
const decimalText = v.pipe(
  v.string(),
  v.regex(/^-?(0|[1-9][0-9]{0,999})(\.[0-9]{1,1000})?$/, "a decimal number, such as 12.50"),
);

/** JSON has no integer type: a number without a fraction counts as one, even one too large for a double. */
export function isIntegral(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Infinity;
}

function explaining(what: string, { minimum, maximum }: Limits): Write["explain"] {
  return (code, value) => {
    if (code === "too_small") return `Send ${what} of at least ${minimum}`;
    if (code === "too_large") return `Send ${what} of at most ${maximum}`;
    return `Send ${what}, not ${jsonTypeOf(value)}`;
  };
}

function exampleWithin({ minimum = -Infinity, maximum = Infinity }: Limits): number {
  return Math.min(Math.max(1, minimum), maximum);
}

/** The part of a pattern for at most so many digits before the point. */
function wholeDigits(digits: number): string {
  if (digits === 0) return "0";
  return digits === 1 ? "[0-9]" : `(0|[1-9][0-9]{0,${digits - 1}})`;
}
