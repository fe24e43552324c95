// Taking back what was just done: what was saved gets its former values, what was deleted is created again.
import { pageAddress } from "./address.js";
import { ask } from "./client.js";
import { button, h, note } from "./dom.js";
import { changeable } from "./contract.js";
import { keyed, persist } from "./persist.js";
import { showRefused } from "./states.js";
import { asWritten, changedFields } from "./versions.js";

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
      const current = answer.status === 412 && answer.body?.current;
      const fields = changeable(context.resource);
      // What was sent had arrived, and only its answer was lost
      const isThere = current && changedFields(
            fields,
            asWritten(context.contract, fields, current),
            /** @type {import("./versions.js").Version} */ (body),
          ).length === 0;
      if (answer.ok || isThere) {
        return context.go(pageAddress(answer.headers.get("location") ?? path), { done });
      }
      if (current) trouble.replaceChildren(note("bad", "Not undone: it was changed meanwhile"));
      else showRefused(trouble, context, answer, send);
    } catch (error) {
      trouble.replaceChildren(/** @type {Error} */ (error).message);
    }
    act.disabled = false;
  }
  return [h("p", {}, act), trouble];
}
