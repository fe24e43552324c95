// The field for a relation: people pick a candidate by its text, and the form sends its identifier. The
// server searches and pages. The keys follow the ARIA Authoring Practices, "Combobox".
import { ask, element } from "./contract.js";

/** Milliseconds without a key before the search begins. */
const PAUSE = 150;

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.url where the candidates are listed
 * @param {string} options.described the identifiers of the elements that describe the field
 */
export function combobox({ id, url, described }) {
  const list = element("ul", { id: `${id}-list`, role: "listbox", "aria-label": "Candidates" });
  const input = element("input", {
    id,
    type: "text",
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Search by text",
    "aria-autocomplete": "list",
    "aria-controls": list.id,
    "aria-expanded": "false",
    "aria-describedby": `${id}-chosen ${described}`,
  });
  const chosen = element("p", { id: `${id}-chosen`, class: "hint", role: "status" });
  list.hidden = true;

  /** @type {number | undefined} */
  let identifier;
  /** @type {string | null} */
  let next = null;
  let active = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let search = new AbortController();
  let reading = false;

  const options = () => /** @type {HTMLElement[]} */ ([...list.children]);

  /** @param {boolean} open */
  function show(open) {
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (!open) activate(-1);
  }

  function close() {
    clearTimeout(timer);
    search.abort();
    show(false);
    if (identifier !== undefined) chosen.textContent = `Sends the identifier ${identifier}`;
  }

  /** @param {number} index */
  function activate(index) {
    options()[active]?.setAttribute("aria-selected", "false");
    active = index;
    const option = options()[index];
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  }

  /** @param {HTMLElement} option */
  function choose(option) {
    identifier = Number(option.dataset["identifier"]);
    input.value = option.dataset["text"] ?? "";
    close();
  }

  /** Lists the candidates whose text contains the typed one. */
  async function find() {
    clearTimeout(timer);
    search.abort();
    search = new AbortController();
    reading = false;
    await read(`${url}?q=${encodeURIComponent(input.value)}`, true);
  }

  /** Appends the next page, if there is one. */
  async function more() {
    if (next !== null && !reading) await read(next, false);
  }

  /**
   * @param {string} path
   * @param {boolean} first
   */
  async function read(path, first) {
    const { signal } = search;
    reading = true;
    try {
      const { ok, body } = await ask("GET", path, undefined, signal);
      if (!ok) throw new Error(body.detail);
      if (first) list.replaceChildren();
      for (const [key, text] of Object.entries(body.choices)) list.append(candidate(key, text));
      next = body.next;
      if (first) {
        activate(-1);
        list.scrollTop = 0;
        show(list.children.length > 0);
      }
      chosen.textContent = summary();
    } catch (error) {
      if (signal.aborted) return;
      chosen.textContent = `The candidates cannot be read: ${/** @type {Error} */ (error).message}`;
    }
    reading = false;
  }

  function summary() {
    const count = list.children.length;
    if (count === 0) return "No candidate contains this text";
    return `${count} candidate${count === 1 ? "" : "s"}${next === null ? "" : ", and more below"}`;
  }

  /**
   * @param {string} key
   * @param {string} text
   */
  function candidate(key, text) {
    const attributes = { id: `${id}-${key}`, role: "option", "aria-selected": "false" };
    const option = element("li", attributes, text, " ", element("small", {}, key));
    Object.assign(option.dataset, { identifier: key, text });
    return option;
  }

  /** @type {Record<string, () => void | Promise<void>>} */
  const keys = {
    ArrowDown: async () => {
      if (list.hidden) await find();
      else if (active === options().length - 1) await more();
      if (list.hidden) return; // the field was left before the answer came, or there is no candidate
      activate(Math.min(active + 1, options().length - 1));
    },
    ArrowUp: () => list.hidden ? undefined : activate(Math.max(active - 1, -1)),
    Enter: () => choose(/** @type {HTMLElement} */ (options()[active])),
    Escape: () => {
      if (list.hidden) {
        input.value = "";
        forget();
      }
      close();
    },
  };

  function forget() {
    identifier = undefined;
    chosen.textContent = "";
  }

  input.addEventListener("input", () => {
    forget();
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    // Without an active candidate, Enter sends the form, as in any other field
    if (event.key === "Enter" && (list.hidden || active < 0)) return;
    event.preventDefault();
    act();
  });
  input.addEventListener("click", () => list.hidden && find());
  input.addEventListener("blur", close);
  list.addEventListener("scroll", () => {
    if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) more();
  });
  // The focus stays in the field
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const option = /** @type {HTMLElement} */ (target).closest("li");
    if (option) choose(option);
  });

  return {
    input,
    parts: [element("div", { class: "combobox" }, input, list), chosen],
    /** The identifier to send; undefined if none was picked. */
    value: () => identifier,
  };
}
