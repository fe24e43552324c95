// What rows are called that are known by their identifiers alone: in forms, on chips, and, once they are shown, in the
// cells of lists and rows.
import { readJson } from "./client.js";
import { candidatesIn } from "./contract.js";
import { inAddress, joined } from "./identifiers.js";
import { referred } from "./values.js";

/** @typedef {import("./identifiers.js").Identifier} Identifier */

/** How many identifiers one request may ask for. */
const PAGE = 100;

/**
 * The texts of rows; of those that cannot be read, none.
 * @param {import("./contract.js").Resource} resource
 * @param {Identifier[]} identifiers
 * @param {string} path of the list or of the candidates
 * @param {AbortSignal} [signal]
 * @returns {Promise<Map<Identifier, string>>}
 */
export async function readNames(resource, identifiers, path, signal) {
  const names = new Map();
  for (let from = 0; from < identifiers.length; from += PAGE) {
    const some = inAddress(joined(identifiers.slice(from, from + PAGE)));
    const asked = `${path}?${resource.keys[0]}__in=${some}&limit=${PAGE}`;
    const answer = await readJson(asked, signal).catch(() => undefined);
    for (const one of answer ? candidatesIn(resource, answer.body) : []) {
      names.set(one.identifier, one.text);
    }
  }
  return names;
}

/**
 * Where rows are listed by their identifiers, if they have names and the caller may list them.
 * @param {import("./contract.js").Resource} resource
 * @param {import("./docs.js").Context["may"]} may
 */
export const listOfNames = (resource, may) =>
  resource.display && may("list", resource) &&
    resource.filters.some(({ parameter }) => parameter === `${resource.keys[0]}__in`)
    ? resource.operations["list"]?.path
    : undefined;

/**
 * Gives what puts names in the place of identifiers, in all that is shown within an element: by one request for those
 * of a column, and once for each identifier.
 * @param {import("./docs.js").Context} context
 */
export function naming({ contract, may, signal }) {
  const writes = ["create", "patch", "replace"].some((verb) => may(verb));
  /** @type {Map<string, Map<Identifier, string | undefined>>} by path */
  const known = new Map();

  /** @param {import("./contract.js").Field} field */
  function pathOf({ target = "", candidates }) {
    const resource = contract.resource(target);
    return listOfNames(resource, may) ?? (writes && resource.display ? candidates : undefined);
  }

  /** @param {HTMLElement} root */
  return (root) => {
    /** @type {NodeListOf<HTMLElement>} */
    const all = root.querySelectorAll(".by-number");
    const links = [...all].flatMap((link) => {
      const { field, identifier } = referred.get(link) ?? {};
      const path = field && pathOf(field);
      return path ? [{ link, path, identifier, target: field.target }] : [];
    });
    for (const [path, own] of Map.groupBy(links, ({ path }) => path)) fill(path, own);
  };

  /**
   * @param {string} path
   * @param {{ link: HTMLElement, identifier: any, target: string }[]} links
   */
  async function fill(path, links) {
    const names = known.get(path) ?? new Map();
    known.set(path, names);
    const resource = contract.resource(links[0]?.target ?? "");
    const asked = [...new Set(links.map(({ identifier }) => identifier))]
      .filter((identifier) => !names.has(identifier));
    for (const identifier of asked) names.set(identifier, undefined); // it is not asked for twice
    for (const [identifier, name] of await readNames(resource, asked, path, signal)) {
      names.set(identifier, name);
    }
    for (const { link, identifier } of links) {
      const name = names.get(identifier);
      if (name === undefined) continue;
      link.title = `${name} (${link.textContent})`;
      link.dir = "auto";
      link.textContent = name;
      link.classList.remove("by-number");
    }
  }
}
