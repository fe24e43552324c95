// Times as a person reads a clock, and as the API has them, in UTC; and the days of quick choices.

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** @param {Date} date */
const dayOf = (date) =>
  `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${
    two(date.getDate())
  }`;

/**
 * The text of a control for local times; "" for what is no time.
 * @param {string} text as the API has it, perhaps without a zone
 */
export function localTime(text) {
  const date = new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(" ", "T")}Z`);
  if (Number.isNaN(date.getTime())) return "";
  const seconds = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  const milliseconds = date.getMilliseconds();
  return `${dayOf(date)}T${seconds}${
    milliseconds ? `.${String(milliseconds).padStart(3, "0")}` : ""
  }`;
}

/**
 * The time as the API takes it.
 * @param {string} local the text of a control
 * @param {string} kind of the field: a `created` has whole seconds, and no zone
 */
export function inUtc(local, kind) {
  const date = new Date(local);
  if (Number.isNaN(date.getTime())) return local;
  // The last millisecond that a control has is the end of its second
  const text = date.toISOString().replace(".999Z", ".999999Z");
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
