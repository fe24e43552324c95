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
 * Puts other rows and columns into a table.
 * @param {HTMLElement} table or what has it
 * @param {HTMLElement[]} heads
 * @param {HTMLElement[]} [lines] in the place of those that are there
 */
export function redraw(table, heads, lines) {
  table.querySelector("thead")?.replaceChildren(tr(heads));
  if (lines) table.querySelector("tbody")?.replaceChildren(...lines);
}

/**
 * A table that scrolls sideways, also by keys.
 * @param {string} label
 * @param {(HTMLElement | string)[]} heads
 * @param {HTMLElement[]} lines
 * @param {import("./dom.js").Attributes} [attributes]
 */
export const sheet = (label, heads, lines, attributes = {}) =>
  edged(h(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": label },
    grid({ "aria-label": label, ...attributes }, heads, lines),
  ));

/**
 * Says in classes whether the table is wider than its place, and goes on beyond the end of it.
 * @param {HTMLElement} scroll
 */
function edged(scroll) {
  const table = /** @type {HTMLElement} */ (scroll.firstElementChild);
  const measure = () => {
    const over = table.offsetWidth - scroll.clientWidth;
    scroll.classList.toggle("wide", over > 0);
    scroll.classList.toggle("goes-on", over - Math.abs(scroll.scrollLeft) > 1);
  };
  // In the next frame, because what it says changes the sizes that are observed
  const observer = new ResizeObserver(() => requestAnimationFrame(measure));
  for (const one of [scroll, table]) observer.observe(one);
  scroll.addEventListener("scroll", measure, { passive: true });
  return scroll;
}

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
  sheet(label, heads, lines, { class: "rows cards", onclick: open, ...attributes });

/**
 * Opens the row that is pressed, unless something else in it was: a link, a control, or a text that was selected.
 * @param {MouseEvent} event
 */
function open(event) {
  const pressed = /** @type {Element} */ (event.target);
  const isElse = event.defaultPrevented || String(getSelection()) !== "" ||
    pressed.closest("a, button, input, select, textarea, label, summary") ||
    document.querySelector(".pop[open]"); // which it closes
  // A new tab where the key for one is held
  if (!isElse) {
    pressed.closest("tr")?.querySelector("a.open")?.dispatchEvent(new MouseEvent("click", event));
  }
}

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
 * The name of the column that tells what a row is called.
 * @param {import("./contract.js").Resource} resource
 */
export const mainOf = ({ display, key }) => display ?? key;

/**
 * A row of a resource or a report.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {any} row
 * @param {import("./contract.js").Field[]} columns those that are shown
 */
export function line(contract, resource, row, columns) {
  const main = mainOf(resource);
  return tr(columns.map((field) => {
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
