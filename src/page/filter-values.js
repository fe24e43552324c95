// The value of a filter, as each kind is filled in: typed, picked by its text, ticked, or from one to another.
import { combobox } from "./combobox.js";
import { button, h } from "./dom.js";
import { joined, split } from "./identifiers.js";
import { askedOf, inputFor } from "./inputs.js";
import { kindOfField } from "./kinds.js";
import { inUtc, spans } from "./local-time.js";
import { knownTexts } from "./texts.js";
import { inControl } from "./times.js";
import { tokens } from "./tokens.js";

/** @typedef {import("./contract.js").Filter} Filter */

/**
 * @typedef {object} Value
 * @property {HTMLElement[]} parts
 * @property {() => string[]} texts as they are asked for, one for each filter; "" asks for nothing
 * @property {() => Promise<boolean>} settle whether there is a value; if not, the field says why
 */

/**
 * @typedef {object} Asked
 * @property {import("./contract.js").Contract} contract
 * @property {Filter[]} filters one, or the two ends of a span
 * @property {string[] | undefined} choices all values that there are, if they are few
 * @property {string | undefined} url where the candidates are listed, if a relation has such
 * @property {string[]} texts those that it begins with
 * @property {() => void} changed called when it has become another
 */

const VALUE = "filter-value";

const TIMES = ["timestamp", "created"];

/**
 * @param {Asked} asked
 * @returns {Value}
 */
export function filterValue(asked) {
  const { filters: [{ operator } = {}, last], choices, url } = asked;
  if (last) return span(asked);
  if (operator === "in" && url) return pickedRows(asked);
  if (operator === "in" && choices) return ticked(asked, choices);
  if (operator === "eq" && url) return pickedRow(asked, url);
  return typed(asked);
}

const settled = () => Promise.resolve(true);

/**
 * The input of one text.
 * @param {Filter} filter
 * @param {string} id
 * @param {string} text
 * @param {() => void} changed
 */
function inputOf({ operator, kind, schema }, id, text, changed) {
  const isTime = TIMES.includes(kind) && operator !== "in";
  const input = isTime
    ? h("input", { id, type: "datetime-local", step: "any", value: inControl(text) })
    : inputFor({
      id,
      kind: operator === "isnull" ? "boolean" : operator === "in" ? "text" : kind,
      schema,
      value: text,
      describedby: "filter-asks",
      isRequired: kind !== "text" || operator === "isnull",
    });
  if (isTime) input.required = true;
  input.addEventListener("input", changed);
  return { input, text: () => isTime ? inUtc(input.value, kind) : askedOf(input) };
}

/** @param {string} words @param {HTMLElement} input */
const labelled = (words, input) => [h("label", { for: input.id }, words), input];

/** @param {Filter} filter */
const zoneHint = ({ kind, operator }) =>
  TIMES.includes(kind) && operator !== "in" ? [h("p", { class: "hint" }, "In your time zone")] : [];

/**
 * @param {Asked} asked
 * @returns {Value}
 */
function typed({ filters, texts: [first = ""], changed }) {
  const [filter] = /** @type {[Filter]} */ (filters);
  const { input, text } = inputOf(filter, VALUE, first, changed);
  return {
    parts: [...labelled("Value", input), ...zoneHint(filter)],
    texts: () => [text()],
    settle: settled,
  };
}

/**
 * From one value to another, of which one may be left out.
 * @param {Asked} asked
 * @returns {Value}
 */
function span({ filters, texts, changed }) {
  const [least, most] = /** @type {[Filter, Filter]} */ (filters);
  const [first = "", last = ""] = texts;
  const from = inputOf(least, `${VALUE}-0`, first, need);
  const to = inputOf(most, `${VALUE}-1`, last, need);
  const { kind } = least;
  function need() {
    from.input.required = to.input.value === "";
    to.input.required = false;
    changed();
  }
  const isTime = TIMES.includes(kind);
  const quick = (isTime || kind === "date") && [
    h(
      "div",
      { class: "chips" },
      spans().map(([words, first, last]) =>
        button(words, {
          class: "quiet-button",
          onclick: () => {
            from.input.value = isTime ? `${first}T00:00` : first;
            to.input.value = isTime ? `${last}T23:59:59.999` : last;
            need();
          },
        })
      ),
    ),
    h("p", { class: "hint" }, "The address keeps these days: they do not move on."),
  ];
  from.input.required = texts.length === 0;
  to.input.required = false;
  return {
    parts: [
      ...labelled("From", from.input),
      ...labelled("To", to.input),
      ...quick || [],
      ...zoneHint(least),
    ],
    texts: () => [from, to].map(({ input, text }) => input.value === "" ? "" : text()),
    settle: settled,
  };
}

/**
 * Some of a few values.
 * @param {Asked} asked
 * @param {string[]} choices
 * @returns {Value}
 */
function ticked({ texts: [first = ""], changed }, choices) {
  const held = new Set(split(first));
  const ticks = choices.map((value) => {
    const input = h("input", {
      type: "checkbox",
      value,
      checked: held.has(value),
      onchange: () => {
        need();
        changed();
      },
    });
    return { input, label: h("label", { class: "check" }, input, value) };
  });
  const taken = () => ticks.filter(({ input }) => input.checked).map(({ input }) => input.value);
  /** The browser asks for the first where none is ticked. */
  function need() {
    const [one] = ticks;
    if (one) one.input.required = taken().length === 0;
  }
  need();
  return {
    parts: [
      h("fieldset", {}, h("legend", {}, "Value"), ...ticks.map(({ label }) => label)),
    ],
    texts: () => [joined(taken())],
    settle: settled,
  };
}

const refusal = () => h("p", { class: "error", id: "filter-error", role: "alert" });

/**
 * The rows that are picked by their texts.
 * @param {Asked} asked
 * @returns {Value}
 */
function pickedRows({ contract, filters, url, texts: [first = ""], changed }) {
  const [{ field: name, target = "" }] = /** @type {[Filter]} */ (filters);
  const { identifiers } = contract.resource(target);
  const initial = first === "" ? [] : split(first).map(identifiers.from);
  const field = /** @type {import("./contract.js").Field} */ ({
    name,
    target,
    candidates: url,
    isOrdered: false,
  });
  const texts = knownTexts(contract);
  const error = refusal();
  const place = h("div", { class: "field" });
  /** @type {ReturnType<typeof tokens> | undefined} */
  let made;
  function draw() {
    const setting = {
      field,
      contract,
      id: VALUE,
      described: "filter-asks filter-error",
      initial,
      texts,
      changed,
      refuse: (/** @type {string | undefined} */ why) => void (error.textContent = why ?? ""),
    };
    made = tokens(/** @type {import("./controls.js").Setting} */ (setting));
    place.replaceChildren(...made.parts);
  }
  if (initial.length === 0) draw();
  else texts.learn([field], { [name]: initial }).then(draw);
  const held = () => made?.value() ?? initial;
  return {
    parts: [h("label", { for: VALUE }, "Value"), place, error],
    texts: () => [joined(held())],
    async settle() {
      if (made && !await made.settle()) return false;
      if (held().length === 0) error.textContent = "Pick one or more";
      return held().length > 0;
    },
  };
}

/**
 * The identifier of a row that is picked by its text.
 * @param {Asked} asked
 * @param {string} url
 * @returns {Value}
 */
function pickedRow({ contract, filters, texts: [first = ""], changed }, url) {
  const [{ field, target = "" }] = /** @type {[Filter]} */ (filters);
  let identifier = first;
  const error = refusal();
  const box = combobox({
    id: VALUE,
    name: field,
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
    refuse: (why) => error.textContent = why ?? "",
  });
  box.input.required = true;
  if (first !== "") showText();
  async function showText() {
    const texts = knownTexts(contract);
    const one = contract.resource(target).identifiers.from(first);
    const field =
      /** @type {import("./contract.js").Field} */ ({ name: "one", target, candidates: url });
    await texts.learn([field], { one });
    if (identifier === first && box.input.value === "") box.input.value = texts.get(target, one);
  }
  return {
    parts: [h("label", { for: VALUE }, "Value"), ...box.parts, error],
    texts: () => [identifier],
    settle: box.settle,
  };
}

/**
 * All values of a field, if they are few.
 * @param {Filter[]} filters those of one field
 * @returns {string[] | undefined}
 */
export function choicesOf(filters) {
  const exact = filters.find(({ operator }) => operator === "eq");
  return exact && (kindOfField(exact.kind).values ?? exact.schema.enum);
}
