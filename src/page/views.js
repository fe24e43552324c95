// Views: queries of a list that a person has given names. The browser keeps them, and the side lists them.
import { pageAddress } from "./address.js";
import { root } from "./client.js";
import { dialog } from "./dialog.js";
import { button, h } from "./dom.js";
import { inBrowser } from "./keep.js";

/** @typedef {import("./contract.js").Resource} Resource */
/** @typedef {[name: string, query: string]} SavedView */

/** @param {Resource} resource */
const keyOf = ({ name }) => `${root} views of ${name}`;

/**
 * @param {Resource} resource
 * @returns {SavedView[]}
 */
const viewsOf = (resource) => JSON.parse(inBrowser.get(keyOf(resource)) ?? "[]");

/** The lists in the side that are shown, by their resources. @type {Map<Resource, HTMLElement>} */
const shown = new Map();

/**
 * @param {Resource} resource
 * @param {SavedView[]} views
 */
function keep(resource, views) {
  inBrowser.set(keyOf(resource), JSON.stringify(views));
  shown.get(resource)?.replaceWith(viewList(resource));
}

/**
 * The views of a resource, to be opened, renamed and removed.
 * @param {Resource} resource
 * @returns {HTMLElement}
 */
export function viewList(resource) {
  const made = h(
    "ul",
    { class: "views" },
    viewsOf(resource).map(([name, query]) =>
      h(
        "li",
        { "data-name": `${resource.many} ${name}` },
        h("a", { href: pageAddress(resource.path, query), dir: "auto" }, name),
        button("…", {
          class: "icon-button",
          "aria-label": `Rename or remove the view ${name}`,
          onclick: () => ask(resource, name, query),
        }),
      )
    ),
  );
  shown.set(resource, made);
  return made;
}

/**
 * Asks what a view is called, and keeps it under that name; a former one goes.
 * @param {Resource} resource
 * @param {string} former its name; "" where it is new
 * @param {string} query
 */
function ask(resource, former, query) {
  const input = h("input", {
    id: "view-name",
    required: true,
    pattern: ".*\\S.*", // without a name it could not be opened
    autocomplete: "off",
    dir: "auto",
    value: former,
  });
  // Another tab may keep one meanwhile
  const others = () => viewsOf(resource).filter(([name]) => name !== former);
  function remove() {
    keep(resource, others());
    made.close();
  }
  function save() {
    const name = input.value.trim();
    keep(resource, [...others().filter(([other]) => other !== name), [name, query]]);
  }
  const made = dialog(
    former ? "Rename or remove this view" : "Save this view",
    {
      closed() {
        made.remove();
        // What opened it may be another by now
        if (document.activeElement !== document.body) return;
        shown.get(resource)?.closest("li")?.querySelector("a")?.focus();
      },
    },
    h("p", { class: "quiet" }, "This browser keeps it. It is in the side, under its resource."),
    h(
      "form",
      { method: "dialog", onsubmit: save },
      h("div", { class: "field" }, h("label", { for: input.id }, "Name"), input),
      h(
        "div",
        { class: "buttons" },
        former && button("Remove it", { class: "button danger", onclick: remove }),
        button("Cancel", { onclick: () => made.close() }),
        button("Save", { type: "submit", class: "button primary" }),
      ),
    ),
  );
  input.focus();
}

/**
 * Offers to save what a list is asked, if it is asked anything and that has no name yet.
 * @param {import("./docs.js").Context} context
 */
export function viewSaver({ resource, query }) {
  const asked = new URLSearchParams(query);
  asked.delete("cursor");
  const text = String(asked);
  if (text === "" || viewsOf(resource).some(([, query]) => query === text)) return undefined;
  return button("Save this view…", {
    class: "quiet-button",
    onclick: () => ask(resource, "", text),
  });
}
