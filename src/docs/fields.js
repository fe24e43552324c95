// A field of a form: its label, its control, what describes it, and what was refused.
import { element } from "./contract.js";
import { controlOf } from "./kinds.js";

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {HTMLElement} control
 * @property {() => unknown} value what to send; undefined leaves the field out
 * @property {() => Promise<boolean>} settle whether its value can be sent; if not, the field says why
 * @property {(refusals: Refusal[]) => void} refuse
 */

/**
 * @typedef {object} Refusal
 * @property {string} detail
 * @property {number | undefined} index that of the failing element, in a field that sends an array
 */

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.name
 * @param {any} options.property the schema of the value
 * @param {unknown} options.example
 * @returns {Field}
 */
export function fieldOf({ id, name, property, example }) {
  const hint = element("p", { id: `${id}-hint`, class: "hint" });
  const error = element("p", { id: `${id}-error`, class: "error" });
  const described = `${hint.id} ${error.id}`;
  const { input, value, parts = [input], tell, settle, nameOf } = controlOf({
    id,
    described,
    property,
    example,
  });
  const label = element("label", { for: id }, name);
  const isCheckbox = input.type === "checkbox";

  if (tell) {
    const show = () => hint.textContent = tell();
    input.addEventListener("input", show);
    show();
  }

  /** @param {Refusal[]} refusals */
  function refuse(refusals) {
    error.replaceChildren(...refusals.flatMap(({ detail, index }, place) => {
      const failing = index === undefined ? undefined : nameOf?.(index);
      return [
        ...(place > 0 ? ["\n"] : []),
        ...(failing === undefined ? [] : [element("bdi", {}, failing), ": "]),
        element("bdi", {}, detail),
      ];
    }));
    if (refusals.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  return {
    element: element(
      "div",
      { class: isCheckbox ? "field check" : "field" },
      ...(isCheckbox ? [...parts, label] : [label, ...parts]),
      hint,
      error,
    ),
    control: input,
    value,
    async settle() {
      if (settle) return await settle();
      // The browser has no value for a date without its year, or for a number such as "-"
      if (!input.validity.badInput) return true;
      refuse([{ detail: input.validationMessage, index: undefined }]);
      return false;
    },
    refuse,
  };
}
