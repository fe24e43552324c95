// What identifiers of a resource are: the schema of its key says it, and all who handle one ask here. One of several
// parts is one text for all others.

/**
 * What people type, paths have and JSON has: a text is the same in all three, but for the encoding of paths.
 * @typedef {string | number} Identifier
 */

/**
 * @typedef {object} Identifiers
 * @property {string} name what one is
 * @property {boolean} areFigures whether they are compared as figures, and ascend in the order of their creation
 * @property {string} pattern a regular expression of the texts that stand for one
 * @property {Record<string, string>} asked the attributes of an input that asks for one
 * @property {(text: string) => Identifier} from its text; where it stands for none, the server says so of the text
 * @property {Identifiers[]} [parts] of one that has several
 */

/** @type {Identifiers} */
const INTEGERS = {
  name: "identifier",
  areFigures: true,
  pattern: "0|-?[1-9][0-9]*",
  asked: { inputmode: "numeric" },
  from: (text) => /^\s*-?\d+\s*$/.test(text) ? Number(text) : text,
};

/** @type {Identifiers} */
const UUIDS = {
  name: "identifier, a UUID",
  areFigures: false,
  pattern: "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
  asked: {},
  from: (text) => text.trim().toLowerCase(),
};

/** @type {Identifiers} */
const TEXTS = {
  name: "identifier",
  areFigures: false,
  pattern: "(?!\\.\\.?$).+", // these two lead elsewhere in a path
  asked: { class: "", dir: "auto" },
  from: (text) => text,
};

/**
 * @param {any} schema that of one, in JSON or in a parameter
 * @returns {Identifiers}
 */
export function identifiersOf({ type, format }) {
  if ([type].flat().includes("integer")) return INTEGERS;
  return format === "uuid" ? UUIDS : TEXTS;
}

/**
 * What those are that have several parts: texts with commas between these.
 * @param {Identifiers[]} parts
 * @returns {Identifiers}
 */
export const identifiersOfParts = (parts) => ({
  ...TEXTS,
  pattern: parts.map(() => "([^\\\\,]|\\\\.)+").join(","),
  parts,
});

/**
 * The text of the identifier in a segment of a path; undefined if it is none.
 * @param {Identifiers} identifiers
 * @param {string} segment
 * @returns {string | undefined}
 */
export function identifierIn({ pattern, parts }, segment) {
  if (parts) {
    const texts = segment.split(",").map((text, index) => {
      const part = parts[index];
      return part && identifierIn(part, text);
    });
    return texts.length < parts.length || texts.includes(undefined) ? undefined : joined(texts);
  }
  try {
    const text = decodeURIComponent(segment);
    return new RegExp(`^(${pattern})$`, "s").test(text) ? text : undefined;
  } catch {
    return undefined; // no UTF-8
  }
}

/**
 * An identifier as a segment of a path, or as a value in a query.
 * @param {unknown} identifier
 */
export const inAddress = (identifier) => encodeURIComponent(String(identifier));

/**
 * Several identifiers in one text, as queries have them, or the parts of one: within each, `\,` is a comma and `\\` a
 * backslash.
 * @param {unknown[]} identifiers
 * @param {string} [comma]
 */
export const joined = (identifiers, comma = ",") =>
  identifiers.map((one) => String(one).replaceAll(/[\\,]/g, "\\$&")).join(comma);

/**
 * The texts that `joined` made one of.
 * @param {string} text
 * @returns {string[]}
 */
export const split = (text) =>
  (`,${text}`.match(/,([^\\,]|\\.?)*/gsu) ?? []).map((part) =>
    part.slice(1).replaceAll(/\\(.?)/gsu, "$1")
  );
