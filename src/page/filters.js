// Adds a filter: a field, a condition of those that its kind has, and a value. What it asks for is shown.
import { combobox } from "./combobox.js";
import { inWords } from "./contract.js";
import { button, h, icon, popover } from "./dom.js";
import { askedOf, inputFor } from "./inputs.js";

/** The conditions in words, and the sign of each on a chip. */
export const CONDITIONS = {
  eq: { words: "is", sign: "is" },
  in: { words: "one of, with commas between", sign: "one of" },
  gte: { words: "at least", sign: "≥" },
  gt: { words: "more than", sign: ">" },
  lte: { words: "at most", sign: "≤" },
  lt: { words: "less than", sign: "<" },
  contains: { words: "contains", sign: "contains" },
  isnull: { words: "has no value", sign: "has no value:" },
};

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
 * @param {import("./docs.js").Context} context
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
export function filterPanel({ contract, resource }, change) {
  const { filters } = resource;
  const fields = [...new Set(filters.map(({ field }) => field))];
  const field = h(
    "select",
    { id: "filter-field", onchange: drawConditions },
    fields.map((path) => h("option", { value: path }, pathInWords(contract, resource, path))),
  );
  const condition = h("select", { id: "filter-condition", onchange: drawValue });
  const slot = h("div", { class: "field" });
  const asks = h("code", {});
  /** @type {Value} */
  let value;

  const showQuery = () => asks.textContent = `${condition.value}=${value.text()}`;

  function drawConditions() {
    condition.replaceChildren(
      ...filters.filter((filter) => filter.field === field.value).map(({ parameter, operator }) =>
        h("option", { value: parameter }, CONDITIONS[operator].words)
      ),
    );
    drawValue();
  }
  function drawValue() {
    const filter = /** @type {import("./contract.js").Filter} */ (
      filters.find(({ parameter }) => parameter === condition.value)
    );
    const url = filter.operator === "eq"
      ? candidatesOf(contract, resource, filter.field)
      : undefined;
    value = url ? pickedValue(contract, filter, url, showQuery) : plainValue(filter, showQuery);
    slot.replaceChildren(h("label", { for: VALUE }, "Value"), ...value.parts);
    showQuery();
  }
  drawConditions();

  /** @param {SubmitEvent} event */
  async function add(event) {
    event.preventDefault();
    // Another condition may be picked before this value has settled
    const [parameter, given] = [condition.value, value];
    if (await given.settle()) change((next) => next.set(parameter, given.text()));
  }
  return popover(
    { class: "pop" },
    h("summary", { class: "button", id: "filter" }, icon("plus"), "Filter"),
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
      button("Add the filter", { type: "submit", class: "button primary" }),
    ),
  );
}

const VALUE = "filter-value";

/**
 * @typedef {object} Value
 * @property {HTMLElement[]} parts
 * @property {() => string} text as it is asked for
 * @property {() => Promise<boolean>} settle whether there is a value; if not, the field says why
 */

/**
 * A value that is typed.
 * @param {import("./contract.js").Filter} filter
 * @param {() => void} changed called when it has become another
 * @returns {Value}
 */
function plainValue({ operator, kind, schema }, changed) {
  const input = inputFor({
    id: VALUE,
    kind: operator === "isnull" ? "boolean" : operator === "in" ? "text" : kind,
    schema,
    describedby: "filter-asks",
    isRequired: kind !== "text" || operator === "isnull",
  });
  input.addEventListener("input", changed);
  return { parts: [input], text: () => askedOf(input), settle: () => Promise.resolve(true) };
}

/**
 * The identifier of a row that is picked by its text.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Filter} filter
 * @param {string} url where the candidates are listed
 * @param {() => void} changed called when it has become another
 * @returns {Value}
 */
function pickedValue(contract, { target = "" }, url, changed) {
  let identifier = "";
  const error = h("p", { class: "error", id: "filter-error", role: "alert" });
  /** @param {string | undefined} why */
  const refuse = (why) => error.textContent = why ?? "";
  const box = combobox({
    id: VALUE,
    name: "the filter",
    url,
    target: contract.resource(target),
    described: "filter-asks filter-error",
    placeholder: "Search by text",
    nullable: false,
    isOffered: () => true,
    take(candidate) {
      identifier = String(candidate.identifier);
      box.input.value = candidate.text;
      changed();
    },
    edit() {
      identifier = "";
      changed();
    },
    sends: () => identifier,
    refuse,
  });
  box.input.required = true;
  return { parts: [...box.parts, error], text: () => identifier, settle: box.settle };
}

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
