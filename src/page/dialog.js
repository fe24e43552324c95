// What opens over a view and asks something, until it is closed or the view is left.
import { h } from "./dom.js";

/**
 * A dialog, open.
 * @param {import("./dom.js").Children} title
 * @param {object} options
 * @param {AbortSignal} [options.signal] aborts when the view is left; else it stays until the address is another
 * @param {() => void} [options.closed] called when somebody closes it; else it goes
 * @param {() => boolean} [options.hasChanges] whether Escape would lose what was typed: then it asks
 * @param {import("./dom.js").Children[]} content
 */
export function dialog(title, { signal, closed, hasChanges }, ...content) {
  const made = h(
    "dialog",
    {
      "aria-labelledby": "dialog-title",
      onclose: () => closed ? closed() : made.remove(),
      oncancel(/** @type {Event} */ event) {
        if (hasChanges?.() && !confirm("Leave, and lose what you changed?")) event.preventDefault();
      },
    },
    h("h2", { id: "dialog-title" }, title),
    ...content,
  );
  if (signal) signal.addEventListener("abort", () => made.remove());
  else addEventListener("popstate", () => made.remove(), { once: true });
  document.body.append(made);
  made.showModal();
  return made;
}
