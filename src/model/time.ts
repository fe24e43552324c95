// The kinds of fields that hold dates and times.
// Single modules, because loading the whole packages doubles the time of a start
import { isValid } from "date-fns/isValid";
import { parseISO } from "date-fns/parseISO";
import * as v from "valibot";
import { type Sql, sql } from "../db/sql.ts";
import { held, jsonTypeOf, textTypes } from "./field.ts";
import type { ColumnType, Field } from "./model.ts";
import type { Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** A day of the calendar, from year 1 to 9999. A day outside of these years is read as null. */
export const date = word((options: Options["date"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("date", options);
  const holds = (column: Sql) => sql`${column} between '0001-01-01' and '9999-12-31'`;
  return {
    kind: "date",
    example: "2026-11-21",
    ...rest,
    columnType: {
      types: ["date"],
      converted: ["timestamp with time zone", "timestamp without time zone", ...textTypes],
      holds,
    },
    read: v.pipe(v.string(), v.metadata({ format: "date" })),
    value: held(holds),
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata({ format: "date" }),
        v.check(isDay, "invalid_format"),
      ),
      sqlType: "date",
      default: fallback,
      explain: (code, value) =>
        code === "invalid_format"
          ? "Send a day of the calendar as YYYY-MM-DD"
          : `Send a string, not ${jsonTypeOf(value)}`,
    },
    filter: {
      value: v.pipe(
        v.string(),
        v.metadata({ format: "date" }),
        v.check(isDay, "a day of the calendar as YYYY-MM-DD"),
      ),
      sqlType: "date",
      isOrdered: true,
    },
  };
});

/** A time of the day without a time zone, and the end of the day as the time that it is. */
const CLOCK = /^(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?|24:00:00(\.0{1,6})?)$/;

const clockText = v.pipe(v.string("incorrect_type"), v.regex(CLOCK, "invalid_format"));

/** A time of the day, to the microsecond. Leap seconds, which Postgres does not keep, are refused. */
export const time = word((options: Options["time"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("time", options);
  const says = "HH:MM:SS, with at most six decimals, up to 24:00:00";
  return {
    kind: "time",
    example: "09:30:00",
    ...rest,
    columnType: { types: ["time without time zone"], converted: [] },
    read: v.pipe(v.string(), v.metadata({ pattern: CLOCK.source })),
    write: {
      schema: clockText,
      sqlType: "time",
      default: fallback,
      explain: (code, value) =>
        code === "invalid_format"
          ? `Send a time as ${says}`
          : `Send a string, not ${jsonTypeOf(value)}`,
    },
    filter: {
      value: v.pipe(v.string(), v.regex(CLOCK, `a time as ${says}`)),
      sqlType: "time",
      isOrdered: true,
    },
  };
});

/** How the document describes a time of RFC 3339, which may have more decimals. */
const timeType = {
  format: "date-time",
  pattern: "^[^.]+(\\.[0-9]{1,6}([Zz]|[+-][0-9:]+))?$",
};

/** What a column of moments is: those that answers can show are within the years 1 to 9999. Without a time
 * zone they count as UTC, which is the time zone of each session. */
const momentType = {
  types: ["timestamp with time zone", "timestamp without time zone"],
  converted: ["date"],
  holds: (column: Sql) =>
    sql`${column} >= '0001-01-01T00:00:00Z' and ${column} < '10000-01-01T00:00:00Z'`,
} satisfies ColumnType;

/** A moment in UTC, in the notation of `to_char`. */
function momentAs(notation: string): (column: Sql) => Sql {
  return (column) =>
    sql`
      case
        when ${momentType.holds(column)}
        then to_char(${column} at time zone 'utc', ${notation})
      end`;
}

const inMicroseconds = momentAs('YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

/** A moment: written with any offset (RFC 3339), read in UTC, with the microseconds that it has beyond its
 * milliseconds. A moment that is not within the years 1 to 9999 is read as null. */
export const timestamp = word((options: Options["timestamp"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("timestamp", options);
  return {
    kind: "timestamp",
    example: "2026-11-21T09:30:00.000Z",
    ...rest,
    columnType: momentType,
    read: v.pipe(v.string(), v.metadata({ format: "date-time" })),
    value: (column) => sql`replace(${inMicroseconds(column)}, '000Z', 'Z')`,
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata(timeType),
        v.transform(momentOf),
        v.string("invalid_format"),
      ),
      sqlType: "timestamptz",
      default: fallback,
      explain: (code, value) =>
        code === "invalid_format"
          ? "Send a time as YYYY-MM-DDTHH:MM:SSZ, with at most six decimals, or with an offset " +
            "such as +02:00"
          : `Send a string, not ${jsonTypeOf(value)}`,
    },
    filter: {
      value: v.pipe(
        v.string(),
        v.metadata(timeType),
        v.transform(momentOf),
        v.string(
          "a time as YYYY-MM-DDTHH:MM:SSZ, with at most six decimals, or with an offset such as " +
            "%2B02:00: a query has %2B for a plus",
        ),
      ),
      sqlType: "timestamptz",
      isOrdered: true,
    },
  };
});

/** The time at which the database created the row, in UTC, to the second; never written. */
export const created = word((options: Options["created"] = {}): Field => ({
  kind: "created",
  example: "2026-11-21 09:30:00",
  ...checkedOptions("created", options),
  columnType: momentType,
  read: v.pipe(v.string(), v.regex(SECOND)),
  value: momentAs("YYYY-MM-DD HH24:MI:SS"),
  filter: {
    value: v.pipe(
      v.string(),
      v.metadata({ pattern: SECOND.source, examples: ["2026-11-21 09:30:00"] }),
      v.check(
        (text) => SECOND.test(text) && momentOf(`${text.replace(" ", "T")}Z`) !== undefined,
        "a time in UTC as YYYY-MM-DD HH:MM:SS",
      ),
    ),
    sqlType: "timestamptz",
    isOrdered: true,
    span: "1 second",
  },
}));

const SECOND = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** Whether a text is a day of the calendar, in the years 1 to 9999. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !text.startsWith("0000") &&
    isValid(parseISO(`${text}T00:00:00Z`));
}

const TIME =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A time of RFC 3339 in UTC; undefined if the text is none, or outside of the years 1 to 9999. Leap
 * seconds, which Postgres does not keep, are refused. */
function momentOf(text: string): string | undefined {
  const upper = text.toUpperCase();
  const [, day = "", , fraction = ""] = TIME.exec(upper) ?? [];
  if (!isDay(day)) return undefined;
  const moment = parseISO(upper.replace(fraction, "")).toISOString();
  if (!/^\d{4}-/.test(moment) || moment.startsWith("0000")) return undefined;
  return moment.replace("000Z", `${fraction.slice(1).padEnd(6, "0").replace(/000$/, "")}Z`);
}
