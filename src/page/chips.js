// The filters of a list as chips, in words; what an identifier stands for is read when it is shown.
import { readJson } from "./client.js";
import { nameOfRow } from "./contract.js";
import { button, h, icon, isolated } from "./dom.js";
import { CONDITIONS, pathInWords } from "./filters.js";
import { inAddress, joined, split } from "./identifiers.js";

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
  const name = h("b", {}, pathInWords(filter.field));
  if (filter.operator === "isnull") {
    return h("span", {}, name, value === "true" ? " is null" : " is not null");
  }
  const shown = isolated(value);
  const values = filter.operator === "in" ? split(value) : [value];
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
  const { identifiers } = resource;
  const isListed = resource.filters.some(({ parameter }) =>
    parameter === `${resource.keys[0]}__in`
  );
  if (!isListed || !resource.display || !may("list", resource)) return;
  const path = `${resource.operations["list"]?.path}?${resource.keys[0]}__in=` +
    `${inAddress(joined(texts))}&limit=100`;
  const answer = await readJson(path, signal).catch(() => undefined);
  /** @type {any[]} */
  const items = answer?.body.items ?? [];
  const names = new Map(items.map((row) => [resource.identifierOf(row), nameOfRow(resource, row)]));
  shown.textContent = texts.map((one) => names.get(identifiers.from(one)) ?? one).join(", ");
}
