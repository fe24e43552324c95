// Which columns a list shows, remembered for each resource, and its order where no column has it.
import { root } from "./client.js";
import { deprecatedBadge, h, icon, popover, unseen } from "./dom.js";
import { pathInWords } from "./filters.js";
import { inBrowser } from "./keep.js";
import { mainOf } from "./table.js";

/**
 * @param {import("./docs.js").Context} context
 * @param {string} sort the present one
 * @param {(make: (query: URLSearchParams) => void) => void} change
 * @param {() => void} chose called when other columns were chosen
 */
export function columns({ contract, resource }, sort, change, chose) {
  const key = `${root} chosen columns of ${resource.name}`;
  const main = mainOf(resource);
  const atFirst = new Set([main, ...usual(resource)]);
  /** @type {Map<string, boolean>} what a person chose; a column that is declared later is as usual */
  const chosen = new Map(JSON.parse(inBrowser.get(key) ?? "[]"));
  /** @param {string} name */
  const isShown = (name) => chosen.get(name) ?? atFirst.has(name);
  /**
   * @param {string} name
   * @param {boolean} shows
   */
  function keep(name, shows) {
    chosen.set(name, shows);
    inBrowser.set(key, JSON.stringify([...chosen]));
    chose();
  }
  const order = h(
    "select",
    {
      id: "order",
      onchange: () => change((next) => next.set("sort", order.value)),
    },
    resource.sorts.map((by) =>
      h(
        "option",
        { value: by, selected: by === sort },
        pathInWords(contract, resource, by.replace("-", "")) +
          (by.startsWith("-") ? ", descending" : ""),
      )
    ),
  );
  const element = popover(
    // It stays open where an order was picked, by keys perhaps, which go from one to the next
    { class: "pop end", open: document.activeElement?.id === "order" },
    h(
      "summary",
      { class: "button", id: "columns-button" },
      icon("columns"),
      "Columns",
      unseen(" and order"),
    ),
    h(
      "div",
      { class: "panel" },
      resource.sorts.length > 0 && h("label", {}, "Order", order),
      h(
        "fieldset",
        {},
        h("legend", {}, "Columns"),
        resource.columns.filter(({ name }) => name !== main).map(({ name, label, isDeprecated }) =>
          h(
            "label",
            { class: "check" },
            h("input", {
              type: "checkbox",
              checked: isShown(name),
              onchange: (/** @type {Event} */ { target }) =>
                keep(name, /** @type {HTMLInputElement} */ (target).checked),
            }),
            label,
            deprecatedBadge(isDeprecated),
          )
        ),
      ),
    ),
  );
  return {
    element,
    /** The columns that are shown. */
    shown: () => resource.columns.filter(({ name }) => isShown(name)),
  };
}

/**
 * A nullable field that is neither filtered nor sorted by is hidden at first: the author of the resource
 * has said what matters.
 * @param {import("./contract.js").Resource} resource
 */
export const usual = ({ fields, filters, sorts }) =>
  fields
    .filter(({ name, isNullable, target }) =>
      !isNullable || target || sorts.includes(name) || filters.some(({ field }) => field === name)
    )
    .map(({ name }) => name);
