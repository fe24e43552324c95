// The filters of a list as chips, in words; what an identifier stands for is read when it is shown.
import { readJson } from "./client.js";
import { nameOfRow } from "./contract.js";
import { button, h, icon, isolated } from "./dom.js";
import { changeFilter, CONDITIONS, pathInWords, spanOf } from "./filters.js";
import { inAddress, joined, split } from "./identifiers.js";
import { moment } from "./values.js";

/**
 * @param {import("./docs.js").Context} context
 * @param {[string, string][]} filters the parameters and their values
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
export const chips = (context, filters, change) =>
  h(
    "ul",
    { class: "chips", "aria-label": "Filters" },
    together(context.resource, filters).map((asked) =>
      h(
        "li",
        { class: "chip" },
        words(context, asked),
        button(icon("x"), {
          class: "icon-button",
          "aria-label": `Remove the filter ${asked.map(([parameter]) => parameter).join(" and ")}`,
          onclick: () =>
            change((next) => asked.forEach(([parameter, value]) => next.delete(parameter, value))),
        }),
      )
    ),
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
  const { field, operator, kind, target } = filter;
  const name = h("b", {}, pathInWords(field));
  /** @param {string} text */
  const told = (text) => isolated(kind === "timestamp" ? moment(text) : text);
  const shown = told(value);
  const values = operator === "in" ? split(value) : [value];
  if (target && operator !== "isnull") showNames(context, target, values, shown);
  const rest = operator === "isnull"
    ? [value === "true" ? " is null" : " is not null"]
    : to
    ? [" ", shown, " to ", told(to[1])]
    : [` ${CONDITIONS[operator].sign} `, shown];
  return h(
    "button",
    {
      type: "button",
      class: "change",
      title: "Change this filter",
      onclick: () => changeFilter(field, asked),
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
