// What was typed into the cells of a list, gathered: how much it is, each before and after, saved or put back at once.
import { dialog } from "./dialog.js";
import { button, h, isolated, say } from "./dom.js";
import { changeable } from "./contract.js";
import { changeSeen } from "./send-many.js";
import { cell, grid, rowTitle, tr } from "./table.js";
import { part } from "./versions.js";

/** @typedef {import("./seen.js").Seen} Seen */

/**
 * @param {import("./send-many.js").Place} place
 * @param {Seen[]} rows
 */
export function gathered(place, rows) {
  const { context: { resource, signal }, texts } = place;
  const count = h("b", {});
  const element = h(
    "div",
    { hidden: true },
    count,
    h(
      "span",
      {},
      button("Review…", { onclick: review }),
      button("Save", { class: "button primary", onclick: save }),
      button("Undo all", { class: "quiet-button", onclick: undo }),
    ),
  );
  const edited = () => rows.filter(({ edits }) => Object.keys(edits).length > 0);
  /** @param {Seen} seen */
  const isOpen = ({ both }) => Object.keys(both).length > 0;

  function draw() {
    const some = edited();
    const changes = some.flatMap(({ edits }) => Object.keys(edits)).length;
    const inRows = `in ${some.length} ${some.length === 1 ? "row" : "rows"}`;
    count.textContent = `${changes} ${changes === 1 ? "change" : "changes"} ${inRows}`;
    element.hidden = changes === 0;
    place.draw();
  }

  async function save() {
    // A text that was typed settles to its candidate; a row in which one does not waits
    const waiting = new Set(
      await Promise.all(rows.map(async (seen) => {
        const ready = await Promise.all(
          [...seen.open.values()].map(({ settle }) => settle?.() ?? true),
        );
        return ready.every(Boolean) ? undefined : seen;
      })),
    );
    const some = edited();
    const ready = some.filter((seen) => !isOpen(seen) && !waiting.has(seen));
    if (ready.length === 0) return some.some(isOpen) ? review() : draw();
    await place.run(
      ready,
      (seen, sending) => changeSeen(sending, seen, { ...seen.edits }, true, choice),
    );
    draw();

    /** @type {Parameters<typeof changeSeen>[4]} */
    function choice(both, before, seen) {
      seen.both = part(both, before);
      return button("Choose…", { onclick: review });
    }
  }

  function undo() {
    for (const seen of edited()) {
      seen.edits = {};
      seen.both = {};
      seen.tell("");
      seen.draw();
    }
    draw();
    say("Everything is as it was");
  }

  /** Lists each change, and lets somebody choose where another has changed the same. */
  function review() {
    const some = edited();
    const isAnyOpen = some.some(isOpen);
    /** @type {(() => void)[]} */
    const picks = [];
    const lines = some.flatMap((seen) =>
      changeable(resource).filter(({ name }) => Object.hasOwn(seen.edits, name)).map((field) => {
        const { name, label } = field;
        const { edits, both, before } = seen;
        /** @param {any} value */
        const shown = (value) => isolated(texts.describe(field, value));
        const isBoth = Object.hasOwn(both, name);
        /** @param {"mine" | "theirs"} whose */
        function pick(whose) {
          const input = h("input", {
            type: "radio",
            name: `${seen.told.id} ${name}`,
            checked: whose === "mine",
            "aria-label": `${label} of ${seen.name}: ${whose}`,
          });
          if (whose === "theirs") picks.push(() => input.checked && delete seen.edits[name]);
          return h(
            "label",
            { class: "pick" },
            input,
            shown((whose === "mine" ? edits : before)[name]),
          );
        }
        return tr(
          rowTitle([isolated(seen.name), " · ", isolated(label)]),
          cell("before", shown((isBoth ? both : before)[name]), "before"),
          cell(
            isAnyOpen ? "mine" : "after",
            isBoth ? pick("mine") : shown(edits[name]),
            !isBoth && "changed",
          ),
          isAnyOpen &&
            cell("theirs", isBoth ? pick("theirs") : h("span", { class: "quiet" }, "unchanged")),
        );
      })
    );
    /** @param {SubmitEvent} event */
    function submit(event) {
      event.preventDefault();
      for (const take of picks) take();
      for (const seen of some.filter(isOpen)) {
        seen.both = {};
        seen.tell("");
        seen.draw();
      }
      asked.close();
      save();
    }
    const asked = dialog(
      count.textContent,
      { signal },
      isAnyOpen && h("p", {}, "Where another has changed the same meanwhile, choose."),
      h(
        "form",
        { onsubmit: submit },
        grid({ class: "rows versions" }, [
          "Row",
          "Before",
          ...isAnyOpen ? ["Mine", "Theirs"] : ["After"],
        ], lines),
        h(
          "div",
          { class: "buttons" },
          button("Go on editing", { onclick: () => asked.close() }),
          button("Save", { type: "submit", class: "button primary" }),
        ),
      ),
    );
    asked.classList.add("many");
  }

  return { element, draw, save, undo };
}
