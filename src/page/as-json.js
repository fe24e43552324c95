// A list as the server answers it, beside the same as a table.
import { pageAddress } from "./address.js";
import { readJson } from "./client.js";
import { h, icon } from "./dom.js";
import { heading, headline } from "./heading.js";
import { pretty } from "./json.js";
import { code, copy, requestLine } from "./request.js";

/** @type {import("./docs.js").Draw} */
export function asJson({ resource, path, query, signal }) {
  const title = headline(resource.many);
  const address = `${path}${query.size > 0 ? `?${query}` : ""}`;
  const request = requestLine(() => ({ method: "GET", path: address }));

  async function body() {
    const { status, body } = await readJson(address, signal);
    request.showAnswer(String(status));
    return [
      code("Answer", pretty(body), copy("JSON", () => pretty(body))),
      body.next &&
      h(
        "p",
        { class: "pages" },
        h("a", { class: "button", href: `#${body.next}!json` }, "Next page", icon("right")),
      ),
    ];
  }
  return {
    head: [
      heading({
        crumbs: [[title, pageAddress(path, query)]],
        text: `${title} as JSON`,
        resource,
      }),
      request.element,
    ],
    body: body(),
  };
}
