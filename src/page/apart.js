// What tells rows of one text apart among the candidates of a relation: a further text of each, or whom it refers to.
import { readJson } from "./client.js";
import { nameOfRow } from "./contract.js";
import { inAddress, joined } from "./identifiers.js";

/** @typedef {import("./combobox.js").Candidate} Candidate */

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Resource} resource whose rows they are
 * @param {Candidate[]} candidates no more than a page
 * @param {AbortSignal} signal
 * @returns {Promise<Map<any, string>>} by their identifiers; nothing where their rows cannot be listed
 */
export async function tellApart({ contract, may }, resource, candidates, signal) {
  const { operations: { list }, keys, parameters, display, fields, identifierOf } = resource;
  const groups = [...Map.groupBy(candidates, ({ text }) => text.trim().toLowerCase()).values()]
    .filter(({ length }) => length > 1);
  const parameter = `${keys[0]}__in`;
  /** @type {Map<any, any>} those that came with the candidates, else those that one request gives */
  let rows = new Map(candidates.map(({ identifier, row }) => [identifier, row]));
  if (list && candidates.some(({ row }) => !row)) {
    if (!may("list", resource) || !parameters.some(({ name }) => name === parameter)) {
      return new Map();
    }
    const asked = inAddress(joined(groups.flat().map(({ identifier }) => identifier)));
    const { body } = await readJson(`${list.path}?${parameter}=${asked}&limit=200`, signal);
    rows = new Map(body.items.map((/** @type {any} */ row) => [identifierOf(row), row]));
  }

  /** @param {import("./contract.js").Field} field @param {Candidate} one */
  function worded({ name, target }, one) {
    const value = rows.get(one.identifier)?.[name] ?? "";
    return target && typeof value === "object"
      ? nameOfRow(contract.resource(target), value)
      : value;
  }
  const others = fields.filter(({ name, kind }) =>
    name !== display && (kind === "text" || kind === "relation")
  );
  return new Map(groups.flatMap((group) => {
    const telling = others.find((field) =>
      new Set(group.map((one) => worded(field, one))).size > 1
    );
    return telling
      ? group.map((one) => /** @type {const} */ ([one.identifier, String(worded(telling, one))]))
      : [];
  }));
}
