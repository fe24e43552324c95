// Why nothing was saved: at each field, and in a summary above the form that leads to them.
import { h, note } from "./dom.js";

/**
 * Shows the errors of a problem at their fields. Returns the summary.
 * @param {ReturnType<typeof import("./field.js").fieldOf>[]} fields
 * @param {{ pointer: string, detail: string, code: string }[]} errors
 */
export function showRefusals(fields, errors) {
  /** @type {Map<string, import("./field.js").Refusal[]>} */
  const byField = new Map();
  /** @type {Node[]} */
  const elsewhere = [];
  for (const { pointer, detail, code } of errors) {
    // "/tags/1" is of the field "tags", "/lines/3/quantity" of the field "lines"
    const [, name = "", index, ...inside] = pointer.split("/");
    const refusal = {
      detail: [...inside, detail].join(": "),
      code,
      index: index === undefined ? undefined : Number(index),
    };
    if (fields.some(({ field }) => field.name === name)) {
      byField.set(name, [...byField.get(name) ?? [], refusal]);
    } else {
      // Of a field that came after the page was opened, only the pointer says the name
      const whose = name && [h("bdi", {}, name), ": "];
      elsewhere.push(h("p", {}, whose, h("bdi", {}, detail), " ", h("code", {}, code)));
    }
  }
  for (const { field, refuse } of fields) refuse(byField.get(field.name) ?? []);
  const failing = fields.filter(({ field }) => byField.has(field.name));
  return summary("Not saved", failing, elsewhere);
}

/**
 * An alert, with a link to each field that fails; the focus goes to the first of them.
 * @param {string} outcome
 * @param {ReturnType<typeof import("./field.js").fieldOf>[]} failing
 * @param {Node[]} [elsewhere] what is refused of no field
 */
export function summary(outcome, failing, elsewhere = []) {
  const count = failing.length === 1 ? "1 field was" : `${failing.length} fields were`;
  failing[0]?.control.focus();
  return note(
    "bad",
    `${outcome}: ${failing.length === 0 ? "the row was" : count} refused`,
    elsewhere,
    failing.length > 0 && h(
      "ul",
      { class: "inline" },
      failing.map(({ field, control }) =>
        h(
          "li",
          {},
          h("a", {
            href: `#${control.id}`,
            onclick: (/** @type {Event} */ event) => {
              event.preventDefault(); // what follows # is a request of the page
              control.focus();
            },
          }, field.name),
        )
      ),
    ),
  );
}
