// A list: searched, narrowed, sorted, a page at a time. Its address is the request.
import { pageAddress } from "./address.js";
import { chips } from "./chips.js";
import { readJson } from "./client.js";
import { columns } from "./columns.js";
import { countButton } from "./counter.js";
import { button, h, icon, kbd, say, unseen } from "./dom.js";
import { filterable, filterPanel } from "./filters.js";
import { followTable } from "./follow.js";
import { heading, headline, newRow } from "./heading.js";
import { requestLine } from "./request.js";
import { boneLines, columnHead, line, tableElement } from "./table.js";
import { viewSaver } from "./views.js";

/** The parameters that are no filters. */
const OTHERS = ["q", "sort", "limit", "cursor", "count", "etags"];

/** @type {import("./docs.js").Draw} */
export function listView(context) {
  const { contract, resource, path, query, signal } = context;
  const fields = resource.columns;
  const title = headline(resource.many);
  const asked = newestFirst(resource, query);
  const address = `${path}${asked.size > 0 ? `?${asked}` : ""}`;
  const asJson = h(
    "a",
    { class: "copy for-developers", href: pageAddress(path, asked, "json") },
    "JSON",
  );
  const request = requestLine(() => ({ method: "GET", path: address }), address, asJson);
  const filters = [...query].filter(([name]) => !OTHERS.includes(name));
  const isNarrowed = filters.length > 0 || query.has("q");
  const sort = asked.get("sort") ?? resource.sort;
  const choice = columns(context, sort, change);

  /**
   * Goes to the list with other parameters, from its first page.
   * @param {(query: URLSearchParams) => void} make
   */
  function change(make) {
    const next = new URLSearchParams(query);
    next.delete("cursor");
    make(next);
    context.go(pageAddress(path, next));
  }

  const toolbar = h(
    "div",
    { class: "toolbar" },
    search(context, change),
    chips(context, filters, change),
    resource.filters.length > 0 && filterPanel(context, change),
    viewSaver(context),
    h("span", { class: "grow" }),
  );
  const heads = () =>
    fields.map((field) => filterable(resource, field, sortHead(resource, field, sort, change)));

  async function body() {
    const { body: { items, next } } = await readJson(address, signal);
    const follows = resource.follows && query.size === 0;
    // The focus stays where the list was searched or narrowed
    if (isNarrowed) say(found(resource, items.length, next));
    const none = items.length === 0 && !query.has("cursor") && empty(context, isNarrowed);
    if (none && !follows) return none;
    const lines = items.map((/** @type {any} */ row) => line(contract, resource, row));
    const made = choice.fit(tableElement(title, heads(), lines));
    const foot = pages(context, asked, items.length, next);
    const whole = [made, foot.element];
    if (follows) {
      const live = followTable(context, made, choice.fit, items, (count, known) => {
        if (none) none.replaceWith(...whole);
        foot.showCount(count, foot.isWhole && count === known);
      });
      whole.unshift(live.waiting);
      toolbar.append(live.choice);
    }
    toolbar.append(choice.element);
    choice.goOn();
    return none || whole;
  }

  return {
    head: [
      heading({
        text: title,
        resource,
        tab: "Rows",
        operation: resource.operations["list"],
        actions: newRow(context),
      }),
      request.element,
      toolbar,
    ],
    bones: choice.fit(tableElement(title, heads(), boneLines(fields), { "aria-busy": "true" })),
    body: body(),
  };
}

/**
 * Newest first, unless the address or the resource itself says otherwise.
 * @param {import("./contract.js").Resource} resource
 * @param {URLSearchParams} query
 */
function newestFirst({ sort, newest }, query) {
  const asked = new URLSearchParams(query);
  if (!asked.has("sort") && sort !== newest) asked.set("sort", newest);
  return asked;
}

/**
 * @param {import("./docs.js").Context} context
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
function search({ resource, query }, change) {
  if (!resource.parameters.some(({ name }) => name === "q")) return undefined;
  const words = `Search by ${resource.display}`;
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
  if (by === undefined) return columnHead(field);
  const turned = isActive && !isDown ? `-${by}` : by;
  return columnHead(
    field,
    { "aria-sort": isActive ? (isDown ? "descending" : "ascending") : undefined },
    button([field.name, isActive && icon(isDown ? "down" : "up")], {
      class: "sort",
      id: `sort-${field.name}`,
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
 * @param {string | null} next
 */
function found({ one }, count, next) {
  if (count === 0) return `No ${one} matches`;
  return `${count} ${count === 1 ? "row" : "rows"}${next === null ? "" : ", and more"}`;
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

/**
 * How many, and the pages before and after.
 * @param {import("./docs.js").Context} context
 * @param {URLSearchParams} asked
 * @param {number} count
 * @param {string | null} next
 */
function pages({ resource, signal, path, query, go, isNext }, asked, count, next) {
  const isWhole = next === null && !query.has("cursor");
  const first = new URLSearchParams(query);
  first.delete("cursor");
  const previous = isNext
    ? button([icon("left"), "Previous"], { id: "previous", onclick: () => history.back() })
    : query.has("cursor") &&
      h(
        "a",
        { class: "button", id: "previous", href: pageAddress(path, first) },
        icon("left"),
        "First",
      );
  const line = h("p", { class: "quiet" });
  const all = h(
    "span",
    {},
    " on this page · ",
    countButton(resource, asked, "count all that match", signal, (count) => `${count} match`),
  );
  /** @param {number} count @param {boolean} isAll */
  function showCount(count, isAll) {
    const number = h("span", { class: "number" }, String(count));
    line.replaceChildren(number, count === 1 ? " row" : " rows", isAll ? "" : all);
  }
  showCount(count, isWhole);
  const element = h(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    line,
    previous,
    next !== null &&
      h(
        "a",
        {
          class: "button",
          id: "next",
          href: `#${next}`,
          onclick: (/** @type {Event} */ event) => {
            event.preventDefault();
            go(`#${next}`, { isNext: true });
          },
        },
        "Next",
        unseen(" page"),
        icon("right"),
      ),
  );
  return { element, isWhole, showCount };
}
