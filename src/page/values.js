// Values as people read them: in a list on one line, in a row as a whole.
import { pageAddress } from "./address.js";
import { isHidden, nameOfRow, pathOfRow } from "./contract.js";
import { h, unseen } from "./dom.js";

/** How many rows of a relation to many a list shows. */
const SHOWN = 2;

/**
 * A text, or that there is none.
 * @param {string | null | undefined} value
 * @param {boolean} isInList
 */
export function words(value, isInList) {
  if (value === null || value === undefined) {
    return h(
      "span",
      { class: "null" },
      h("span", { "aria-hidden": "true" }, "–"),
      unseen("no value"),
    );
  }
  if (value === "") return h("span", { class: "null" }, "empty");
  return h("span", { dir: "auto", title: isInList ? value : undefined }, value);
}

/**
 * What people call a field, and what it is an amount of.
 * @param {Pick<import("./contract.js").Field, "label" | "unit">} field
 */
export const labelled = ({ label, unit }) =>
  unit === undefined ? [label] : [label, " ", unitOf(unit)];

/** @param {string} unit */
export const unitOf = (unit) => h("span", { class: "unit" }, unit);

/**
 * The rows that are shown by their numbers, until they are named.
 * @type {WeakMap<Element, { field: any, identifier: any }>}
 */
export const referred = new WeakMap();

/**
 * The row that a relation refers to, by its text; by its number where it is read as the identifier, or hidden: then
 * it leads nowhere.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {any} value the object or the identifier
 * @param {Record<string, string>} [attributes]
 */
export function rowLink(contract, field, value, attributes = {}) {
  const resource = contract.resource(field.target ?? "");
  const isObject = typeof value === "object";
  const hides = isObject && isHidden(resource, value);
  const words = isObject ? nameOfRow(resource, value) : `${resource.one} ${value}`;
  const path = hides ? undefined : pathOfRow(resource, resource.identifierOf(value));
  const all = isObject && !hides
    ? { dir: "auto", ...attributes }
    : { ...attributes, class: `by-number ${attributes["class"] ?? ""}` };
  const made = path ? h("a", { href: pageAddress(path), ...all }, words) : h("span", all, words);
  if (!isObject && resource.display) {
    made.classList.add("to-name");
    referred.set(made, { field, identifier: value });
  }
  return made;
}

/**
 * The rows that a relation to many refers to.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {any[]} value
 * @param {boolean} isInList
 */
export function listOfRows(contract, field, value, isInList) {
  if (value.length === 0) return h("span", { class: "null" }, isInList ? "" : "none");
  const listed = isInList ? value.slice(0, SHOWN) : value;
  const more = value.length - listed.length;
  return h(
    "ul",
    { class: "tokens" },
    listed.map((one) => h("li", {}, rowLink(contract, field, one, { class: "token" }))),
    more > 0 && h("li", { class: "quiet number" }, `+${more}`),
  );
}
