// Addresses: what follows # is the request that the page makes, and after ! the name of a view.
import { prefix } from "./client.js";

/**
 * @typedef {object} Place
 * @property {string} path that of the request, with the prefix; the root's for the home view
 * @property {URLSearchParams} query
 * @property {string} view "" if the path alone says what to show
 * @property {import("./contract.js").Resource | undefined} resource undefined for the home view
 * @property {string | undefined} verb the operation at the path: list, report, last, read or create; "home"
 *   for the root, "" where a resource begins without any of them, undefined where nothing is
 * @property {string | undefined} identifier that of the row in the path
 */

/**
 * The view of each operation that an address alone can be. In this order: where one path is that of two, the
 * first is shown.
 * @type {Record<string, string>}
 */
const VIEWS = {
  home: "home",
  list: "list",
  report: "report",
  last: "row",
  read: "unlisted",
  create: "unlisted",
  "": "unlisted",
};

/**
 * The place of an address.
 * @param {import("./contract.js").Contract} contract
 * @param {string} hash
 * @returns {Place}
 */
export function placeOf(contract, hash) {
  // A view is a word at the end, because a value in the query may have a ! too
  const [, path = "", search = "", view = ""] = /** @type {RegExpMatchArray} */ (
    hash.replace(/^#/, "").match(/^([^?]*?)(?:\?(.*?))?(?:!([a-z]+))?$/s)
  );
  const isHome = ["", partsOf(prefix).join()].includes(partsOf(path).join());
  return {
    resource: undefined,
    verb: isHome ? "home" : undefined,
    identifier: undefined,
    path: isHome ? `${prefix}/` : path,
    query: new URLSearchParams(search),
    view,
    ...locate(contract, path),
  };
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {string} path
 */
function locate({ resources }, path) {
  const parts = partsOf(path);
  const templates = Object.keys(VIEWS).flatMap((verb) =>
    resources.map((resource) => {
      const { path } = verb === "" ? resource : resource.operations[verb] ?? {};
      return { verb, resource, path };
    })
  );
  for (const { verb, resource, path } of templates) {
    if (!path) continue;
    const template = partsOf(path);
    if (template.length !== parts.length) continue;
    const hole = template.findIndex((part) => part.startsWith("{"));
    const identifier = hole >= 0 && /^(0|-?[1-9]\d*)$/.test(parts[hole] ?? "")
      ? parts[hole]
      : undefined;
    const spelled = identifier === undefined ? template : template.with(hole, identifier);
    if (spelled.join() !== parts.join()) continue;
    // In the document's own spelling of the slash
    return {
      path: `/${spelled.join("/")}${path.endsWith("/") ? "/" : ""}`,
      resource,
      verb,
      identifier,
    };
  }
  return undefined;
}

/**
 * The name of the view at a place; undefined if nothing can be shown there.
 * @param {Place} place
 */
export function viewAt({ resource, verb, view, identifier }) {
  const operations = resource?.operations ?? {};
  const isRow = identifier !== undefined;
  switch (view) {
    case "":
      return verb === "read" && isRow ? "row" : VIEWS[/** @type {string} */ (verb)];
    case "token":
      return verb === undefined ? undefined : view;
    case "reference":
      return resource && view;
    case "new":
      return operations["create"] && !isRow ? view : undefined;
    case "edit":
      return isRow && (operations["patch"] ?? operations["replace"]) ? view : undefined;
    case "delete":
      return isRow && operations["delete"] ? view : undefined;
    default:
      return undefined;
  }
}

/** @param {string} path */
const partsOf = (path) => path.split("/").filter((part) => part !== "");

/**
 * The address of a request in the page, for a link: `#/api/tracks/?sort=-id!new`.
 * @param {string} path
 * @param {URLSearchParams | string} [query]
 * @param {string} [view]
 */
export function pageAddress(path, query = "", view = "") {
  const search = String(query);
  return `#${path}${search && `?${search}`}${view && `!${view}`}`;
}
