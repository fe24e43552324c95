// What is read of what was sent.
import type { Json } from "./arbitrary.ts";

/** The decimals of an amount, as the pattern has them that it is written by. */
const DECIMALS = /^\^-\?.*?(?:\{1,(\d+)\}\)\?)?\$$/;

/** What a value is read as that was sent by a schema: most as they are, amounts with all their decimals, moments
 * in UTC with milliseconds (nothing here sends more decimals), and UUIDs in lower case. */
export function shownAs({ format, pattern, items }: Json, value: Json): Json {
  if (Array.isArray(value)) return value.map((one) => shownAs(items, one));
  if (typeof value !== "string") return value;
  if (format === "uuid") return value.toLowerCase();
  if (format === "date-time") return new Date(value.toUpperCase()).toISOString();
  const [amount, places = 0] = DECIMALS.exec(pattern ?? "") ?? [];
  return amount === undefined ? value : withPlaces(value, Number(places));
}

function withPlaces(amount: string, places: number): string {
  const [whole = "", fraction = ""] = amount.split(".");
  const text = places > 0 ? `${whole}.${fraction.padEnd(places, "0")}` : whole;
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}
