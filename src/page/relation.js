// The control of a relation to one row: a candidate is picked by its text, and the form sends its identifier.
import { combobox } from "./combobox.js";

/** @param {import("./controls.js").Setting} setting */
export function relationControl(setting) {
  const { field, contract, id, described, initial, empty, texts, changed, refuse } = setting;
  const { label, target = "", candidates = "", isNullable } = field;
  /** @type {import("./identifiers.js").Identifier | null | undefined} */
  let identifier = initial;
  const box = combobox({
    id,
    name: label,
    url: candidates,
    target: contract.resource(target),
    described,
    placeholder: isNullable ? "none" : "Search by text",
    nullable: isNullable,
    isOffered: () => true,
    take(candidate) {
      identifier = candidate.identifier;
      if (identifier !== null) texts.set(target, identifier, candidate.text);
      show();
      changed();
    },
    edit() {
      identifier = box.input.value === "" ? empty : undefined;
      changed();
    },
    sends: () => identifier === undefined ? "" : String(identifier),
    refuse,
  });
  function show() {
    box.input.value = (identifier ?? null) === null ? "" : texts.get(target, identifier);
  }
  show();
  return {
    ...box,
    /** The identifier to send, or null; undefined if none was picked. */
    value: () => identifier,
  };
}
