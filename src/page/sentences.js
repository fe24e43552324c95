// What a person reads where a field was refused, by the code of the refusal. The words of the API, which tell of JSON,
// stand behind it for developers; where there is no sentence, they are for all.
import { exampleOf } from "./kinds.js";

/** @typedef {import("./contract.js").Field} Field */

/** @param {Field} field @param {any} value */
function rewrite(field, value) {
  if (value === null) return "Fill this in";
  const example = exampleOf(field);
  return example && `Write ${/^-?[\d.]+$/.test(example) ? "a number" : "it"} such as ${example}`;
}

/** @type {Record<string, (field: Field, value: any, contract: import("./contract.js").Contract) => string | undefined>} */
const SENTENCES = {
  required: () => "Fill this in",
  incorrect_type: rewrite,
  invalid_format: rewrite,
  invalid_choice: () => "Pick one of the list",
  does_not_exist: ({ target }, _value, contract) =>
    target && `This ${contract.resource(target).one} is not there any more`,
};

/**
 * @param {Field} field
 * @param {any} value what was sent
 * @param {import("./contract.js").Contract} contract
 * @param {import("./error.js").Refusal} refusal
 */
export const sentenceFor = (field, value, contract, { code = "", inside }) =>
  // Within a value, what is wrong is not of the field
  inside.length === 0 || field.target ? SENTENCES[code]?.(field, value, contract) : undefined;

/**
 * Why a row of many was refused, for people: of which field, and what.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {string | undefined} name of the field
 * @param {import("./error.js").Refusal} refusal
 */
export function wordsFor(contract, { fields }, name = "", refusal) {
  const field = fields.find((field) => field.name === name);
  // Of a row that is not there the detail says which
  const sentence = field && refusal.code !== "does_not_exist" &&
    sentenceFor(field, undefined, contract, refusal);
  return { label: field?.label ?? name, told: sentence || refusal.detail };
}

/**
 * A refusal of a row, as one sentence with the label of its field.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @param {{ pointer: string, detail: string, code?: string }} refusal
 */
export function wordsOfRefusal(contract, resource, { pointer, ...refusal }) {
  const [, name, ...inside] = pointer.split("/");
  const { label, told } = wordsFor(contract, resource, name, { ...refusal, inside });
  return label ? `${label}: ${told}` : told;
}
