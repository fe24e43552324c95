// A text field that lists candidates: people find one by its text. The server searches and pages. The keys
// follow the ARIA Authoring Practices, "Combobox".
import { readJson } from "./client.js";
import { candidatesIn } from "./contract.js";
import { h, icon } from "./dom.js";

/** Milliseconds without a key before the search begins. */
const PAUSE = 150;

/** What stands in the list where there is no candidate. */
const NOBODY = { role: "option", "aria-disabled": "true", "aria-selected": "false", class: "none" };

/** The largest page, which is read to know whether a typed text is that of one candidate alone. */
const MOST = 200;

/**
 * @typedef {object} Candidate
 * @property {import("./identifiers.js").Identifier | null} identifier null is the candidate "none"
 * @property {string} text
 */

/** @type {Candidate} */
const NONE = { identifier: null, text: "none" };

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.name the field's
 * @param {string} options.url where the candidates are listed
 * @param {import("./contract.js").Resource} options.target whose rows they are
 * @param {string} options.described the identifiers of the elements that describe the field
 * @param {string} options.placeholder
 * @param {boolean} options.nullable whether "none" is a candidate
 * @param {(identifier: import("./identifiers.js").Identifier) => boolean} options.isOffered
 * @param {(candidate: Candidate) => void} options.take
 * @param {() => void} options.edit called when the text has become another
 * @param {() => string} options.sends the identifier that is sent, as it stands in the field
 * @param {(why: string | undefined) => void} options.refuse says at the field why its text is no candidate
 */
export function combobox(options) {
  const { id, name, url, target, described, placeholder, nullable } = options;
  const { isOffered, take, edit, sends, refuse } = options;
  const label = `Candidates for ${name}`;
  const list = h("ul", { id: `${id}-list`, role: "listbox", "aria-label": label, hidden: true });
  const input = h("input", {
    id,
    type: "text",
    role: "combobox",
    dir: "auto",
    autocomplete: "off",
    spellcheck: "false",
    placeholder,
    "aria-autocomplete": "list",
    "aria-controls": list.id,
    "aria-expanded": "false",
    "aria-describedby": `${id}-sends ${described}`,
  });
  const sent = h("code", { id: `${id}-sends`, class: "sends" }, sends());
  const status = h("p", { class: "unseen", role: "status" });

  /** Whether the text was typed and no candidate was taken for it; what was taken narrows no list. */
  let isLoose = false;
  /** @type {string | null} */
  let next = null;
  /** @type {Candidate[]} those in the list */
  let listed = [];
  /** The place of the active one; -1 if there is none. */
  let active = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let search = new AbortController();
  let reading = false;

  function close() {
    clearTimeout(timer);
    search.abort();
    list.hidden = true;
    input.ariaExpanded = "false";
    activate(-1);
    status.textContent = "";
    sent.textContent = isLoose ? "" : sends();
  }

  /** @param {number} index */
  function activate(index) {
    list.children[active]?.classList.remove("active");
    active = index;
    const option = list.children[index];
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.classList.add("active");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  }

  /** @param {Candidate} candidate */
  function choose(candidate) {
    isLoose = false;
    refuse(undefined);
    take(candidate);
    close();
  }

  /** The text is another: what was taken for the former one is forgotten, and what was about to be. */
  function change() {
    activate(-1);
    isLoose = input.value !== "";
    refuse(undefined);
    edit();
    sent.textContent = isLoose ? "" : sends();
  }

  /** What was typed and narrows the list. */
  const typed = () => isLoose ? input.value : "";

  /**
   * Lists the candidates whose text contains the typed one. Resolves to whether they are listed, and nothing else was
   * typed meanwhile.
   */
  async function find() {
    clearTimeout(timer);
    search.abort();
    search = new AbortController();
    reading = false;
    const { signal } = search;
    await fill(`${url}?q=${encodeURIComponent(typed())}`, true);
    return !signal.aborted && !list.hidden;
  }

  /** Appends the next page, if there is one. */
  async function more() {
    if (next !== null && !reading) await fill(next, false);
  }

  /**
   * Puts a page of candidates into the list.
   * @param {string} path
   * @param {boolean} first
   */
  async function fill(path, first) {
    const { signal } = search;
    reading = true;
    try {
      const { body } = await readJson(path, signal);
      if (first) {
        listed = [];
        list.replaceChildren();
        if (isNone(typed(), true)) offer(NONE);
      }
      for (const one of candidatesIn(target, body)) if (isOffered(one.identifier)) offer(one);
      next = body.next;
      // A page on which everything was taken before shows nothing to go on from
      if (listed.length === 0 && next !== null) return await fill(next, first);
      if (first) {
        if (listed.length === 0) list.append(h("li", NOBODY, summary()));
        list.scrollTop = 0;
        list.hidden = false;
        input.ariaExpanded = "true";
        activate(isLoose ? likeliest(candidatesIn(target, body)) : -1);
      }
      status.textContent = summary();
    } catch (error) {
      if (signal.aborted) return;
      refuse(unread(error));
    }
    reading = false;
  }

  /** @param {Candidate} candidate */
  const isTyped = ({ text }) => text.toLowerCase() === input.value.toLowerCase();

  /**
   * The place of the candidate that the typed text means most likely: the one that has it, else the first. None, where
   * the one that has it is not offered.
   * @param {Candidate[]} read
   */
  function likeliest(read) {
    const same = listed.findIndex(isTyped);
    return same >= 0 || read.some(isTyped) ? same : listed.findIndex((one) => one !== NONE);
  }

  /** Takes the active candidate. Where the list was not there yet, nobody has seen which that is: it is the only one. */
  async function enter() {
    const seen = listed[active];
    if (seen) return choose(seen);
    if (!isLoose) return close();
    if (!await find()) return;
    const likely = listed[active];
    if (!likely) return await settle();
    const same = listed.filter(isTyped);
    if (next === null && (same.length || listed.length) === 1) choose(likely);
  }

  /**
   * Whether a text is that of "none", or the beginning of it.
   * @param {string} text
   * @param {boolean} partly
   */
  function isNone(text, partly) {
    const lower = text.toLowerCase();
    return nullable && (partly ? "none".startsWith(lower) : lower === "none");
  }

  function summary() {
    const count = listed.length;
    if (count === 0) return "No candidate contains this text";
    return `${count} candidate${count === 1 ? "" : "s"}${next === null ? "" : ", and more below"}`;
  }

  /** @param {Candidate} candidate */
  function offer(candidate) {
    const { identifier, text } = candidate;
    const isTaken = !isLoose && String(identifier) === sends();
    listed.push(candidate);
    list.append(h(
      "li",
      { id: `${id}-${listed.length}`, role: "option", "aria-selected": String(isTaken) },
      isTaken && icon("check"),
      h("span", { dir: "auto", class: identifier === null && "quiet" }, text),
      h("code", {}, String(identifier)),
    ));
  }

  /**
   * Takes the candidate whose whole text was typed, without regard to case, if there is one alone. Resolves
   * to whether nothing is left to take; else the field says why.
   * @returns {Promise<boolean>}
   */
  async function settle() {
    close();
    if (!isLoose) return true;
    const text = input.value;
    try {
      const same = await candidatesNamed(text);
      const [only] = same ?? [];
      // Meanwhile another may have been typed, or one picked
      if (isLoose && input.value === text) {
        if (!same) refuse("Many candidates contain this text: pick one");
        else if (only && same.length === 1) choose(only);
        else if (only) refuse(`${same.length} candidates have this text: pick one`);
        else refuse("No candidate has this text: pick one, or empty the field");
      }
    } catch (error) {
      refuse(unread(error));
    }
    return !isLoose;
  }

  /**
   * The candidates that have a text, without regard to case; undefined if too many contain it to know.
   * @param {string} text
   */
  async function candidatesNamed(text) {
    const lower = text.toLowerCase();
    const path = `${url}?q=${encodeURIComponent(text)}&limit=${MOST}`;
    const { body } = await readJson(path);
    if (body.next !== null) return undefined;
    const same = candidatesIn(target, body).filter(({ text }) => text.toLowerCase() === lower);
    return isNone(text, false) ? [NONE, ...same] : same;
  }

  /** @type {Record<string, () => unknown>} */
  const keys = {
    ArrowDown: async () => {
      if (list.hidden) await find();
      else if (active === listed.length - 1) await more();
      if (list.hidden) return; // the field was left before the answer came, or there is no candidate
      activate(Math.min(active + 1, listed.length - 1));
    },
    ArrowUp: () => list.hidden ? undefined : activate(Math.max(active - 1, -1)),
    Enter: enter,
    Escape: close,
  };

  input.addEventListener("input", () => {
    change();
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    // Where there is nothing to take or to close, Enter sends the form and Escape leaves it, as elsewhere; but a key
    // that is held down for longer than the text sends nothing
    const isIdle = list.hidden && !(event.key === "Enter" && (isLoose || event.repeat));
    if (isIdle && !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || event.key !== "Enter") act();
  });
  input.addEventListener("click", () => {
    if (!isLoose) input.select();
    if (list.hidden) find();
  });
  input.addEventListener("blur", settle);
  list.addEventListener("scroll", () => {
    if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) more();
  });
  // The focus stays in the field
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    // Not the line that says that there is no candidate
    const candidate = listed.find((_, index) =>
      list.children[index]?.contains(/** @type {Node} */ (target))
    );
    if (candidate) choose(candidate);
  });

  const shape = target.identifiers.areFigures ? "" : "is-long";
  return {
    input,
    parts: [h("div", { class: `combobox ${shape}` }, input, sent, list), status],
    close,
    settle,
    isPending: () => isLoose,
    /** @param {string} words what a screen reader hears of the field */
    say(words) {
      status.textContent = words;
    },
  };
}

/** @param {unknown} error */
function unread(error) {
  return `The candidates cannot be read: ${/** @type {Error} */ (error).message}`;
}
