// Finds resources, operations, their parameters, and fields in the whole contract, as one types.
import { pageAddress } from "./address.js";
import { h, icon, kbd, say } from "./dom.js";

/** The most that are listed. */
const MOST = 20;

/** @typedef {{ words: string, kind: string, href: string }} Found */

/**
 * @param {import("./contract.js").Contract} contract
 * @returns {Found[]}
 */
const indexOf = (contract) =>
  [...contract.resources, ...contract.actions].flatMap((resource) => {
    const { many, kind, path, fields, inputs, all } = resource;
    /** @param {string} part */
    const href = (part) => pageAddress(path, "", `reference${part && `.${part}`}`);
    const names = new Set([...inputs, ...fields].map(({ name }) => name));
    return [
      { words: many, kind, href: href("") },
      ...all.flatMap(({ method, path, described: { summary, operationId, parameters } }) => [
        {
          words: `${summary} · ${method} ${path}`,
          kind: "operation",
          href: href(operationId),
        },
        ...parameters.flatMap((/** @type {{ name: string, in: string }} */ one) =>
          one.in === "query"
            ? { words: `${one.name}= · ${summary}`, kind: "parameter", href: href(operationId) }
            : []
        ),
      ]),
      ...[...names].map((name) => ({
        words: `${name} of ${many}`,
        kind: "field",
        href: href(`field_${name}`),
      })),
    ];
  });

/**
 * The field to search by, and below it what was found.
 * @param {import("./docs.js").Context} context
 */
export function searchField({ contract, go }) {
  const words = "Search operations and fields";
  const index = indexOf(contract);
  const list = h("ul", { class: "found", "aria-label": "Found", hidden: true });
  const input = h("input", {
    type: "search",
    id: "q",
    placeholder: words,
    autocomplete: "off",
    dir: "auto",
    oninput: show,
  });

  function show() {
    const parts = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = parts.length === 0 ? [] : index
      .filter(({ words }) => parts.every((part) => words.toLowerCase().includes(part)))
      // Names before what only contains them
      .sort((one, other) => one.words.length - other.words.length);
    list.replaceChildren(
      ...found.slice(0, MOST).map(({ words, kind, href }) =>
        h("li", {}, h("a", { href }, words, h("span", { class: "quiet" }, kind)))
      ),
    );
    if (found.length !== list.children.length) {
      list.append(h("li", { class: "quiet" }, `${found.length - MOST} more: type another word`));
    } else if (found.length === 0) {
      list.append(h("li", { class: "quiet" }, "Nothing has this name"));
    }
    list.hidden = parts.length === 0;
    if (parts.length > 0) say(`${found.length} found`);
  }
  /** @param {KeyboardEvent} event */
  function move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || list.hidden) return;
    event.preventDefault();
    const stops = [input, ...list.querySelectorAll("a")];
    const at = stops.indexOf(/** @type {HTMLInputElement} */ (document.activeElement));
    stops[Math.max(0, Math.min(at + by, stops.length - 1))]?.focus();
  }
  /** @param {SubmitEvent} event */
  function open(event) {
    event.preventDefault();
    const href = list.querySelector("a")?.getAttribute("href");
    if (href) go(href);
  }
  return h(
    "form",
    { class: "search find", role: "search", onsubmit: open, onkeydown: move },
    icon("search"),
    h("label", { class: "unseen", for: "q" }, words),
    input,
    kbd("/"),
    list,
  );
}
