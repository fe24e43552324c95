// The rows that plain SQL gives: those of a report, or of an action.
import { h } from "./dom.js";
import { columnHead, line, tableElement } from "./table.js";

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {string} title
 * @param {any[]} items
 */
export function itemsOf(contract, resource, title, items) {
  if (items.length === 0) return [h("div", { class: "blank" }, h("h2", {}, "It has no rows"))];
  const lines = items.map((row) => line(contract, resource, row, resource.columns));
  return [
    tableElement(title, resource.fields.map((field) => columnHead(field)), lines),
    h("p", { class: "quiet" }, `${items.length} ${items.length === 1 ? "row" : "rows"}`),
  ];
}
