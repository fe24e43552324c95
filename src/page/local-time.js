// Times that a filter asks for, and the days of quick choices.
import { fromControl } from "./times.js";

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** @param {Date} date */
const dayOf = (date) =>
  `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${
    two(date.getDate())
  }`;

/**
 * The time as the API takes it.
 * @param {string} local the text of a control
 * @param {string} kind of the field: a `created` has whole seconds, and no zone
 */
export function inUtc(local, kind) {
  // The last millisecond that a control has is the end of its second
  const text = fromControl(local).replace(".999Z", ".999999Z");
  return kind === "created" ? text.slice(0, 19).replace("T", " ") : text.replace(".000Z", "Z");
}

/**
 * Spans of days that end today, or with this month.
 * @returns {[words: string, first: string, last: string][]}
 */
export function spans() {
  const now = new Date();
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  /** @param {number} days */
  const before = (days) => dayOf(new Date(year, month, day - days));
  return [
    ["Today", before(0), before(0)],
    ["Last 7 days", before(6), before(0)],
    ["Last 30 days", before(29), before(0)],
    ["This month", dayOf(new Date(year, month, 1)), dayOf(new Date(year, month + 1, 0))],
  ];
}
