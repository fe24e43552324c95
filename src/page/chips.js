// The filters of a list as chips, in words; what an identifier stands for is read when it is shown.
import { button, h, icon, isolated } from "./dom.js";
import { CONDITIONS, pathInWords } from "./filters.js";
import { split } from "./identifiers.js";
import { valueInWords } from "./kinds.js";
import { listOfNames, readNames } from "./names.js";

/**
 * @param {import("./docs.js").Context} context
 * @param {[string, string][]} filters the parameters and their values
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
export const chips = (context, filters, change) =>
  h(
    "ul",
    { class: "chips", "aria-label": "Filters" },
    filters.map(([parameter, value]) =>
      h(
        "li",
        { class: "chip" },
        words(context, parameter, value),
        button(icon("x"), {
          class: "icon-button",
          "aria-label": `Remove the filter ${parameter}`,
          onclick: () => change((next) => next.delete(parameter, value)),
        }),
      )
    ),
  );

/**
 * @param {import("./docs.js").Context} context
 * @param {string} parameter
 * @param {string} value
 */
function words(context, parameter, value) {
  const filter = context.resource.filters.find((one) => one.parameter === parameter);
  // The server says what is wrong with one that it does not have
  if (!filter) return h("span", {}, h("b", {}, parameter), ` = ${value}`);
  const name = h("b", {}, pathInWords(context.contract, context.resource, filter.field));
  if (filter.operator === "isnull") {
    return h("span", {}, name, value === "true" ? " has no value" : " has a value");
  }
  const values = filter.operator === "in" ? split(value) : [value];
  const shown = isolated(values.map((one) => valueInWords(filter, one)).join(", "));
  if (filter.target) showNames(context, filter.target, values, shown);
  return h("span", {}, name, ` ${CONDITIONS[filter.operator].sign} `, shown);
}

/**
 * Puts the names of rows in the place of their identifiers, if they can be read.
 * @param {import("./docs.js").Context} context
 * @param {string} target
 * @param {string[]} texts of the identifiers
 * @param {HTMLElement} shown
 */
async function showNames({ contract, may, signal }, target, texts, shown) {
  const resource = contract.resource(target);
  const path = listOfNames(resource, may);
  if (!path) return;
  const identifiers = texts.map(resource.identifiers.from);
  const names = await readNames(resource, identifiers, path, signal);
  shown.textContent = texts.map((one, index) => names.get(identifiers[index] ?? "") ?? one)
    .join(", ");
}
