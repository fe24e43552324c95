// Ticks before the rows of a list, and the bar below it that offers what can be done with all that are ticked, and to
// edit in the list.
import { root } from "./client.js";
import { dialog } from "./dialog.js";
import { button, h, say } from "./dom.js";
import { inTab } from "./keep.js";
import { seenRow } from "./seen.js";
import { showRefused } from "./states.js";
import { columnTitle } from "./table.js";
import { knownTexts } from "./texts.js";

/** @typedef {import("./seen.js").Seen} Seen */
/** @typedef {import("./send-many.js").Send} Send */

/**
 * @param {import("./docs.js").Context} context
 * @param {any[]} items
 * @param {string[]} etags their tags
 * @param {(row: any) => HTMLElement} lineOf
 */
export function ticks(context, items, etags, lineOf) {
  const { contract, resource, may, signal, draft } = context;
  const rows = items.map((row, index) => seenRow(context, row, etags[index] ?? "", lineOf));
  const whole = h("input", {
    type: "checkbox",
    "aria-label": "Select all on this page",
    onchange: () => {
      set(rows, whole.checked);
      told();
    },
  });
  const count = h("b", { tabindex: "-1" });
  // On a phone there is no head to do it in
  const selectAll = button("Select all", {
    class: "quiet-button",
    onclick() {
      set(rows, true);
      told();
      count.focus();
    },
  });
  const acts = h(
    "span",
    {},
    may("patch") && button("Change…", { id: "change-ticked", onclick: change }),
    may("delete") && button("Delete…", { class: "button danger", onclick: remove }),
    selectAll,
    button("Clear", { class: "quiet-button", onclick: clear }),
  );
  const stop = button("Stop");
  const back = button("", { onclick: bringBack });
  const selection = h("div", {}, count, back, acts, stop);
  const bar = h("section", { class: "deck", "aria-label": "Selected and changed rows" }, selection);
  const toggle = button("Edit in the list", { "aria-pressed": "false", onclick: edit });
  const key = `${root} edits ${resource.name}`;
  /** @type {Seen | undefined} the one that was ticked before */
  let last;
  let isRunning = false;
  /** What became of what was sent. */
  let result = "";
  /** @type {import("./versions.js").Version} what was given at last to change those that are ticked */
  const given = {};
  /** @type {ReturnType<typeof import("./cells.js").cells> | undefined} */
  let cells;

  /** @type {import("./send-many.js").Place} */
  const place = { context, texts: knownTexts(contract), run, draw, isFilling: false };
  const ticked = () => rows.filter(({ tick }) => tick.checked);
  const deleted = () => rows.filter(({ isGone }) => isGone);
  const edited = () => rows.filter(({ edits }) => Object.keys(edits).length > 0);
  /** @param {Seen} seen */
  const isTyping = ({ open }) => [...open.values()].some(({ isPending }) => isPending?.());
  const isUnsent = () => isRunning || place.isFilling || edited().length > 0 || rows.some(isTyping);

  /** @param {Seen[]} some @param {boolean} isTicked */
  function set(some, isTicked) {
    for (const { tick } of some) tick.checked = isTicked && !tick.disabled;
  }

  function draw() {
    const { length } = ticked();
    const gone = deleted().length;
    const all = rows.length - gone;
    whole.checked = length > 0 && length === all;
    selectAll.hidden = length === all;
    whole.indeterminate = length > 0 && length < all;
    const selected = length > 0 && `${length} ${length === 1 ? "row" : "rows"} selected`;
    const became = result || gone > 0 && `${gone} deleted`;
    count.textContent = [became, selected].filter(Boolean).join(" · ");
    acts.hidden = isRunning || length === 0;
    if (cells) cells.element.inert = isRunning;
    toggle.disabled = isRunning; // what is being sent is not lost
    stop.hidden = !isRunning;
    back.textContent = gone === 1 ? "Bring it back" : "Bring all back";
    back.hidden = isRunning || gone === 0 || !may("create");
    selection.hidden = count.textContent === "";
    bar.hidden = ![...bar.children].some((part) => !part.hasAttribute("hidden"));
  }

  /** The selection has become another. */
  function told() {
    result = "";
    draw();
    say(count.textContent || "No row is selected");
  }

  /** @param {Seen} seen @param {MouseEvent} event */
  function press(seen, { shiftKey }) {
    const [from = 0, to] = [rows.indexOf(last ?? seen), rows.indexOf(seen)].sort((a, b) => a - b);
    if (shiftKey) set(rows.slice(from, Number(to) + 1), seen.tick.checked);
    last = seen;
    told();
  }

  function clear() {
    const [first] = ticked();
    set(rows, false);
    told();
    first?.tick.focus({ preventScroll: true });
  }

  async function change() {
    (await import("./many-rows.js")).changeMany(place, ticked(), given);
  }

  async function remove() {
    (await import("./many-rows.js")).deleteMany(place, ticked());
  }

  async function bringBack() {
    await run(deleted(), (await import("./send-many.js")).bringBack, "brought back");
  }

  /** @type {import("./send-many.js").Place["run"]} */
  async function run(some, send, done = "saved") {
    if (isRunning) return;
    isRunning = true;
    const { sendEach } = await import("./send-many.js");
    const stopped = new AbortController();
    stop.onclick = () => stopped.abort();
    const waiting = new Set(some);
    /** @param {Seen} [seen] that was sent */
    function progressed(seen) {
      if (seen) waiting.delete(seen);
      result = `${some.length - waiting.size} of ${some.length}`;
      draw();
    }
    progressed();
    stop.focus({ preventScroll: true });
    const ended = AbortSignal.any([signal, stopped.signal]);
    const shut = await sendEach(place, some, send, ended, progressed);
    isRunning = false;
    const refused = some.filter((seen) => seen.state === "bad" && !waiting.has(seen)).length;
    const others = [[refused, `not ${done}`], [waiting.size, "not sent"]];
    result = [[some.length - refused - waiting.size, done], ...others]
      .filter(([number]) => number).map((words) => words.join(" ")).join(", ");
    const hadFocus = document.activeElement === stop;
    (cells?.draw ?? draw)(); // what was typed into a row that is gone is gone, too
    if (hadFocus) count.focus({ preventScroll: true });
    say(result);
    if (!shut || signal.aborted) return;
    const asked = h("div", {});
    const gate = dialog("The rest is not sent yet", { signal }, asked);
    showRefused(asked, context, shut, () => {
      gate.close();
      run([...waiting], send, done);
    });
  }

  /** Opens the cells for editing, or closes them. */
  async function edit() {
    const isOn = toggle.ariaPressed !== "true";
    if (!isOn && !mayLeave()) return;
    toggle.ariaPressed = String(isOn);
    inTab.set(key, String(isOn));
    if (!cells) {
      cells = (await import("./cells.js")).cells(place, rows);
      bar.append(cells.element);
    }
    await cells.show(isOn);
  }

  const mayLeave = () => !isUnsent() || confirm("Leave, and lose what you changed?");

  for (const seen of rows) {
    seen.tick.addEventListener("click", (event) => press(seen, event));
    Object.assign(seen, draft?.[seen.identifier]);
  }
  context.guard(isUnsent, () => {
    const drafts = edited().map(({ identifier, etag, before, edits }) => [
      identifier,
      { etag, before, edits },
    ]);
    return drafts.length > 0 ? Object.fromEntries(drafts) : undefined;
  });
  draw();
  if (may("patch") && (draft || inTab.get(key) === "true")) edit();
  return {
    head: columnTitle(h("label", {}, whole), { class: "tick" }),
    lines: rows.map(({ line }) => line),
    /** Draws the rows again, with other columns. */
    redraw: () => rows.forEach(({ draw }) => draw()),
    bar,
    toggle: may("patch") && toggle,
    mayLeave,
  };
}
