// A report: its parameters stand where the filters of a list do; it has neither pages nor counts.
import { pageAddress } from "./address.js";
import { readJson } from "./client.js";
import { inWords } from "./contract.js";
import { deprecatedBadge, h } from "./dom.js";
import { exportRows } from "./export.js";
import { heading, headline } from "./heading.js";
import { askedOf, inputFor } from "./inputs.js";
import { itemsOf } from "./items.js";
import { requestLine } from "./request.js";
import { labelled } from "./values.js";

/** @type {import("./docs.js").Draw} */
export function reportView(context) {
  const { contract, resource, path, query, signal, go } = context;
  const { parameters, description } = resource;
  const title = headline(resource.many);
  const address = `${path}${query.size > 0 ? `?${query}` : ""}`;
  const inputs = parameters.map((parameter) => {
    const { name, description, schema, required = false, "x-relata": extension } = parameter;
    const input = inputFor({
      id: `parameter-${name}`,
      kind: extension.kind,
      schema,
      value: query.get(name) ?? "",
      isRequired: required,
      describedby: description && `about-${name}`,
    });
    const label = extension.label || inWords(name);
    const title = labelled({ label, unit: extension.unit });
    return { name, label, title, description, required, isDeprecated: schema.deprecated, input };
  });
  const missing = inputs.filter(({ name, required }) => required && !query.has(name));

  /** @param {SubmitEvent} event */
  function ask(event) {
    event.preventDefault();
    const given = inputs.filter(({ input, required }) => required || input.value !== "");
    go(
      pageAddress(
        path,
        new URLSearchParams(given.map(({ name, input }) => [name, askedOf(input)])),
      ),
    );
  }
  async function body() {
    if (missing.length > 0) {
      const names = missing.map(({ label }) => label).join(" and ");
      return h("p", { class: "quiet" }, `Fill in ${names}: the report needs it.`);
    }
    const { body: { items } } = await readJson(address, signal);
    const isEmpty = items.length === 0;
    return [
      ...itemsOf(contract, resource, title, items),
      !isEmpty && exportRows(context, items),
    ];
  }
  return {
    head: [
      heading({ text: title, resource, tab: "Rows", operation: resource.operations["report"] }),
      h("p", { class: "quiet" }, description),
      requestLine(() => ({ method: "GET", path: address })).element,
      inputs.length > 0 &&
      h(
        "form",
        { class: "toolbar", onsubmit: ask },
        inputs.map(({ name, title, description, required, isDeprecated, input }) =>
          h(
            "div",
            { class: "parameter" },
            h(
              "label",
              { for: input.id },
              h("b", {}, title),
              required && " · required",
              deprecatedBadge(isDeprecated),
            ),
            description && h("span", { id: `about-${name}` }, description),
            input,
          )
        ),
        h("button", { class: "button primary" }, "Read it"),
      ),
    ],
    body: body(),
  };
}
