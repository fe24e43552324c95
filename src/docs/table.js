// A table of rows, which on a phone becomes blocks. Its roles are written out, because some browsers take
// the implied ones away from what is displayed as a block.
import { addressOf } from "./address.js";
import { nameOfRow, pathOfRow } from "./contract.js";
import { deprecatedBadge, h } from "./dom.js";
import { isAtTheRight, shown } from "./values.js";

/** Rows of bones. */
const BONES = 12;

/**
 * @param {object} options
 * @param {string} options.label
 * @param {import("./contract.js").Field[]} options.fields the columns
 * @param {(field: import("./contract.js").Field) => HTMLElement} options.head the head of a column
 * @param {HTMLElement[]} options.lines
 * @param {boolean} [options.isBusy]
 */
export function table({ label, fields, head, lines, isBusy = false }) {
  const body = h("tbody", { role: "rowgroup" }, lines);
  const made = h(
    "table",
    { class: "rows cards", role: "table", "aria-label": label, "aria-busy": isBusy && "true" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, fields.map(head))),
    body,
  );
  const element = h(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
    made,
  );
  return { element, body };
}

/**
 * The head of a column.
 * @param {import("./contract.js").Field} field
 * @param {import("./dom.js").Attributes} [attributes]
 * @param {import("./dom.js").Children} [label] instead of its name
 */
export const columnHead = (field, attributes = {}, label = field.name) =>
  h(
    "th",
    {
      scope: "col",
      role: "columnheader",
      class: isAtTheRight(field) && "end",
      "data-label": field.name,
      ...attributes,
    },
    label,
    deprecatedBadge(field.isDeprecated),
  );

/**
 * A row of a resource or a report.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {any} row
 */
export function line(contract, resource, row) {
  const main = resource.display ?? resource.key;
  return h(
    "tr",
    { role: "row" },
    resource.fields.map((field) => {
      const classes = [isAtTheRight(field) && "end", field.name === main && "main"];
      const attributes = { "data-label": field.name, class: classes.filter(Boolean).join(" ") };
      const value = row[field.name];
      if (field.name !== main) {
        return h("td", { role: "cell", ...attributes }, shown(contract, field, value, true));
      }
      return h("th", { scope: "row", role: "rowheader", ...attributes }, opener(resource, row));
    }),
  );
}

/**
 * The link to a row, or its name where rows cannot be read.
 * @param {import("./contract.js").Resource} resource
 * @param {any} row
 */
function opener(resource, row) {
  const words = resource.display ? nameOfRow(resource, row) : String(row[resource.key]);
  const path = pathOfRow(resource, row[resource.key]);
  if (!path) return h("span", { dir: "auto" }, words);
  return h("a", { href: addressOf(path), class: "open", dir: "auto", title: words }, words);
}

/** @param {import("./contract.js").Field[]} fields */
export const boneLines = (fields) =>
  Array.from({ length: BONES }, () =>
    h(
      "tr",
      { class: "skeleton", "aria-hidden": "true" },
      fields.map((field) =>
        h("td", { class: isAtTheRight(field) && "end", "data-label": field.name }, h("span", {}))
      ),
    ));
