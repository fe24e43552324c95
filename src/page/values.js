// A value as people read it, by the kind of its field: in a list on one line, in a row as a whole.
import { pageAddress } from "./address.js";
import { nameOfRow, pathOfRow } from "./contract.js";
import { h, icon, unseen } from "./dom.js";

/** How many rows of a relation to many a list shows. */
const SHOWN = 2;

/** The kinds whose figures are compared, and so stand at the right. */
const AT_THE_RIGHT = ["identifier", "integer", "number", "decimal"];

/** @param {import("./contract.js").Field} field */
export const isAtTheRight = ({ kind }) => AT_THE_RIGHT.includes(kind);

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {any} value
 * @param {boolean} [isInList]
 * @returns {HTMLElement}
 */
export function shownValue(contract, field, value, isInList = false) {
  if (value === null || value === undefined) {
    return h("span", { class: "null" }, h("span", { "aria-hidden": "true" }, "–"), unseen("null"));
  }
  switch (field.kind) {
    case "identifier":
      return h("span", { class: "number quiet" }, String(value));
    case "integer":
    case "number":
    case "decimal":
    case "date":
    case "created":
      return h("span", { class: "number" }, String(value));
    case "boolean":
      return h("span", { class: value ? "true" : "quiet" }, value && icon("check"), String(value));
    case "choice":
      return h("span", { class: "choice", dir: "auto" }, value);
    case "timestamp":
      return h("time", { class: "number", datetime: value }, moment(value));
    case "relation":
      return linkTo(contract, field, value);
    case "many":
      return many(contract, field, value, isInList);
    default:
      if (value === "") return h("span", { class: "null" }, "empty");
      return h("span", { dir: "auto", title: isInList ? value : undefined }, value);
  }
}

/**
 * A moment as the API has it, in UTC, without what is zero at its end.
 * @param {string} value
 */
const moment = (value) =>
  value.replace("T", " ").replace("Z", " UTC").replace(/\.000(?= )/, "").replace(/:00(?= )/, "");

/**
 * The row that a relation refers to, by its text; by its number where it is read as the identifier.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {any} value the object or the identifier
 * @param {Record<string, string>} [attributes]
 */
export function linkTo(contract, { target = "" }, value, attributes = {}) {
  const resource = contract.resource(target);
  const isObject = typeof value === "object";
  const words = isObject ? nameOfRow(resource, value) : `${resource.one} ${value}`;
  const path = pathOfRow(resource, isObject ? value[resource.key] : value);
  const all = isObject ? { dir: "auto", ...attributes } : { class: "by-number", ...attributes };
  return path ? h("a", { href: pageAddress(path), ...all }, words) : h("span", all, words);
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {any[]} value
 * @param {boolean} isInList
 */
function many(contract, field, value, isInList) {
  if (value.length === 0) return h("span", { class: "null" }, isInList ? "" : "[ ]");
  const listed = isInList ? value.slice(0, SHOWN) : value;
  const more = value.length - listed.length;
  return h(
    "ul",
    { class: "tokens" },
    listed.map((one) => h("li", {}, linkTo(contract, field, one, { class: "token" }))),
    more > 0 && h("li", { class: "quiet number" }, `+${more}`),
  );
}
