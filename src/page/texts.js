// What rows are called: the texts of the identifiers that a form holds.
import { nameOfRow } from "./contract.js";
import { valueInWords } from "./kinds.js";
import { readNames } from "./names.js";

/** The most characters of what a field was. */
const MOST = 60;

/** @typedef {ReturnType<typeof knownTexts>} Texts */

/** @param {import("./contract.js").Contract} contract */
export function knownTexts(contract) {
  /** @type {Map<string, string>} */
  const known = new Map();

  /** @param {string} target @param {unknown} identifier */
  const get = (target, identifier) =>
    known.get(`${target} ${identifier}`) ?? `${contract.resource(target).one} ${identifier}`;
  /** @param {string} target @param {unknown} identifier @param {string} text */
  const set = (target, identifier, text) => void known.set(`${target} ${identifier}`, text);

  /**
   * Learns the texts of what rows refer to: from its objects, and of bare identifiers from the candidates.
   * Where they have none, "genre 4" stays.
   * @param {import("./contract.js").Field[]} fields
   * @param {Record<string, any>[]} all such rows, with objects or identifiers
   */
  async function learn(fields, ...all) {
    await Promise.all(fields.map(async ({ name, target, candidates, rows }) => {
      const values = all.flatMap((one) => one[name] ?? []);
      if (rows) return await learn(rows.fields, ...values);
      if (target === undefined) return;
      const resource = contract.resource(target);
      for (const value of values) {
        if (typeof value === "object") {
          set(target, resource.identifierOf(value), nameOfRow(resource, value));
        }
      }
      const bare = [...new Set(values)].filter((value) =>
        typeof value !== "object" && !known.has(`${target} ${value}`)
      );
      if (!candidates) return;
      const names = await readNames(resource, bare, candidates);
      for (const [identifier, text] of names) set(target, identifier, text);
    }));
  }

  /**
   * A value in words.
   * @param {import("./contract.js").Field} field
   * @param {any} value as it is written
   * @returns {string}
   */
  function describe(field, value) {
    const { target, rows } = field;
    if (value === null || value === undefined) return "no value";
    if (value === "") return "empty";
    if (rows) {
      const told = rows.fields.filter(({ written }) => written);
      /** @param {any} row */
      const words = (row) =>
        told.filter(({ name }) => name !== rows.key && [row[name] ?? []].flat().length > 0)
          .map((field) => `${field.label} ${describe(field, row[field.name])}`).join(", ");
      return value.map(words).join("\n") || "none";
    }
    if (target === undefined) return valueInWords(field, value);
    return [value].flat().map((identifier) => get(target, identifier)).join(", ") || "none";
  }

  /**
   * What a field was, in a line beside its label.
   * @param {import("./contract.js").Field} field
   * @param {any} value
   */
  function was(field, value) {
    if (field.kind === "many" || field.rows) return "changed";
    const words = [...describe(field, value)];
    return `was ${words.slice(0, MOST).join("")}${words.length > MOST ? "…" : ""}`;
  }

  return { get, set, learn, describe, was };
}
