// What was typed into a form and not sent: it is kept in the tab, and offered again where the tab was loaded anew, or
// the browser ended.
import { root } from "./client.js";
import { button, h, note } from "./dom.js";
import { inTab } from "./keep.js";

/** @param {string} address of the form */
const keyOf = (address) => `${root} draft ${address}`;

/**
 * @param {string} address
 * @param {unknown} draft as the view gives it; undefined if there is nothing to keep
 */
export function keepDraft(address, draft) {
  if (draft === undefined) inTab.remove(keyOf(address));
  else inTab.set(keyOf(address), JSON.stringify(draft));
}

/**
 * Offers what is kept of a form.
 * @param {string} address
 * @param {(draft: any) => void} takeUp
 */
export function keptDraft(address, takeUp) {
  const kept = inTab.get(keyOf(address));
  if (kept === null) return undefined;
  const offered = note(
    "",
    "What was typed here before is kept",
    h(
      "div",
      { class: "bar" },
      button("Take it up", { onclick: () => takeUp(JSON.parse(kept)) }),
      button("Throw it away", {
        onclick() {
          keepDraft(address, undefined);
          offered.remove();
          document.querySelector("h1")?.focus();
        },
      }),
    ),
  );
  return offered;
}
