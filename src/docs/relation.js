// The field for a relation to one row: a candidate is picked by its text, and the form sends its identifier.
import { combobox } from "./combobox.js";

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.url where the candidates are listed
 * @param {string} options.described the identifiers of the elements that describe the field
 * @param {boolean} options.nullable whether the relation may refer to nothing
 */
export function relation(options) {
  const empty = options.nullable ? null : undefined;
  /** @type {number | null | undefined} */
  let identifier = empty;
  const box = combobox({
    ...options,
    isOffered: () => true,
    take(candidate) {
      identifier = candidate.identifier;
      box.input.value = identifier === null ? "" : candidate.text;
    },
    edit() {
      identifier = box.input.value === "" ? empty : undefined;
    },
    tell() {
      if (identifier === undefined) return [];
      return [identifier === null ? "Sends null" : `Sends the identifier ${identifier}`];
    },
  });
  return {
    ...box,
    /** The identifier to send, or null; undefined if none was picked. */
    value: () => identifier,
  };
}
