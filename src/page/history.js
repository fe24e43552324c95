// What became of a row: who created, changed or deleted it, when, and what differed then. It is read once somebody opens
// it; that of a row that is gone is open.
import { ask, readJson } from "./client.js";
import { pathFor } from "./contract.js";
import { differingFields } from "./differences.js";
import { button, capital, h, isolated, say } from "./dom.js";
import { requestLine } from "./request.js";
import { failed } from "./states.js";
import { shownMoment } from "./times.js";

/** Changes on a page. */
const PAGE = 20;

/**
 * The history of a row. Whether there is one that the token may read, the caller asks before.
 * @param {import("./docs.js").Context} context
 * @param {import("./identifiers.js").Identifier} identifier
 */
export const historyOf = (context, identifier) => section(context, pathOf(context, identifier));

/**
 * The history of a row that is not there.
 * @param {import("./docs.js").Context} context
 * @param {import("./identifiers.js").Identifier} identifier
 * @returns {Promise<HTMLElement | undefined>} undefined where it never was
 */
export async function historyOfGone(context, identifier) {
  const path = pathOf(context, identifier);
  const answer = await ask("GET", path, { signal: context.signal });
  return answer.ok ? section(context, path, answer.body) : undefined;
}

/**
 * The path of the newest changes.
 * @param {import("./docs.js").Context} context
 * @param {import("./identifiers.js").Identifier} identifier
 */
const pathOf = ({ resource: { operations } }, identifier) =>
  `${
    pathFor(/** @type {import("./contract.js").Operation} */ (operations["changes"]), identifier)
  }?limit=${PAGE}`;

/**
 * @param {import("./docs.js").Context} context
 * @param {string} path
 * @param {{ items: any[], next: string | null }} [newest] the first page, if it was read already
 */
function section(context, path, newest) {
  const { contract, resource, signal } = context;
  /** @type {string | null} */
  let next = path;
  let isReading = false;
  let isAsked = newest !== undefined;
  const list = h("ol", { class: "changes" });
  const trouble = h("div", {});
  const more = button("More", { hidden: true, onclick: read });

  async function read() {
    if (isReading) return;
    isReading = true;
    try {
      const { body } = await readJson(/** @type {string} */ (next), signal);
      trouble.replaceChildren();
      add(body);
    } catch (error) {
      if (signal.aborted) return;
      trouble.replaceChildren(
        failed({ ...context, again: read }, /** @type {Error} */ (error), false),
      );
    } finally {
      isReading = false;
    }
  }

  /** @param {{ items: any[], next: string | null }} page */
  function add(page) {
    const { activeElement } = document;
    const added = page.items.map(change);
    list.append(...added);
    next = page.next;
    more.hidden = next === null;
    // It goes on where the button was that asked
    if (activeElement === more || activeElement === document.body) added[0]?.focus();
    if (added.length === 0) list.before(h("p", { class: "quiet" }, "Nothing is kept"));
    say(`${added.length} ${added.length === 1 ? "change" : "changes"}`);
  }

  /** @param {any} kept */
  function change({ verb, caller, at, before, after }) {
    const differing = differingFields(contract, resource, before, after);
    return h(
      "li",
      { tabindex: "-1" },
      h(
        "p",
        {},
        h("b", {}, capital(verb)),
        caller !== null && [" by ", isolated(caller)],
        shownMoment(at.replace(/\.\d+/, ""), "number quiet"),
      ),
      verb === "changed"
        ? differing
        : h("details", { open: verb === "deleted" }, h("summary", {}, "Its fields"), differing),
    );
  }

  const made = h(
    "details",
    { open: isAsked, ontoggle: open },
    h("summary", {}, h("h2", { id: "history" }, "History")),
    requestLine(() => ({ method: "GET", path })).element,
    list,
    trouble,
    more,
  );
  function open() {
    if (!isAsked) read();
    isAsked = true;
  }
  if (newest) add(newest);
  return h("section", { class: "history", "aria-labelledby": "history" }, made);
}
