// The field for a relation to many rows: each candidate that is picked becomes a token, which can be removed,
// and the form sends their identifiers in the order in which they were picked.
import { combobox } from "./combobox.js";
import { element } from "./contract.js";

/**
 * @typedef {object} Token
 * @property {number} identifier
 * @property {string} text
 * @property {HTMLElement} shown
 */

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.url where the candidates are listed
 * @param {string} options.described the identifiers of the elements that describe the field
 */
export function tokens(options) {
  /** @type {Token[]} */
  const held = [];
  const list = element("ul", { class: "tokens", role: "list", "aria-label": "Picked" });
  /**
   * What was added or removed last.
   * @type {(Node | string)[]}
   */
  let news = [];

  /** @param {number | null} identifier */
  const isHeld = (identifier) => held.some((token) => token.identifier === identifier);

  const box = combobox({
    ...options,
    nullable: false,
    isOffered: (identifier) => !isHeld(identifier),
    take({ identifier, text }) {
      box.input.value = "";
      if (isHeld(identifier)) news = [name(text), " was picked before; "];
      else add(/** @type {number} */ (identifier), text);
    },
    edit() {},
    tell: () =>
      news.length ? [...news, `sends [${held.map((token) => token.identifier).join(", ")}]`] : [],
  });
  const { input } = box;

  /**
   * @param {number} identifier
   * @param {string} text
   */
  function add(identifier, text) {
    const button = element("button", { type: "button", "aria-label": `Remove ${text}` }, "×");
    const shown = element("li", {}, name(text), button);
    const token = { identifier, text, shown };
    button.addEventListener("click", () => remove(token));
    held.push(token);
    list.append(shown);
    news = ["Added ", name(text), "; "];
  }

  /** @param {Token} token */
  function remove(token) {
    const index = held.indexOf(token);
    held.splice(index, 1);
    token.shown.remove();
    news = ["Removed ", name(token.text), "; "];
    box.close();
    // The focus was in what is gone, or in the field
    (held[index]?.shown.querySelector("button") ?? input).focus();
  }

  input.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const last = held.at(-1);
    // A key that is held down for longer than the text removes no token, and sends no form
    if (event.key === "Backspace" && input.value === "" && last && !event.repeat) {
      remove(last);
    } else if (event.key === "Enter" && (input.value !== "" || event.repeat)) {
      event.preventDefault();
      box.settle();
    }
  });

  return {
    ...box,
    parts: [list, ...box.parts],
    /** The identifiers to send. */
    value: () => held.map((token) => token.identifier),
    /** @param {number} index */
    nameOf: (index) => held[index]?.text,
  };
}

/**
 * A text that people wrote, in its own direction.
 * @param {string} text
 */
const name = (text) => element("bdi", {}, text);
