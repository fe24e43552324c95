// The first values of a form that an address has: `#/api/tracks/?album=12!new`. A text that is no value of its field
// stands there as it is, so that people see it.
import { identifiersOf, split } from "./identifiers.js";

/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./contract.js").Field} Field */

/** @param {string} text */
const number = (text) => text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;

/** @param {string} text @param {Field} field @param {Contract} contract */
const identifier = (text, { target, schema }, contract) =>
  (target ? contract.resource(target).identifiers : identifiersOf(schema)).from(text);

/** Of which an address has none. */
const nothing = () => undefined;

/**
 * How the kinds read a text of which the text itself is no value; undefined where the control cannot show it.
 * @type {Record<string, (text: string, field: Field, contract: Contract) => unknown>}
 */
const READ = {
  boolean: (text) => text === "true" ? true : text === "false" ? false : undefined,
  integer: number,
  number,
  json: nothing,
  array: nothing,
  identifier,
  relation: identifier,
  many: (text, field, contract) => split(text).map((one) => identifier(one, field, contract)),
  owned: nothing,
};

/**
 * The value of a field that a text in an address stands for.
 * @param {Contract} contract
 * @param {Field} field
 * @param {string} text
 */
export function valueFrom(contract, field, text) {
  const read = READ[field.kind];
  return read ? read(text, field, contract) : text;
}

/**
 * The values that a query has for some fields, and the names in it that are left out.
 * @param {Contract} contract
 * @param {Field[]} fields
 * @param {URLSearchParams} query
 */
export function firstValues(contract, fields, query) {
  const read = [...query].map(([name, text]) => {
    const field = fields.find((one) => one.name === name);
    return { name, value: field && valueFrom(contract, field, text) };
  });
  const known = read.filter(({ value }) => value !== undefined);
  return {
    version: Object.fromEntries(known.map(({ name, value }) => [name, value])),
    leftOut: read.filter((one) => !known.includes(one)).map(({ name }) => name),
  };
}
