// Moments as people read and write them: in the time zone of their browser. The API has them in UTC.
import { h } from "./dom.js";

/** The time zone, by the name of a place: "Europe/Berlin". */
export const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

// The page speaks English, and so does the short name of a zone: CEST, EDT, GMT+5:45
const english = navigator.languages.find((one) => one.startsWith("en")) ?? "en-GB";
const zoned = new Intl.DateTimeFormat(english, { timeZoneName: "short" });

/**
 * A moment in ISO 8601; one of `created` has no zone.
 * @param {string} value
 */
const inIso = (value) => /[Zz]$|[+-]\d\d:\d\d$/.test(value) ? value : `${value.replace(" ", "T")}Z`;

/**
 * The time on the clocks here, `2026-11-21 10:30:00`: Swedes write it so.
 * @param {Date} time
 */
const clocked = (time) => time.toLocaleString("sv").padStart(19, "0");

/**
 * Without what is zero at its end.
 * @param {string} time
 */
const short = (time) => time.replace(/\.0+$/, "").replace(/:00$/, "");

/**
 * A moment in words, "2026-11-21 10:30 CET"; what is none stays as it is.
 * @param {string} value
 */
export function momentInWords(value) {
  const time = new Date(inIso(value));
  if (Number.isNaN(time.getTime())) return value;
  const name = zoned.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value;
  return `${short(clocked(time) + (value.match(/\.\d+/) ?? ""))} ${name}`;
}

/**
 * A moment; in UTC for who asks.
 * @param {string} value
 * @param {string} [style]
 */
export function shownMoment(value, style = "number") {
  const iso = inIso(value);
  const title = `${short(iso.slice(0, -1).replace("T", " "))} UTC`;
  return h("time", { class: style, datetime: iso, title }, momentInWords(value));
}

/**
 * What a control for times has of a moment, to the millisecond; "" for none.
 * @param {string} value
 */
export function inControl(value) {
  const time = new Date(inIso(value));
  return Number.isNaN(time.getTime())
    ? ""
    : `${clocked(time).replace(" ", "T")}.${time.toISOString().slice(-4, -1)}`;
}

/**
 * The moment that a control has, in UTC. An hour that the clocks skip counts as the one after it.
 * @param {string} text
 */
export function fromControl(text) {
  const time = new Date(text);
  // A year of five digits is none; the server says so
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
