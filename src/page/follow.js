// A list of records that is followed: new ones appear above, or wait there while the hand is in the list.
import { readJson } from "./client.js";
import { button, h, icon, say } from "./dom.js";
import { listenTo } from "./events.js";

/** Milliseconds between two sentences in the live region. */
const QUIET = 10_000;

/** Rows that a followed list keeps. */
const KEPT = 200;

/**
 * The parts of a followed list: Live and Paused, and what waits above the rows.
 * @param {import("./docs.js").Context} context
 * @param {HTMLElement} table
 * @param {(record: any) => HTMLElement} lineOf
 * @param {any[]} items the records that it shows; new ones are put before them
 * @param {(known: number) => void} appeared called when the table has new rows, with how many it ever had
 */
export function followTable({ resource, path, signal, again }, table, lineOf, items, appeared) {
  const known = new Set(items.map((record) => resource.identifierOf(record)));
  /** @type {any[]} those that wait, the newest first */
  const held = [];
  const waiting = button("", { class: "waiting", hidden: true, onclick: release });
  const body = /** @type {HTMLElement} */ (table.querySelector("tbody"));
  let stop = new AbortController();
  let news = 0;

  const state = h("span", {}, "Live");
  const live = button([h("span", { class: "dot", "aria-hidden": "true" }), state], {
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
    const fresh = held.splice(0);
    items.unshift(...fresh);
    items.splice(KEPT);
    const lines = fresh.map(lineOf);
    for (const one of lines) one.classList.add("fresh");
    body.prepend(...lines);
    for (const old of [...body.children].slice(KEPT)) old.remove();
    waiting.hidden = true;
    appeared(known.size);
    if (hadFocus) /** @type {HTMLElement | null} */ (body.querySelector("a.open"))?.focus();
  }

  /** @param {any} record */
  function add(record) {
    if (known.has(resource.identifierOf(record))) return;
    known.add(resource.identifierOf(record));
    held.unshift(record);
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

  /** @param {boolean} isThere whether the server can be heard */
  function showConnection(isThere) {
    if (!isThere && !live.classList.contains("away")) say("Connecting again");
    live.classList.toggle("away", !isThere);
    state.textContent = isThere ? "Live" : "Connecting again…";
  }

  /** @param {boolean} follows */
  function setFollowing(follows) {
    live.setAttribute("aria-pressed", String(follows));
    paused.setAttribute("aria-pressed", String(!follows));
    stop.abort();
    stop = new AbortController();
    showConnection(true);
    // A tab that nobody sees holds no connection: a browser has six for all of them
    if (!follows || document.hidden) return;
    const ended = AbortSignal.any([signal, stop.signal]);
    listenTo(path, ended, async (record, isFirst) => {
      if (isFirst && !known.has(resource.identifierOf(record))) await catchUp();
      add(record);
    }, showConnection).then(() => ended.aborted || again()); // where the list asks for a token
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
