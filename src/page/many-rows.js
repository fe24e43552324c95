// What is done with all rows that are ticked: one small form that changes them, one question before they are deleted.
import { conditionOf } from "./client.js";
import { changeable, pathFor } from "./contract.js";
import { dialog } from "./dialog.js";
import { button, h, isolated } from "./dom.js";
import { fieldOf } from "./field.js";
import { rowFields } from "./fields.js";
import { requestLine } from "./request.js";
import { changeOfSeen, changeSeen, deleteSeen } from "./send-many.js";
import { sends } from "./sends.js";
import { changedFields } from "./versions.js";

/** @typedef {import("./seen.js").Seen} Seen */
/** @typedef {import("./send-many.js").Place} Place */
/** @typedef {import("./versions.js").Version} Version */

/**
 * @typedef {object} Picked a field that is changed
 * @property {() => any} value
 * @property {() => boolean} adds whether a row keeps what it has
 * @property {() => Promise<boolean>} settle
 * @property {HTMLElement} control
 * @property {HTMLElement} element
 */

/** The most names of rows that a question lists. */
const NAMED = 10;

/**
 * Asks what to change, and changes it in each row.
 * @param {Place} place
 * @param {Seen[]} seen
 * @param {Version} given what was given the last time
 */
export function changeMany(place, seen, given) {
  const { context, texts } = place;
  const { contract, resource, signal } = context;
  const fields = changeable(resource).filter(({ rows }) => !rows);
  /** @type {Map<string, Picked>} */
  const picked = new Map();
  const places = h("div", { class: "view" });
  const count = h("p", { role: "status" });
  const act = button("", { type: "submit", class: "button primary" });
  const which = fields.map((field) =>
    button(field.label, { id: `pick-${field.name}`, onclick: () => pick(field)?.control.focus() })
  );
  const held = () => Object.fromEntries([...picked].map(([name, { value }]) => [name, value()]));
  /** What a row becomes. @param {Seen} one */
  const afterOf = ({ before }) =>
    Object.fromEntries([...picked].map(([name, { value, adds }]) => [
      name,
      adds() ? withMore(before[name], value()) : value(),
    ]));
  const changing = () =>
    seen.filter((one) => changedFields(fields, one.before, afterOf(one)).length > 0);
  const example = () => /** @type {Seen} */ (changing()[0] ?? seen[0]);
  const sent = sends(
    fields,
    () => changeOfSeen(context, example(), afterOf(example())),
    "Such a request for each row, under its own tag: what others change meanwhile is not overwritten.",
  );

  /**
   * Takes a field to those that are changed, or away from them.
   * @param {import("./contract.js").Field} field
   */
  function pick(field) {
    const { name } = field;
    const had = picked.get(name);
    if (had) {
      had.element.remove();
      picked.delete(name);
      return draw();
    }
    const isGiven = Object.hasOwn(given, name);
    let isTouched = isGiven;
    const made = fieldOf({
      within: "many",
      field,
      contract,
      context,
      texts,
      rowFields,
      initial: isGiven ? given[name] : field.isNullable ? null : undefined,
      empty: null,
      isMade: false,
      changed() {
        isTouched = true;
        draw();
      },
    });
    /** A text that nobody typed is not meant to be empty. */
    async function settle() {
      const isReady = await made.settle();
      const value = made.value();
      const isMissing = value === undefined || !isTouched && value?.length === 0;
      if (isReady && isMissing) made.refuse([{ detail: "Give the new value", inside: [] }]);
      return isReady && !isMissing;
    }
    // Of several, people give another one more often than all
    const replaces = ["many", "array"].includes(field.kind) &&
      h("input", { type: "checkbox", onchange: draw });
    const element = h(
      "div",
      {},
      made.element,
      replaces && h("label", { class: "check" }, replaces, "In the place of what each has"),
    );
    picked.set(name, { ...made, settle, element, adds: () => replaces && !replaces.checked });
    places.append(element);
    draw();
    return made;
  }

  function draw() {
    const { length } = changing();
    const others = seen.length - length;
    fields.forEach(({ name }, index) => {
      const one = /** @type {HTMLElement} */ (which[index]);
      one.ariaPressed = String(picked.has(name));
    });
    place.isFilling = picked.size > 0;
    // Which a text changes that is no candidate yet, nobody knows
    act.textContent = length === 0 ? "Change" : `Change ${numbered(resource, length)}`;
    act.disabled = picked.size === 0;
    sent.element.hidden = length === 0;
    if (length > 0) sent.draw();
    const isFilled = [...picked.values()].every(({ value }) => value()?.length !== 0);
    count.textContent = picked.size > 0 && others > 0 && isFilled
      ? `${numbered(resource, others)} ${others === 1 ? "has" : "have"} this already.`
      : "";
  }

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const ready = await Promise.all([...picked.values()].map(({ settle }) => settle()));
    if (!ready.every(Boolean)) return;
    const some = changing();
    for (const name of Object.keys(given)) delete given[name];
    Object.assign(given, held());
    asked.close();
    for (const one of seen) if (!some.includes(one)) one.tell("", "It has this already.");
    place.run(some, send);

    /** @type {import("./send-many.js").Send} */
    function send(one, sending) {
      const again = button("Apply anyway", { onclick: () => place.run([one], send) });
      return changeSeen(sending, one, afterOf(one), false, () => again);
    }
  }

  const asked = dialog(
    `Change ${numbered(resource, seen.length)}`,
    {
      signal,
      hasChanges: () => place.isFilling,
      closed() {
        place.isFilling = false;
        asked.remove();
      },
    },
    h(
      "form",
      { class: "view", novalidate: true, onsubmit: submit },
      h("div", { role: "group", "aria-label": "Fields to change", class: "fields-to-pick" }, which),
      places,
      count,
      sent.element,
      h("div", { class: "buttons" }, button("Cancel", { onclick: () => asked.close() }), act),
    ),
  );
  asked.classList.add("many");
  for (const field of fields) if (Object.hasOwn(given, field.name)) pick(field);
  draw();
}

/**
 * Asks whether to delete them, and deletes each.
 * @param {Place} place
 * @param {Seen[]} seen
 */
export function deleteMany(place, seen) {
  const { resource, may, signal } = place.context;
  const operation =
    /** @type {import("./contract.js").Operation} */ (resource.operations["delete"]);
  const { identifier, etag } = /** @type {Seen} */ (seen[0]);
  const path = pathFor(operation, identifier);
  const line = requestLine(() => ({ method: "DELETE", path, headers: conditionOf(etag) }));
  line.showAnswer(seen.length > 1 ? "and so on, each under its own tag" : `If-Match ${etag}`);
  const more = seen.length - NAMED;
  const asked = dialog(
    `Delete ${numbered(resource, seen.length)}?`,
    { signal },
    h(
      "ul",
      { class: "named" },
      seen.slice(0, NAMED).map(({ name }) => h("li", {}, isolated(name))),
      more > 0 && h("li", { class: "quiet" }, `and ${more} more`),
    ),
    h(
      "p",
      {},
      seen.length === 1 ? "It" : "They",
      may("create") ? " can be brought back until you leave the list." : " cannot be brought back.",
      " Where others refer to one, either it is kept, or they go with it and do not come back.",
    ),
    line.element,
    h(
      "div",
      { class: "buttons" },
      button(seen.length === 1 ? "Keep it" : "Keep them", {
        autofocus: true,
        onclick: () => asked.close(),
      }),
      button(`Delete ${numbered(resource, seen.length)}`, {
        class: "button destroy",
        onclick() {
          asked.close();
          place.run(seen, deleteSeen, "deleted");
        },
      }),
    ),
  );
}

/**
 * What a row has, and behind it what it does not have yet; nothing given adds nothing.
 * @param {any[] | null} had
 * @param {any[] | null | undefined} more
 */
const withMore = (had, more) =>
  more ? [...had ?? [], ...more.filter((one) => !had?.includes(one))] : had;

/**
 * @param {import("./contract.js").Resource} resource
 * @param {number} count
 */
const numbered = ({ one, many }, count) => `${count} ${count === 1 ? one : many}`;
