// The kinds of fields. The relation has a file of its own.
// Single modules, because loading the whole packages doubles the time of a start
import { UTCDateMini } from "@date-fns/utc/date/mini";
import { lightFormat } from "date-fns/lightFormat";
import * as v from "valibot";
import type { Field } from "./model.ts";

/** The largest integer that every JSON reader holds exactly (RFC 8259, section 6): 2^53 - 1. */
export const MAXIMUM_IDENTIFIER = Number.MAX_SAFE_INTEGER;

/** The type of an identifier in the document. Languages with several integers need the format. */
export const identifierType = { type: "integer", format: "int64" };

export const identifierSchema = v.pipe(
  v.number(),
  v.integer(),
  v.metadata(identifierType),
  v.minValue(1),
  v.maxValue(MAXIMUM_IDENTIFIER),
);

/** An identifier in a path or a query: decimal digits without leading zeros. */
export const identifierText = v.pipe(
  v.string(),
  v.metadata({ ...identifierType, minimum: 1, maximum: MAXIMUM_IDENTIFIER, examples: [1] }),
  // No `regex`: the document would have a `pattern` on an integer
  v.check((text) => /^[1-9][0-9]*$/.test(text), "a positive integer"),
  v.transform(Number),
  v.maxValue(MAXIMUM_IDENTIFIER, `a positive integer of at most ${MAXIMUM_IDENTIFIER}`),
);

/** The identifier of a row, assigned by the database and never written. */
export function identifier(): Field {
  return { kind: "identifier", column: "id", read: identifierSchema, example: 1 };
}

export interface TextOptions {
  /** The limit in Unicode code points, as JSON Schema and Postgres count them. */
  maximum?: number;
  /** The value that a POST or PUT without the field stores; without a default, the field is required. */
  default?: string;
  /** The column, if its name is not that of the field. */
  column?: string;
  /** An example for the document. */
  example?: string;
}

/** Text, stored as it was sent, neither trimmed nor normalised. */
export function text(
  { maximum = Infinity, example = "Text", ...options }: TextOptions = {},
): Field {
  const limit = maximum === Infinity ? {} : { maxLength: maximum };
  const { default: fallback, ...rest } = options;
  return {
    kind: "text",
    ...rest,
    example,
    isLong: maximum === Infinity,
    read: v.pipe(v.string(), v.metadata(limit)),
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata(limit),
        v.check(isStorable, "invalid_text"),
        v.check((value) => !isLongerThan(value, maximum), "too_long"),
      ),
      sqlType: "text",
      ...(fallback !== undefined && { default: fallback }),
      explain: (code, value) => {
        if (code === "too_long") return `Send at most ${maximum} characters`;
        if (code === "invalid_text") return "Send text without U+0000 and unpaired surrogates";
        return `Send a string, not ${kindOf(value)}`;
      },
    },
  };
}

/** The time at which the database created the row, in UTC, to the second; never written. The last result is
 * cached, because rows that are read together were often created in the same second. */
export function created({ column }: { column?: string } = {}): Field {
  let [second, shown] = ["", ""];
  function format(timestamp: unknown): string {
    const asked = String(timestamp).replace(/\.\d+/, "");
    if (asked !== second) {
      shown = lightFormat(new UTCDateMini(asked), "yyyy-MM-dd HH:mm:ss");
      second = asked;
    }
    return shown;
  }
  return {
    kind: "created",
    ...(column !== undefined && { column }),
    example: "2026-11-21 09:30:00",
    read: v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)),
    format,
  };
}

/** Whether Postgres can keep this text: it refuses U+0000, and UTF-8 has no lone surrogates. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

/** The JSON type of a value, as a message names it. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a fraction";
  return `a ${typeof value}`;
}

function isLongerThan(value: string, maximum: number): boolean {
  if (value.length <= maximum) return false; // a code point has one code unit or two
  return value.length > 2 * maximum || [...value].length > maximum;
}
