// What stands below what was refused: a field, or a row with fields of its own.
import { h, icon } from "./dom.js";

/**
 * @typedef {object} Refusal
 * @property {string} detail
 * @property {string} [code]
 * @property {string | undefined} [sentence] for people, to whom the detail says little
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
          refusals.map(({ detail, code, sentence, inside: [first, ...others] }) => {
            const where = first === undefined ? undefined : nameOf?.(first);
            return h(
              "span",
              { class: "refusal" },
              where && [h("bdi", {}, where), ": "],
              sentence && [h("bdi", {}, sentence), " "],
              h(
                "bdi",
                { class: sentence && "for-developers" },
                [...others, detail].join(": "),
              ),
              code && [" ", h("code", { class: "for-developers" }, code)],
            );
          }),
        ),
      );
    },
  };
}
