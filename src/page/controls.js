// The controls of values, as people expect to fill them in: `kinds.js` has which kind has which. One that nobody
// touched gives back the very value it was given.
import { h } from "./dom.js";
import { withPoint } from "./comma.js";
import { identifiersOf, joined, split } from "./identifiers.js";
import { pretty } from "./json.js";
import { fromControl, inControl } from "./times.js";

/**
 * @typedef {object} Setting
 * @property {import("./contract.js").Field} field
 * @property {import("./contract.js").Contract} contract
 * @property {import("./docs.js").Context} context
 * @property {string} id
 * @property {string} described the identifiers of the elements that describe the control
 * @property {any} initial the value as it is written; undefined if there is none yet
 * @property {null | undefined} empty the value of an emptied control; undefined leaves the field out
 * @property {boolean} isNeeded whether it has to be filled in
 * @property {boolean} isMade whether the database makes the value of a field that is left out
 * @property {import("./texts.js").Texts} texts
 * @property {typeof import("./fields.js").rowFields} rowFields makes the fields of a row within
 * @property {() => void} changed called when the value has become another
 * @property {(why: string | undefined) => void} refuse says at the field why there is no value to send
 */

/**
 * @typedef {object} Control
 * @property {HTMLElement} input what has the focus where the field is to be filled in
 * @property {() => any} value what to send, as far as it is known; undefined leaves the field out
 * @property {HTMLElement[]} [parts] the input and what is around it
 * @property {HTMLElement | undefined} [beside] what stands beside the label
 * @property {() => Promise<boolean>} [settle] whether there is a value to send; if not, the field says why
 * @property {() => boolean} [isPending] whether something was typed that has to settle first
 * @property {(part: string) => string | undefined} [nameOf] what an element of the value is called, by its index
 * @property {import("./sets.js").Rows} [rows] what tells, compares and keeps the fields within, where it has such
 */

/** @param {Setting} setting */
const attributesOf = ({ id, described, isNeeded }) => ({
  id,
  "aria-required": isNeeded && "true",
  autocomplete: "off",
  "aria-describedby": described,
});

/**
 * An input whose text is a value.
 * @param {Setting} setting
 * @param {Record<string, string | undefined>} attributes
 * @param {(text: string) => unknown} parse
 * @param {string} shown the initial value as text
 */
function textInput(setting, attributes, parse, shown = String(setting.initial ?? "")) {
  const { initial, empty, changed, refuse } = setting;
  const input = h("input", { class: "number", ...attributesOf(setting), ...attributes });
  input.value = shown;
  const untouched = input.value; // which may differ: an input has no value that it cannot show
  input.addEventListener("input", changed);
  const value = () => {
    if (input.value === untouched) return initial;
    return input.value === "" ? empty : parse(input.value);
  };
  /** The browser has no value for a date without its year. */
  function settle() {
    const { validity, validationMessage } = input;
    if (validity.badInput) refuse(validationMessage);
    return Promise.resolve(!validity.badInput);
  }
  return { input, value, settle };
}

/** @param {string} text */
const isNumber = (text) =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));

/**
 * A number, in a field for text: the wheel and the arrow keys change one in a field for numbers unasked.
 * @param {Setting} setting
 */
export function numberControl(setting) {
  const { kind, written: { minimum } } = setting.field;
  const isInteger = kind !== "number";
  /** @param {string} typed */
  const parse = (typed) => {
    const text = withPoint(typed.trim());
    const value = Number(text);
    // A fraction too small for a number of this size; the server says that the text is no integer
    const isCut = isInteger && /\.\d*[1-9]/.test(text) && Number.isInteger(value);
    return isCut || !isNumber(text) ? text : value;
  };
  const control = textInput(setting, {
    type: "text",
    // The keys that a phone shows for figures alone have no minus
    inputmode: minimum >= 0 ? isInteger ? "numeric" : "decimal" : undefined,
  }, parse);
  return {
    ...control,
    settle() {
      const text = withPoint(control.input.value.trim());
      const isReady = text === "" || isNumber(text);
      if (!isReady) setting.refuse("Enter a number");
      return Promise.resolve(isReady);
    },
  };
}

/** @param {Setting} setting */
export const decimalControl = (setting) =>
  textInput(setting, { type: "text", inputmode: "decimal" }, withPoint);

/** With the limit, the year has four digits to type. */
const LAST_DAY = "9999-12-31";

/**
 * A day. What an input for those cannot show stands in one for texts.
 * @param {Setting} setting
 */
export function dateControl(setting) {
  /** @param {string} text */
  const same = (text) => text;
  const control = textInput(setting, { type: "date", max: LAST_DAY }, same);
  return control.input.value === (setting.initial ?? "")
    ? control
    : textInput(setting, { type: "text" }, same);
}

/**
 * A time of the day: a control for those has neither microseconds nor the end of the day.
 * @param {Setting} setting
 */
export const timeControl = (setting) =>
  textInput(setting, { type: "text", placeholder: "09:30:00" }, (text) => text);

/** Where the milliseconds of a moment in UTC begin, and where they end. */
const MILLISECONDS = [19, 23];

/** @param {Setting} setting */
export function timestampControl(setting) {
  const { initial = null } = setting;
  // One that is no moment, of an address perhaps, is typed
  if (initial && inControl(initial) === "") {
    return textInput(setting, { type: "text" }, (text) => text);
  }
  const attributes = { type: "datetime-local", step: "0.001", max: `${LAST_DAY}T23:59:59.999` };
  return textInput(setting, attributes, (text) => {
    const value = fromControl(text);
    // A control for times has no microseconds: those that are there stay with their milliseconds
    const isSame = initial?.slice(...MILLISECONDS) === value.slice(...MILLISECONDS);
    return isSame ? value.slice(0, MILLISECONDS[1]) + initial.slice(MILLISECONDS[1]) : value;
  }, initial === null ? "" : inControl(initial));
}

/** @param {Setting} setting */
export function checkboxControl(setting) {
  const input = h("input", { ...attributesOf(setting), type: "checkbox" });
  input.checked = setting.initial === true;
  input.addEventListener("input", setting.changed);
  return { input, value: () => input.checked };
}

/**
 * One of a few values.
 * @param {Setting} setting
 * @param {(string | boolean | null)[]} values
 * @param {(value: any) => string} [words]
 */
export function selectControl(setting, values, words = String) {
  const { initial, empty, isMade, field, changed } = setting;
  // One that is not declared, or not yet: it stays until another is picked
  const stored = values.includes(initial) ? [] : [initial];
  const others = [...stored, ...values].filter((value) => (value ?? null) !== null);
  // Without an initial value nothing is picked for a person
  const nothing = field.isNullable || initial === undefined ? [empty] : [];
  const choices = [...nothing, ...isMade && field.isNullable ? [null] : [], ...others];
  const first = field.isNullable ? NO_VALUE : "Pick one";
  const input = h(
    "select",
    attributesOf(setting),
    choices.map((value) =>
      h(
        "option",
        { dir: "auto" },
        (value ?? null) !== null
          ? words(value)
          : isMade && value === undefined
          ? "left out"
          : first,
      )
    ),
  );
  input.selectedIndex = Math.max(choices.indexOf(initial), 0);
  input.addEventListener("input", changed);
  return { input, value: () => choices[input.selectedIndex] };
}

/** null, as people say it. */
const NO_VALUE = "no value";

/**
 * A text. Its length is not limited: the server refuses a text that is too long. Where it may be null, that is a tick
 * beside it, because "" is a value too, unless the database makes one in its place.
 * @param {Setting} setting
 */
export function textControl(setting) {
  const { field, initial, isMade, changed, id } = setting;
  const { maxLength, pattern } = field.written;
  const breaks = new Set((initial ?? "").match(/\r\n?|\n/g));
  const isLong = !maxLength && !pattern || breaks.size > 0;
  const attributes = { ...attributesOf(setting), dir: "auto" };
  const input = isLong
    ? h("textarea", { ...attributes, rows: "3" })
    : h("input", { ...attributes, type: "text" });
  input.value = initial ?? "";
  // A text area makes one kind of all line breaks
  const untouched = input.value;
  const [lineBreak = "\n"] = breaks.size === 1 ? breaks : [];
  const tick = h("input", {
    type: "checkbox",
    id: `${id}-null`,
    "aria-label": `${field.label}: ${NO_VALUE}`,
  });
  tick.checked = field.isNullable && !isMade && (initial ?? null) === null;
  const isNull = () => tick.checked;
  /** What the tick took out of the field. */
  let taken = "";
  const show = () => input.placeholder = isNull() ? NO_VALUE : "";

  input.addEventListener("input", () => {
    tick.checked = false;
    show();
    changed();
  });
  tick.addEventListener("input", () => {
    if (isNull()) {
      taken = input.value;
      input.value = "";
    } else input.value = taken;
    show();
    changed();
  });
  show();
  return {
    input,
    parts: [
      field.isNullable
        ? h("div", { class: "nullable" }, input, h("label", { class: "check" }, tick, NO_VALUE))
        : input,
    ],
    value() {
      if (isNull()) return null;
      if (isMade && input.value === "") return undefined;
      return input.value === untouched && initial
        ? initial
        : input.value.replaceAll("\n", lineBreak);
    },
  };
}

/**
 * Bytes as their base64, or those of a file.
 * @param {Setting} setting
 */
export function bytesControl(setting) {
  const control = textControl(setting);
  const file = h("input", {
    type: "file",
    "aria-label": `${setting.field.label}: the bytes of a file`,
  });
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      control.input.value = String(reader.result).replace(/^[^,]*,/, "");
      control.input.dispatchEvent(new Event("input"));
    });
    reader.readAsDataURL(chosen);
  });
  return { ...control, parts: [...control.parts, file] };
}

/**
 * A value as text over some lines, which may be none of what the field takes.
 * @param {Setting} setting
 * @param {string} shown the initial value as text
 * @param {(text: string) => any} parse throws where the text is none
 * @returns {Control}
 */
function linesInput(setting, shown, parse) {
  const { initial, empty, changed, refuse } = setting;
  const attributes = { ...attributesOf(setting), dir: "auto", rows: "3", spellcheck: "false" };
  const input = h("textarea", attributes);
  input.value = shown;
  const untouched = input.value;
  input.addEventListener("input", changed);
  function parsed() {
    if (input.value === untouched) return initial;
    return input.value.trim() === "" ? empty : parse(input.value);
  }
  return {
    input,
    value() {
      try {
        return parsed();
      } catch {
        return input.value; // it is not sent
      }
    },
    settle() {
      try {
        parsed();
        return Promise.resolve(true);
      } catch (error) {
        refuse(`This is no JSON: ${/** @type {Error} */ (error).message}`);
        return Promise.resolve(false);
      }
    },
  };
}

/**
 * JSON as text.
 * @param {Setting} setting
 */
export function jsonControl(setting) {
  const { initial } = setting;
  return linesInput(setting, (initial ?? null) === null ? "" : pretty(initial), JSON.parse);
}

/**
 * An element a line; as JSON, where the lines would not say all of it.
 * @param {Setting} setting
 */
export function linesControl(setting) {
  const { initial, field: { isNullable, written: { items } } } = setting;
  const isText = items.type === "string";
  const isPlain = (initial ?? []).every((/** @type {any} */ one) =>
    isText ? /^\S(.*\S)?$/.test(one ?? "") : one !== null
  );
  if (!isPlain) return jsonControl(setting);
  /** @param {string} line */
  const elementOf = (line) => {
    if (isText) return line;
    try {
      return JSON.parse(line);
    } catch {
      return line; // the server says what is wrong with it
    }
  };
  const control = linesInput(
    setting,
    (initial ?? []).join("\n"),
    (text) => text.split("\n").map((line) => line.trim()).filter(Boolean).map(elementOf),
  );
  control.input.setAttribute("placeholder", "One on each line");
  return isNullable ? control : { ...control, value: () => control.value() ?? [] };
}

/**
 * The identifier of a row, or that of one whose candidates are not listed anywhere.
 * @param {Setting} setting
 */
export function identifierControl(setting) {
  const { field: { target, schema }, contract, isMade } = setting;
  const { asked, from } = target ? contract.resource(target).identifiers : identifiersOf(schema);
  const attributes = { type: "text", ...asked, ...(isMade && { placeholder: "left out" }) };
  return textInput(setting, attributes, from);
}

/**
 * The identifiers of a relation to many whose candidates are not listed anywhere.
 * @param {Setting} setting
 */
export function identifiersControl(setting) {
  const { field: { target = "" }, contract, initial } = setting;
  const { asked, from } = contract.resource(target).identifiers;
  const attributes = {
    type: "text",
    ...asked,
    inputmode: undefined, // the keys that a phone shows for integers may have no comma
    placeholder: "Identifiers, with commas between them",
  };
  const control = textInput(
    { ...setting, empty: undefined },
    attributes,
    (text) => split(text).map((part) => part.trim()).filter((part) => part !== "").map(from),
    joined(initial ?? [], ", "),
  );
  return { ...control, value: () => control.value() ?? [] };
}
