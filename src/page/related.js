// A new row for a relation, in a dialog over the form that refers to it.
import { nameOfRow } from "./contract.js";
import { dialog } from "./dialog.js";
import { button, h, kbd, SAVE_KEYS, say } from "./dom.js";
import { rowFields } from "./fields.js";
import { keyed } from "./persist.js";
import { showRefusals, summary } from "./refusals.js";
import { submitting } from "./submit.js";
import { knownTexts } from "./texts.js";
import { createOf, defaultsOf } from "./versions.js";

/** @typedef {import("./combobox.js").Candidate} Candidate */

/**
 * Has a person create a row.
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Resource} resource
 * @param {string} text what it is called, as far as that was typed
 * @returns {Promise<Candidate | undefined>} undefined if it was given up
 */
export async function createRelated(context, resource, text) {
  const { contract, may, signal } = context;
  const { one, display = "", operations, identifierOf } = resource;
  const fields = resource.fields.filter(({ written }) => written);
  const isNamed = text !== "" && fields.some(({ name }) => name === display);
  const version = { ...defaultsOf(fields), ...(isNamed && { [display]: text }) };
  const texts = knownTexts(contract);
  await texts.learn(fields, version);

  const trouble = h("div", {});
  const place = { context, trouble };
  const sendOnce = keyed(place);
  const held = rowFields({
    fields,
    version,
    isNew: true,
    contract,
    // Over this dialog opens no other
    context: { ...context, may: (verb, of) => verb !== "create" && may(verb, of) },
    texts,
    within: "related",
    changed() {},
  });
  const first = JSON.stringify(held.value());
  /** @type {Candidate | undefined} */
  let made;

  async function send() {
    held.refuse([]);
    if (!await held.settle()) return () => trouble.append(summary("Nothing was sent", held));
    say("Saving");
    const answer = await sendOnce({
      method: "POST",
      path: operations["create"]?.path ?? "",
      body: createOf(fields, held.value()),
    });
    if (!answer) return undefined;
    if (!answer.ok) {
      return () => showRefusals(place, held, answer, "Not saved", () => form.requestSubmit());
    }
    made = { identifier: identifierOf(answer.body), text: nameOfRow(resource, answer.body) };
    return () => asked.close();
  }

  const form = submitting(
    h(
      "form",
      { class: "form", novalidate: true, "aria-label": `New ${one}` },
      held.elements,
      h(
        "div",
        { class: "buttons" },
        button("Cancel", { onclick: () => asked.close() }),
        button([`Create the ${one}`, kbd(SAVE_KEYS)], { type: "submit", class: "button primary" }),
      ),
    ),
    held.elements,
    trouble,
    send,
  );
  /** @type {PromiseWithResolvers<Candidate | undefined>} */
  const { promise, resolve } = Promise.withResolvers();
  const asked = dialog(
    `New ${one}`,
    {
      signal,
      hasChanges: () => !form.ariaBusy && JSON.stringify(held.value()) !== first,
      closed() {
        // What was sent cannot be taken back: its answer is awaited
        if (form.ariaBusy) return asked.showModal();
        asked.remove();
        resolve(made);
      },
    },
    trouble,
    form,
  );
  held.enter();
  return await promise;
}
