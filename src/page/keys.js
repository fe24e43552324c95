// The keyboard: single keys, which can be turned off, and the dialog that tells of them.
import { dialog } from "./dialog.js";
import { entry, h, ONWARD_KEYS, SAVE_KEYS } from "./dom.js";
import { inBrowser } from "./keep.js";

const KEY = "single keys";

const isOn = () => inBrowser.get(KEY) !== "off";

const TOLD = [
  ["/", "search"],
  ["f", "filter by the column whose head has the focus"],
  ["j k", "next and previous row"],
  ["J K", "next and previous page"],
  ["Enter", "open the row"],
  ["x", "select the row"],
  ["n", "new row"],
  ["e", "edit the row, or those selected"],
  ["p", "pause or follow"],
  ["Esc", "close, or go up"],
  [SAVE_KEYS, "save"],
  [ONWARD_KEYS, "save, and go on to the next row or another new one"],
  ["?", "these keys"],
];

/** Opens the dialog that tells of the keys. */
export function help() {
  const single = h("input", {
    type: "checkbox",
    checked: isOn(),
    onchange: () => inBrowser.set(KEY, single.checked ? "on" : "off"),
  });
  dialog(
    "Keys",
    {},
    h(
      "dl",
      { class: "spec" },
      TOLD.map(([keys = "", does = ""]) =>
        entry(keys.split(" ").map((key) => h("kbd", {}, key)), does)
      ),
    ),
    h("label", { class: "check" }, single, "Single keys do this"),
    h(
      "form",
      { method: "dialog", class: "buttons" },
      h("button", { class: "button primary" }, "Close"),
    ),
  );
}

/**
 * Presses what a selector finds, if it is there.
 * @param {string} selector
 */
const click = (selector) =>
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.click();

/**
 * Goes to the row beside the one that is open, or from row to row in a list.
 * @param {number} by
 */
function move(by) {
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("a.open")]);
  const at = links.findIndex((link) => link === document.activeElement);
  if (at < 0 && document.querySelector(".besides")) {
    return click(by > 0 ? "#next-row" : "#previous-row");
  }
  links[Math.max(0, Math.min(at + by, links.length - 1))]?.focus();
}

/** @type {Record<string, () => void>} */
const single = {
  "/": () => /** @type {HTMLElement | null} */ (document.querySelector("#q"))?.focus(),
  j: () => move(1),
  k: () => move(-1),
  J: () => click("#next"),
  K: () => click("#previous"),
  x: () => click("tr:focus-within .tick input"),
  n: () => click(".actions a[href$='!new']"),
  e: () => click(".actions a[href$='!edit'], :not([hidden]) > #change-ticked"),
  p: () => click(".follow [aria-pressed='false']"),
  "?": help,
};

/**
 * The form in which an element stands; beside it, that of the view or of what opened over it.
 * @param {Element} target
 * @returns {HTMLFormElement | null}
 */
const formOf = (target) =>
  target.closest("form") ??
    document.querySelector(
      document.querySelector("dialog[open]") ? "dialog[open] .form" : "main :is(.form, .conflict)",
    );

/** @param {KeyboardEvent} event */
function press(event) {
  const target = /** @type {Element} */ (event.target);
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing, defaultPrevented } = event;
  if (defaultPrevented || isComposing) return;
  if (key === "Enter" && (metaKey || ctrlKey)) {
    event.preventDefault();
    const form = formOf(target);
    /** @type {HTMLButtonElement | null | undefined} */
    const onward = form?.querySelector("button.onward");
    return form?.requestSubmit(shiftKey ? onward : null);
  }
  if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return;
  const typing = target.closest("input:not([type=checkbox], [type=radio]), select, textarea");
  if (key === "Escape") return escape(target, typing);
  if (typing || !isOn() || !Object.hasOwn(single, key)) return;
  event.preventDefault();
  single[key]?.();
}

/**
 * Closes what is open, leaves the field, or goes up.
 * @param {Element} target
 * @param {Element | null} typing
 */
function escape(target, typing) {
  const open = /** @type {HTMLDetailsElement | null} */ (target.closest("details[open]"));
  if (open) {
    open.open = false;
    open.querySelector("summary")?.focus();
  } else if (typing && !target.closest(".form")) {
    /** @type {HTMLElement} */ (typing).blur();
  } else {
    // Cancel, where there is a form
    click(document.querySelector("main form a.button") ? "main form a.button" : ".crumbs a");
  }
}

addEventListener("keydown", press);
