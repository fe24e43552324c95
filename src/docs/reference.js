// The reference: all that the document says of a resource or a report, open at once, so that a search in the
// page finds it. The object comes first, then each operation.
import { addressOf } from "./address.js";
import { prefix } from "./client.js";
import { resolved } from "./contract.js";
import { capital, deprecatedBadge, h } from "./dom.js";
import { heading, titleOf } from "./heading.js";
import { json, pretty } from "./json.js";
import { asFetch, code, copy, curl } from "./request.js";
import { range, ruleOf } from "./rule.js";

/** @typedef {import("./docs.js").Context} Context */

/**
 * @typedef {object} Operation
 * @property {string} method
 * @property {string} path with the prefix, as the document has it
 * @property {any} described the operation in the document
 */

/**
 * @param {Context} context
 * @returns {import("./docs.js").View}
 */
export function reference(context) {
  const { contract, resource } = context;
  const operations = operationsOf(contract.document, resource.name);
  const shared = sharedBy(operations);
  return {
    head: heading({ text: titleOf(resource.many), resource, tab: "Reference" }),
    body: h(
      "div",
      { class: "reference" },
      h(
        "article",
        {},
        object(context),
        operations.map((operation) => section(context, operation, shared)),
        shared.length > 0 && part(
          "shared",
          "Answers of every operation",
          answers(context, operations[0]?.described, (status) => shared.includes(status)),
        ),
      ),
      contents([
        ["object", "The object", ""],
        ...operations.map((
          { method, described },
        ) => [described.operationId, label(described), method]),
        ...(shared.length > 0 ? [["shared", "Every operation", ""]] : []),
      ]),
    ),
  };
}

/**
 * The operations of a resource, in the order of the document.
 * @param {any} document
 * @param {string} name
 * @returns {Operation[]}
 */
const operationsOf = ({ paths }, name) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => described.tags.includes(name))
      .map(([method, described]) => ({
        method: method.toUpperCase(),
        path: prefix + path,
        described,
      }))
  );

/**
 * The refusals that every operation has: they are told once.
 * @param {Operation[]} operations
 */
const sharedBy = ([first, ...others]) =>
  others.length === 0
    ? []
    : Object.keys(first?.described.responses).filter((status) =>
      Number(status) >= 400 && others.every(({ described }) => status in described.responses)
    );

/** @param {any} described */
const label = ({ "x-relata": { verb = "request", field = "" } = {} }) =>
  capital(`${verb} ${field}`.trim());

/**
 * @param {string} id
 * @param {import("./dom.js").Children} title
 * @param {import("./dom.js").Children[]} body
 */
const part = (id, title, ...body) =>
  h(
    "section",
    { class: "operation", "aria-labelledby": id },
    h("h2", { id, tabindex: "-1" }, title),
    ...body,
  );

/**
 * The fields as they are read and written, and an example of both.
 * @param {Context} context
 */
function object({ contract, resource }) {
  const { fields, description, operations } = resource;
  const body = operations["create"] ?? operations["replace"] ?? operations["patch"];
  const columns = ["Field", "Read", ...(body ? ["Written"] : []), "Rules"];
  const whole = example(contract.document, resource.schema);
  const written = body && bodyOf(body.described).example;
  return part(
    "object",
    "The object",
    h("p", { class: "quiet" }, description),
    h(
      "div",
      { class: "scroll", role: "region", tabindex: "0", "aria-label": "Fields" },
      h(
        "table",
        { class: "rows", role: "table", "aria-label": "Fields" },
        h(
          "thead",
          { role: "rowgroup" },
          h(
            "tr",
            { role: "row" },
            columns.map((name) => h("th", { scope: "col", role: "columnheader" }, name)),
          ),
        ),
        h(
          "tbody",
          { role: "rowgroup" },
          fields.map((field) => line(contract, field, body !== undefined)),
        ),
      ),
    ),
    h(
      "div",
      { class: "idea" },
      written && code("Written", json(written, resource), copy("JSON", () => pretty(written))),
      code("Read", json(whole, resource), copy("JSON", () => pretty(whole))),
    ),
  );
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {boolean} isSent whether clients send any field
 */
function line(contract, field, isSent) {
  const { name, target, schema: { description } } = field; // written, a relation says what is said here
  /** @param {import("./dom.js").Children} words */
  const shape = (words) => target ? h("mark", {}, words) : words;
  return h(
    "tr",
    { role: "row" },
    h("th", { scope: "row", role: "rowheader" }, h("code", {}, name)),
    h("td", { role: "cell", "data-label": "Read" }, shape(asRead(contract, field))),
    isSent && h("td", { role: "cell", "data-label": "Written" }, shape(asWritten(field))),
    h(
      "td",
      { role: "cell", "data-label": "Rules", class: "quiet" },
      h("div", {}, description && h("p", {}, description), rules(contract, field)),
    ),
  );
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 */
function asRead(contract, { kind, target, isObject, schema }) {
  if (!target) return typeOf(schema);
  const { one, many, path } = contract.resource(target);
  const words = kind === "many" ? many : one;
  const link = path ? h("a", { href: addressOf(path, "", "reference") }, words) : words;
  if (kind === "many") return [isObject ? "array of " : "array of identifiers of ", link];
  return isObject ? link : ["identifier of ", link];
}

/** @param {import("./contract.js").Field} field */
function asWritten({ kind, target, written }) {
  if (!written) return h("span", { class: "quiet" }, "not written");
  if (!target) return h("span", { class: "quiet" }, "the same");
  return kind === "many" ? "array of identifiers" : "identifier";
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 */
function rules(contract, field) {
  const { kind, written, schema, isRequired } = field;
  const { enum: choices, pattern, default: fallback } = written ?? schema;
  return [
    ruleOf({ ...field, written: written ?? schema }, contract),
    choices && valuesOf(choices),
    kind === "text" && pattern && `matches ${pattern}`,
    isRequired && "required",
    fallback !== undefined && fallback !== null && kind !== "many" && `else ${fallback}`,
  ].filter(Boolean).join("; ");
}

/** @param {any} schema */
const typeOf = ({ type }) => [type].flat().filter((one) => one !== "null").join(" or ");

/** @param {unknown[]} choices */
const valuesOf = (choices) => `one of ${choices.filter((one) => one !== null).join(", ")}`;

/**
 * One operation: what it does, a request, what it takes, what it answers.
 * @param {Context} context
 * @param {Operation} operation
 * @param {string[]} shared the statuses that are told elsewhere
 */
function section(context, operation, shared) {
  const { described } = operation;
  const { operationId, summary, description, security, deprecated } = described;
  const scope = security?.[0]?.token?.[0];
  const parameters = grouped(described.parameters);
  return part(
    operationId,
    summary,
    deprecated && h("p", {}, deprecatedBadge(deprecated)),
    description && h("p", {}, description),
    scope && h("p", { class: "quiet" }, "Needs a token with the scope ", h("code", {}, scope)),
    request(context, operation),
    parameters.length > 0 &&
      [h("h3", {}, "Parameters"), h("dl", { class: "spec" }, parameters.map(parameter))],
    h("h3", {}, "Answers"),
    answers(context, described, (status) => !shared.includes(status)),
  );
}

/**
 * The request of an operation, to be copied with the values of its example.
 * @param {Context} context
 * @param {Operation} operation
 */
function request({ contract, resource }, { method, path, described }) {
  const parameters = described.parameters.map((/** @type {any} */ one) => ({
    ...one,
    value: example(contract.document, one.schema),
  }));
  const query = new URLSearchParams(
    parameters.filter((/** @type {any} */ one) => one.in === "query" && one.required)
      .map((/** @type {any} */ one) => [one.name, String(one.value)]),
  );
  const values = new Map(parameters.map((/** @type {any} */ one) => [one.name, one.value]));
  const filled = path.replace(/\{([^}]+)\}/g, (_, name) => String(values.get(name)));
  const { example: body } = bodyOf(described);
  const asked = { method, path: filled + (query.size > 0 ? `?${query}` : ""), body };
  const copies = [copy("curl", () => curl(asked)), copy("fetch", () => asFetch(asked))];
  const line = h("code", {}, h("b", {}, method), " ", path);
  if (body !== undefined) {
    return code(line, Array.isArray(body) ? pretty(body) : json(body, resource), ...copies);
  }
  return h("div", { class: "request" }, line, h("span", { class: "copies" }, copies));
}

/**
 * The body that an operation takes; empty if it takes none.
 * @param {any} described
 */
function bodyOf({ requestBody: { content = {} } = {} }) {
  return content["application/json"] ?? {};
}

/**
 * The example of a schema.
 * @param {any} document
 * @param {any} schema
 */
const example = (document, schema) => resolved(document, schema).examples?.[0];

/**
 * Parameters, with those that filter by the same field together.
 * @param {any[]} parameters
 * @returns {any[][]}
 */
function grouped(parameters) {
  const groups = new Map();
  for (const one of parameters) {
    const key = one["x-relata"]?.field ?? `${one.in} ${one.name}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** @param {any[]} group */
function parameter([first, ...others]) {
  const {
    name,
    description,
    schema,
    required,
    in: where,
    "x-relata": { kind = typeOf(schema) } = {},
  } = first;
  const words = [
    where === "query" ? kind : where === "header" ? "header" : `${kind}, in the path`,
    schema.enum && valuesOf(schema.enum),
    (kind === "integer" || kind === "number") && range(schema.minimum, schema.maximum),
    required && where === "query" && "required",
    schema.default !== undefined && `else ${schema.default}`,
    schema.deprecated && "deprecated",
  ].filter(Boolean).join("; ");
  return h(
    "div",
    {},
    h("dt", {}, h("code", {}, name)),
    h(
      "dd",
      {},
      description && h("p", {}, description),
      h("p", { class: "quiet" }, words, others.map((one) => [", also ", h("code", {}, one.name)])),
    ),
  );
}

/**
 * @param {Context} context
 * @param {any} described
 * @param {(status: string) => boolean} isTold
 */
const answers = ({ contract }, { responses }, isTold) =>
  h(
    "dl",
    { class: "spec answers" },
    Object.entries(responses).filter(([status]) => isTold(status)).map(([status, response]) =>
      h(
        "div",
        {},
        h("dt", {}, h("code", { class: Number(status) < 400 ? "good" : "" }, status)),
        h("dd", {}, resolved(contract.document, response).description),
      )
    ),
  );

/**
 * What is on the page, beside it.
 * @param {string[][]} parts the id, the words and the method of each
 */
const contents = (parts) =>
  h(
    "nav",
    { class: "toc", "aria-label": "On this page" },
    h(
      "ul",
      {},
      parts.map(([id = "", words = "", method = ""]) =>
        h(
          "li",
          {},
          h(
            "a",
            {
              href: `#${id}`,
              onclick: (/** @type {Event} */ event) => {
                event.preventDefault(); // what follows # is an address here
                const heading = /** @type {HTMLElement} */ (document.getElementById(id));
                heading.focus({ preventScroll: true });
                heading.scrollIntoView();
              },
            },
            words,
            h("code", {}, method),
          ),
        )
      ),
    ),
  );
