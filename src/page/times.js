// Moments as people read and write them: in the time zone of their browser. The API has them in UTC.
import { h } from "./dom.js";

/** The time zone, by the name of a place: "Europe/Berlin". */
export const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

// The page speaks English, and so does the short name of a zone: CEST, EDT, GMT+5:45
const english = navigator.languages.find((one) => one.startsWith("en")) ?? "en-GB";
const zoned = new Intl.DateTimeFormat(english, { timeZoneName: "short" });

/**
 * A moment as the API writes it, or one of `created`, which has no zone, in ISO 8601.
 * @param {string} value
 */
const inIso = (value) => /[Zz]$|[+-]\d\d:\d\d$/.test(value) ? value : `${value.replace(" ", "T")}Z`;

/** @param {number} figure @param {number} [digits] */
const padded = (figure, digits = 2) => String(figure).padStart(digits, "0");

/**
 * The time on the clocks here, to the second: `2026-11-21T10:30:00`.
 * @param {Date} time
 */
const clocked = (time) =>
  `${padded(time.getFullYear(), 4)}-${padded(time.getMonth() + 1)}-${padded(time.getDate())}T` +
  [time.getHours(), time.getMinutes(), time.getSeconds()].map((one) => padded(one)).join(":");

/**
 * A time on one line, without what is zero at its end.
 * @param {string} iso without a zone
 */
const inLine = (iso) => iso.replace("T", " ").replace(/\.0+$/, "").replace(/:00$/, "");

/**
 * A moment in words: "2026-11-21 10:30 CET"; what is none stays as it is.
 * @param {string} value
 */
export function momentInWords(value) {
  const time = new Date(inIso(value));
  if (Number.isNaN(time.getTime())) return value;
  const [fraction = ""] = value.match(/\.\d+/) ?? [];
  const parts = zoned.formatToParts(time);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value;
  return `${inLine(clocked(time) + fraction)} ${name}`;
}

/**
 * A moment, and in UTC for who asks.
 * @param {string} value
 * @param {string} [style]
 */
export function shownMoment(value, style = "number") {
  const iso = inIso(value);
  const title = `${inLine(iso.slice(0, -1))} UTC`;
  return h("time", { class: style, datetime: iso, title }, momentInWords(value));
}

/**
 * A moment as a control for times has it, to the millisecond.
 * @param {string} value
 */
export function inControl(value) {
  const time = new Date(inIso(value));
  return Number.isNaN(time.getTime())
    ? ""
    : `${clocked(time)}.${padded(time.getUTCMilliseconds(), 3)}`;
}

/**
 * The moment that a control for times has, in UTC. An hour that the clocks skip counts as the one after it.
 * @param {string} text
 */
export function fromControl(text) {
  const time = new Date(text);
  // A year of five digits is none; the server says so
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
