// The field for a value in a query, by its kind: a filter's, or a parameter's of a report.
import { withPoint } from "./comma.js";
import { h } from "./dom.js";
import { identifiersOf } from "./identifiers.js";
import { kindOfField, valueInWords } from "./kinds.js";
import { fromControl, inControl } from "./times.js";

/**
 * What an input asks for.
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input one that `inputFor` made
 * @returns {string}
 */
export function askedOf({ inputMode, value, type, dataset }) {
  if (inputMode === "decimal") return withPoint(value);
  if (type !== "datetime-local" || value === "") return value;
  if (value === dataset["shown"]) return dataset["value"] ?? "";
  const moment = fromControl(value);
  return dataset["kind"] === "created" ? moment.slice(0, 19).replace("T", " ") : moment;
}

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.kind
 * @param {any} options.schema of the parameter
 * @param {string} [options.value]
 * @param {string} [options.describedby]
 * @param {boolean} [options.isRequired]
 */
export function inputFor({ id, kind, schema, value = "", describedby, isRequired = false }) {
  const attributes = {
    id,
    autocomplete: "off",
    "aria-describedby": describedby,
  };
  const { values, asked = identifiersOf(schema).asked } = kindOfField(kind);
  const choices = values ?? schema.enum;
  if (choices) {
    const offered = isRequired ? choices : ["", ...choices];
    return h(
      "select",
      attributes,
      offered.map((/** @type {string} */ one) =>
        h("option", { value: one, selected: one === value }, one && valueInWords({ kind }, one))
      ),
    );
  }
  // An input has one line
  if (kind === "text" && value.includes("\n")) {
    return h("textarea", { ...attributes, required: isRequired, dir: "auto", rows: "2" }, value);
  }
  const isMoment = asked["type"] === "datetime-local";
  const input = h("input", {
    ...attributes,
    required: isRequired,
    value: isMoment ? inControl(value) : value,
    type: "text",
    spellcheck: "false",
    ...asked,
  });
  // What nobody touches is asked for as it was
  if (isMoment) Object.assign(input.dataset, { kind, value, shown: input.value });
  return input;
}
