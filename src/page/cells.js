// Editing in the list: the cells of what can be changed become fields, and one moves among them as in a spreadsheet. What
// is typed is gathered until it is saved.
import { changeable } from "./contract.js";
import { button, h, isolated, unseen } from "./dom.js";
import { rowFields } from "./fields.js";
import { gathered } from "./gathered.js";
import { kindOfField } from "./kinds.js";

/** @typedef {import("./seen.js").Seen} Seen */
/** @typedef {import("./contract.js").Field} Field */

/** The kinds whose controls have room in a cell. */
const KINDS = ["text", "integer", "number", "decimal", "boolean", "choice", "date", "relation"];

/**
 * @param {import("./send-many.js").Place} place
 * @param {Seen[]} rows
 */
export function cells(place, rows) {
  const { context: { contract, resource }, texts } = place;
  const fields = changeable(resource).filter(({ kind }) => KINDS.includes(kind));
  const gathering = gathered(place, rows);
  let isOn = false;
  let made = 0;

  /** @param {Seen} seen @param {Field} field */
  const enter = (seen, field) =>
    /** @type {HTMLElement | null | undefined} */ (
      cellOf(seen, field)?.querySelector("button, input, select, textarea")
    )?.focus();

  /** @param {Seen} seen */
  function draw(seen) {
    seen.open.clear();
    if (!isOn || seen.isGone) return;
    // Where a press on a row opens it, one beside a cell does not
    seen.line.addEventListener("click", (event) => event.stopPropagation());
    for (const field of fields) {
      const cell = cellOf(seen, field);
      if (cell) edit(seen, field, cell);
    }
  }

  /** @param {Seen} seen @param {Field} field @returns {HTMLElement | null} */
  const cellOf = ({ line }, { name }) => line.querySelector(`[data-name="${CSS.escape(name)}"]`);

  /**
   * Makes a field of a cell.
   * @param {Seen} seen @param {Field} field @param {HTMLElement} cell
   */
  function edit(seen, field, cell) {
    const { name, kind, label, isNullable } = field;
    const words = `${label} of ${seen.name}`;
    // What is chosen with one press has its control at once
    const isOpen = kind === "boolean" || kind === "choice";
    const value = () => ({ ...seen.before, ...seen.edits })[name];

    /** Tells whether it was changed, and what it was. */
    function mark() {
      const isChanged = Object.hasOwn(seen.edits, name);
      cell.classList.toggle("changed", isChanged);
      cell.title = isChanged ? texts.was(field, seen.before[name]) : "";
    }

    /** Shows the value, while nobody types here. */
    function rest() {
      seen.open.delete(name);
      mark();
      if (isOpen) return open();
      const shown = (value() ?? "") === ""
        ? h("span", { class: "null" }, "–")
        : isolated(texts.describe(field, value()));
      const type = () => open().focus();
      cell.replaceChildren(
        button([unseen(`${words}: `), shown, unseen(` ${cell.title}`)], {
          class: "",
          onfocus: type,
          onclick: type,
        }),
      );
    }

    function open() {
      const control = kindOfField(kind).control({
        field,
        contract,
        context: place.context,
        isNeeded: false,
        id: `cell-${++made}`,
        described: seen.told.id,
        initial: value(),
        empty: null,
        isMade: false,
        texts,
        rowFields,
        changed() {
          const value = control.value();
          const isEmptied = value === "" && seen.before[name] !== "";
          seen.put(name, isEmptied && isNullable ? null : value);
          delete seen.both[name];
          mark();
          gathering.draw();
        },
        refuse,
      });
      const input = /** @type {HTMLInputElement} */ (control.input);
      seen.open.set(name, control);

      /** @param {string | undefined} why */
      function refuse(why) {
        if (!input.isConnected) return; // the cell was put back meanwhile
        if (!why && !input.ariaInvalid) return;
        input.ariaInvalid = why ? "true" : null;
        seen.tell(why ? "bad" : "", why && `${label}: ${why}`);
      }

      /** @param {FocusEvent} event */
      async function leave({ relatedTarget }) {
        if (isOpen || cell.contains(/** @type {Node | null} */ (relatedTarget))) return;
        if (await control.settle?.() === false) return;
        // Meanwhile somebody may have come back, or the row was drawn again
        if (input.isConnected && !cell.contains(document.activeElement)) rest();
      }

      // The width stays, whatever the control would like to have; to measure each of many rows takes long
      const had = /** @type {HTMLElement | null} */ (cell.firstElementChild);
      if (!isOpen) input.style.minWidth = `${had?.offsetWidth}px`;
      input.setAttribute("aria-label", words);
      if (kind === "text") input.placeholder = "";
      input.addEventListener("focus", () => input.select?.());
      // "null" has no tick here: an emptied cell is it
      const parts = kind === "relation" ? control.parts ?? input : input;
      cell.replaceChildren(h("div", { onfocusout: leave, onkeydown: press }, parts));
      if (kind === "relation") float(input);
      return input;
    }

    /**
     * The candidates stand over the table, which would cut them.
     * @param {HTMLElement} input
     */
    function float(input) {
      const list = /** @type {HTMLElement | null} */ (cell.querySelector("[role=listbox]"));
      if (!list) return; // they are listed nowhere
      list.popover = "manual";
      const { style } = list;
      function move() {
        if (!input.isConnected) return removeEventListener("scroll", move, true);
        const { left, bottom, top } = input.getBoundingClientRect();
        const isBelow = innerHeight - bottom > top;
        style.left = `clamp(0px, ${left}px, max(0px, 100vw - 21rem))`;
        style.top = isBelow ? `${bottom}px` : "auto";
        style.bottom = isBelow ? "auto" : `${innerHeight - top}px`;
      }
      input.addEventListener("focus", () => {
        list.togglePopover(true);
        move();
      });
      addEventListener("scroll", move, true);
    }

    /** @param {KeyboardEvent} event */
    function press(event) {
      const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing, defaultPrevented } = event;
      const target = /** @type {Element} */ (event.target);
      if (defaultPrevented || isComposing || altKey) return;
      const isLine = !target.matches("select, [type=date]"); // which have arrows of their own
      if (key === "Enter" && (ctrlKey || metaKey)) {
        // Meanwhile somebody may have gone on to another cell
        gathering.save().then(() =>
          document.activeElement?.matches("body, .deck *") && enter(seen, field)
        );
      } else if (key === "Escape") {
        delete seen.edits[name];
        if (target.ariaInvalid) seen.tell("");
        rest();
        enter(seen, field);
        gathering.draw();
      } else if (key === "Enter" && !shiftKey || key === "ArrowDown" && isLine) go(rows);
      else if (key === "Enter" || key === "ArrowUp" && isLine) go(rows.toReversed());
      else return;
      event.preventDefault();
    }

    /** @param {Seen[]} there the rows in the order in which one goes */
    function go(there) {
      const next = there.slice(there.indexOf(seen) + 1).find(({ isGone }) => !isGone);
      if (next) enter(next, field);
    }

    cell.classList.add("cell");
    rest();
  }

  for (const seen of rows) seen.drawn = () => draw(seen);
  return {
    element: gathering.element,
    draw: gathering.draw,
    /** @param {boolean} shows */
    async show(shows) {
      isOn = shows;
      if (isOn) await texts.learn(fields, ...rows.flatMap(({ row, edits }) => [row, edits]));
      else gathering.undo();
      for (const seen of rows) seen.draw();
      gathering.draw();
    },
  };
}
