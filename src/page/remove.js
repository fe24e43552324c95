// Deleting a row, after a question. Where others still refer to it, they are told, with links to them.
import { pageAddress } from "./address.js";
import { ask, conditionOf } from "./client.js";
import { nameOfRow, pathFor } from "./contract.js";
import { dialog } from "./dialog.js";
import { button, h, isolated, note } from "./dom.js";
import { referrer } from "./referrers.js";
import { requestLine } from "./request.js";
import { row } from "./row.js";
import { showRefused } from "./states.js";
import { createAgain } from "./versions.js";

/**
 * The row in the path, and above it the question.
 * @type {import("./docs.js").Draw}
 */
export const removeView = (context) => row(context, (answer) => question(context, answer));

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./client.js").Answer} seen the row as it was read; it is deleted under its tag
 */
function question(context, seen) {
  const { path, identifier, resource, may, signal } = context;
  const { delete: operation } = resource.operations;
  const to = operation ? pathFor(operation, identifier) : path;
  const name = nameOfRow(resource, seen.body);
  const etag = seen.headers.get("etag");
  const headers = conditionOf(etag);
  const trouble = h("div", {});
  const act = button(`Delete the ${resource.one}`, { class: "button destroy", onclick: send });
  const keep = button("Keep it", { autofocus: true, onclick: () => asked.close() });
  const line = requestLine(() => ({ method: "DELETE", path: to, headers }));
  line.showAnswer(`If-Match ${etag}`);

  const asked = dialog(
    ["Delete ", isolated(name), "?"],
    // What was sent cannot be taken back: the question stays until it is answered
    { signal, closed: () => act.disabled ? asked.showModal() : context.leave(pageAddress(path)) },
    h("p", {}, "Where other rows refer to it, either it is kept, or they go with it."),
    line.element,
    trouble,
    h(
      "div",
      { class: "buttons" },
      keep,
      act,
    ),
  );

  async function send() {
    wait(true);
    try {
      const answer = await ask("DELETE", to, { headers });
      if (answer.ok) return leave(`Deleted: ${name}`, may("create") ? bringBack() : undefined);
      // A row that is gone is what was asked for: the answer to a request before this one may be lost
      if (answer.status === 404) {
        return leave(`Deleted: ${name}, which was gone already`);
      }
      refuse(answer);
    } catch {
      trouble.replaceChildren(
        note("bad", "No answer came", h("p", {}, "To send it again is safe.")),
      );
    }
    wait(false);
  }

  const bringBack = () => ({
    words: "Bring it back",
    request: createAgain(context, seen.body),
    done: `Created again: ${name}`,
  });

  /** @param {boolean} waits for the answer */
  function wait(waits) {
    act.disabled = waits;
    keep.disabled = waits;
  }

  /** @param {import("./client.js").Answer} answer */
  function refuse(answer) {
    if (answer.status === 409) return showOutcome("Not deleted: it is still referred to", answer);
    if (answer.status === 412) return showOutcome("Not deleted: it was changed meanwhile", answer);
    showRefused(trouble, context, answer, send);
  }

  /**
   * @param {string} outcome
   * @param {import("./client.js").Answer} answer
   */
  function showOutcome(outcome, { status, body }) {
    const close = button("Close", { class: "button primary", onclick: () => asked.close() });
    /** @type {{ resource: string, href: string }[]} */
    const references = body.references ?? [];
    asked.replaceChildren(
      h("h2", { id: "dialog-title" }, outcome),
      h("p", {}, h("code", { class: "for-developers" }, `${status} `), body.detail),
      h(
        "ul",
        { class: "referrers" },
        references.map(({ resource, href }) =>
          referrer(context.contract.resource(resource).many, pageAddress(href), href)
        ),
      ),
      h("div", { class: "buttons" }, close),
    );
    close.focus();
  }

  /**
   * @param {string} done
   * @param {import("./undo.js").Undo} [undo]
   */
  function leave(done, undo) {
    context.leave(context.list, { done, undo });
  }
}
