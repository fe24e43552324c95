// Who refers to a row: a link to the list of each, and how many on request.
import { pageAddress } from "./address.js";
import { h } from "./dom.js";
import { countButton } from "./counter.js";
import { inAddress } from "./identifiers.js";

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./identifiers.js").Identifier} identifier
 */
export function referrers({ contract, resource, signal }, identifier) {
  const lists = contract.referrers(resource).flatMap(({ resource: other, field }) => {
    const filter = other.filters.find((filter) =>
      filter.field === field.name && filter.operator === "eq"
    );
    const list = other.operations["list"];
    return filter && list
      ? [{ other, list, query: `${filter.parameter}=${inAddress(identifier)}` }]
      : [];
  });
  if (lists.length === 0) return undefined;
  return h(
    "section",
    { class: "referrers", "aria-labelledby": "referrers" },
    h("h2", { id: "referrers" }, "Referred to by"),
    h(
      "ul",
      {},
      lists.map(({ other, list, query }) =>
        referrer(
          other.many,
          pageAddress(list.path, query),
          `?${query}`,
          countButton(other, query, "count", signal),
        )
      ),
    ),
  );
}

/**
 * A link to the list of those that refer to a row.
 * @param {string} many
 * @param {string} href
 * @param {string} asked what the list is asked for
 * @param {import("./dom.js").Children} [count]
 */
export const referrer = (many, href, asked, count) =>
  h("li", {}, h("a", { href }, many), h("code", { class: "quiet" }, asked), count);
