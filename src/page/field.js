// A field of a form: its label and rule, what it was, its control, and what was refused.
import { h, isolated } from "./dom.js";
import { errorAt } from "./error.js";
import { kindOfField } from "./kinds.js";
import { plainRuleOf } from "./rule.js";
import { sentenceFor } from "./sentences.js";
import { labelled } from "./values.js";
import { changedFields } from "./versions.js";

/** @typedef {import("./error.js").Refusal} Refusal */

/**
 * @typedef {object} Failing what was refused, or cannot be sent
 * @property {string} words what it is called
 * @property {HTMLElement} control where it is put right
 */

/**
 * @param {Omit<import("./controls.js").Setting, "id" | "described" | "isNeeded" | "refuse"> & { within: string }} setting
 *   with what the identifiers of its elements begin with
 */
export function fieldOf({ within, ...setting }) {
  const { field, contract, isMade, texts, changed } = setting;
  const { name, label: words, kind, isNullable, schema, written, example } = field;
  const { description } = schema; // written, a relation says what its rule says already
  const id = `${within}-${name}`;
  const rule = h("span", { id: `${id}-rule`, class: "rule" }, plainRuleOf(field, contract));
  const was = h("span", { class: "was" });
  const count = h("span", { class: "count number" });
  const error = errorAt(id);
  const isNeeded = hasToBeFilled(field);
  // What a pattern takes, an example tells
  const told = kind === "text" && written.pattern && example;
  const hint = (description || told) &&
    h(
      "p",
      { id: `${id}-hint`, class: "hint" },
      description,
      description && told && ". ",
      told && ["For example ", isolated(told)],
    );
  const described = [rule, hint, error.element].map((one) => one && one.id).filter(Boolean);
  const { input, value, parts = [input], beside, settle, isPending, nameOf, rows } = kindOfField(
    kind,
  )
    .control({
      ...setting,
      id,
      described: described.join(" "),
      isNeeded,
      refuse: (why) => refuse(why === undefined ? [] : [{ detail: why, inside: [] }]),
      changed() {
        showLength();
        // What was refused is another now; of the rows within, each tells its own
        if (!error.element.hidden) rows ? error.show([]) : refuse([]);
        changed();
      },
    });

  function showLength() {
    if (written.maxLength === undefined) return;
    const length = [...textOf(input)].length; // code points, as in the contract
    count.textContent = `${length} of ${written.maxLength}`;
    count.classList.toggle("over", length > written.maxLength);
  }
  showLength();

  /** @param {Refusal[]} refusals */
  function refuse(refusals) {
    const own = (rows ? rows.refuse(refusals) : refusals).map((one) => ({
      ...one,
      sentence: sentenceFor(field, value(), contract, one),
    }));
    error.show(own, nameOf);
    if (rows) return;
    if (own.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  const shape = kind === "boolean" && (isNullable || isMade) ? "choice" : kind;
  const attributes = { class: `field is-${shape}` };
  const label = { id: `${id}-label`, for: rows ? undefined : id };
  const head = [
    h(rows ? "span" : "label", label, labelled(field)),
    isNeeded && h("span", { class: "needed" }, "required"),
    rule,
    was,
    count,
    beside,
  ];
  return {
    // What has fields of its own is a group of them
    element: rows
      ? h(
        "fieldset",
        { ...attributes, "aria-labelledby": label.id, "aria-describedby": described.join(" ") },
        h("legend", { class: "label" }, head),
        hint,
        parts,
        error.element,
      )
      : h("div", attributes, h("div", { class: "label" }, head), parts, hint, error.element),
    field,
    control: input,
    value,
    /** Whether there is a value to send; if not, the field says why. */
    settle: async () => await settle?.() ?? true,
    refuse,
    /** @returns {Failing[]} */
    failing: () => [
      ...(error.element.hidden ? [] : [{ words, control: input }]),
      ...(rows?.failing() ?? []),
    ],
    /**
     * Says what the field was, where it is changed.
     * @param {any} before undefined where there was none
     */
    compare(before) {
      const isChanged = before !== undefined &&
        changedFields([field], { [name]: before }, { [name]: value() }).length > 0;
      const told = isChanged ? texts.was(field, before) : "";
      // Of many rows few are changed
      if (was.textContent !== told) was.replaceChildren(h("bdi", {}, told));
      rows?.compare(before);
    },
    /** What was typed and is no value yet; undefined if that is nothing. */
    pending: () => rows ? rows.pending() : isPending?.() ? textOf(input) : undefined,
    /** @param {any} typed what was pending in such a field */
    restore(typed) {
      if (rows) return rows.restore(typed);
      /** @type {HTMLInputElement} */ (input).value = typed;
      input.dispatchEvent(new Event("input"));
      settle?.(); // as when the field is left
    },
  };
}

/** The kinds that have a value where nothing is filled in: an empty text, no rows, a tick that is not set. */
const BLANK = ["text", "bytes", "boolean", "array", "many", "owned"];

/**
 * Whether the server refuses a field in which nothing is filled in.
 * @param {import("./contract.js").Field} field
 */
const hasToBeFilled = ({ kind, isRequired, written }) =>
  isRequired && (!BLANK.includes(kind) || written.minLength > 0 || written.minItems > 0);

/** @param {HTMLElement} input */
const textOf = (input) => /** @type {HTMLInputElement} */ (input).value;
