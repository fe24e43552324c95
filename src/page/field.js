// A field of a form: its label and rule, what it was, its control, and what was refused.
import { h, icon } from "./dom.js";
import { kindOfField } from "./kinds.js";
import { ruleOf } from "./rule.js";

/**
 * @typedef {object} Refusal
 * @property {string} detail
 * @property {string} [code]
 * @property {number | undefined} [index] that of the failing element, in a field that sends an array
 */

/**
 * @param {Omit<import("./controls.js").Setting, "id" | "described" | "refuse">} setting
 */
export function fieldOf(setting) {
  const { field, contract, isMade, changed } = setting;
  const { description } = field.schema; // written, a relation says what its rule says already
  const id = `field-${field.name}`;
  const rule = h("span", { id: `${id}-rule`, class: "rule" }, ruleOf(field, contract));
  const was = h("span", { class: "was" });
  const count = h("span", { class: "count number" });
  const error = h("p", { id: `${id}-error`, class: "error", hidden: true });
  const hint = h("p", { id: `${id}-hint`, class: "hint" }, description);
  const described = `${rule.id} ${description ? `${hint.id} ` : ""}${error.id}`;
  const { input, value, parts = [input], settle, isPending, nameOf } = kindOfField(field.kind)
    .control({
      ...setting,
      id,
      described,
      refuse: (why) => refuse(why === undefined ? [] : [{ detail: why }]),
      changed() {
        showLength();
        changed();
      },
    });

  function showLength() {
    const { maxLength } = field.written;
    if (maxLength === undefined) return;
    const length = [...input.value].length; // code points, as in the contract
    count.textContent = `${length} of ${maxLength}`;
    count.classList.toggle("over", length > maxLength);
  }
  showLength();

  const shape = field.kind === "boolean" && (field.isNullable || isMade) ? "choice" : field.kind;

  /** @param {Refusal[]} refusals */
  function refuse(refusals) {
    error.hidden = refusals.length === 0;
    error.replaceChildren(
      icon("alert"),
      h(
        "span",
        {},
        refusals.map(({ detail, code, index }) => {
          const failing = index === undefined ? undefined : nameOf?.(index);
          return h(
            "span",
            { class: "refusal" },
            failing && [h("bdi", {}, failing), ": "],
            h("bdi", {}, detail),
            code && [" ", h("code", {}, code)],
          );
        }),
      ),
    );
    if (refusals.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  return {
    element: h(
      "div",
      { class: `field is-${shape}` },
      h("div", { class: "label" }, h("label", { for: id }, field.name), rule, was, count),
      parts,
      description && hint,
      error,
    ),
    field,
    control: input,
    value,
    isPending: () => isPending?.() ?? false,
    /** Whether there is a value to send; if not, the field says why. */
    async settle() {
      if (settle) return await settle();
      // The browser has no value for a date without its year, or for a number such as "-"
      if (!input.validity.badInput) return true;
      refuse([{ detail: input.validationMessage }]);
      return false;
    },
    refuse,
    /** @param {string} words what the field was, where it is changed */
    was(words) {
      was.replaceChildren(words && h("bdi", {}, words));
    },
  };
}
