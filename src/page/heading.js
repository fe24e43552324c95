// The head of a view: where it is, what it is called, and what can be done here.
import { pageAddress } from "./address.js";
import { capital, deprecatedBadge, h, icon, kbd } from "./dom.js";

/**
 * @param {object} options
 * @param {[string, string][]} [options.crumbs] what is above it: words and address
 * @param {import("./dom.js").Children} [options.besides] what is beside it
 * @param {import("./dom.js").Children} options.text
 * @param {import("./contract.js").Resource} [options.resource] whose views stand beside the title
 * @param {"Rows" | "Form" | "Reference"} [options.tab] the one that is shown
 * @param {string} [options.path] where the views are, if that is not the path of the resource
 * @param {import("./contract.js").Operation | undefined} [options.operation] what the view does
 * @param {import("./dom.js").Children} [options.actions]
 */
export function heading(options) {
  const { crumbs = [], besides, text, resource, tab, operation, actions = [] } = options;
  const { path = resource?.path ?? "" } = options;
  return h(
    "header",
    { class: "head" },
    crumbs.length > 0 &&
      h(
        "div",
        { class: "way" },
        h(
          "nav",
          { class: "crumbs", "aria-label": "Above this" },
          crumbs.map(([words, href]) => h("a", { href }, words)),
        ),
        besides,
      ),
    h(
      "div",
      { class: "titles" },
      h("h1", { tabindex: "-1", dir: "auto" }, text),
      resource && resource.kind !== "resource" && h("span", { class: "badge" }, resource.kind),
      deprecatedBadge(operation?.described.deprecated),
      resource && tab && tabs(resource, tab, path),
      h("div", { class: "actions" }, actions),
    ),
  );
}

/**
 * @param {import("./contract.js").Resource} resource
 * @param {string} tab
 * @param {string} path
 */
const tabs = ({ many, kind }, tab, path) =>
  h(
    "nav",
    { class: "tabs", "aria-label": `${headline(many)}: views` },
    [[kind === "action" ? "Form" : "Rows", ""], ["Reference", "reference"]].map((
      [label = "", view],
    ) =>
      h(
        "a",
        { href: pageAddress(path, "", view), "aria-current": label === tab ? "page" : undefined },
        label,
      )
    ),
  );

/**
 * The name of all rows as a title.
 * @param {string} many
 */
export const headline = (many) => capital(many);

/** Leads to what all operations share. */
export const sharedLink = () =>
  h("a", { href: "#/!shared", class: "for-developers" }, "What all operations share");

/**
 * Leads to the form for a new row, if one may be created. What all rows of a list have, a new one has at first.
 * @param {import("./docs.js").Context} context
 */
export const newRow = ({ resource, may, query }) =>
  may("create") &&
  h(
    "a",
    {
      href: pageAddress(resource.path, sharedBy(resource, query), "new"),
      class: "button primary",
    },
    icon("plus"),
    `New ${resource.one}`,
    kbd("n"),
  );

/**
 * Leads to where rows are created from a file, if several may be created at once.
 * @param {import("./docs.js").Context} context
 */
export const importLink = ({ resource, may }) =>
  may("batch") &&
  h("a", { href: pageAddress(resource.path, "", "import"), class: "button" }, "Import");

/**
 * The filters of a list that say what a field is which can be written.
 * @param {import("./contract.js").Resource} resource
 * @param {URLSearchParams} query
 */
const sharedBy = ({ filters, fields }, query) =>
  new URLSearchParams(
    [...query].filter(([name]) =>
      filters.some(({ parameter, operator }) => parameter === name && operator === "eq") &&
      fields.some((field) => field.name === name && field.written)
    ),
  );
