// Why nothing was saved: at each field, and in a summary above the form that leads to them.
import { h, icon, note } from "./dom.js";

/**
 * @typedef {object} Refusal
 * @property {string} detail
 * @property {string} [code]
 * @property {string[]} inside where in a value, as in its pointer: "1" is the second element, "quantity" a member
 */

/**
 * What stands below a field that was refused.
 * @param {string} id that of the field
 */
export function errorAt(id) {
  const element = h("p", { id: `${id}-error`, class: "error", hidden: true });
  return {
    element,
    /**
     * @param {Refusal[]} refusals
     * @param {(part: string) => string | undefined} [nameOf] what a part of the value is called
     */
    show(refusals, nameOf) {
      element.hidden = refusals.length === 0;
      element.replaceChildren(
        icon("alert"),
        h(
          "span",
          {},
          refusals.map(({ detail, code, inside: [first, ...others] }) => {
            const where = first === undefined ? undefined : nameOf?.(first);
            return h(
              "span",
              { class: "refusal" },
              where && [h("bdi", {}, where), ": "],
              h("bdi", {}, [...others, detail].join(": ")),
              code && [" ", h("code", {}, code)],
            );
          }),
        ),
      );
    },
  };
}

/**
 * Shows the errors of a problem at their fields. Returns the summary.
 * @param {import("./fields.js").Fields} fields
 * @param {{ pointer: string, detail: string, code: string }[]} errors
 */
export function showRefusals(fields, errors) {
  const elsewhere = fields.refuse(
    errors.map(({ pointer, ...one }) => ({ ...one, inside: pointer.split("/").slice(1) })),
  );
  return summary(
    "Not saved",
    fields,
    elsewhere.map(({ inside: [name], detail, code }) =>
      // Of a field that came after the page was opened, only the pointer says the name
      h("p", {}, name && [h("bdi", {}, name), ": "], h("bdi", {}, detail), " ", h("code", {}, code))
    ),
  );
}

/**
 * An alert, with a link to each field that fails; the focus goes to the first of them.
 * @param {string} outcome
 * @param {import("./fields.js").Fields} fields
 * @param {Node[]} [elsewhere] what is refused of no field
 */
export function summary(outcome, fields, elsewhere = []) {
  const failing = fields.failing();
  const count = failing.length === 1 ? "1 field was" : `${failing.length} fields were`;
  failing[0]?.control.focus();
  return note(
    "bad",
    `${outcome}: ${failing.length === 0 ? "the row was" : count} refused`,
    elsewhere,
    failing.length > 0 && h(
      "ul",
      { class: "inline" },
      failing.map(({ words, control }) =>
        h(
          "li",
          {},
          h("a", {
            href: `#${control.id}`,
            onclick: (/** @type {Event} */ event) => {
              event.preventDefault(); // what follows # is a request of the page
              control.focus();
            },
          }, words),
        )
      ),
    ),
  );
}
