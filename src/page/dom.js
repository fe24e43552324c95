// What every view is made of: elements, icons, buttons, notes. Text goes in as text, never as markup.

/** @typedef {Node | string | false | null | undefined} Child */
/** @typedef {Child | Child[] | Child[][]} Children */
/** @typedef {Record<string, unknown>} Attributes */

/**
 * Makes an element. An attribute that is true is there without a value, one that is false or undefined is
 * not there; a function whose name begins with "on" listens to that event.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Children[]} children those that are false, null or undefined are left out
 */
export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? "" : String(value));
    }
  }
  made.append(...present(children));
  return made;
}

/**
 * The children that are there.
 * @param {Children[]} children
 * @returns {(Node | string)[]}
 */
export function present(children) {
  return /** @type {Child[]} */ (children.flat(3)).filter((child) =>
    child !== undefined && child !== null && child !== false
  );
}

const STROKES = {
  plus: "M8 3v10M3 8h10",
  x: "M4 4l8 8M12 4l-8 8",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  filter: "M2.5 3.5h11l-4.2 5v4.5l-2.6-1.5V8.5z",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8L14 14",
  alert: "M8 1.8L14.8 14H1.2zM8 6.5v3.2M8 11.6v.4",
  check: "M3 8.5l3.5 3.5L13 4.5",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
};

/** @param {keyof typeof STROKES} name */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  const attributes = { viewBox: "0 0 16 16", width: 16, height: 16, class: "icon" };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, String(value));
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", STROKES[name]);
  svg.append(path);
  return svg;
}

/**
 * What only a screen reader gets.
 * @param {Children[]} words
 */
export const unseen = (...words) => h("span", { class: "unseen" }, ...words);

/**
 * A key to press, beside what it does.
 * @param {string} key
 */
export const kbd = (key) => h("kbd", { "aria-hidden": "true" }, key);

const CONTROL = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";

/** The keys that save, as the person's keyboard has them. */
export const SAVE_KEYS = `${CONTROL} ↵`;

/** Those that save, and go on to another form. */
export const ONWARD_KEYS = `${CONTROL} ⇧ ↵`;

/**
 * @param {Children} label
 * @param {Attributes} [attributes]
 */
export const button = (label, attributes = {}) =>
  h("button", { type: "button", class: "button", ...attributes }, label);

/**
 * Text that people wrote, in its own direction.
 * @param {string} words
 */
export const isolated = (words) => h("bdi", {}, words);

/**
 * @param {"good" | "bad" | ""} kind a bad one is heard at once
 * @param {Children} heading
 * @param {Children[]} body
 */
export const note = (kind, heading, ...body) =>
  h(
    "div",
    { class: `note ${kind}`, role: kind === "bad" ? "alert" : undefined },
    icon(kind === "good" ? "check" : "alert"),
    h("div", {}, h("p", { class: "strong" }, heading), ...body),
  );

/**
 * A line of a list of terms.
 * @param {Children} term
 * @param {Children} description
 * @param {Attributes} [attributes]
 */
export const entry = (term, description, attributes = {}) =>
  h("div", attributes, h("dt", {}, term), h("dd", {}, description));

/** @param {boolean | undefined} isDeprecated */
export const deprecatedBadge = (isDeprecated) =>
  isDeprecated && h("span", { class: "badge" }, "deprecated");

/**
 * Says a sentence to a screen reader.
 * @param {string} sentence
 */
export function say(sentence) {
  /** @type {HTMLElement} */ (document.getElementById("status")).textContent = sentence;
}

let press = Promise.resolve();
let endPress = () => {};
addEventListener("pointerdown", () => {
  endPress();
  press = new Promise((resolve) => endPress = resolve);
}, true);
// The list of a select takes the end of its press away: a key ends that, too
for (const end of ["pointerup", "pointercancel", "keydown"]) {
  addEventListener(end, () => endPress(), true);
}

/** Resolves once nothing is pressed: until then nothing may move away under the pointer. */
export const released = () => press;

/**
 * A sentence of the document, with what stands between backticks as code.
 * @param {string} text
 */
export const prose = (text = "") =>
  text.split("`").map((part, index) => index % 2 ? h("code", {}, part) : part);

/**
 * Scrolls to a part of a view, and gives it the focus.
 * @param {string} id
 */
export function beginAt(id) {
  const element = document.getElementById(id);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView();
}

/** @param {string} words */
export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/**
 * What opens below a button, and stays within the window.
 * @param {Attributes} attributes those of the whole
 * @param {HTMLElement} summary
 * @param {HTMLElement} panel
 */
export const popover = (attributes, summary, panel) =>
  h(
    "details",
    {
      name: "popover", // one closes the others
      ...attributes,
      ontoggle: () => {
        panel.style.translate = "";
        const { left, right } = panel.getBoundingClientRect();
        const width = document.documentElement.clientWidth;
        const by = right > width
          ? Math.max(width - right, -left) - EDGE
          : left < 0
          ? EDGE - left
          : 0;
        panel.style.translate = `${by}px`;
      },
    },
    summary,
    panel,
  );

/** Pixels between what opens and the edge of the window. */
const EDGE = 16;

// What opens below a button closes where something else is pressed, but for what opens it, too
addEventListener("click", (event) => {
  const opener = /** @type {Element} */ (event.target).closest("[aria-controls]");
  for (const one of document.querySelectorAll("details.pop[open]")) {
    if (opener?.getAttribute("aria-controls") === one.id) continue;
    // The path as it was: what was pressed may be gone by now
    if (!event.composedPath().includes(one)) one.removeAttribute("open");
  }
});
