// What is going to be sent, beside the form: the request, and its JSON with the relations marked.
import { h } from "./dom.js";
import { jsonOf } from "./json.js";
import { sentCode } from "./request.js";

/**
 * @param {import("./contract.js").Resource} resource
 * @param {() => import("./request.js").Request & { body: import("./versions.js").Version }} request
 * @param {import("./dom.js").Children} why it is safe to send
 * @param {HTMLElement} [count] how much is sent
 */
export function sends(resource, request, why, count) {
  const text = h("div", {});
  return {
    element: h(
      "aside",
      { "aria-label": "What is sent" },
      sentCode(request, request().path, text),
      count,
      h("p", { class: "quiet" }, why),
    ),
    draw: () => text.replaceChildren(...jsonOf(request().body, resource)),
  };
}
