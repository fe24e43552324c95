// What is read of what was sent.
import type { Json } from "./arbitrary.ts";

/** The decimals of an amount, as the pattern has them that it is written by. */
const DECIMALS = /^\^-\?.*?(?:\{1,(\d+)\}\)\?)?\$$/;

/** What a value is read as that was sent by a schema: most as they are, amounts with all their decimals (or as
 * many as were sent), moments in UTC with milliseconds (nothing here sends more decimals), times of the day without
 * decimals that are zero, and UUIDs in lower case. */
export function shownAs({ format, pattern, items = {} }: Json, value: Json): Json {
  if (Array.isArray(value)) return value.map((one) => shownAs(items, one));
  if (typeof value !== "string") return value;
  if (format === "uuid") return value.toLowerCase();
  if (format === "date-time") return new Date(value.toUpperCase()).toISOString();
  if (pattern?.includes(":")) return value.includes(".") ? value.replace(/\.?0+$/, "") : value;
  const [amount, places = 0] = DECIMALS.exec(pattern ?? "") ?? [];
  if (amount === undefined) return value;
  const sent = value.split(".")[1]?.length ?? 0;
  return withPlaces(value, amount.endsWith("+)?$") ? sent : Number(places));
}

function withPlaces(amount: string, places: number): string {
  const [whole = "", fraction = ""] = amount.split(".");
  const text = places > 0 ? `${whole}.${fraction.padEnd(places, "0")}` : whole;
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}

/** What a merge patch (RFC 7396) makes of a value, its members in the order in which Postgres keeps them. */
export function merged(value: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const from = isObject(value) ? value : {};
  return Object.fromEntries(
    Object.keys({ ...from, ...patch }).sort().flatMap((name) => {
      if (!Object.hasOwn(patch, name)) return [[name, from[name]]];
      return patch[name] === null ? [] : [[name, merged(from[name], patch[name])]];
    }),
  );
}

export function isObject(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The identifier that an object begins with; that may be an object, too. */
export function identified(value: Json): Json {
  return isObject(value) ? identified(Object.values(value)[0]) : value;
}
