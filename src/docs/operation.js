// An operation in the reference: what it does, a request to be copied, what it takes, what it answers.
import { resolved } from "./contract.js";
import { deprecatedBadge, h } from "./dom.js";
import { json, pretty } from "./json.js";
import { asFetch, code, copy, curl } from "./request.js";
import { range } from "./rule.js";

/** @typedef {import("./contract.js").Operation} Operation */

/**
 * @param {any} document
 * @param {import("./contract.js").Resource} resource
 * @param {Operation} operation
 * @param {[status: string, response: any][]} shared the answers that are told elsewhere
 */
export function operation(document, resource, operation, shared) {
  const { scope, described: { description, deprecated, parameters, responses } } = operation;
  /** @param {any} one */
  const filtered = (one) => one["x-relata"]?.field ?? `${one.in} ${one.name}`;
  const groups = [...Map.groupBy(parameters, filtered).values()];
  const own = Object.entries(responses).filter(([status]) =>
    !shared.some(([one]) => one === status)
  );
  return [
    deprecated && h("p", {}, deprecatedBadge(deprecated)),
    description && h("p", {}, description),
    scope && h("p", { class: "quiet" }, "Needs a token with the scope ", h("code", {}, scope)),
    request(document, resource, operation),
    groups.length > 0 &&
    [h("h3", {}, "Parameters"), h("dl", { class: "spec" }, groups.map(parameter))],
    h("h3", {}, "Answers"),
    answers(document, own),
  ];
}

/**
 * The request of an operation, to be copied with the values of its example.
 * @param {any} document
 * @param {import("./contract.js").Resource} resource
 * @param {Operation} operation
 */
function request(document, resource, operation) {
  const { method, path, described: { parameters } } = operation;
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: where, required, schema } of parameters) {
    const value = String(example(document, schema));
    if (where === "path") filled = filled.replace(`{${name}}`, value);
    else if (where === "query" && required) query.set(name, value);
  }
  const { example: body } = bodyOf(operation);
  const asked = { method, path: filled + (query.size > 0 ? `?${query}` : ""), body };
  const copies = [copy("curl", () => curl(asked)), copy("fetch", () => asFetch(asked))];
  const line = h("code", {}, h("b", {}, method), " ", path);
  if (body === undefined) {
    return h("div", { class: "request" }, line, h("span", { class: "copies" }, copies));
  }
  return code(
    ["Sends", line],
    Array.isArray(body) ? pretty(body) : json(body, resource),
    ...copies,
  );
}

/**
 * The body that an operation takes; empty if it takes none.
 * @param {Operation} operation
 */
export const bodyOf = ({ described }) => described.requestBody?.content["application/json"] ?? {};

/**
 * The example of a schema.
 * @param {any} document
 * @param {any} schema
 */
export const example = (document, schema) => resolved(document, schema).examples?.[0];

/**
 * A parameter, and what else filters by the same field.
 * @param {any[]} group
 */
function parameter([first, ...others]) {
  const { name, description, schema, required, in: where, "x-relata": told } = first;
  const kind = told?.kind ?? typeOf(schema);
  const words = [
    where === "query" ? kind : where === "header" ? "header" : `${kind}, in the path`,
    schema.enum && valuesOf(schema.enum),
    (kind === "integer" || kind === "number") && range(schema.minimum, schema.maximum),
    required && where === "query" && "required",
    schema.default !== undefined && `else ${schema.default}`,
    schema.deprecated && "deprecated",
  ].filter(Boolean).join("; ");
  return entry(
    h("code", {}, name),
    description && h("p", {}, description),
    h(
      "p",
      { class: "quiet" },
      words,
      others.map((one, index) => [index === 0 ? ", also " : ", ", h("code", {}, one.name)]),
    ),
  );
}

/**
 * @param {any} document
 * @param {[status: string, response: any][]} responses
 */
export const answers = (document, responses) =>
  h(
    "dl",
    { class: "spec answers" },
    responses.map(([status, response]) =>
      entry(
        h("code", { class: Number(status) < 400 ? "good" : "" }, status),
        resolved(document, response).description,
      )
    ),
  );

/**
 * @param {HTMLElement} term
 * @param {import("./dom.js").Children[]} told
 */
const entry = (term, ...told) => h("div", {}, h("dt", {}, term), h("dd", {}, ...told));

/** @param {any} schema */
export const typeOf = ({ type }) => [type].flat().filter((one) => one !== "null").join(" or ");

/** @param {unknown[]} choices */
export const valuesOf = (choices) => `one of ${choices.filter((one) => one !== null).join(", ")}`;
