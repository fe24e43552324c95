// The rows before and after a row, in the list that this tab saw last: links, and the way on after saving.
import { pageAddress } from "./address.js";
import { pathOfRow } from "./contract.js";
import { button, h, icon } from "./dom.js";
import { rowBeside, turnPage } from "./trail.js";

/** @type {["previous" | "next", string, "left" | "right", 1 | -1][]} */
const SIDES = [["previous", "Previous", "left", -1], ["next", "Next", "right", 1]];

/**
 * Links to the rows beside the one in the path, in the same view; none where it was not in the list.
 * @param {import("./docs.js").Context} context
 */
export function besides(context) {
  const { resource: { one, many } } = context;
  const found = SIDES.map(([, , , by]) => rowBeside(context, by));
  if (!found.some(Boolean)) return undefined;
  return h(
    "nav",
    { class: "besides", "aria-label": `${many}: beside this one` },
    SIDES.map(([side, label, sign, by], index) => {
      const beside = found[index];
      const attributes = { id: `${side}-row`, "aria-label": `${label} ${one}` };
      const words = side === "next" ? [label, icon(sign)] : [icon(sign), label];
      if (!beside) return button(words, { ...attributes, class: "", disabled: true });
      return h("a", {
        ...attributes,
        href: "row" in beside ? addressBeside(context, beside.row) : beside.page,
        onclick: "page" in beside && ((/** @type {Event} */ event) => {
          event.preventDefault();
          step(context, by).then((address) => context.go(address));
        }),
      }, words);
    }),
  );
}

/**
 * The address of the row beside the one in the path, in the same view; where there is none any more, or it cannot be
 * read, that of the page of the list which should have it.
 * @param {import("./docs.js").Context} context
 * @param {1 | -1} by
 * @returns {Promise<string>}
 */
export async function step(context, by) {
  const beside = rowBeside(context, by);
  if (!beside) return context.list;
  if ("row" in beside) return addressBeside(context, beside.row);
  const row = await turnPage(context, beside.page, by).catch(() => undefined);
  return row === undefined ? beside.page : addressBeside(context, row);
}

/** @param {import("./docs.js").Context} context @param {import("./identifiers.js").Identifier} row */
const addressBeside = ({ resource, view }, row) =>
  pageAddress(pathOfRow(resource, row) ?? "", "", view === "edit" ? view : "");
