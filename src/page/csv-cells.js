// A value as a cell of CSV, and a cell as the value that is sent, by the kind of its field.
import { isHidden, nameOfRow } from "./contract.js";
import { harmless, unquoted } from "./csv.js";
import { identifiersOf, joined, split } from "./identifiers.js";

/** @typedef {import("./contract.js").Field} Field */
/** @typedef {import("./contract.js").Contract} Contract */

/**
 * @typedef {object} Column
 * @property {string} head
 * @property {(row: any) => string} cell
 */

/** Kinds whose values are figures, or are written as JSON: spreadsheets run none of them. */
const PLAIN = ["integer", "number", "decimal", "boolean", "json", "owned"];

/**
 * The columns of all fields. A relation has two: the identifier, which can be sent again, and what people call the row.
 * @param {Contract} contract
 * @param {import("./contract.js").Resource} resource
 * @returns {Column[]}
 */
export const csvColumns = (contract, resource) =>
  resource.columns.flatMap((field) => {
    const { name, label, target = "", kind } = field;
    /** @param {any} row */
    const valueIn = (row) => name === resource.key ? resource.identifierOf(row) : row[name];
    const column = {
      head: harmless(label),
      /** @param {any} row */
      cell: (row) => {
        const text = textFor(contract, field, valueIn(row));
        return PLAIN.includes(kind) || field.schema.type === "integer" ? text : harmless(text);
      },
    };
    if (kind !== "relation" || !field.isObject) return [column];
    const of = contract.resource(target);
    return [column, {
      head: harmless(`${label} name`),
      /** @param {any} row */
      cell: (row) => {
        const value = valueIn(row);
        return !value || isHidden(of, value) ? "" : harmless(nameOfRow(of, value));
      },
    }];
  });

/**
 * @param {Contract} contract
 * @param {Field} field
 * @param {any} value
 */
function textFor(contract, { kind, target = "" }, value) {
  if (value === null || value === undefined) return "";
  switch (kind) {
    case "relation":
      return String(contract.resource(target).identifierOf(value));
    case "many":
      return joined(value.map(contract.resource(target).identifierOf));
    case "array":
      return joined(value);
    case "json":
    case "owned":
      return JSON.stringify(value);
    default:
      return String(value);
  }
}

/**
 * The value that a cell stands for; where it stands for none, the text itself, and the server says why it is refused.
 * @param {Contract} contract
 * @param {Field} field
 * @param {string} cell one that is not empty
 * @param {boolean} hasCommas whether numbers of its column have a comma where others have a point
 * @returns {unknown}
 */
export function valueFor(contract, { kind, target = "", written }, cell, hasCommas) {
  const text = unquoted(cell);
  const word = text.trim().toLowerCase();
  switch (kind) {
    case "integer":
    case "number":
    case "decimal": {
      const isOfCommas = hasCommas && COMMA.test(word);
      const figures = isOfCommas ? word.replace(/[.\s']/g, "").replace(",", ".") : word;
      if (kind === "decimal") return figures;
      const value = asNumber(figures);
      return kind === "number" || Number.isSafeInteger(value) ? value : text;
    }
    case "boolean":
      return ["true", "yes", "1"].includes(word) || !["false", "no", "0"].includes(word) && text;
    case "date":
      return text.trim().replace(
        /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/,
        (_, day, month, year) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`,
      );
    case "identifier":
      return identifiersOf(written).from(text);
    case "relation":
      return contract.resource(target).identifiers.from(text);
    case "many":
      return split(text).map(contract.resource(target).identifiers.from);
    case "array":
      return split(text).map((one) =>
        /number|integer/.test(written.items.type) ? asNumber(one) : one
      );
    case "json":
    case "owned":
      return asJson(text);
    default:
      return text;
  }
}

/** A number with a comma, and perhaps points between its thousands. */
const COMMA = /^[+-]?(?:\d+|[1-9]\d{0,2}(?:[.\s']\d{3})+)?(?:,\d*)?$/;

/**
 * Whether numbers of a column are written with a comma, as in 1.234,50. Where 1,234 or 1,234.50 may be meant, they are
 * not; nor where 1.234 may be either, because others have a point as well.
 * @param {Field} field
 * @param {string[]} cells
 */
export function haveCommas({ kind }, cells) {
  if (!["integer", "number", "decimal"].includes(kind)) return false;
  const numbers = cells.map((cell) => unquoted(cell).trim())
    .filter((cell) => /^[+\-\d.,\s']+$/.test(cell));
  const others = numbers.filter((cell) => !COMMA.test(cell));
  const isUnclear = others.length > 0 &&
    numbers.some((cell) => cell.includes(".") && COMMA.test(cell));
  return !isUnclear && !others.some((cell) => cell.includes(",")) &&
    numbers.some((cell) => /,(\d{1,2}|\d{4,})$|^[+-]?0,/.test(cell));
}

/** @param {string} text */
function asNumber(text) {
  const isWritten = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text);
  return isWritten && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** @param {string} text */
function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
