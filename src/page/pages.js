// The foot of a list: which rows these are, how many there are, and the pages before and after.
import { pageAddress } from "./address.js";
import { countButton } from "./counter.js";
import { button, h, icon, unseen } from "./dom.js";

/** How many rows a page may have. */
const SIZES = [25, 50, 100, 200];

/**
 * @param {import("./docs.js").Context} context
 * @param {number} count of the rows on this page
 * @param {string | undefined} next the address of the next page
 * @param {import("./trail.js").PlaceOfPage | undefined} place
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
export function pagesOf(context, count, next, place, change) {
  const { resource, signal, path, query, go, isNext } = context;
  const isWhole = next === undefined && !query.has("cursor");
  const first = new URLSearchParams(query);
  first.delete("cursor");
  const previous = isNext
    ? button([icon("left"), "Previous"], { id: "previous", onclick: () => history.back() })
    : query.has("cursor") &&
      h(
        "a",
        { class: "button", id: "previous", href: place?.before ?? pageAddress(path, first) },
        icon("left"),
        place?.before ? "Previous" : "First",
      );
  const line = h("p", { class: "quiet" });
  const all = [
    " · ",
    countButton(resource, query, "count all that match", signal, (count) => `${count} match`),
  ];
  /** @param {number} count @param {boolean} isAll */
  function showCount(count, isAll) {
    const rows = count === 1 ? " row" : " rows";
    const isKnown = !isAll && place && count > 0;
    const last = (place?.from ?? 0) + count;
    line.replaceChildren(
      h("span", { class: "number" }, isKnown ? `${last - count + 1} to ${last}` : String(count)),
      ...(isKnown ? [next === undefined ? ` of ${last}` : ""] : [rows]),
      ...(isAll || isKnown && next === undefined ? [] : all),
    );
  }
  showCount(count, isWhole);
  const element = h(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    line,
    (!isWhole || count > Math.min(...SIZES)) && sizes(context, change),
    previous,
    next !== undefined &&
      h(
        "a",
        {
          class: "button",
          id: "next",
          href: next,
          onclick: (/** @type {Event} */ event) => {
            event.preventDefault();
            go(next, { isNext: true });
          },
        },
        "Next",
        unseen(" page"),
        icon("right"),
      ),
  );
  return { element, isWhole, showCount };
}

/**
 * How many rows a page has, as the address says.
 * @param {import("./docs.js").Context} context
 * @param {(make: (query: URLSearchParams) => void) => void} change
 */
function sizes({ resource, query }, change) {
  const { schema } = resource.parameters.find(({ name }) => name === "limit");
  const present = Number(query.get("limit") ?? schema.default);
  const offered = new Set([...SIZES.filter((size) => size <= schema.maximum), present]);
  const select = h(
    "select",
    {
      id: "limit",
      "aria-label": "Rows on a page",
      onchange: () =>
        change((next) =>
          select.value === String(schema.default)
            ? next.delete("limit")
            : next.set("limit", select.value)
        ),
    },
    [...offered].sort((a, b) => a - b).map((size) =>
      h("option", { value: size, selected: size === present }, `${size} rows a page`)
    ),
  );
  return select;
}
