// Another was faster: a merge of three versions. What only one changed is kept; where both did, a person
// chooses.
import { pageAddress } from "./address.js";
import { button, h, isolated, note, say } from "./dom.js";
import { sends } from "./sends.js";
import { showRefused } from "./states.js";
import { submitting } from "./submit.js";
import { cell, grid, rowTitle, tr } from "./table.js";
import { labelled } from "./values.js";
import { changedFields, changeOf, draftOf, part } from "./versions.js";

/** @typedef {import("./versions.js").Version} Version */
/** @typedef {import("./contract.js").Field} Field */

/**
 * @typedef {object} Versions
 * @property {Version} before what both began with
 * @property {Version} mine
 * @property {import("./save.js").Stored} theirs the row that is there now
 * @property {(merged: Version) => Promise<import("./client.js").Answer | undefined>} save gives why it was
 *   refused
 * @property {(merged: Version, refusal: import("./client.js").Answer) => void} reopen
 */

/**
 * Shows both versions.
 * @param {import("./form.js").Place} place
 * @param {Versions} versions
 */
export function conflict(place, { before, mine, theirs, save, reopen }) {
  const { context, fields, texts, trouble } = place;
  const { path } = context;
  const byMe = changedFields(fields, before, mine);
  const byThem = changedFields(fields, before, theirs.version);
  const both = changedFields(byMe, theirs.version, mine).filter((field) => byThem.includes(field));
  const byOne = fields.filter((field) =>
    !both.includes(field) && (byMe.includes(field) || byThem.includes(field))
  );
  const versions = { mine, theirs: theirs.version };
  const picks = new Map(
    both.map((field) => [
      field.name,
      { mine: pick(field, "mine"), theirs: pick(field, "theirs") },
    ]),
  );
  const merged = () => ({
    ...theirs.version,
    ...part(byMe.filter(({ name }) => !picks.get(name)?.theirs.checked), mine),
  });
  const sent = sends(
    fields,
    () => changeOf(context, fields, theirs, merged()),
    ["Under ", h("code", {}, `If-Match ${theirs.etag}`), ", the version that is there now."],
  );

  /**
   * @param {Field} field
   * @param {"mine" | "theirs"} whose
   */
  function pick({ name, label }, whose) {
    return h("input", {
      type: "radio",
      name,
      value: whose,
      checked: whose === "mine",
      "aria-label": `${label}: ${whose}`,
      onchange: () => sent.draw(),
    });
  }

  /** @param {"mine" | "theirs"} whose */
  function pickAll(whose) {
    for (const pair of picks.values()) pair[whose].checked = true;
    sent.draw();
  }

  /**
   * @param {Field} field
   * @param {any} value
   */
  function shown(field, value) {
    if (field.kind !== "many" || value.length === 0) return isolated(texts.describe(field, value));
    const tokens = value.map((/** @type {number} */ one) =>
      h("li", { class: "token" }, isolated(texts.describe(field, one)))
    );
    return h("ul", { class: "tokens" }, tokens);
  }

  /**
   * @param {Field} field
   * @param {"mine" | "theirs"} whose
   */
  function versionCell(field, whose) {
    const input = picks.get(field.name)?.[whose];
    const isChanged = (whose === "mine" ? byMe : byThem).includes(field);
    const value = shown(field, versions[whose][field.name]);
    return cell(
      whose,
      input
        ? h("label", { class: "pick" }, input, value)
        : isChanged
        ? value
        : h("span", { class: "quiet" }, "unchanged"),
      isChanged && !input && "changed",
    );
  }

  /** @param {Field} field */
  const row = (field) =>
    tr(
      rowTitle(labelled(field)),
      cell("before", shown(field, before[field.name]), "before"),
      versionCell(field, "mine"),
      versionCell(field, "theirs"),
    );

  async function send() {
    say("Saving");
    const answer = await save(merged());
    return answer && (() => refuse(answer));
  }

  /** @param {import("./client.js").Answer} answer */
  function refuse(answer) {
    if (answer.body?.errors) return reopen(merged(), answer);
    showRefused(trouble, context, answer, () => made.requestSubmit());
  }

  const choices = [
    h(
      "div",
      { class: "bar" },
      h("h2", {}, "Both versions"),
      both.length > 0 && [
        button("Take theirs", { onclick: () => pickAll("theirs") }),
        button("Keep mine", { onclick: () => pickAll("mine") }),
      ],
    ),
    grid(
      { class: "rows versions" },
      ["Field", "Before", "Mine", "Theirs"],
      [...both, ...byOne].map(row),
    ),
  ];
  const made = submitting(
    h(
      "form",
      { class: "conflict", "aria-label": "Both versions" },
      choices,
      h(
        "div",
        { class: "buttons" },
        button("Save this", { type: "submit", class: "button primary" }),
        h("a", { class: "button", href: pageAddress(path) }, "Throw my changes away"),
      ),
    ),
    choices,
    trouble,
    send,
  );
  sent.draw();
  context.guard(() => true, () => draftOf(place.name, merged(), theirs));
  const count = both.length === 1 ? "1 field" : `${both.length} fields`;
  place.show(
    ["Another was faster"],
    made,
    sent.element,
    note(
      "",
      "Not saved: the row was changed while you edited it",
      h(
        "p",
        {},
        h("code", { class: "for-developers" }, "412 "),
        "Nothing is lost. What only one of you changed is kept",
        both.length > 0 && ["; for the ", h("b", {}, count), " that you both changed, choose"],
        ". Marked is what will be stored.",
      ),
    ),
  );
}
