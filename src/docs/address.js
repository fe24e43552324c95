// Addresses: what follows # is the request that the page makes, and after ! the name of a view.
import { prefix } from "./client.js";

/**
 * @typedef {object} Place
 * @property {string} path that of the request, with the prefix; the root's for the home view
 * @property {URLSearchParams} query
 * @property {string} view "" if the path alone says what to show
 * @property {import("./contract.js").Resource | undefined} resource undefined for the home view
 * @property {string | undefined} verb the operation at the path: list, create, last, read or report
 * @property {string | undefined} identifier that of the row in the path
 */

/** In this order: where one path is that of two, the first is shown. */
const SHOWN = ["list", "report", "last", "read", "create"];

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
  const found = path === "" || path === "/" ? undefined : locate(contract, path);
  return {
    resource: undefined,
    verb: undefined,
    identifier: undefined,
    path: path || `${prefix}/`,
    query: new URLSearchParams(search),
    view,
    ...found,
  };
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {string} path
 */
function locate({ resources }, path) {
  const parts = partsOf(path);
  for (const verb of SHOWN) {
    for (const resource of resources) {
      const operation = resource.operations[verb];
      if (!operation) continue;
      const template = partsOf(operation.path);
      if (template.length !== parts.length) continue;
      const isThere = template.every((part, index) =>
        part.startsWith("{") ? /^\d+$/.test(parts[index] ?? "") : part === parts[index]
      );
      if (!isThere) continue;
      const identifier = template.findIndex((part) => part.startsWith("{"));
      // In the document's own spelling of the slash
      const spelled = template.map((part, index) => part.startsWith("{") ? parts[index] : part);
      const end = operation.path.endsWith("/") ? "/" : "";
      return {
        path: `/${spelled.join("/")}${end}`,
        resource,
        verb,
        identifier: parts[identifier],
      };
    }
  }
  return undefined;
}

/** @param {string} path */
const partsOf = (path) => path.split("/").filter((part) => part !== "");

/**
 * The address of a request in the page, for a link: `#/api/tracks/?sort=-id!new`.
 * @param {string} path
 * @param {URLSearchParams | string} [query]
 * @param {string} [view]
 */
export function addressOf(path, query = "", view = "") {
  const search = String(query);
  return `#${path}${search && `?${search}`}${view && `!${view}`}`;
}
