// A long page in chapters, with a list of them beside it, each of which has an address.
import { pageAddress } from "./address.js";
import { beginAt, h } from "./dom.js";

/** @typedef {{ section: HTMLElement, link: HTMLElement }} Chapter */

/**
 * A chapter, and the link that leads to it.
 * @param {import("./docs.js").Context} context
 * @param {string} id
 * @param {object} names
 * @param {string} names.title
 * @param {string} [names.label] of the link
 * @param {string} [names.method] beside it
 * @param {import("./dom.js").Children[]} body
 * @returns {Chapter}
 */
export function chapter({ path, view }, id, { title, label = title, method }, ...body) {
  const href = pageAddress(path, "", `${view}.${id}`);
  /** @param {MouseEvent} event */
  function lead(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // to another tab
    event.preventDefault(); // the page is there already
    history.replaceState({ ...history.state, left: undefined, y: 0 }, "", href);
    beginAt(id);
  }
  return {
    section: h(
      "section",
      { class: "operation", "aria-labelledby": id },
      h("h2", { id, tabindex: "-1" }, title),
      ...body,
    ),
    link: h("a", { href, onclick: lead }, label, method && h("code", {}, method)),
  };
}

/** @param {Chapter[]} chapters */
export const withContents = (chapters) =>
  h(
    "div",
    { class: "reference" },
    h("article", {}, chapters.map(({ section }) => section)),
    h(
      "nav",
      { class: "toc", "aria-label": "On this page" },
      h("ul", {}, chapters.map(({ link }) => h("li", {}, link))),
    ),
  );
