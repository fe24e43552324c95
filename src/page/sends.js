// What is going to be sent, beside the form: the request, and its JSON with the relations marked.
import { h } from "./dom.js";
import { jsonOf } from "./json.js";
import { sentCode } from "./request.js";

/**
 * @param {import("./contract.js").Field[]} fields
 * @param {() => import("./request.js").Request & { body: import("./versions.js").Version | undefined }} request
 * @param {import("./dom.js").Children} why it is safe to send
 * @param {HTMLElement} [count] how much is sent
 */
export function sends(fields, request, why, count) {
  const text = h("div", {});
  const path = document.createTextNode("");
  return {
    element: h(
      "aside",
      { "aria-label": "What is sent", class: "for-developers" },
      sentCode(request, path, text),
      count,
      h("p", { class: "quiet" }, why),
    ),
    draw() {
      const { path: whole, body } = request();
      path.data = whole;
      text.replaceChildren(
        ...(body ? jsonOf(body, fields) : [h("span", { class: "quiet" }, "Nothing but the path")]),
      );
    },
  };
}
