// An address at which the API has nothing, and the ways on from it.
import { pageAddress } from "./address.js";
import { h } from "./dom.js";
import { heading } from "./heading.js";

/** @type {import("./docs.js").Draw} */
export function absent({ contract, resource, path, view }) {
  const near = resource ?? contract.resources.find((one) => path.startsWith(stemOf(one)));
  return {
    head: heading({ text: "There is nothing here" }),
    body: [
      h(
        "p",
        {},
        "This API has nothing to show at ",
        h("code", {}, pageAddress(path, "", view)),
      ),
      h(
        "div",
        { class: "buttons" },
        near && h("a", { class: "button", href: pageAddress(near.path) }, `All ${near.many}`),
        h("a", { class: "button", href: "#/" }, "All resources"),
      ),
    ],
  };
}

/**
 * What the addresses of a resource begin with.
 * @param {import("./contract.js").Resource} resource
 */
const stemOf = ({ path }) => path.replace(/\{.*$/, "");
