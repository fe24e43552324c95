// A resource whose rows are not listed: where one is read by its identifier, or a new one begun.
import { pageAddress } from "./address.js";
import { inWords, pathOfRow } from "./contract.js";
import { h } from "./dom.js";
import { heading, headline, newRow } from "./heading.js";

/** @type {import("./docs.js").Draw} */
export function unlisted(context) {
  const { resource } = context;
  return {
    head: heading({
      text: headline(resource.many),
      resource,
      tab: "Rows",
      actions: newRow(context),
    }),
    body: resource.operations["read"]
      ? byIdentifier(context)
      : h("p", { class: "quiet" }, "Rows are not read here; the reference has every request."),
  };
}

/**
 * A field for the identifier of a row to read.
 * @param {import("./docs.js").Context} context
 */
export function byIdentifier({ resource, go }) {
  const input = h("input", {
    name: resource.keys.join(),
    ...resource.identifiers.asked,
    pattern: resource.identifiers.pattern,
    autocomplete: "off",
    required: true,
  });
  /** @param {SubmitEvent} event */
  function open(event) {
    event.preventDefault();
    go(pageAddress(pathOfRow(resource, input.value) ?? ""));
  }
  return h(
    "form",
    { class: "toolbar", onsubmit: open },
    h("label", { class: "parameter" }, h("span", {}, inWords(resource.keys.join())), input),
    h("button", { class: "button" }, `Read the ${resource.one}`),
  );
}
