// Home: the idea, with the project's own data; every resource, what it refers to and who refers to it.
// Where there are no rows yet, what to create first.
import { pageAddress } from "./address.js";
import { readJson } from "./client.js";
import { listed, pathOfRow } from "./contract.js";
import { button, entry, h } from "./dom.js";
import { heading, sharedLink } from "./heading.js";
import { jsonOf } from "./json.js";
import { overview } from "./overview.js";
import { code, copy, curl } from "./request.js";
import { asWritten } from "./versions.js";

/** @type {import("./docs.js").Draw} */
export function home(context) {
  const { contract } = context;
  return {
    head: [
      heading({ text: contract.title }),
      h(
        "p",
        { class: "lead for-developers" },
        "A relation is written as an identifier and read as the whole object, in the same field.",
      ),
    ],
    body: body(context),
  };
}

/** @param {import("./docs.js").Context} context */
async function body(context) {
  const { resources, reports, actions } = listed(context.contract);
  return [
    await beginning(context),
    h(
      "section",
      {},
      h(
        "div",
        { class: "bar" },
        h("h2", {}, "Resources"),
        button("Count all", { onclick: countAll }),
      ),
      overview(context, resources),
    ),
    section("Reports", reports),
    section("Actions", actions),
    h("p", {}, sharedLink()),
  ];
}

/**
 * What has a path, and a sentence that says what it does.
 * @param {string} title
 * @param {import("./contract.js").Resource[]} all
 */
function section(title, all) {
  const id = title.toLowerCase();
  return all.length > 0 && h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, title),
    h(
      "dl",
      { class: "spec" },
      all.map(({ many, path, description }) =>
        entry(h("a", { href: pageAddress(path) }, many), description)
      ),
    ),
  );
}

function countAll() {
  const buttons = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("td .quiet-button")
  );
  for (const one of buttons) one.click();
}

/**
 * The idea with the newest row of a resource that shows it, or what to create first.
 * @param {import("./docs.js").Context} context
 */
async function beginning(context) {
  const { contract, may, signal } = context;
  const resource = contract.resources.find((one) => showcaseField(one));
  if (!resource) return undefined;
  const relation = /** @type {import("./contract.js").Field} */ (showcaseField(resource));
  const text = resource.display ?? "";
  const list = resource.operations["list"]?.path;
  let [row] = resource.schema.examples ?? [];
  if (may("list", resource)) {
    const { body } = await readJson(`${list}?sort=${resource.newest}&limit=1`, signal);
    if (body.items.length === 0) return first(context, resource);
    row = body.items[0];
  }
  const target = contract.resource(relation.target ?? "");
  const object = row[relation.name];
  // All that a row needs, so that what is copied is not refused
  const sent = asWritten(
    contract,
    resource.fields.filter(({ name, isRequired, written }) =>
      isRequired || (written && name === text)
    ),
    row,
  );
  const short = [...target.keys, target.display].map((name = "") => [name, object[name]]);
  const given = {
    ...Object.fromEntries(resource.keys.map((name) => [name, row[name]])),
    [text]: row[text],
    [relation.name]: Object.fromEntries(short.filter(([name]) => name !== "")),
  };
  const own = pathOfRow(resource, resource.identifierOf(row)) ?? "";
  const post = { method: "POST", path: resource.operations["create"]?.path ?? "", body: sent };
  return h(
    "div",
    { class: "idea" },
    code(
      ["Written", h("code", {}, h("b", {}, "POST"), post.path)],
      jsonOf(sent, resource.fields),
      copy("curl", () => curl(post)),
    ),
    code(
      ["Read", h("code", {}, h("b", {}, "GET"), h("a", { href: pageAddress(own) }, own))],
      jsonOf(given, resource.fields),
      copy("curl", () => curl({ method: "GET", path: own })),
    ),
  );
}

/**
 * The field with which a resource shows the idea: a relation that it needs and reads as the object.
 * @param {import("./contract.js").Resource} resource
 */
const showcaseField = ({ fields, display, operations }) =>
  display && operations["create"] && operations["list"] && operations["read"]
    ? fields.find(({ kind, isObject, isRequired }) => kind === "relation" && isObject && isRequired)
    : undefined;

/**
 * What to create first, so that each row finds what it refers to.
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Resource} last
 */
function first({ contract, may }, last) {
  /** @type {Set<import("./contract.js").Resource>} */
  const order = new Set();
  /** @type {Set<import("./contract.js").Resource>} */
  const seen = new Set();
  /** @param {import("./contract.js").Resource} resource */
  function visit(resource) {
    if (seen.has(resource)) return;
    seen.add(resource);
    requiredRelations(resource).forEach(({ target = "" }) => visit(contract.resource(target)));
    order.add(resource);
  }
  visit(last);
  return h(
    "section",
    { class: "first", "aria-labelledby": "first" },
    h("h2", { id: "first" }, `There are no ${last.many} yet`),
    h("p", { class: "quiet" }, "In this order each row finds what it refers to."),
    h(
      "ol",
      { class: "steps" },
      [...order].map((resource, index) =>
        h(
          "li",
          {},
          may("create", resource)
            ? h(
              "a",
              {
                href: pageAddress(resource.path, "", "new"),
                class: index === 0 ? "button primary" : "button",
              },
              `New ${resource.one}`,
            )
            : h("a", { href: pageAddress(resource.path) }, resource.many),
          h("span", { class: "quiet" }, needsOf(resource)),
        )
      ),
    ),
  );
}

/** @param {import("./contract.js").Resource} resource */
const requiredRelations = ({ fields }) =>
  fields.filter(({ kind, isRequired }) => kind === "relation" && isRequired);

/** @param {import("./contract.js").Resource} resource */
function needsOf(resource) {
  const targets = requiredRelations(resource).map(({ target }) => target);
  return targets.length === 0 ? "needs nothing" : `needs ${targets.join(" and ")}`;
}
