// Adds or changes a filter: a field, a condition of those that its kind has, and a value. What it asks for is shown.
import { inWords } from "./contract.js";
import { button, h, icon, popover } from "./dom.js";
import { choicesOf, filterValue } from "./filter-values.js";

/** @typedef {import("./contract.js").Filter} Filter */

/** The conditions in words, and the sign of each on a chip. */
export const CONDITIONS = {
  eq: { words: "is", sign: "is" },
  in: { words: "one of", sign: "one of" },
  gte: { words: "at least", sign: "≥" },
  gt: { words: "more than", sign: ">" },
  lte: { words: "at most", sign: "≤" },
  lt: { words: "less than", sign: "<" },
  contains: { words: "contains", sign: "contains" },
  isnull: { words: "has no value", sign: "has no value:" },
};

/** The kinds that have a least and a most which people ask for. */
const SPANS = ["integer", "number", "decimal", "date", "time", "timestamp", "created"];

/**
 * A path through relations, as people read it.
 * @param {import("./contract.js").Contract} contract
 * @param {{ fields: import("./contract.js").Field[] }} rows with whose fields it begins
 * @param {string} path
 * @returns {string}
 */
export function pathInWords(contract, { fields }, path) {
  const [first = "", ...rest] = path.split("__");
  const field = fields.find(({ name }) => name === first);
  const words = field?.label ?? inWords(first);
  if (rest.length === 0) return words;
  const next = field?.rows ?? contract.resource(field?.target ?? "") ?? { fields: [] };
  return `${words} → ${pathInWords(contract, next, rest.join("__"))}`;
}

/**
 * The filters of a field from one value to another: those for its least and its most.
 * @param {Filter[]} filters of a list
 * @param {string} field
 */
export function spanOf(filters, field) {
  const ends = ["gte", "lte"].flatMap((operator) =>
    filters.find((one) =>
      one.field === field && one.operator === operator && SPANS.includes(one.kind)
    ) ?? []
  );
  return ends.length === 2 ? ends : undefined;
}

/**
 * Opens the panel of the list that is shown.
 * @type {(field: string, asked?: [parameter: string, text: string][]) => void}
 */
let openAt = () => {};

/**
 * Opens the panel for a filter by a field, or to change what is asked of it.
 * @param {string} field
 * @param {[parameter: string, text: string][]} [asked] one condition, or the two ends of a span
 */
export const openFilter = (field, asked) => openAt(field, asked);

/**
 * Makes a button in the head of a column that opens the panel at its field, as the key f does.
 * @param {import("./contract.js").Resource} resource
 * @param {import("./contract.js").Field} column
 * @param {HTMLElement} head
 */
export function filterable({ filters }, { name, label }, head) {
  const field = filters.map(({ field }) => field)
    .find((path) => path === name || path.startsWith(`${name}__`));
  if (!field) return head;
  const open = () => openFilter(field);
  head.firstElementChild?.append(
    button(icon("filter"), {
      class: "icon-button filter-head",
      "aria-controls": "filter-panel",
      // For the pointer: keys have f, and what the column is called stays short
      tabindex: "-1",
      "aria-hidden": "true",
      title: `Filter by ${label}`,
      onclick: open,
    }),
  );
  head.addEventListener("keydown", (event) => {
    if (event.key !== "f" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open();
  });
  return head;
}

/**
 * @param {import("./docs.js").Context} context
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
export function filterPanel({ contract, resource }, change) {
  const { filters } = resource;
  const fields = [...new Set(filters.map(({ field }) => field))];
  /** @type {string[]} the parameters that are taken away when another is added */
  let replaced = [];
  const field = h(
    "select",
    { id: "filter-field", onchange: () => drawConditions() },
    fields.map((path) => h("option", { value: path }, pathInWords(contract, resource, path))),
  );
  const condition = h("select", { id: "filter-condition", onchange: () => drawValue([]) });
  const slot = h("div", { class: "field" });
  const asks = h("code", {});
  const submit = button("", { type: "submit", class: "button primary" });
  /** @type {import("./filter-values.js").Value} */
  let value;
  /** @type {Filter[]} those whose values are filled in */
  let asked = [];

  const query = () =>
    value.texts().flatMap((text, index) =>
      text === "" && asked.length > 1
        ? []
        : [/** @type {[string, string]} */ ([asked[index]?.parameter ?? "", text])]
    );
  const showQuery = () =>
    asks.textContent = query().map(([name, text]) => `${name}=${text}`).join("&");

  /** @param {string} [chosen] a parameter @param {string[]} [texts] */
  function drawConditions(chosen, texts = []) {
    const own = filters.filter((one) => one.field === field.value);
    condition.replaceChildren(
      ...own.map(({ parameter, operator }) =>
        h("option", { value: parameter }, CONDITIONS[operator].words)
      ),
      ...spanOf(own, field.value) ? [h("option", { value: BETWEEN }, "between")] : [],
    );
    if (chosen) condition.value = chosen;
    drawValue(texts);
  }
  /** @param {string[]} texts */
  function drawValue(texts) {
    const own = filters.filter((one) => one.field === field.value);
    asked = condition.value === BETWEEN
      ? spanOf(own, field.value) ?? []
      : own.filter(({ parameter }) => parameter === condition.value);
    value = filterValue({
      contract,
      filters: asked,
      choices: choicesOf(own),
      url: candidatesOf(contract, resource, field.value),
      texts,
      changed: showQuery,
    });
    slot.replaceChildren(...value.parts);
    showQuery();
  }
  /** @param {string[]} parameters */
  function replace(parameters) {
    replaced = parameters;
    submit.textContent = parameters.length > 0 ? "Change the filter" : "Add the filter";
  }
  replace([]);
  drawConditions();

  /** @param {SubmitEvent} event */
  async function add(event) {
    event.preventDefault();
    // Another condition may be picked before this value has settled
    const [given, former] = [value, replaced];
    if (!await given.settle() || given !== value) return;
    const made = query();
    panel.querySelector("summary")?.focus(); // what it held goes with the panel
    change((next) => {
      for (const name of former) next.delete(name);
      for (const [name, text] of made) next.set(name, text);
    });
  }
  const panel = popover(
    { class: "pop", id: "filter-panel" },
    h(
      "summary",
      { class: "button", id: "filter", onclick: () => replace([]) },
      icon("plus"),
      "Filter",
    ),
    h(
      "form",
      { class: "panel", onsubmit: add },
      h("label", {}, "Field", field),
      h("label", {}, "Condition", condition),
      slot,
      h(
        "p",
        { class: "hint", id: "filter-asks" },
        h("span", { class: "for-developers" }, "Asks for ", asks),
      ),
      submit,
    ),
  );
  openAt = (path, pairs = []) => {
    const names = pairs.map(([name]) => name);
    field.value = path;
    drawConditions(names.length > 1 ? BETWEEN : names[0], pairs.map(([, text]) => text));
    replace(names);
    panel.open = true;
    const first = slot.querySelector("input, select, textarea");
    /** @type {HTMLElement} */ (first ?? condition).focus();
  };
  return panel;
}

/** The condition that is two filters; no parameter has this name. */
const BETWEEN = "…";

/**
 * Where the candidates are listed of the relation at the end of a path, if they are.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {string} path
 * @returns {string | undefined}
 */
function candidatesOf(contract, resource, path) {
  const own = resource.candidates.get(path.replaceAll("__", "/"));
  const [first = "", ...rest] = path.split("__");
  const field = resource.fields.find(({ name }) => name === first);
  if (own || rest.length === 0 || !field?.target) return own;
  return candidatesOf(contract, contract.resource(field.target), rest.join("__"));
}
