// Addresses: what follows # is the request that the page makes, and after ! the name of a view, perhaps with
// one of its parts: `!reference.createTrack`.
import { prefix } from "./client.js";
import { pathFor, pathWith } from "./contract.js";
import { identifierIn, identifiersOf } from "./identifiers.js";

/**
 * @typedef {object} Place
 * @property {string} path that of the request, with the prefix; the root's for the home view
 * @property {URLSearchParams} query
 * @property {string} view "" if the path alone says what to show
 * @property {string} part the identifier of the part of the view to begin at; "" for the whole
 * @property {import("./contract.js").Resource | undefined} resource undefined for the home view
 * @property {string | undefined} verb the operation at the path: list, report, action, last, read or create; "home"
 *   for the root, "" where a resource begins without any of them, undefined where nothing is
 * @property {string | undefined} identifier that of the row in the path, as people read it
 * @property {Record<string, string>} given what the path of an action has for the names in it
 */

/**
 * The view of each operation that an address alone can be. In this order: where one path is that of two, the
 * first is shown; but a path without an identifier comes before one in which its last word is an identifier.
 * @type {Record<string, string>}
 */
const VIEWS = {
  home: "home",
  list: "list",
  report: "report",
  action: "action",
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
  const [, path = "", search = "", view = "", part = ""] = /** @type {RegExpMatchArray} */ (
    hash.replace(/^#/, "").match(/^([^?]*?)(?:\?(.*?))?(?:!([a-z]+)(?:\.(\w+))?)?$/s)
  );
  const isHome = ["", partsOf(prefix).join()].includes(partsOf(path).join());
  return {
    resource: undefined,
    verb: isHome ? "home" : undefined,
    identifier: undefined,
    given: {},
    path: isHome ? `${prefix}/` : path,
    query: new URLSearchParams(search),
    view,
    part,
    ...(locate(contract, path) ?? locateAction(contract, path)),
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
  const places = templates.flatMap(({ verb, resource, path }) => {
    if (!path) return [];
    const template = partsOf(path);
    if (template.length !== parts.length) return [];
    const hole = template.findIndex((part, index) => part.startsWith("{") && part !== parts[index]);
    const identifier = identifierIn(resource.identifiers, parts[hole] ?? "");
    const spelled = identifier === undefined ? template : partsOf(pathFor({ path }, identifier));
    if (spelled.some((part, index) => index !== hole && part !== parts[index])) return [];
    if (hole >= 0 && identifier === undefined) return [];
    // In the document's own spelling of the slash
    const whole = `/${spelled.join("/")}${path.endsWith("/") ? "/" : ""}`;
    return [{ path: whole, resource, verb, identifier }];
  });
  return places.find(({ identifier }) => identifier === undefined) ?? places[0];
}

/**
 * An action is where nothing is read: at its path, whose names may have a value.
 * @param {import("./contract.js").Contract} contract
 * @param {string} path
 */
function locateAction({ actions, resource }, path) {
  const parts = partsOf(path);
  for (const action of actions) {
    const template = partsOf(action.path);
    const given = template.flatMap((part, index) => {
      const input = action.inputs.find(({ name }) => part === `{${name}}`);
      if (!input || part === parts[index]) return [];
      const { target, schema } = input;
      const identifiers = target ? resource(target).identifiers : identifiersOf(schema);
      return [{ index, name: input.name, text: identifierIn(identifiers, parts[index] ?? "") }];
    });
    const fits = template.length === parts.length &&
      template.every((part, index) =>
        part === parts[index] || given.some((one) => one.index === index && one.text !== undefined)
      );
    if (!fits) continue;
    const values = Object.fromEntries(given.map(({ name, text }) => [name, text ?? ""]));
    const whole = pathWith(action.path, values);
    return { path: whole, resource: action, verb: "action", identifier: undefined, given: values };
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
    case "shared":
      return verb === "home" ? view : undefined;
    case "json":
      return verb === "list" ? view : undefined;
    case "new":
      return operations["create"] && !isRow ? view : undefined;
    case "import":
      return operations["batch"] && !isRow ? view : undefined;
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
 * The address of a request in the page, for a link: `#/api/tracks/?sort=-id!new`. The view may have a part.
 * @param {string} path
 * @param {URLSearchParams | string} [query]
 * @param {string} [view]
 */
export function pageAddress(path, query = "", view = "") {
  const search = String(query);
  const request = `${path}${search && `?${search}`}`.replaceAll("!", "%21");
  return `#${request}${view && `!${view}`}`;
}
