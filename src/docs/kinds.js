// The control for each kind of value, as people expect to fill it in. The schema of the value tells the kind.
import { element } from "./contract.js";
import { relation } from "./relation.js";
import { tokens } from "./tokens.js";

/**
 * @typedef {object} Control
 * @property {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input
 * @property {() => unknown} value what to send; undefined leaves the field out
 * @property {() => string} [tell] the hint, which may depend on what was filled in
 * @property {HTMLElement[]} [parts] the input and what is around it
 * @property {() => Promise<boolean>} [settle]
 * @property {(index: number) => string | undefined} [nameOf] the text of an element
 */

/**
 * @typedef {object} Kind
 * @property {Record<string, string>} attributes those of every input
 * @property {any} property the schema of the value
 * @property {null | undefined} empty what an empty input sends
 * @property {unknown} example
 */

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.described the identifiers of the elements that describe the field
 * @param {any} options.property the schema of the value
 * @param {unknown} options.example
 * @returns {Control}
 */
export function controlOf({ id, described, property, example }) {
  const types = [property.type].flat();
  const [type] = types;
  const nullable = types.includes("null");
  const url = property.externalDocs?.url;
  if (url && type === "array") return tokens({ id, url, described });
  if (url) return relation({ id, url, described, nullable });

  const attributes = { id, autocomplete: "off", "aria-describedby": described };
  const kind = { attributes, property, empty: nullable ? null : undefined, example };
  if (property.enum) return select(kind, property.enum);
  if (type === "boolean") return nullable ? select(kind, [true, false]) : checkbox(kind);
  const control = typed(type, kind);
  if (!nullable) return control;
  const { tell } = control;
  return { ...control, tell: () => tell ? `${tell()}; empty sends null` : "Empty sends null" };
}

/**
 * What is typed.
 * @param {string} type
 * @param {Kind} kind
 * @returns {Control}
 */
function typed(type, kind) {
  const { format, pattern } = kind.property;
  if (type === "array") return identifiers(kind);
  if (type === "integer" || type === "number") return number(type, kind);
  if (format === "date") return day(kind);
  if (format === "date-time") return moment(kind);
  // The pattern of a decimal begins like this
  if (pattern?.startsWith("^-?")) return decimal(kind);
  return text(kind);
}

/**
 * A text. Its length is not limited: the server refuses text that is too long.
 * @param {Kind} kind
 */
function text({ attributes, property: { maxLength, default: fallback }, empty }) {
  const input = maxLength === undefined
    ? element("textarea", { ...attributes, dir: "auto", rows: "2" })
    : element("input", { ...attributes, dir: "auto", type: "text" });
  input.value = fallback ?? "";
  return {
    input,
    // A text may be "", unless that is how it becomes null
    value: () => input.value === "" && empty === null ? null : input.value,
    ...(maxLength !== undefined && {
      // Code points, as in the contract
      tell: () => `${[...input.value].length} of ${maxLength} characters`,
    }),
  };
}

/**
 * @param {string} type
 * @param {Kind} kind
 */
function number(type, { attributes, property: { minimum, maximum, default: fallback }, empty }) {
  const step = type === "integer" ? "1" : "any";
  const input = element("input", { ...attributes, type: "number", step });
  // Every integer has limits; the widest say nothing to a person
  const least = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (least !== undefined) input.min = least;
  if (most !== undefined) input.max = most;
  input.value = fallback ?? "";
  const hint = limits(least, most);
  return {
    input,
    value: () => input.value === "" ? empty : Number(input.value),
    ...(hint && { tell: () => hint }),
  };
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 */
function limits(least, most) {
  if (least === undefined) return most === undefined ? undefined : `At most ${most}`;
  return most === undefined ? `At least ${least}` : `From ${least} to ${most}`;
}

/** Whether the person writes 0,5. The keys that a phone shows for decimals then have no point. */
const hasComma = new Intl.NumberFormat().format(0.5).includes(",");

/** @param {Kind} kind */
function decimal({ attributes, property, empty, example }) {
  const input = element("input", { ...attributes, type: "text", inputmode: "decimal" });
  input.value = property.default ?? "";
  const written = () => hasComma ? input.value.replace(",", ".") : input.value;
  return {
    input,
    value: () => input.value === "" ? empty : written(),
    tell: () => `Such as ${example}`,
  };
}

/** @param {Kind} kind */
function day({ attributes, property, empty }) {
  // With the limit, the year has four digits to type
  const input = element("input", { ...attributes, type: "date", max: "9999-12-31" });
  input.value = property.default ?? "";
  return { input, value: () => input.value === "" ? empty : input.value };
}

/**
 * A moment, in the person's own time zone; it is sent in UTC.
 * @param {Kind} kind
 */
function moment({ attributes, property, empty }) {
  const input = element("input", {
    ...attributes,
    type: "datetime-local",
    max: "9999-12-31T23:59",
  });
  const fallback = property.default ?? "";
  if (fallback) input.value = inLocalTime(new Date(fallback));
  const untouched = input.value;

  function value() {
    if (input.value === untouched) return fallback || empty;
    if (input.value === "") return empty;
    const time = new Date(input.value);
    // A year of five digits is none; the server says so
    return Number.isNaN(time.getTime()) ? input.value : time.toISOString();
  }
  return {
    input,
    value,
    tell: () => input.value === "" ? "In your time zone; sent in UTC" : `Sends ${value()}`,
  };
}

/** @param {Date} time */
function inLocalTime(time) {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, -1);
}

/** @param {Kind} kind */
function checkbox({ attributes, property }) {
  const input = element("input", { ...attributes, type: "checkbox" });
  input.checked = property.default === true;
  return { input, value: () => input.checked };
}

/**
 * One of a few values.
 * @param {Kind} kind
 * @param {(string | boolean | null)[]} values
 */
function select({ attributes, property: { default: fallback }, empty }, values) {
  const others = values.filter((value) => value !== null);
  const hasDefault = fallback !== undefined && fallback !== null;
  // Without a default nothing is picked for a person
  const choices = empty === null || !hasDefault ? [empty, ...others] : others;
  const first = empty === null ? "none" : "Pick one";
  const input = element(
    "select",
    attributes,
    ...choices.map((value) => element("option", { dir: "auto" }, String(value ?? first))),
  );
  input.selectedIndex = hasDefault ? choices.indexOf(fallback) : 0;
  return { input, value: () => choices[input.selectedIndex] };
}

/**
 * The identifiers of a relation whose candidates are not listed anywhere.
 * @param {Kind} kind
 */
function identifiers({ attributes }) {
  const input = element("input", { ...attributes, type: "text" });
  const numbers = () => input.value.split(/[\s,]+/).filter((part) => part !== "");
  return {
    input,
    // What is no number is sent as it is, and refused where it is
    value: () => numbers().map((part) => /^\d+$/.test(part) ? Number(part) : part),
    tell: () => "Identifiers, with commas between them",
  };
}
