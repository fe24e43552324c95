// An operation in the reference: what it does, a request to be copied, what it takes, what it answers.
import { button, deprecatedBadge, entry, h, prose } from "./dom.js";
import { inAddress } from "./identifiers.js";
import { jsonOf, pretty } from "./json.js";
import { code, copy, requestLine, sentCode } from "./request.js";
import { kindOfField } from "./kinds.js";
import { othersOf, typeOf } from "./rule.js";

/** @typedef {import("./contract.js").Operation} Operation */

const STREAM = "text/event-stream";

/**
 * @param {import("./docs.js").Context} context
 * @param {Operation} operation
 * @param {Operation["answers"]} shared the answers that are listed elsewhere
 */
export function operation(context, operation, shared) {
  const { scope, answers: all, described: { operationId, deprecated, parameters } } = operation;
  /** @param {any} one */
  const filtered = (one) => one["x-relata"]?.field ?? `${one.in} ${one.name}`;
  const groups = [...Map.groupBy(parameters, filtered).values()];
  const own = Object.entries(all).filter(([status]) => !(status in shared));
  const events = operation.described.responses["200"]?.content?.[STREAM]?.example;
  return [
    deprecated && h("p", {}, deprecatedBadge(deprecated)),
    scope && h("p", { class: "quiet" }, "Needs a token with the scope ", h("code", {}, scope)),
    request(context, operation),
    groups.length > 0 &&
    [
      h("h3", {}, "Parameters"),
      h(
        "dl",
        { class: "spec" },
        groups.map((group) => parameter(operationId, group)),
      ),
    ],
    h("h3", {}, "Answers"),
    answers(own),
    events && code("Events", events.trimEnd(), copy("events", () => events)),
  ];
}

/**
 * The request of an operation, to be copied with the values of its example, or edited and sent.
 * @param {import("./docs.js").Context} context
 * @param {Operation} operation
 * @returns {HTMLElement}
 */
function request(context, operation) {
  const { resource } = context;
  const { method, path, body, described } = operation;
  const { parameters } = described;
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: where, required, schema } of parameters) {
    const value = schema.examples?.[0];
    if (where === "path") filled = filled.replace(`{${name}}`, () => inAddress(value));
    else if (where === "query" && required) query.set(name, String(value));
  }
  const sent = body?.example;
  const asked = { method, path: filled + (query.size > 0 ? `?${query}` : ""), body: sent };
  const isStream = Object.keys(described.responses["200"]?.content ?? {}).join() === STREAM;
  // It would have no end
  const open = !isStream && button("Send…", { class: "quiet-button copy", onclick: tryIt });
  const shown = sent === undefined ? requestLine(() => asked, path, open).element : sentCode(
    () => asked,
    path,
    Array.isArray(sent) ? pretty(sent) : jsonOf(sent, [...resource.fields, ...resource.inputs]),
    open,
  );
  async function tryIt() {
    const { tryOut } = await import("./try-out.js");
    const form = tryOut(context, operation, () => {
      form.replaceWith(shown);
      /** @type {HTMLElement} */ (open).focus();
    });
    shown.replaceWith(form);
    /** @type {HTMLElement | null} */ (form.querySelector(
      "form > :not(.request) :is(input, select, textarea, button)",
    ))
      ?.focus();
  }
  return shown;
}

/**
 * The place of a parameter in the reference.
 * @param {string} operationId
 * @param {string} name
 */
export const placeOfParameter = (operationId, name) => `${operationId}_${name}`;

/**
 * A parameter, and what else filters by the same field.
 * @param {string} operationId
 * @param {any[]} group
 */
function parameter(operationId, [first, ...others]) {
  const { name, description, schema, required, in: where, "x-relata": extension } = first;
  const kind = extension?.kind ?? typeOf(schema);
  const words = [
    where === "query" ? kind : where === "header" ? "header" : `${kind}, in the path`,
    kindOfField(kind).limits?.(schema),
    ...othersOf(schema, required && where === "query"),
    schema.deprecated && "deprecated",
  ].filter(Boolean).join("; ");
  /** @param {string} name */
  const named = (name) =>
    h("code", { id: placeOfParameter(operationId, name), tabindex: "-1" }, name);
  return entry(named(name), [
    description && h("p", {}, prose(description)),
    h(
      "p",
      { class: "quiet" },
      words,
      others.map((one, index) => [index === 0 ? ", also " : ", ", named(one.name)]),
    ),
  ]);
}

/** @param {[status: string, means: string][]} all */
export const answers = (all) =>
  h(
    "dl",
    { class: "spec answers" },
    all.map(([status, means]) =>
      entry(h("code", { class: Number(status) < 400 ? "good" : "" }, status), means)
    ),
  );
