// A row of a list as somebody saw it: its tag, its tick, what was typed into its cells, and below it what became of it.
import { changeable, nameOfRow } from "./contract.js";
import { h, icon } from "./dom.js";
import { inAddress } from "./identifiers.js";
import { cell, tr } from "./table.js";
import { asWritten, changedFields } from "./versions.js";

/** @typedef {import("./contract.js").Field} Field */
/** @typedef {import("./versions.js").Version} Version */
/** @typedef {ReturnType<typeof seenRow>} Seen */

/**
 * @param {import("./docs.js").Context} context
 * @param {any} row
 * @param {string} etag
 * @param {(row: any) => HTMLElement} lineOf
 */
export function seenRow({ contract, resource }, row, etag, lineOf) {
  const fields = changeable(resource);
  const identifier = String(resource.identifierOf(row));
  const tick = h("input", { type: "checkbox", "aria-label": `Select ${nameOfRow(resource, row)}` });
  const first = cell("", h("label", {}, tick), "tick");
  first.removeAttribute("data-label");
  // Whoever opens a row by a press anywhere in it does not mean this cell
  first.addEventListener("click", (event) => event.stopPropagation());
  const told = h("div", { id: `told-${inAddress(identifier)}` });
  const outcome = tr(h("td", { role: "cell" }, told));

  /** What became of it is as wide as all columns. @param {HTMLElement} line */
  const span = ({ children }) => told.parentElement?.setAttribute("colspan", `${children.length}`);

  const seen = {
    row,
    etag,
    identifier,
    tick,
    told,
    line: lineOf(row),
    before: asWritten(contract, fields, row),
    /** What was typed into its cells, of the fields that it changes. @type {Version} */
    edits: {},
    /**
     * Of the fields that another has changed meanwhile as well, what they were, until one of both is chosen.
     * @type {Version}
     */
    both: {},
    /** The controls of the cells in which somebody types, by field. @type {Map<string, import("./controls.js").Control>} */
    open: new Map(),
    isGone: false,
    /** Under which it is brought back. @type {string | undefined} */
    key: undefined,
    /** @type {"saved" | "bad" | ""} what became of it */
    state: "",
    /** Called when the line was drawn again. */
    drawn: () => {},
    get name() {
      return nameOfRow(resource, seen.row);
    },
    draw() {
      const { activeElement } = document;
      const hadFocus = seen.line.contains(activeElement);
      const fresh = lineOf(seen.row);
      fresh.prepend(first);
      fresh.classList.toggle("gone", seen.isGone);
      span(fresh);
      seen.line.replaceWith(fresh);
      seen.line = fresh;
      seen.drawn();
      if (hadFocus) /** @type {HTMLElement} */ (activeElement).focus();
    },
    /**
     * The row as it is now: what is typed is compared with that.
     * @param {any} now
     * @param {string | null} tag
     */
    take(now, tag) {
      seen.identifier = String(resource.identifierOf(now));
      Object.assign(seen.row, now); // the list shows this very row
      seen.etag = tag ?? "";
      seen.before = asWritten(contract, fields, now);
      for (const { name } of fields) seen.put(name, seen.edits[name]);
      seen.draw();
    },
    /**
     * @param {string} name
     * @param {any} value undefined if there is none
     */
    put(name, value) {
      const own = fields.filter((field) => field.name === name);
      if (changedFields(own, seen.before, { [name]: value }).length > 0) seen.edits[name] = value;
      else delete seen.edits[name];
    },
    /**
     * Says below it what became of it; without words only its colour does.
     * @param {"saved" | "bad" | ""} kind
     * @param {import("./dom.js").Children[]} words
     */
    tell(kind, ...words) {
      seen.state = kind;
      seen.line.classList.toggle("saved", kind === "saved");
      outcome.className = `outcome ${kind}`;
      told.replaceChildren(icon(kind === "bad" ? "alert" : "check"), h("span", {}, ...words));
      if (told.textContent === "") return outcome.remove();
      span(seen.line);
      seen.line.after(outcome);
    },
    /** The row is no more; its line stays where it is. */
    bury() {
      seen.isGone = true;
      seen.edits = {};
      tick.checked = false;
      tick.disabled = true;
      seen.draw();
    },
    /**
     * The row was created once more.
     * @param {any} now
     * @param {string | null} tag
     */
    revive(now, tag) {
      seen.isGone = false;
      seen.key = undefined;
      tick.disabled = false;
      seen.take(now, tag);
    },
  };
  seen.line.prepend(first);
  return seen;
}
