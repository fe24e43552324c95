// A list: searched, narrowed, sorted, a page at a time. Its address is the request.
import { pageAddress } from "./address.js";
import { chips } from "./chips.js";
import { readJson } from "./client.js";
import { columns } from "./columns.js";
import { button, h, icon, kbd, present, say } from "./dom.js";
import { exportButton } from "./export.js";
import { filterable, filterPanel } from "./filters.js";
import { followTable } from "./follow.js";
import { heading, headline, importLink, newRow } from "./heading.js";
import { naming } from "./names.js";
import { pagesOf } from "./pages.js";
import { requestLine } from "./request.js";
import { boneLines, columnHead, line, mainOf, redraw, sideOf, tableElement } from "./table.js";
import { asked, isTagged, remember, requestOfList } from "./trail.js";
import { labelled } from "./values.js";
import { viewSaver } from "./views.js";

/** The parameters that are no filters. */
const OTHERS = ["q", "sort", "limit", "cursor", "count", "etags"];

/** @type {import("./docs.js").Draw} */
export function listView(context) {
  const { contract, resource, path, query, may, signal } = context;
  const title = headline(resource.many);
  const follows = resource.follows && query.size === 0;
  // Rows that appear by themselves come without their tags, under which alone they could be changed
  const isTicked = isTagged(resource, query) && (may("patch") || may("delete"));
  const address = requestOfList(resource, query);
  const ordered = asked(resource, query);
  const asJson = h(
    "a",
    { class: "copy for-developers", href: pageAddress(path, ordered, "json") },
    "JSON",
  );
  const request = requestLine(() => ({ method: "GET", path: address }), address, asJson);
  const filters = [...query].filter(([name]) => !OTHERS.includes(name));
  const isNarrowed = filters.length > 0 || query.has("q");
  const sort = ordered.get("sort") ?? resource.sort;
  /** Draws the rows again, once they are there. */
  let again = () => {};
  const choice = columns(context, sort, change, () => again());

  /**
   * Goes to the list with other parameters, from its first page.
   * @param {(query: URLSearchParams) => void} make
   */
  function change(make) {
    const next = new URLSearchParams(query);
    next.delete("cursor");
    make(next);
    go(pageAddress(path, next));
  }

  /** Whether nothing would be lost, or somebody agrees to that. */
  let mayLeave = () => true;
  /** @type {import("./docs.js").Context["go"]} */
  const go = (address, state) => void (mayLeave() && context.go(address, state));

  const toolbar = h(
    "div",
    { class: "toolbar" },
    search(context, change),
    chips(context, filters, change),
    resource.filters.length > 0 && filterPanel(context, change),
    viewSaver(context),
    h("span", { class: "grow" }),
    choice.element,
  );
  const heads = () =>
    choice.shown().map((field) =>
      filterable(resource, field, sortHead(resource, field, sort, change))
    );
  /** Gives names to what is drawn again. */
  let name = (/** @type {HTMLElement} */ _element) => {};
  /** @param {any} row */
  function lineOf(row) {
    const made = line(contract, resource, row, choice.shown());
    name(made);
    return made;
  }

  async function body() {
    const [{ body: page }, ticking] = await Promise.all([
      readJson(address, signal),
      isTicked ? import("./ticks.js") : undefined,
    ]);
    const { items, etags } = page;
    const { place, next } = remember(resource, query, page);
    // The focus stays where the list was searched, narrowed or sorted
    if (query.size > 0) say(found(resource, items.length, next));
    const none = items.length === 0 && !query.has("cursor") && empty(context, isNarrowed);
    if (none && !follows) return none;
    const ticks = ticking?.ticks(context, items, etags, lineOf);
    if (ticks) mayLeave = ticks.mayLeave;
    const allHeads = () => [...ticks ? [ticks.head] : [], ...heads()];
    const made = tableElement(title, allHeads(), ticks ? ticks.lines : items.map(lineOf));
    name = naming(context);
    name(made);
    again = () => {
      redraw(made, allHeads(), ticks ? undefined : items.map(lineOf));
      ticks?.redraw();
    };
    const foot = pagesOf({ ...context, go }, items.length, next, place, change);
    const whole = present([made, foot.element, ticks?.bar]);
    if (follows) {
      const live = followTable(context, made, lineOf, items, (known) => {
        if (none) none.replaceWith(...whole);
        foot.showCount(items.length, foot.isWhole && items.length === known);
      });
      whole.unshift(live.waiting);
      choice.element.before(live.choice);
    }
    choice.element.before(...present([ticks?.toggle, exportButton(context, address)]));
    return none || whole;
  }

  return {
    head: [
      heading({
        text: title,
        resource,
        tab: "Rows",
        operation: resource.operations["list"],
        actions: [importLink(context), newRow(context)],
      }),
      request.element,
      toolbar,
    ],
    bones: tableElement(title, heads(), boneLines(choice.shown()), { "aria-busy": "true" }),
    body: body(),
  };
}

/**
 * @param {import("./docs.js").Context} context
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
function search({ resource, query }, change) {
  if (!resource.parameters.some(({ name }) => name === "q")) return undefined;
  const words = `Search by ${resource.fields.find(({ name }) => name === resource.display)?.label}`;
  const input = h("input", {
    type: "search",
    id: "q",
    placeholder: words,
    value: query.get("q") ?? "",
    autocomplete: "off",
    dir: "auto",
  });
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    change((next) => input.value === "" ? next.delete("q") : next.set("q", input.value));
  }
  return h(
    "form",
    { class: "search", role: "search", onsubmit: submit },
    icon("search"),
    h("label", { class: "unseen", for: "q" }, words),
    input,
    kbd("/"),
  );
}

/**
 * @param {import("./contract.js").Resource} resource
 * @param {import("./contract.js").Field} field
 * @param {string} sort
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
function sortHead(resource, field, sort, change) {
  const by = sortOf(resource, field);
  const isActive = by !== undefined && sort.replace("-", "") === by;
  const isDown = sort.startsWith("-");
  const isMain = field.name === mainOf(resource);
  const common = { class: `${sideOf(field)}${isMain ? " main" : ""}` };
  if (by === undefined) return columnHead(field, common);
  const turned = isActive && !isDown ? `-${by}` : by;
  return columnHead(
    field,
    { ...common, "aria-sort": isActive ? (isDown ? "descending" : "ascending") : undefined },
    button([h("span", {}, labelled(field)), isActive && icon(isDown ? "down" : "up")], {
      class: "sort",
      id: `sort-${field.name}`,
      title: `Sort by ${field.label}${turned === by ? "" : ", descending"}`,
      onclick: () => change((next) => next.set("sort", turned)),
    }),
  );
}

/**
 * What a column is sorted by: itself, or the text of the row that it refers to.
 * @param {import("./contract.js").Resource} resource
 * @param {import("./contract.js").Field} field
 */
const sortOf = ({ sorts, key, byKey }, { name, kind }) =>
  [name === key ? byKey : name].find((by) => sorts.includes(by)) ??
    sorts.find((by) => kind === "relation" && by.startsWith(`${name}__`));

/**
 * What came of a search, for a screen reader.
 * @param {import("./contract.js").Resource} resource
 * @param {number} count
 * @param {string | undefined} next
 */
function found({ one }, count, next) {
  if (count === 0) return `No ${one} matches`;
  return `${count} ${count === 1 ? "row" : "rows"}${next === undefined ? "" : ", and more"}`;
}

/**
 * @param {import("./docs.js").Context} context
 * @param {boolean} isNarrowed
 */
function empty({ resource, may, path }, isNarrowed) {
  const { one, many } = resource;
  return h(
    "div",
    { class: "blank" },
    h("h2", {}, isNarrowed ? `No ${one} matches` : `There are no ${many} yet`),
    h(
      "p",
      { class: "quiet" },
      isNarrowed
        ? "Every filter narrows the others; taking one away shows more."
        : "What is created appears here.",
    ),
    isNarrowed
      ? h("a", { class: "button", href: pageAddress(path) }, "Clear search and filters")
      : may("create") &&
        h(
          "a",
          { class: "button primary", href: pageAddress(resource.path, "", "new") },
          `Create a ${one}`,
        ),
  );
}
