// Why nothing was saved: at each field, and in a summary above the form that leads to them.
import { h, note } from "./dom.js";
import { showRefused } from "./states.js";

/**
 * Shows why a form was refused: each error at its field, or what there is to say of the whole.
 * @param {Pick<import("./form.js").Place, "context" | "trouble">} place
 * @param {import("./fields.js").Fields} fields
 * @param {import("./client.js").Answer} answer
 * @param {string} outcome
 * @param {() => void} again sends it again
 */
export function showRefusals({ context, trouble }, fields, answer, outcome, again) {
  /** @type {{ pointer: string, detail: string, code: string }[] | undefined} */
  const errors = answer.body?.errors;
  if (!errors) {
    showRefused(trouble, context, answer, again);
    return trouble.scrollIntoView({ block: "nearest" });
  }
  const elsewhere = fields.refuse(
    errors.map(({ pointer, ...one }) => ({ ...one, inside: pointer.split("/").slice(1) })),
  ).map(({ inside: [name], detail, code }) =>
    // Of a field that came after the page was opened, only the pointer says the name
    h(
      "p",
      {},
      name && [h("bdi", {}, name), ": "],
      h("bdi", {}, detail),
      " ",
      h("code", { class: "for-developers" }, code),
    )
  );
  trouble.replaceChildren(summary(outcome, fields, elsewhere));
}

/**
 * An alert, with a link to each field that fails; the focus goes to the first of them.
 * @param {string} outcome
 * @param {import("./fields.js").Fields} fields
 * @param {Node[]} [elsewhere] what is refused of no field
 */
export function summary(outcome, fields, elsewhere = []) {
  let failing = fields.failing();
  const heading = h("span", {});
  const links = h("ul", { class: "inline" });
  const element = note("bad", heading, elsewhere, links);

  function draw() {
    const count = failing.length === 1 ? "1 field was" : `${failing.length} fields were`;
    heading.textContent = `${outcome}: ${failing.length === 0 ? "the row was" : count} refused`;
    links.hidden = failing.length === 0;
    links.replaceChildren(...failing.map(linkTo));
  }

  fields.whenMended(() => {
    const still = fields.failing().map(({ control }) => control);
    const left = failing.filter(({ control }) => still.includes(control));
    if (left.length === failing.length) return;
    failing = left;
    element.removeAttribute("role"); // what goes is not told as if it had come
    if (left.length === 0 && elsewhere.length === 0) element.remove();
    else draw();
  });
  draw();
  failing[0]?.control.focus();
  return element;
}

/** @param {import("./field.js").Failing} failing */
const linkTo = ({ words, control }) =>
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
  );
