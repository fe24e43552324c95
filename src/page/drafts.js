// What was typed into a form and not sent: it is kept in the tab, and offered again where the tab was loaded anew, or
// the browser ended.
import { root } from "./client.js";
import { button, h, note } from "./dom.js";
import { inTab } from "./keep.js";

/**
 * What is offered: until somebody answers, it is kept, wherever one goes.
 * @type {HTMLElement | undefined}
 */
let asked;

/** @param {string} address of the form */
const keyOf = (address) => `${root} draft ${address}`;

/**
 * @param {string} address
 * @param {unknown} draft as the view gives it; undefined if there is nothing to keep
 */
export function keepDraft(address, draft) {
  if (draft !== undefined) inTab.set(keyOf(address), JSON.stringify(draft));
  else if (!asked?.isConnected) inTab.remove(keyOf(address));
}

/**
 * Offers what is kept of a form, until somebody types there anew.
 * @param {string} address
 * @param {(draft: any) => void} takeUp
 */
export function keptDraft(address, takeUp) {
  const kept = inTab.get(keyOf(address));
  if (kept === null) return undefined;
  const left = new AbortController();
  const offered = asked = note(
    "",
    "What was typed here before is kept",
    h(
      "div",
      { class: "bar" },
      button("Take it up", { onclick: take }),
      button("Throw it away", { onclick: end }),
    ),
  );
  function end() {
    left.abort();
    offered.remove();
    keepDraft(address, undefined);
  }
  function take() {
    end();
    takeUp(JSON.parse(/** @type {string} */ (kept)));
  }
  addEventListener("input", end, { signal: left.signal, capture: true });
  return offered;
}
