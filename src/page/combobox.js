// A text field that lists candidates: people find one by its text. The server searches and pages. The keys
// follow the ARIA Authoring Practices, "Combobox".
import { readJson } from "./client.js";
import { candidatesIn } from "./contract.js";
import { h, icon, isolated, present, released } from "./dom.js";

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
 * @property {any} [row] where it was listed
 */

/** @type {Candidate} */
const NONE = { identifier: null, text: "none" };

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.name the field's
 * @param {string} options.url where the candidates are listed
 * @param {import("./contract.js").Resource} options.target whose rows they are
 * @param {import("./docs.js").Context} [options.context] in a form: a new row may be created, and is taken then
 * @param {string} options.described the identifiers of the elements that describe the field
 * @param {string} options.placeholder
 * @param {boolean} options.nullable whether "none" is a candidate
 * @param {boolean} [options.isNeeded] whether one has to be picked
 * @param {(identifier: import("./identifiers.js").Identifier) => boolean} options.isOffered
 * @param {(candidate: Candidate) => void} options.take
 * @param {() => void} options.edit called when the text has become another
 * @param {() => string} options.sends the identifier that is sent, as it stands in the field
 * @param {(why: string | undefined) => void} options.refuse says at the field why its text is no candidate
 */
export function combobox(options) {
  const { id, name, url, target, described, placeholder, nullable } = options;
  const { context, isOffered, take, edit, sends, refuse } = options;
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
    "aria-required": options.isNeeded && "true",
    "aria-autocomplete": "list",
    "aria-controls": list.id,
    "aria-expanded": "false",
    "aria-describedby": `${id}-sends ${described}`,
  });
  const sent = h("code", { id: `${id}-sends`, class: "sends" }, sends());
  const status = h("p", { class: "unseen", role: "status" });
  /** The last in the list, which is no candidate. */
  const called = h("span", {});
  const fresh = context?.may("create", target) &&
    h(
      "li",
      { id: `${id}-new`, role: "option", "aria-selected": "false", class: "new" },
      icon("plus"),
      h("span", {}, `New ${target.one}`, called, "…"),
    );

  /** Whether the text was typed and no candidate was taken for it; what was taken narrows no list. */
  let isLoose = false;
  /** @type {string | null} */
  let next = null;
  /** @type {Candidate[]} those in the list */
  let listed = [];
  /** The place of the active one; -1 if there is none, that behind the last candidate if it is the new row. */
  let active = -1;
  /** Whether a new row is created, over the form. */
  let isMaking = false;
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
    list.querySelector(".active")?.classList.remove("active");
    active = index;
    const option = index === listed.length ? fresh : list.children[index];
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
      const read = candidatesIn(target, body);
      const offered = read.filter(({ identifier }) => isOffered(identifier));
      const lines = await linesOf(offered, signal);
      if (signal.aborted) return;
      if (first) {
        listed = [];
        list.replaceChildren(...present([fresh]));
        if (isNone(typed(), true)) offer(NONE);
      }
      for (const one of offered) offer(one, lines?.get(one.identifier));
      next = body.next;
      // A page on which everything was taken before shows nothing to go on from
      if (listed.length === 0 && next !== null) return await fill(next, first);
      if (first) {
        if (listed.length === 0) list.prepend(h("li", NOBODY, summary()));
        called.replaceChildren(...isLoose ? [" “", isolated(input.value), "”"] : []);
        list.scrollTop = 0;
        list.hidden = false;
        input.ariaExpanded = "true";
        activate(isLoose ? likeliest(read) : -1);
      }
      status.textContent = summary();
    } catch (error) {
      if (signal.aborted) return;
      refuse(unread(error));
    }
    reading = false;
  }

  /** The place of the last that can be active. */
  const last = () => fresh ? listed.length : listed.length - 1;

  /** @param {Candidate} candidate */
  const isTyped = ({ text }) => text.toLowerCase() === input.value.toLowerCase();

  /**
   * The place of the candidate that the typed text means most likely: the one that has it, else the first. None, where
   * the one that has it is not offered.
   * @param {Candidate[]} read
   */
  function likeliest(read) {
    const same = listed.findIndex(isTyped);
    if (same >= 0 || read.some(isTyped)) return same;
    return Math.max(listed.findIndex((one) => one !== NONE), last() < 0 ? -1 : 0);
  }

  /** Takes the active candidate. Where the list was not there yet, nobody has seen which that is: it is the only one. */
  async function enter() {
    const seen = listed[active];
    if (seen) return choose(seen);
    if (active >= 0) return await make();
    if (!isLoose) return close();
    if (!await find()) return;
    const likely = listed[active];
    if (active < 0) return await settle();
    const same = listed.filter(isTyped);
    if (next === null && (same.length || listed.length) === 1 && likely) choose(likely);
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

  /**
   * @param {Candidate} candidate
   * @param {string} [line] what tells it from another of its text
   */
  function offer(candidate, line) {
    const { identifier, text } = candidate;
    const isTaken = !isLoose && String(identifier) === sends();
    listed.push(candidate);
    const option = h(
      "li",
      { id: `${id}-${listed.length}`, role: "option", "aria-selected": String(isTaken) },
      isTaken && icon("check"),
      h("span", { dir: "auto", class: identifier === null && "quiet" }, text),
      h("code", {}, String(identifier)),
      line && h("small", { dir: "auto" }, line),
    );
    list.insertBefore(option, fresh || null);
  }

  /**
   * What tells those apart that have one text.
   * @param {Candidate[]} candidates
   * @param {AbortSignal} signal
   */
  async function linesOf(candidates, signal) {
    const texts = new Set(candidates.map(({ text }) => text.trim().toLowerCase()));
    if (!context || texts.size === candidates.length) return undefined;
    const { tellApart } = await import("./apart.js");
    // Without them there are the identifiers
    return await tellApart(context, target, candidates, signal).catch(() => undefined);
  }

  /** Has a person create a row, and takes it. */
  async function make() {
    const text = typed();
    close();
    isMaking = true;
    const { createRelated } = await import("./related.js");
    const made = context && await createRelated(context, target, text);
    isMaking = false;
    if (made) choose(made);
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
      await released(); // what is taken or told moves what is pressed
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
      // The first, where what was typed has no other active
      if (list.hidden) return await find() && activate(Math.max(active, Math.min(0, last())));
      if (active === listed.length - 1) await more();
      activate(Math.min(active + 1, last()));
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
  input.addEventListener("blur", () => isMaking || settle());
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
    else if (fresh && fresh.contains(/** @type {Node} */ (target))) make();
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
