// What is going to be sent, beside the form: the request, and its JSON with the relations marked.
import { h } from "./dom.js";
import { json } from "./json.js";
import { asFetch, code, copy, curl } from "./request.js";

/**
 * @param {import("./contract.js").Resource} resource
 * @param {string} method
 * @param {string} path
 * @param {() => import("./versions.js").Version} body
 * @param {import("./dom.js").Children[]} more what is told below it
 */
export function sends(resource, method, path, body, ...more) {
  const text = h("div", {});
  const request = () => ({ method, path, body: body() });
  const label = ["Sends", h("code", {}, h("b", {}, method), ` ${path}`)];
  const copies = [copy("curl", () => curl(request())), copy("fetch", () => asFetch(request()))];
  return {
    element: h("aside", { "aria-label": "What is sent" }, code(label, text, ...copies), ...more),
    draw: () => text.replaceChildren(...json(body(), resource)),
  };
}
