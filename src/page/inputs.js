// The field for a value in a query, by its kind: a filter's, or a parameter's of a report.
import { withPoint } from "./comma.js";
import { h } from "./dom.js";
import { identifiersOf } from "./identifiers.js";
import { kindOfField } from "./kinds.js";

/**
 * What an input asks for.
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input one that `inputFor` made
 * @returns {string}
 */
export const askedOf = ({ inputMode, value }) => inputMode === "decimal" ? withPoint(value) : value;

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
        h("option", { value: one, selected: one === value }, one)
      ),
    );
  }
  // An input has one line
  if (kind === "text" && value.includes("\n")) {
    return h("textarea", { ...attributes, required: isRequired, dir: "auto", rows: "2" }, value);
  }
  return h("input", {
    ...attributes,
    required: isRequired,
    value,
    type: "text",
    spellcheck: "false",
    ...asked,
  });
}
