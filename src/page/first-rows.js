// The first rows of a list, within the view of a row that they refer to.
import { pageAddress } from "./address.js";
import { readJson } from "./client.js";
import { usual } from "./columns.js";
import { countButton } from "./counter.js";
import { h } from "./dom.js";
import { naming } from "./names.js";
import { columnHead, line, mainOf, tableElement } from "./table.js";

/** How many are shown. */
const SHOWN = 10;

/** How many columns they have. */
const COLUMNS = 6;

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Resource} resource that of the list
 * @param {string} query what the list is asked for
 * @param {string} without the field that says the same in each row
 * @returns {Promise<{ count: HTMLElement, element: HTMLElement | undefined }>} how many there are, as
 *   far as that is known, and the rows; rejects where they cannot be read
 */
export async function firstRows(context, resource, query, without) {
  const { contract, signal } = context;
  const path = resource.operations["list"]?.path ?? "";
  // One more than is shown says whether these are all
  const { body } = await readJson(`${path}?${query}&limit=${SHOWN + 1}`, signal);
  /** @type {any[]} */
  const items = body.items;
  const rows = items.slice(0, SHOWN);
  if (rows.length === 0) {
    return { count: h("span", { class: "quiet" }, "none"), element: undefined };
  }
  const shown = new Set([mainOf(resource), ...usual(resource).filter((name) => name !== without)]);
  const columns = resource.columns.filter(({ name }) => shown.has(name)).slice(0, COLUMNS);
  const heads = columns.map((field) => columnHead(field));
  const element = tableElement(
    resource.many,
    heads,
    rows.map((row) => line(contract, resource, row, columns)),
  );
  naming(context)(element);
  if (items.length <= SHOWN) {
    return { count: h("span", { class: "number" }, String(rows.length)), element };
  }
  const all = h("a", { href: pageAddress(path, query) }, `All ${resource.many}`);
  return {
    count: countButton(resource, query, "count", signal),
    element: h("div", {}, element, h("p", {}, all)),
  };
}
