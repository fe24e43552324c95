// Finds resources, operations, their parameters, and fields in the whole contract, as one types.
import { pageAddress } from "./address.js";
import { h, icon, kbd, say } from "./dom.js";
import { placeOfParameter } from "./operation.js";

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
        ...parameters.map((/** @type {{ name: string }} */ { name }) => ({
          words: `${name} · ${summary}`,
          kind: "parameter",
          href: href(placeOfParameter(operationId, name)),
        })),
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
  const words = "Search the reference";
  const index = indexOf(contract);
  const list = h("ul", {
    class: "found",
    "aria-label": "Found",
    hidden: true,
    // The focus stays in the field, and so the list open
    onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
  });
  const input = h("input", {
    type: "search",
    id: "q",
    placeholder: words,
    autocomplete: "off",
    dir: "auto",
    oninput: show,
    onfocus: show,
  });

  function show() {
    const parts = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = parts.length === 0 ? [] : index
      .filter(({ words }) => parts.every((part) => words.toLowerCase().includes(part)))
      // Names before what only contains them
      .sort((one, other) => one.words.length - other.words.length);
    list.replaceChildren(
      ...found.slice(0, MOST).map(({ words, kind, href }) =>
        h("li", {}, h("a", { href, onclick: lead }, words, h("span", { class: "quiet" }, kind)))
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
  /** Where one is already, a link does nothing by itself. @param {MouseEvent} event */
  function lead(event) {
    const { hash } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
    if (hash !== location.hash) return;
    event.preventDefault();
    go(hash);
  }
  /** @param {FocusEvent} event */
  function left({ relatedTarget }) {
    if (!form.contains(/** @type {Node | null} */ (relatedTarget))) list.hidden = true;
  }
  /** @param {KeyboardEvent} event */
  function move(event) {
    const { key } = event;
    if (list.hidden || !["ArrowDown", "ArrowUp", "Escape"].includes(key)) return;
    event.preventDefault();
    if (key === "Escape") {
      input.value = "";
      show();
      return input.focus();
    }
    const by = key === "ArrowDown" ? 1 : -1;
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
  const form = h(
    "form",
    { class: "search find", role: "search", onsubmit: open, onkeydown: move, onfocusout: left },
    icon("search"),
    h("label", { class: "unseen", for: "q" }, words),
    input,
    kbd("/"),
    list,
  );
  return form;
}
