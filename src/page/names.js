// What rows are called that are known by their identifiers: in forms, on chips, and in lists and rows once these are shown.
import { readJson } from "./client.js";
import { candidatesIn } from "./contract.js";
import { inAddress, joined } from "./identifiers.js";
import { referred } from "./values.js";

/** How many identifiers one request may ask for. */
const PAGE = 100;

/**
 * The texts of rows; of those that cannot be read, none.
 * @param {import("./contract.js").Resource} resource
 * @param {import("./identifiers.js").Identifier[]} identifiers
 * @param {string} path of the list or of the candidates
 * @param {AbortSignal} [signal]
 */
export async function readNames(resource, identifiers, path, signal) {
  /** @type {Map<unknown, string>} */
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
 * Gives what puts names in the place of identifiers, in all that an element shows: by one request for those of a
 * resource, which are asked for once.
 * @param {import("./docs.js").Context} context
 */
export function naming({ contract, may, signal }) {
  const writes = ["create", "patch", "replace"].some((verb) => may(verb));

  /** @param {import("./contract.js").Field} field */
  function pathOf({ target = "", candidates }) {
    const resource = contract.resource(target);
    return listOfNames(resource, may) ?? (writes && candidates);
  }

  /** @param {HTMLElement} root */
  return (root) => {
    const links = [...root.querySelectorAll(".to-name")].flatMap((link) => {
      const found = referred.get(link);
      referred.delete(link);
      const path = found && pathOf(found.field);
      return path ? [{ link, path, ...found }] : [];
    });
    for (const [path, own] of Map.groupBy(links, ({ path }) => path)) fill(path, own);
  };

  /**
   * @param {string} path
   * @param {any[]} links
   */
  async function fill(path, links) {
    const resource = contract.resource(links[0].field.target);
    const asked = new Set(links.map(({ identifier }) => identifier));
    const names = await readNames(resource, [...asked], path, signal);
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
