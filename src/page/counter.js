// How many rows match, counted only when somebody asks: on many rows it is slow.
import { readJson } from "./client.js";
import { button, h, say } from "./dom.js";

/**
 * A button that becomes the number.
 * @param {import("./contract.js").Resource} resource
 * @param {URLSearchParams | string} query what to count: filters and search
 * @param {string} words what the button says
 * @param {AbortSignal} signal
 * @param {(count: number) => string} [format] what stands there then
 */
export function countButton({ many, operations }, query, words, signal, format = String) {
  const path = operations["list"]?.path;
  const made = button(words, {
    class: "quiet-button",
    "aria-label": words === "count" ? `Count the ${many}` : undefined,
    onclick: count,
  });
  async function count() {
    // A button that is disabled loses it
    const hadFocus = made === document.activeElement;
    made.disabled = true;
    /** @param {HTMLElement} element */
    const keepFocus = (element) =>
      hadFocus && document.activeElement === document.body && element.focus();
    const asked = new URLSearchParams(query);
    for (const name of ["cursor", "sort"]) asked.delete(name);
    asked.set("count", "true");
    asked.set("limit", "1");
    try {
      const { body } = await readJson(`${path}?${asked}`, signal);
      const number = h("span", { class: "number", tabindex: "-1" }, format(body.count));
      made.replaceWith(number);
      keepFocus(number);
      say(`${many}: ${format(body.count)}`);
    } catch (error) {
      if (signal.aborted) return;
      made.disabled = false;
      made.textContent = "could not be counted; try again";
      keepFocus(made);
      say(/** @type {Error} */ (error).message);
    }
  }
  return made;
}
