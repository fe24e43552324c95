// The control of a relation to one row: a candidate is picked by its text, and the form sends its identifier.
import { pageAddress } from "./address.js";
import { combobox } from "./combobox.js";
import { pathOfRow } from "./contract.js";
import { h, isolated, unseen } from "./dom.js";

/** @param {import("./controls.js").Setting} setting */
export function relationControl(setting) {
  const { field, contract, context, id, described, isNeeded, initial, empty, texts } = setting;
  const { changed, refuse } = setting;
  const { label, target = "", candidates = "", isNullable } = field;
  const resource = contract.resource(target);
  /** @type {import("./identifiers.js").Identifier | null | undefined} */
  let identifier = initial;
  const name = isolated("");
  /** Leads to the row that is picked, beside the form, which is kept. */
  const open = h(
    "a",
    { class: "opens", target: "_blank" },
    "open",
    unseen(" ", name, " in another tab"),
  );
  const box = combobox({
    id,
    name: label,
    url: candidates,
    target: resource,
    context,
    described,
    placeholder: isNullable ? "none" : "Search by text",
    nullable: isNullable,
    isNeeded,
    isOffered: () => true,
    take(candidate) {
      identifier = candidate.identifier;
      if (identifier !== null) texts.set(target, identifier, candidate.text);
      show();
      changed();
    },
    edit() {
      identifier = box.input.value === "" ? empty : undefined;
      lead();
      changed();
    },
    sends: () => identifier === undefined ? "" : String(identifier),
    refuse,
  });
  function show() {
    box.input.value = (identifier ?? null) === null ? "" : texts.get(target, identifier);
    lead();
  }
  function lead() {
    name.textContent = box.input.value;
    const path = pathOfRow(resource, identifier);
    // Without an address it is no link, and keeps its room
    if (path && (identifier ?? null) !== null) open.href = pageAddress(path);
    else open.removeAttribute("href");
  }
  show();
  return {
    ...box,
    beside: context.may("read", resource) ? open : undefined,
    /** The identifier to send, or null; undefined if none was picked. */
    value: () => identifier,
  };
}
