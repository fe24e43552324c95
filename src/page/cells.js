// Editing in the list: the cells of what can be changed become fields, and one moves among them as in a spreadsheet. What
// is typed is gathered until it is saved.
import { button, h, isolated, unseen } from "./dom.js";
import { rowFields } from "./fields.js";
import { gathered } from "./gathered.js";
import { kindOfField } from "./kinds.js";
import { changeable } from "./seen.js";

/** @typedef {import("./seen.js").Seen} Seen */
/** @typedef {import("./contract.js").Field} Field */

/**
 * What is chosen with one press has its control at once.
 * @param {Field} field
 */
const isAlwaysOpen = ({ kind }) => kind === "boolean" || kind === "choice";

/** The kinds whose controls have room in a cell. */
const KINDS = ["text", "integer", "number", "decimal", "boolean", "choice", "date", "relation"];

/**
 * @param {import("./send-many.js").Place} place
 * @param {Seen[]} rows
 */
export function cells(place, rows) {
  const { context: { contract, resource, signal }, texts } = place;
  const fields = changeable(resource).filter(({ kind }) => KINDS.includes(kind));
  const gathering = gathered(place, rows);
  let isOn = false;
  let made = 0;

  /** @param {Seen} seen */
  function draw(seen) {
    const isEditing = isOn && !seen.isGone;
    seen.line.classList.toggle("editing", isEditing);
    if (!isEditing) return;
    // Where a press on a row opens it, one beside a cell does not
    seen.line.addEventListener("click", (event) => event.stopPropagation());
    for (const field of fields) {
      const cell = cellOf(seen, field);
      if (cell) rest(seen, field, cell);
    }
  }

  /** @param {Seen} seen @param {Field} field @returns {HTMLElement | null} */
  const cellOf = ({ line }, { name }) => line.querySelector(`[data-name="${CSS.escape(name)}"]`);

  /** @param {Seen} seen @param {Field} field */
  const valueOf = ({ edits, before }, { name }) => ({ ...before, ...edits })[name];

  /**
   * Tells whether a cell was changed, and what it was.
   * @param {Seen} seen @param {Field} field @param {HTMLElement} cell
   */
  function mark({ edits, before }, field, cell) {
    const isChanged = Object.hasOwn(edits, field.name);
    cell.classList.toggle("changed", isChanged);
    cell.title = isChanged ? texts.was(field, before[field.name]) : "";
  }

  /**
   * A cell in which nobody types.
   * @param {Seen} seen @param {Field} field @param {HTMLElement} cell
   */
  function rest(seen, field, cell) {
    cell.classList.add("cell");
    mark(seen, field, cell);
    if (isAlwaysOpen(field)) return open(seen, field, cell);
    const value = valueOf(seen, field);
    const shown = (value ?? "") === ""
      ? h("span", { class: "null" }, "–")
      : isolated(texts.describe(field, value));
    const enter = () => open(seen, field, cell).focus();
    cell.replaceChildren(
      button([unseen(`${field.label} of ${seen.name}: `), shown, unseen(` ${cell.title}`)], {
        class: "",
        onfocus: enter,
        onclick: enter,
      }),
    );
  }

  /**
   * A cell with its control.
   * @param {Seen} seen @param {Field} field @param {HTMLElement} cell
   */
  function open(seen, field, cell) {
    const { name, kind, label, isNullable } = field;
    const control = kindOfField(kind).control({
      field,
      contract,
      id: `cell-${++made}`,
      described: seen.told.id,
      initial: valueOf(seen, field),
      empty: null,
      isMade: false,
      texts,
      rowFields,
      changed() {
        const value = control.value();
        seen.put(name, value === "" && isNullable ? null : value);
        delete seen.both[name];
        mark(seen, field, cell);
        gathering.draw();
      },
      refuse,
    });
    const input = /** @type {HTMLInputElement} */ (control.input);

    /** @param {string | undefined} why */
    function refuse(why) {
      if (!input.isConnected) return; // the cell was put back meanwhile
      if (why) input.setAttribute("aria-invalid", "true");
      else if (!input.ariaInvalid) return;
      else input.removeAttribute("aria-invalid");
      seen.tell(why ? "bad" : "", why && `${label}: ${why}`);
    }

    /** @param {FocusEvent} event */
    async function leave({ relatedTarget }) {
      if (isAlwaysOpen(field) || cell.contains(/** @type {Node | null} */ (relatedTarget))) return;
      if (await control.settle?.() === false) return;
      // Meanwhile somebody may have come back, or the row was drawn again
      if (!input.isConnected || cell.contains(document.activeElement)) return;
      if (input.validity.badInput) refuse(input.validationMessage);
      else rest(seen, field, cell);
    }

    input.setAttribute("aria-label", `${label} of ${seen.name}`);
    if (kind === "text") input.placeholder = "";
    input.addEventListener("focus", () => input.select?.());
    // The width stays, whatever the control would like to have
    const had = /** @type {HTMLElement | null} */ (cell.firstElementChild)?.offsetWidth;
    cell.replaceChildren(
      h(
        "div",
        {
          onfocusout: leave,
          onkeydown: (/** @type {KeyboardEvent} */ event) => press(event, seen, field, cell),
        },
        // "null" has no tick here: an emptied cell is it
        kind === "relation" ? control.parts ?? input : input,
      ),
    );
    if (!isAlwaysOpen(field)) input.style.minWidth = `${had}px`;
    if (kind === "relation") float(cell, input);
    return input;
  }

  /**
   * The candidates stand over the table, which would cut them.
   * @param {HTMLElement} cell @param {HTMLElement} input
   */
  function float(cell, input) {
    const list = /** @type {HTMLElement | null} */ (cell.querySelector("[role=listbox]"));
    if (!list) return;
    function move() {
      const { left, bottom, top } = input.getBoundingClientRect();
      const isBelow = innerHeight - bottom > top;
      list?.style.setProperty("inset", "auto");
      list?.style.setProperty("left", `${left}px`);
      list?.style.setProperty(
        isBelow ? "top" : "bottom",
        `${isBelow ? bottom : innerHeight - top}px`,
      );
    }
    input.addEventListener("focus", move);
    addEventListener("scroll", move, { capture: true, signal });
  }

  /** @param {KeyboardEvent} event @param {Seen} seen @param {Field} field @param {HTMLElement} cell */
  function press(event, seen, field, cell) {
    const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing, defaultPrevented, target } =
      event;
    if (defaultPrevented || isComposing || altKey) return;
    const isLine = !/** @type {Element} */ (target).matches("select, [type=date]");
    if (key === "Enter" && (ctrlKey || metaKey)) save(seen, field);
    else if (key === "Escape") {
      delete seen.edits[field.name];
      if (/** @type {Element} */ (target).matches("[aria-invalid]")) seen.tell("");
      rest(seen, field, cell);
      enter(seen, field);
      gathering.draw();
    } else if (key === "Enter" && !shiftKey || key === "ArrowDown" && isLine) go(1);
    else if (key === "Enter" || key === "ArrowUp" && isLine) go(-1);
    else return;
    event.preventDefault();

    /** @param {number} step */
    function go(step) {
      const there = step > 0 ? rows : rows.toReversed();
      const next = there.slice(there.indexOf(seen) + 1).find(({ isGone }) => !isGone);
      if (next) enter(next, field);
    }
  }

  /** @param {Seen} seen @param {Field} field */
  function enter(seen, field) {
    const cell = cellOf(seen, field);
    /** @type {HTMLElement | null | undefined} */ (
      cell?.querySelector("button, input, select, textarea")
    )?.focus();
  }

  /** @param {Seen} seen @param {Field} field from which it is saved */
  async function save(seen, field) {
    await gathering.save();
    enter(seen, field);
  }

  for (const seen of rows) seen.drawn = () => draw(seen);
  return {
    element: gathering.element,
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
