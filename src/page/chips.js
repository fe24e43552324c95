// The filters of a list as chips, in words; what an identifier stands for is read when it is shown.
import { button, h, icon, isolated } from "./dom.js";
import { CONDITIONS, openFilter, pathInWords, spanOf } from "./filters.js";
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
    together(context.resource, filters).map((asked) => {
      const told = words(context, asked);
      return h(
        "li",
        { class: "chip" },
        told,
        button(icon("x"), {
          class: "icon-button",
          "aria-label": `Remove the filter ${told.textContent}`,
          onclick: () =>
            change((next) => asked.forEach(([parameter, value]) => next.delete(parameter, value))),
        }),
      );
    }),
  );

/**
 * What stands on each chip: one filter, or the least and the most of a field.
 * @param {import("./contract.js").Resource} resource
 * @param {[string, string][]} filters
 */
function together({ filters: all }, filters) {
  /** @type {[string, string][][]} */
  const chips = [];
  const rest = [...filters];
  for (const one of filters) {
    if (!rest.includes(one)) continue;
    const field = all.find(({ parameter }) => parameter === one[0])?.field ?? "";
    const [least, most] = (spanOf(all, field) ?? []).map(({ parameter }) =>
      rest.filter(([name]) => name === parameter)
    );
    const isSpan = least?.length === 1 && most?.length === 1 && [...least, ...most].includes(one);
    const asked = isSpan ? [...least, ...most] : [one];
    for (const taken of asked) rest.splice(rest.indexOf(taken), 1);
    chips.push(asked);
  }
  return chips;
}

/**
 * The words of a chip; they open the panel to change it.
 * @param {import("./docs.js").Context} context
 * @param {[string, string][]} asked
 */
function words(context, asked) {
  const [[parameter, value], to] = /** @type {[[string, string], [string, string]?]} */ (asked);
  const filter = context.resource.filters.find((one) => one.parameter === parameter);
  // The server says what is wrong with one that it does not have
  if (!filter) return h("span", {}, h("b", {}, parameter), ` = ${value}`);
  const { field, operator, target } = filter;
  const name = h("b", {}, pathInWords(context.contract, context.resource, field));
  /** @param {string} text */
  const told = (text) => isolated(valueInWords(filter, text));
  const values = operator === "in" ? split(value) : [value];
  const shown = isolated(values.map((one) => valueInWords(filter, one)).join(", "));
  if (target && operator !== "isnull") showNames(context, target, values, shown);
  const rest = operator === "isnull"
    ? [value === "true" ? " has no value" : " has a value"]
    : to
    ? [" ", shown, " to ", told(to[1])]
    : [` ${CONDITIONS[operator].sign} `, shown];
  return h(
    "button",
    {
      type: "button",
      class: "change",
      "aria-controls": "filter-panel",
      title: "Change this filter",
      onclick: () => openFilter(field, asked),
    },
    name,
    ...rest,
  );
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
