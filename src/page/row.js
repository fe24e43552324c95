// A row: its fields with its relations opened one level, who refers to it, what became of it, and the JSON of the API.
import { pageAddress } from "./address.js";
import { besides } from "./beside.js";
import { ask, Refusal } from "./client.js";
import { changeable, isHidden, nameOfRow, pathOfRow, pathWith, rowOfAction } from "./contract.js";
import { button, deprecatedBadge, entry, h, isolated, kbd, note, say } from "./dom.js";
import { heading, headline, newRow } from "./heading.js";
import { jsonOf, pretty } from "./json.js";
import { naming } from "./names.js";
import { referrers } from "./referrers.js";
import { code, copy, requestLine } from "./request.js";
import { byIdentifier } from "./unlisted.js";
import { shownValue } from "./kinds.js";
import { rowLink } from "./values.js";
import { asWritten, draftOf, madeAnew } from "./versions.js";

/**
 * @param {import("./docs.js").Context} context
 * @param {(answer: import("./client.js").Answer) => void} [found] called with the row, if it is there
 * @returns {import("./docs.js").View}
 */
export function row(context, found) {
  const { contract, resource, path, identifier, may, saved, undo, signal } = context;
  const { operations } = resource;
  const line = requestLine(() => ({ method: "GET", path }));
  const isLast = identifier === undefined;
  /** There is something to copy once the row is read. */
  const duplicate = button("Duplicate", { disabled: true });
  const head = heading({
    // Where only the newest is read, that stands for the list
    ...(path === resource.path ? { resource, tab: "Rows" } : {
      crumbs: [
        [headline(resource.many), context.list],
        [identifier ?? "last", pageAddress(path)],
      ],
      besides: besides(context),
    }),
    text: `${resource.one} ${identifier ?? ""}`,
    operation: operations[isLast ? "last" : "read"],
    actions: isLast ? newRow(context) : [
      ...actionsOf(context),
      (may("patch") || may("replace")) &&
      h("a", { class: "button", href: pageAddress(path, "", "edit") }, "Edit", kbd("e")),
      may("create") && duplicate,
      may("delete") &&
      h("a", { class: "button danger", href: pageAddress(path, "", "delete") }, "Delete"),
    ],
  });

  const name = /** @type {HTMLElement} */ (head.querySelector("h1"));

  async function body() {
    const answer = await ask("GET", path, { signal });
    line.showAnswer(String(answer.status));
    const past = may("changes") ? await import("./history.js") : undefined;
    if (answer.status === 404) return missing(past);
    if (!answer.ok) throw new Refusal(answer);
    const { headers, body: whole } = answer;
    line.showAnswer(`ETag ${headers.get("etag")}`);
    name.textContent = nameOfRow(resource, whole);
    found?.(answer);
    duplicate.disabled = false;
    duplicate.addEventListener("click", () => openCopy(context, whole));
    if (saved) say("Saved");
    const fields = h(
      "dl",
      { class: "fields" },
      (isLast ? resource.columns : resource.fields).map((field) => member(field, whole)),
    );
    naming(context)(fields);
    return [
      saved &&
      savedNote(
        context,
        resource.fields.filter(({ name }) => saved.includes(name)),
        undo && (await import("./undo.js")).undoButton(context, undo),
      ),
      h(
        "div",
        { class: "split" },
        h(
          "div",
          {},
          fields,
          referrers(context, resource.identifierOf(whole)),
          past?.historyOf(context, resource.identifierOf(whole)),
        ),
        h(
          "aside",
          { "aria-label": "As the API gives it", class: "for-developers" },
          code("Read", jsonOf(whole, resource.fields), copy("JSON", () => pretty(whole))),
        ),
      ),
    ];
  }

  /** @param {typeof import("./history.js") | undefined} past */
  async function missing(past) {
    name.textContent = `There is no ${resource.one} ${identifier ?? "yet"}`;
    if (identifier === undefined) return [];
    head.querySelector(".actions")?.replaceChildren();
    return [
      h(
        "p",
        {},
        h("a", { class: "button", href: pageAddress(resource.path) }, `All ${resource.many}`),
      ),
      await past?.historyOfGone(context, identifier),
    ];
  }

  /**
   * @param {import("./contract.js").Field} field
   * @param {any} whole
   */
  function member(field, whole) {
    const isKey = field.name === resource.key;
    const value = isKey ? resource.identifierOf(whole) : whole[field.name];
    const isOpened = field.kind === "relation" && field.isObject && value !== null &&
      !isHidden(contract.resource(field.target ?? ""), value);
    const own = isLast && isKey ? pathOfRow(resource, value) : undefined;
    return entry(
      [field.label, deprecatedBadge(field.isDeprecated)],
      isOpened
        ? nested(contract, field, value)
        : own
        ? h("a", { href: pageAddress(own) }, String(value))
        : shownValue(contract, field, value),
      { class: saved?.includes(field.name) ? "changed" : "" },
    );
  }

  const others = isLast && !operations["list"] && operations["read"] && byIdentifier(context);
  return { head: [head, line.element, others], body: body() };
}

/**
 * Opens the form of a new row with what another has.
 * @param {import("./docs.js").Context} context
 * @param {any} whole the other one
 */
function openCopy({ contract, resource, go }, whole) {
  const copied = changeable(resource);
  const version = madeAnew(copied, asWritten(contract, copied, whole));
  go(pageAddress(resource.path, "", "new"), { draft: draftOf("", version, undefined) });
}

/**
 * Links to the forms of the actions whose path begins with that of the row.
 * @param {import("./docs.js").Context} context
 */
const actionsOf = ({ contract, resource, identifier, may }) =>
  contract.actions.filter((action) => may("action", action)).map((action) => {
    const { resource: own, input } = rowOfAction(contract, action) ?? {};
    if (own !== resource || !input) return false;
    const path = pathWith(action.path, { [input.name]: identifier });
    return h(
      "a",
      { class: "button", href: pageAddress(path), title: action.description },
      headline(action.many),
    );
  });

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Field[]} fields
 * @param {import("./dom.js").Children} undo
 */
const savedNote = ({ resource: { many }, list }, fields, undo) =>
  note(
    "good",
    "Saved",
    fields.length > 0 &&
      h("p", {}, "Marked below: ", isolated(fields.map(({ label }) => label).join(", "))),
    undo,
    h("p", {}, h("a", { href: list }, `Back to the ${many}`)),
  );

/**
 * The object that a relation refers to.
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {any} value
 */
function nested(contract, field, value) {
  const target = contract.resource(field.target ?? "");
  const others = target.fields.filter(({ name }) => name !== target.key && name !== target.display);
  return h(
    "article",
    { class: "nested" },
    h(
      "header",
      {},
      rowLink(contract, field, value, { class: "strong" }),
      h("code", { class: "quiet" }, `${target.one} ${target.identifierOf(value)}`),
    ),
    h(
      "dl",
      {},
      others.map((other) => entry(other.label, shownValue(contract, other, value[other.name]))),
    ),
  );
}
