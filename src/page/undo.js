// Taking back what was just done: what was saved gets its former values, what was deleted is created again.
import { pageAddress } from "./address.js";
import { ask } from "./client.js";
import { button, h } from "./dom.js";
import { keyed, persist } from "./persist.js";
import { showRefused } from "./states.js";

/**
 * @typedef {object} Undo
 * @property {string} words
 * @property {import("./request.js").Request} request that takes it back
 * @property {string} done what is said then
 */

/**
 * @param {import("./docs.js").Context} context
 * @param {Undo} undo
 */
export function undoButton(context, { words, request, done }) {
  const trouble = h("div", {});
  const place = { context, trouble };
  const { method, path, body, headers = {} } = request;
  const create = keyed(place);
  const act = button(words, { onclick: send });

  async function send() {
    act.disabled = true;
    try {
      const answer = await (method === "POST"
        ? create(request)
        : persist(place, "If-Match", () =>
          ask(method, path, { body, headers })));
      if (!answer) return;
      if (answer.ok) {
        return context.go(pageAddress(answer.headers.get("location") ?? path), { done });
      }
      showRefused(trouble, context, answer, send);
    } catch (error) {
      trouble.replaceChildren(/** @type {Error} */ (error).message);
    }
    act.disabled = false;
  }
  return [h("p", {}, act), trouble];
}
