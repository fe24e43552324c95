// The table of all resources: what each refers to, who refers to it, and how many rows on request.
import { pageAddress } from "./address.js";
import { countButton } from "./counter.js";
import { h } from "./dom.js";
import { cell, columnTitle, rowTitle, sheet, tr } from "./table.js";

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Resource[]} resources
 */
export function overview({ contract, may, signal }, resources) {
  const none = () => h("span", { class: "null" }, "–");
  /** @param {import("./contract.js").Resource} resource */
  function line(resource) {
    const { many, path, kind, description, parameters, fields } = resource;
    const refers = fields.filter(({ target }) => target).map((field) => reference(contract, field));
    const referrers = contract.referrers(resource).map(({ resource, field }) =>
      `${resource.many}.${field.label}`
    );
    const counts = parameters.some(({ name }) => name === "count") && may("list", resource);
    return tr(
      rowTitle([
        h("a", { href: pageAddress(path), title: description }, many),
        kind === "record" && h("span", { class: "badge" }, "record"),
      ]),
      cell("Refers to", refers.length > 0 ? h("ul", { class: "inline" }, refers) : none()),
      cell("Referred to by", referrers.length > 0 ? referrers.join(", ") : none(), "quiet"),
      cell("Rows", counts ? countButton(resource, "", "count", signal) : none(), "end"),
    );
  }
  const rows = columnTitle("Rows", { class: "end" });
  return sheet("Resources", ["Resource", "Refers to", "Referred to by", rows], resources.map(line));
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 */
function reference(contract, { label, kind, target = "", isNullable }) {
  const { many, path } = contract.resource(target);
  const isMany = kind === "many";
  return h(
    "li",
    {},
    h("code", {}, label),
    h(
      "span",
      { class: "arrow", role: "img", "aria-label": isMany ? "to many" : "to" },
      isMany ? " ⇉ " : " → ",
    ),
    path ? h("a", { href: pageAddress(path) }, many) : many,
    isNullable && h("span", { class: "quiet" }, " or null"),
  );
}
