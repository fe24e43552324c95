// A table of rows, which on a phone becomes blocks. Its roles are written out, because some browsers take
// the implied ones away from what is displayed as a block.
import { pageAddress } from "./address.js";
import { nameOfRow, pathOfRow } from "./contract.js";
import { deprecatedBadge, h } from "./dom.js";
import { kindOfField, shownValue } from "./kinds.js";
import { labelled } from "./values.js";

/** Rows of bones. */
const BONES = 12;

/**
 * @param {import("./dom.js").Attributes} attributes
 * @param {(HTMLElement | string)[]} heads of its columns, or their labels
 * @param {HTMLElement[]} lines
 */
export const grid = (attributes, heads, lines) =>
  h(
    "table",
    { class: "rows", role: "table", ...attributes },
    h(
      "thead",
      { role: "rowgroup" },
      tr(heads.map((head) => typeof head === "string" ? columnTitle(head) : head)),
    ),
    h("tbody", { role: "rowgroup" }, lines),
  );

/**
 * A table that scrolls sideways, also by keys.
 * @param {string} label
 * @param {(HTMLElement | string)[]} heads
 * @param {HTMLElement[]} lines
 * @param {import("./dom.js").Attributes} [attributes]
 */
export const sheet = (label, heads, lines, attributes = {}) =>
  h(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
    grid({ "aria-label": label, ...attributes }, heads, lines),
  );

/** @param {import("./dom.js").Children[]} cells */
export const tr = (...cells) => h("tr", { role: "row" }, ...cells);

/**
 * @param {import("./dom.js").Children} label
 * @param {import("./dom.js").Attributes} [attributes]
 */
export const columnTitle = (label, attributes = {}) =>
  h("th", { scope: "col", role: "columnheader", ...attributes }, label);

/**
 * @param {import("./dom.js").Children} content
 * @param {import("./dom.js").Attributes} [attributes]
 */
export const rowTitle = (content, attributes = {}) =>
  h("th", { scope: "row", role: "rowheader", ...attributes }, content);

/**
 * @param {string} label what stands before the content on a phone
 * @param {import("./dom.js").Children} content
 * @param {string | false} [style]
 * @param {import("./dom.js").Attributes} [attributes]
 */
export const cell = (label, content, style = "", attributes = {}) =>
  h("td", { role: "cell", "data-label": label, class: style, ...attributes }, content);

/**
 * The rows of a list or a report.
 * @param {string} label
 * @param {HTMLElement[]} heads
 * @param {HTMLElement[]} lines
 * @param {import("./dom.js").Attributes} [attributes]
 */
export const tableElement = (label, heads, lines, attributes = {}) =>
  sheet(label, heads, lines, { class: "rows cards", ...attributes });

/** @param {import("./contract.js").Field} field */
export const sideOf = (field) => kindOfField(field.kind).isAtTheRight?.(field) ? "end" : "";

/**
 * What stands before a value on a phone, where its column has no head.
 * @param {import("./contract.js").Field} field
 */
export const labelOf = ({ label, unit }) => unit ? `${label} (${unit})` : label;

/**
 * The head of a column.
 * @param {import("./contract.js").Field} field
 * @param {import("./dom.js").Attributes} [attributes]
 * @param {import("./dom.js").Children} [label] instead of its title
 */
export const columnHead = (field, attributes = {}, label = labelled(field)) =>
  columnTitle(h("span", {}, label, deprecatedBadge(field.isDeprecated)), {
    class: sideOf(field),
    "data-name": field.name,
    ...attributes,
  });

/**
 * A row of a resource or a report.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {any} row
 */
export function line(contract, resource, row) {
  const main = resource.display ?? resource.key;
  return tr(resource.columns.map((field) => {
    const { name } = field;
    const style = sideOf(field);
    const value = name === resource.key ? resource.identifierOf(row) : row[name];
    const attributes = { "data-name": name };
    if (name !== main) {
      return cell(labelOf(field), shownValue(contract, field, value, true), style, attributes);
    }
    return rowTitle(opener(resource, row), {
      ...attributes,
      "data-label": labelOf(field),
      class: `${style} main`,
    });
  }));
}

/**
 * The link to a row, or its name where rows cannot be read.
 * @param {import("./contract.js").Resource} resource
 * @param {any} row
 */
function opener(resource, row) {
  const identifier = resource.identifierOf(row);
  const words = resource.display ? nameOfRow(resource, row) : String(identifier);
  const path = pathOfRow(resource, identifier);
  if (!path) return h("span", { dir: "auto" }, words);
  return h("a", { href: pageAddress(path), class: "open", dir: "auto", title: words }, words);
}

/** @param {import("./contract.js").Field[]} fields */
export const boneLines = (fields) =>
  Array.from({ length: BONES }, () =>
    h(
      "tr",
      { class: "skeleton", "aria-hidden": "true" },
      fields.map((field) =>
        h(
          "td",
          { class: sideOf(field), "data-label": labelOf(field), "data-name": field.name },
          h("span", {}),
        )
      ),
    ));
