// A list of records that is followed: new ones appear above, or wait there while the hand is in the list.
import { readJson } from "./client.js";
import { button, h, icon, say } from "./dom.js";
import { listenTo } from "./events.js";
import { line } from "./table.js";

/** Milliseconds between two sentences in the live region. */
const QUIET = 10_000;

/** Rows that a followed list keeps. */
const KEPT = 200;

/**
 * The parts of a followed list: Live and Paused, and what waits above the rows.
 * @param {import("./docs.js").Context} context
 * @param {HTMLElement} table
 * @param {(row: HTMLElement) => HTMLElement} fit to the columns
 * @param {any[]} items the records that it shows
 * @param {(count: number, known: number) => void} appeared called when the table has new rows, with how many
 *   it has and ever had
 */
export function followTable(
  { contract, resource, path, signal, again },
  table,
  fit,
  items,
  appeared,
) {
  const known = new Set(items.map((record) => resource.identifierOf(record)));
  /** @type {HTMLElement[]} those that wait, the newest first */
  const held = [];
  const waiting = button("", { class: "waiting", hidden: true, onclick: release });
  const body = /** @type {HTMLElement} */ (table.querySelector("tbody"));
  let stop = new AbortController();
  let news = 0;

  const live = button([h("span", { class: "dot", "aria-hidden": "true" }), "Live"], {
    class: "",
    onclick: () => setFollowing(true),
  });
  const paused = button("Paused", { class: "", onclick: () => setFollowing(false) });
  const choice = h(
    "div",
    { class: "follow", role: "group", "aria-label": "New records" },
    live,
    paused,
  );

  function release() {
    const hadFocus = waiting === document.activeElement;
    body.prepend(...held.splice(0));
    for (const old of [...body.children].slice(KEPT)) old.remove();
    waiting.hidden = true;
    appeared(body.children.length, known.size);
    if (hadFocus) /** @type {HTMLElement | null} */ (body.querySelector("a.open"))?.focus();
  }

  /** @param {any} record */
  function add(record) {
    if (known.has(resource.identifierOf(record))) return;
    known.add(resource.identifierOf(record));
    const made = fit(line(contract, resource, record));
    made.classList.add("fresh");
    held.unshift(made);
    news++;
    // What is under the pointer or has the focus never moves
    if (table.matches(":hover, :focus-within")) {
      waiting.replaceChildren(icon("up"), `Show ${held.length} new`);
      waiting.hidden = false;
    } else release();
  }

  /**
   * The stream begins with the newest: what came between it and the rows is read from the list. Rejects if that
   * cannot be read.
   */
  async function catchUp() {
    const answer = await readJson(`${path}?sort=${resource.newest}&limit=${KEPT}`, stop.signal);
    answer.body.items.reverse().forEach(add);
  }

  /** @param {boolean} follows */
  function setFollowing(follows) {
    live.setAttribute("aria-pressed", String(follows));
    paused.setAttribute("aria-pressed", String(!follows));
    stop.abort();
    stop = new AbortController();
    // A tab that nobody sees holds no connection: a browser has six for all of them
    if (!follows || document.hidden) return;
    const ended = AbortSignal.any([signal, stop.signal]);
    listenTo(path, ended, async (record, isFirst) => {
      if (isFirst && !known.has(resource.identifierOf(record))) await catchUp();
      add(record);
    }).then(() => ended.aborted || again()); // where the list asks for a token
  }
  setFollowing(true);
  document.addEventListener("visibilitychange", () => {
    if (live.getAttribute("aria-pressed") === "true") setFollowing(true);
  }, { signal });

  const speaker = setInterval(() => {
    if (news > 0) say(`${news} new ${news === 1 ? resource.one : resource.many}`);
    news = 0;
  }, QUIET);
  signal.addEventListener("abort", () => clearInterval(speaker));
  return { choice, waiting };
}
