// The form of an action: what it takes, what is going to be sent, and what came back.
import { pageAddress } from "./address.js";
import { isGiven, pathOfRow, pathWith, rowOfAction } from "./contract.js";
import { button, entry, h, icon, kbd, SAVE_KEYS, say } from "./dom.js";
import { rowFields } from "./fields.js";
import { valueFrom } from "./given.js";
import { heading, headline } from "./heading.js";
import { itemsOf } from "./items.js";
import { shownValue } from "./kinds.js";
import { keyed } from "./persist.js";
import { showRefusals, summary } from "./refusals.js";
import { sends } from "./sends.js";
import { submitting } from "./submit.js";
import { knownTexts } from "./texts.js";
import { createOf, defaultsOf, draftOf } from "./versions.js";

/** @typedef {import("./contract.js").Field} Field */

/** @type {import("./docs.js").Draw} */
export function actionView(context) {
  const { contract, resource, path, given, draft } = context;
  const { many, inputs, operations, description } = resource;
  const row = rowOf(context);
  const texts = knownTexts(contract);

  async function open() {
    const version = draft?.version ?? {
      ...defaultsOf(inputs),
      ...Object.fromEntries(
        inputs.filter(({ name }) => Object.hasOwn(given, name))
          .map((input) => [input.name, valueFrom(contract, input, given[input.name] ?? "")]),
      ),
    };
    await texts.learn(inputs, version);
    return fill(context, texts, version);
  }
  return {
    head: [
      heading({
        crumbs: row && [[headline(row.resource.many), pageAddress(row.resource.path)], row.crumb],
        text: headline(many),
        resource,
        tab: "Form",
        path,
        operation: operations["action"],
      }),
      h("p", { class: "quiet" }, description),
    ],
    body: open(),
  };
}

/**
 * The row with which the path begins, as a link to it; undefined if that is none.
 * @param {import("./docs.js").Context} context
 */
function rowOf({ contract, resource, given }) {
  const { resource: own, input } = rowOfAction(contract, resource) ?? {};
  const identifier = given[input?.name ?? ""];
  if (!own || identifier === undefined) return undefined;
  const address = pageAddress(pathOfRow(own, identifier) ?? "");
  /** @type {[string, string]} */
  const crumb = [identifier, address];
  return { resource: own, crumb };
}

/**
 * The form, and below it what came back.
 * @param {import("./docs.js").Context} context
 * @param {import("./texts.js").Texts} texts
 * @param {import("./versions.js").Version} version
 */
function fill(context, texts, version) {
  const { contract, resource, draft } = context;
  const { many, path, inputs, operations } = resource;
  const inPath = inputs.filter(({ name }) => path.includes(`{${name}}`));
  const inBody = inputs.filter((input) => !inPath.includes(input));
  const title = headline(many);
  const trouble = h("div", {});
  const result = h("section", { class: "result", hidden: true });
  const leave = h(
    "a",
    { class: "button", href: rowOf(context)?.crumb[1] ?? "#/" },
    "Cancel",
    kbd("Esc"),
  );
  const sendOnce = keyed({ context, trouble });
  const fields = rowFields({
    fields: inputs.map(withoutHint),
    version,
    isNew: true,
    contract,
    context,
    texts,
    changed: () => sent.draw(),
  });
  const { elements, value: held } = fields;
  const request = () => ({
    method: "POST",
    path: pathWith(path, held()),
    body: operations["action"]?.body && createOf(inBody, held()),
  });
  const sent = sends(inputs, request, [
    "Under an ",
    h("code", {}, "Idempotency-Key"),
    ": what fails on the way is sent again and done once.",
  ]);

  async function send() {
    fields.refuse([]);
    const nothing = () => trouble.append(summary("Nothing was sent", fields));
    if (!await fields.settle()) return nothing;
    const missing = inPath.filter(({ name }) => !isGiven(held()[name]));
    fields.refuse(
      missing.map(({ name }) => ({ inside: [name], detail: "Fill it in: the path has it" })),
    );
    if (missing.length > 0) return nothing;
    say("Sending");
    const answer = await sendOnce(request());
    if (!answer) return undefined;
    result.hidden = true;
    if (answer.ok) return () => done(answer);
    const again = () => made.requestSubmit();
    return () => showRefusals({ context, trouble }, fields, answer, "Not done", again);
  }

  /** @param {import("./client.js").Answer} answer */
  function done({ body }) {
    const heading = h("h2", { tabindex: "-1" }, icon("check"), "Done");
    result.replaceChildren(heading, ...answerOf(context, title, body));
    result.hidden = false;
    first = JSON.stringify(held());
    leave.replaceChildren("Back", kbd("Esc"));
    heading.focus({ preventScroll: true });
    result.scrollIntoView({ block: "nearest" });
    say("Done");
  }

  const made = submitting(
    h(
      "form",
      { class: "form", novalidate: true, "aria-label": title },
      elements,
      h(
        "div",
        { class: "buttons sticky" },
        button([title, kbd(SAVE_KEYS)], { type: "submit", class: "button primary" }),
        leave,
      ),
    ),
    elements,
    trouble,
    send,
    "Sending…",
  );
  sent.draw();
  let first = draft ? "" : JSON.stringify(held());
  context.guard(
    () => fields.pending() !== undefined || JSON.stringify(held()) !== first,
    () => draftOf(title, held(), undefined, fields.pending()),
  );
  fields.restore(draft?.typed);
  return h(
    "div",
    { class: "view" },
    trouble,
    h("div", { class: "split" }, made, sent.element),
    result,
  );
}

/**
 * What an action answered.
 * @param {import("./docs.js").Context} context
 * @param {string} title
 * @param {any} body
 */
function answerOf({ contract, resource }, title, body) {
  const { fields, isSingle } = resource;
  if (fields.length === 0) return [h("p", {}, "It gives nothing back.")];
  if (!isSingle) return itemsOf(contract, resource, title, body.items);
  return [
    h(
      "dl",
      { class: "fields" },
      fields.map((field) => entry(field.label, shownValue(contract, field, body[field.name]))),
    ),
  ];
}

/**
 * Of a relation the description says what its rule says.
 * @param {Field} input
 * @returns {Field}
 */
const withoutHint = (input) =>
  input.target ? { ...input, schema: { ...input.schema, description: undefined } } : input;
