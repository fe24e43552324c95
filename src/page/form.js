// The form of a row: it creates one, or changes one that is there. Beside it is what is going to be sent.
import { pageAddress } from "./address.js";
import { besides, step } from "./beside.js";
import { readJson } from "./client.js";
import { changeable, nameOfRow } from "./contract.js";
import { button, h, isolated, kbd, note, ONWARD_KEYS, present, SAVE_KEYS, say } from "./dom.js";
import { rowFields } from "./fields.js";
import { heading, headline } from "./heading.js";
import { keyed } from "./persist.js";
import { showRefusals, summary } from "./refusals.js";
import { saveChange, storedOf } from "./save.js";
import { sends } from "./sends.js";
import { submitting } from "./submit.js";
import { rowBeside } from "./trail.js";
import { knownTexts } from "./texts.js";
import { changedFields, changeOf, createOf, defaultsOf, draftOf } from "./versions.js";

/** @typedef {import("./versions.js").Version} Version */

/**
 * @typedef {object} Place where a row is written: in a form, or between two versions
 * @property {import("./docs.js").Context} context
 * @property {import("./contract.js").Field[]} fields those that are written
 * @property {import("./texts.js").Texts} texts
 * @property {Node | string} name what the row is called
 * @property {HTMLElement} trouble where is said what went wrong
 * @property {(changed: string[], undo?: import("./undo.js").Undo) => void} saved called when a row that was there has
 *   been saved, with the fields that it changed, and what takes that back
 * @property {(title: (Node | string)[], form: HTMLElement, sent: HTMLElement,
 *   above?: HTMLElement | false) => void} show
 */

/**
 * The form of a new row, or of the row in the path.
 * @type {import("./docs.js").Draw}
 */
export function form(context) {
  const { contract, resource, path, identifier, draft, signal } = context;
  const title = identifier === undefined
    ? `New ${resource.one}`
    : `Edit ${resource.one} ${identifier}`;
  /** @type {[string, string][]} */
  const crumbs = [[headline(resource.many), context.list]];
  if (identifier !== undefined) crumbs.push([identifier, pageAddress(path)]);
  const { create, patch, replace } = resource.operations;
  const operation = identifier === undefined ? create : patch ?? replace;
  const head = heading({ crumbs, besides: besides(context), text: title, operation });
  const body = h("div", { class: "view" });
  /** @type {Place} */
  const place = {
    context,
    fields: identifier === undefined
      ? resource.fields.filter(({ written }) => written)
      : changeable(resource),
    texts: knownTexts(contract),
    name: "",
    trouble: h("div", {}),
    saved() {},
    show(title, form, sent, above) {
      const name = /** @type {HTMLElement} */ (head.querySelector("h1"));
      name.replaceChildren(...title);
      place.trouble.replaceChildren();
      const split = h("div", { class: "split" }, form, sent);
      body.replaceChildren(...present([above, place.trouble, split]));
      if (body.isConnected) name.focus();
    },
  };

  async function open() {
    if (draft) {
      await place.texts.learn(place.fields, draft.version);
      place.name = isolated(draft.name);
      fill(place, draft);
    } else if (identifier === undefined) {
      fill(place, await firstOf(place));
    } else {
      const answer = await readJson(path, signal);
      const stored = await storedOf(place, answer);
      place.name = isolated(nameOfRow(resource, answer.body));
      fill(place, { version: stored.version, stored });
    }
    return body;
  }
  return { head, body: open() };
}

/**
 * What the form of a new row holds at first: what the address gives, else what the row is given of itself.
 * @param {Place} place
 */
async function firstOf({ context: { contract, query }, fields, texts }) {
  const { version: given, leftOut } = query.size === 0
    ? { version: {}, leftOut: [] }
    : (await import("./given.js")).firstValues(contract, fields, query);
  const version = { ...defaultsOf(fields), ...given };
  await texts.learn(fields, version);
  return { version, leftOut };
}

/**
 * Shows a form.
 * @param {Place} place
 * @param {object} filled
 * @param {Version} filled.version what it holds at first
 * @param {import("./save.js").Stored | undefined} [filled.stored] the row that is there; none for a new one
 * @param {import("./client.js").Answer} [filled.refusal] why what it holds was refused
 * @param {Record<string, any>} [filled.typed] texts that are no candidates yet
 * @param {HTMLElement} [filled.above] what became of the row before this one
 * @param {string[]} [filled.leftOut] what the address has and no field takes
 */
function fill(place, { version, stored, refusal, typed, above, leftOut = [] }) {
  const { context, texts, trouble } = place;
  const { resource, path } = context;
  const { one, path: all, operations } = resource;
  const count = h("p", { class: "quiet" });
  const sendOnce = keyed(place);
  const fields = rowFields({
    fields: place.fields,
    version,
    isNew: !stored,
    contract: context.contract,
    context,
    texts,
    changed: draw,
  });
  const { elements, value: held } = fields;
  const changes = () => stored ? changedFields(place.fields, stored.version, held()) : [];
  const request = () =>
    stored ? changeOf(context, place.fields, stored, held()) : {
      method: "POST",
      path: operations["create"]?.path ?? "",
      body: createOf(place.fields, held()),
    };
  const sent = sends(place.fields, request, under(stored), stored && count);

  function draw() {
    sent.draw();
    if (!stored) return;
    fields.compare(stored.version);
    const changed = changes();
    const fate = operations["patch"] ? "the others stay as they are" : "all are sent";
    count.textContent = changed.length === 0
      ? "Nothing is changed yet."
      : `${changed.length === 1 ? "1 field is" : `${changed.length} fields are`} changed; ${fate}.`;
  }

  /** Whether another form follows, and the identifier of the field where it begins. */
  let goesOn = false;
  let { entered } = context;

  place.saved = async (changed, undo) => {
    if (!goesOn) return context.leave(pageAddress(path), { saved: changed, undo });
    const name = place.name instanceof Node ? place.name.textContent : place.name;
    const done = changed.length > 0 ? `Saved: ${name}` : `Not changed: ${name}`;
    context.leave(await step(context, 1), { entered, done, undo });
  };

  /** @param {HTMLElement | null} [button] */
  async function send(button) {
    goesOn = button !== null && button === onward;
    fields.refuse([]);
    if (!await fields.settle()) return () => trouble.append(summary("Nothing was sent", fields));
    if (stored && changes().length === 0) {
      return goesOn ? void place.saved([]) : () => say("Nothing is changed yet");
    }
    say("Saving");
    const answer = await (stored ? saveChange(place, stored, held(), reopen) : create());
    return answer && (() => refuse(answer));
  }

  /** @returns {Promise<import("./client.js").Answer | undefined>} why it was refused */
  async function create() {
    const answer = await sendOnce(request());
    if (!answer?.ok) return answer;
    const location = pageAddress(answer.headers.get("location") ?? all);
    if (!goesOn) return void context.leave(location, { saved: [] });
    const name = nameOfRow(resource, answer.body);
    const created = ["Created: ", h("a", { href: location, dir: "auto" }, name)];
    fill(place, { ...await firstOf(place), above: note("good", created) });
    say(`Created: ${name}`);
  }

  /** @param {Version} version @param {import("./save.js").Stored} stored @param {import("./client.js").Answer} refusal */
  function reopen(version, stored, refusal) {
    fill(place, { version, stored, refusal });
  }

  /** @param {import("./client.js").Answer} answer */
  function refuse(answer) {
    const again = () => made.requestSubmit(goesOn && onward || null);
    showRefusals(place, fields, answer, "Not saved", again);
  }

  const onward = stored
    ? rowBeside(context, 1) && oneMore("Save and next")
    : oneMore("Create and another");
  const made = submitting(
    h(
      "form",
      { class: "form", novalidate: true, "aria-label": stored ? `Edit the ${one}` : `New ${one}` },
      elements,
      h(
        "div",
        { class: "buttons sticky" },
        button([stored ? "Save" : `Create the ${one}`, kbd(SAVE_KEYS)], {
          type: "submit",
          class: "button primary",
        }),
        onward,
        h(
          "a",
          { class: "button", href: stored ? pageAddress(path) : context.list },
          "Cancel",
          kbd("Esc"),
        ),
      ),
    ),
    elements,
    trouble,
    send,
  );
  made.addEventListener("input", ({ target }) => {
    entered = /** @type {HTMLElement} */ (target).id;
  });
  draw();
  const first = context.draft ? "" : JSON.stringify(held());
  context.guard(
    () =>
      fields.pending() !== undefined ||
      (stored ? changes().length > 0 : JSON.stringify(held()) !== first),
    () => draftOf(place.name, held(), stored, fields.pending()),
  );
  fields.restore(typed);
  const untaken = leftOut.length > 0 &&
    h("p", { class: "quiet" }, "Left out of the address: ", isolated(leftOut.join(", ")));
  place.show(
    stored ? ["Edit ", place.name] : [`New ${one}`],
    made,
    sent.element,
    above ?? untaken,
  );
  if (above) fields.enter();
  if (refusal) refuse(refusal);
}

/**
 * Saves, and goes on to another form.
 * @param {string} words
 */
const oneMore = (words) =>
  button([words, kbd(ONWARD_KEYS)], { type: "submit", class: "button onward" });

/**
 * What makes it safe to send.
 * @param {import("./save.js").Stored | undefined} stored
 */
const under = (stored) =>
  stored
    ? [
      "Under ",
      h("code", {}, `If-Match ${stored.etag}`),
      ": where another was faster, both versions are shown.",
    ]
    : [
      "Under an ",
      h("code", {}, "Idempotency-Key"),
      ": a create that fails on the way is sent again and made once.",
    ];
