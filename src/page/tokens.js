// The control of a relation to many rows: each candidate that is picked becomes a token, which is removed or,
// where the order is stored, moved: by keys, or by the pointer alone.
import { combobox } from "./combobox.js";
import { button, h, icon, isolated } from "./dom.js";

/** @typedef {import("./identifiers.js").Identifier} Identifier */

/** @param {import("./controls.js").Setting} setting */
export function tokens({ field, contract, id, described, initial, texts, changed, refuse }) {
  const { name, target = "", candidates = "", isOrdered } = field;
  /** @type {Identifier[]} */
  const held = [...initial ?? []];
  /** The place of the token that is moved; -1 if there is none. */
  let pressed = -1;
  const list = h("ol", { class: "tokens held", "aria-label": `Picked for ${name}` });
  const movers = h("p", { class: "hint movers" });

  /** @param {Identifier} identifier */
  const textOf = (identifier) => texts.get(target, identifier);

  const box = combobox({
    id,
    name,
    url: candidates,
    target: contract.resource(target),
    described,
    placeholder: "Add by text",
    nullable: false,
    isOffered: (identifier) => !held.includes(identifier),
    take({ identifier, text }) {
      box.input.value = "";
      const added = /** @type {Identifier} */ (identifier);
      if (held.includes(added)) return announce(`${text} was picked before`);
      texts.set(target, added, text);
      held.push(added);
      pressed = -1;
      draw();
      announce(`Added ${text}`);
    },
    edit: changed,
    sends: () => "",
    refuse,
  });

  /**
   * Says what has happened once the box has closed, and so has said all that it had to.
   * @param {string} words
   */
  function announce(words) {
    queueMicrotask(() =>
      box.say(`${words}; sends [${held.map((one) => JSON.stringify(one)).join(", ")}]`)
    );
    changed();
  }

  /** @param {number} index */
  function remove(index) {
    const [identifier] = /** @type {[Identifier]} */ (held.splice(index, 1));
    pressed = -1;
    box.close();
    draw();
    // The focus was in what is gone, or in the field
    (handle(Math.min(index, held.length - 1)) ?? box.input).focus();
    announce(`Removed ${textOf(identifier)}`);
  }

  /** @param {number} step one place earlier is -1, one later is 1 */
  function move(step) {
    const next = pressed + step;
    if (next < 0 || next >= held.length) return;
    const [identifier] = /** @type {[Identifier]} */ (held.splice(pressed, 1));
    held.splice(next, 0, identifier);
    pressed = next;
    draw();
    handle(next)?.focus();
    announce(`${textOf(identifier)} is number ${next + 1} of ${held.length}`);
  }

  /** @param {number} index */
  function press(index) {
    pressed = pressed === index ? -1 : index;
    draw();
    handle(index)?.focus();
  }

  /** @param {number} index */
  const handle = (
    index,
  ) => /** @type {HTMLElement | undefined} */ (list.children[index]?.firstChild);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = held.findIndex((_, at) => handle(at) === event.target);
    if (index < 0) return;
    if (event.key === "Delete" || event.key === "Backspace") remove(index);
    else if (index === pressed && event.key === "ArrowLeft") move(-1);
    else if (index === pressed && event.key === "ArrowRight") move(1);
    else if (index === pressed && event.key === "Escape") press(index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function draw() {
    list.replaceChildren(...held.map((identifier, index) => {
      const text = textOf(identifier);
      return h(
        "li",
        { class: "token" },
        button([isolated(text), h("code", {}, String(identifier))], {
          class: undefined,
          ...(isOrdered && {
            "aria-pressed": String(index === pressed),
            onclick: () => press(index),
          }),
        }),
        button(icon("x"), {
          class: "icon-button",
          "aria-label": `Remove ${text}`,
          onclick: () => remove(index),
        }),
      );
    }));
    if (!isOrdered || held.length < 2) return movers.replaceChildren();
    if (pressed < 0) return movers.replaceChildren("Press one to move it.");
    movers.replaceChildren(
      mover([icon("left"), "Earlier"], -1),
      mover(["Later", icon("right")], 1),
      "or the arrow keys",
    );
  }

  /**
   * @param {(Node | string)[]} label
   * @param {number} step
   */
  const mover = (label, step) =>
    button(label, { class: "quiet-button", onclick: () => move(step) });

  list.addEventListener("keydown", onKey);
  box.input.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey) return;
    // A key that is held down for longer than the text removes no token
    if (event.key === "Backspace" && box.input.value === "" && held.length > 0 && !event.repeat) {
      remove(held.length - 1);
      box.input.focus();
    }
  });
  draw();

  return {
    ...box,
    parts: [list, movers, ...box.parts],
    /** The identifiers to send. */
    value: () => [...held],
    /** @param {string} index */
    nameOf(index) {
      const identifier = held[Number(index)];
      return identifier === undefined ? undefined : textOf(identifier);
    },
  };
}
