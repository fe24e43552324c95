// The rows that plain SQL gives: those of a report, or of an action. They are all there, so the page orders them and
// sums them up.
import { button, h, icon, say } from "./dom.js";
import { compareFigures, sumOf } from "./sums.js";
import { cell, columnHead, line, rowTitle, sideOf, tableElement, tr } from "./table.js";
import { labelled } from "./values.js";

/** The kinds that have a sum. */
const SUMMED = ["integer", "number", "decimal"];

/** @typedef {import("./contract.js").Field} Field */

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {string} title
 * @param {any[]} items
 */
export function itemsOf(contract, resource, title, items) {
  if (items.length === 0) return [h("div", { class: "blank" }, h("h2", {}, "It has no rows"))];
  const { fields } = resource;
  const rows = items.map((item) => ({ item, shown: line(contract, resource, item, fields) }));
  const heads = fields.map((field) => {
    const sorter = button(h("span", {}, labelled(field)), { class: "sort", onclick: order });
    const head = columnHead(field, {}, sorter);
    function order() {
      const isDown = head.ariaSort === "ascending";
      for (const one of heads) {
        one.ariaSort = null;
        one.querySelector(".icon")?.remove();
      }
      head.ariaSort = isDown ? "descending" : "ascending";
      sorter.append(icon(isDown ? "down" : "up"));
      rows.sort((one, other) => compare(field, one.item, other.item, isDown));
      whole.querySelector("tbody")?.replaceChildren(...rows.map(({ shown }) => shown));
      say(`Ordered by ${field.label}, ${head.ariaSort}`);
    }
    return head;
  });
  const whole = tableElement(title, heads, rows.map(({ shown }) => shown), {
    class: "rows cards fitted",
  });
  const isSummed = items.length > 1 && fields.some(({ kind }) => SUMMED.includes(kind));
  if (isSummed) whole.querySelector("table")?.append(totals(fields, items));
  const count = `${items.length} ${items.length === 1 ? "row" : "rows"}`;
  return [
    whole,
    h(
      "div",
      { class: "pages" },
      h("p", { class: "quiet" }, count, isSummed && ". Each total is the sum of the rows shown."),
    ),
  ];
}

/**
 * Rows without a value come last, whichever way the others go.
 * @param {Field} field
 * @param {any} one
 * @param {any} other
 * @param {boolean} isDown
 */
function compare({ name, kind }, one, other, isDown) {
  const [a, b] = [one[name], other[name]];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = SUMMED.includes(kind)
    ? compareFigures(a, b)
    : textOf(a).localeCompare(textOf(b), undefined, { numeric: true });
  return isDown ? -order : order;
}

/** @param {unknown} value */
const textOf = (value) => typeof value === "object" ? JSON.stringify(value) : String(value);

/**
 * A last row, with the sum of each column of figures.
 * @param {Field[]} fields
 * @param {any[]} items
 */
function totals(fields, items) {
  const cells = fields.map((field, index) => {
    const { name, label, kind } = field;
    const given = items.map((item) => item[name]).filter((value) => value !== null);
    const sum = SUMMED.includes(kind) && h("span", { class: "number" }, sumOf(given));
    return index === 0
      ? rowTitle(["Total ", sum], { class: sideOf(field) })
      : cell(label, sum, sideOf(field));
  });
  return h("tbody", { class: "total", role: "rowgroup" }, tr(...cells));
}
