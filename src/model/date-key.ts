// Days as part of a key.
import * as v from "valibot";
import type { Key } from "./key.ts";
import { date, isDay } from "./time.ts";

const { columnType, example, read, write, filter } = date();

/** A day as Postgres writes it, which may be one that JSON has no value for. */
const DAY = /^(\d{4,7})-(\d\d-\d\d)( BC)?$/;

/** The first year and the last one that Postgres has all days of. */
const [FIRST, LAST] = [-4712, 5_874_896];

/** Where a day is among all, as Postgres has them; undefined if it is none. */
function placeOf(text: string): number | undefined {
  if (/^-?infinity$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const [, digits, day = "", isBeforeChrist] = DAY.exec(text) ?? [];
  const year = isBeforeChrist ? 1 - Number(digits) : Number(digits);
  // The calendar repeats itself every 400 years
  const alike = 2000 + (year % 400 + 400) % 400;
  if (!isDay(`${alike}-${day}`) || year < FIRST || year > LAST) return undefined;
  return year * 10_000 + Number(day.replace("-", ""));
}

export const dateKey: Key = {
  sqlType: "date",
  columnType: columnType!,
  referenceType: columnType!,
  example: example as string,
  schema: { type: "string", format: "date" },
  read: read!,
  write: v.pipe(
    v.string("incorrect_type"),
    v.metadata({ format: "date" }),
    v.check(isDay, "does_not_exist"),
  ),
  text: filter!.value as Key["text"],
  stored: v.pipe(v.string(), v.check((text) => placeOf(text) !== undefined)),
  isBefore: (one, other) => placeOf(one)! < placeOf(other)!,
  isChronological: false,
  noun: "a day as a string",
  range: "days of the calendar",
  is: (value) => v.is(write!.schema, value),
};
