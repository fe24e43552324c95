// Who refers to a row. Rows that cannot be without it are shown, the first of them; of others, a link leads to their
// list, and they are shown on request.
import { pageAddress } from "./address.js";
import { button, h, say } from "./dom.js";
import { firstRows } from "./first-rows.js";
import { inAddress } from "./identifiers.js";

/** @typedef {import("./contract.js").Resource} Resource */
/** @typedef {import("./contract.js").Field} Field */

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./identifiers.js").Identifier} identifier
 */
export function referrers(context, identifier) {
  const { contract, resource } = context;
  const lists = contract.referrers(resource).flatMap(({ resource: other, field }) => {
    const filter = other.filters.find((filter) =>
      filter.field === field.name && filter.operator === "eq"
    );
    return filter && other.operations["list"]
      ? [{ other, field, query: `${filter.parameter}=${inAddress(identifier)}` }]
      : [];
  });
  if (lists.length === 0) return undefined;
  return h(
    "section",
    { class: "referrers", "aria-labelledby": "referrers" },
    h("h2", { id: "referrers" }, "Referred to by"),
    h("ul", {}, lists.map(({ other, field, query }) => rowsOf(context, other, field, query))),
  );
}

/**
 * @param {import("./docs.js").Context} context
 * @param {Resource} resource whose rows refer to this one
 * @param {Field} field by which they do
 * @param {string} query that lists them
 */
function rowsOf(context, resource, field, query) {
  const { may, signal } = context;
  const { many, path, operations } = resource;
  const rows = h("div", { class: "first-rows" });
  const show = button("show", {
    class: "quiet-button",
    "aria-label": `Show the ${many}`,
    onclick: read,
  });
  const count = h("span", {}, may("list", resource) && show);

  async function read() {
    const hadFocus = show === document.activeElement;
    show.disabled = true;
    try {
      const first = await firstRows(context, resource, query, field.name);
      count.replaceChildren(first.count);
      if (first.element) rows.replaceChildren(first.element);
      if (hadFocus) rows.querySelector("a")?.focus();
    } catch (error) {
      if (signal.aborted) return;
      show.disabled = false;
      show.textContent = "cannot be read; try again";
      say(/** @type {Error} */ (error).message);
    }
  }
  if (may("list", resource) && field.kind === "relation" && !field.isNullable) read();

  return referrer(many, pageAddress(operations["list"]?.path ?? path, query), `?${query}`, [
    count,
    field.written && may("create", resource) &&
    h("a", { href: pageAddress(path, query, "new") }, `New ${resource.one}`),
    rows,
  ]);
}

/**
 * A link to the list of those that refer to a row.
 * @param {string} many
 * @param {string} href
 * @param {string} asked what the list is asked for
 * @param {import("./dom.js").Children} [others]
 */
export const referrer = (many, href, asked, others) =>
  h("li", {}, h("a", { href }, many), h("code", { class: "quiet" }, asked), others);
