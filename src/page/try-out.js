// A request of the reference that is edited and sent from there, and what the server answers.
import { ask } from "./client.js";
import { pathWith } from "./contract.js";
import { button, entry, h, note, say } from "./dom.js";
import { askedOf, inputFor } from "./inputs.js";
import { jsonOf, pretty } from "./json.js";
import { code, copy, requestLine } from "./request.js";

/** @typedef {import("./contract.js").Operation} Operation */

/** What a write does, by its verb; what is read has none. @type {Record<string, string>} */
const DOES = {
  create: "creates a row",
  batch: "creates rows",
  replace: "replaces the row",
  patch: "changes the row",
  delete: "deletes the row",
  action: "carries the action out",
};

/** The headers of an answer that say something of this request. */
const TELLING =
  /^(etag|location|link|retry-after|content-type|idempoten.*|www-authenticate|allow|accept|deprecation|sunset|ratelimit.*|x-request-id)$/;

/** The lines of an answer that are shown at first. */
const MOST_LINES = 300;

/**
 * @param {import("./docs.js").Context} context
 * @param {Operation} operation
 * @param {() => void} close
 */
export function tryOut(context, operation, close) {
  const { resource, signal } = context;
  const { method, path, body, described } = operation;
  const { operationId, summary, parameters, "x-relata": extension } = described;
  const does = DOES[extension?.verb ?? resource.kind];
  const line = document.createTextNode("");
  const answer = h("div", { class: "view" });
  /** @type {Given[]} */
  const given = [];
  const slots = h("div", { class: "toolbar" });

  /** @param {any} parameter */
  function add(parameter) {
    const one = fieldFor(operationId, parameter, !does);
    given.push(one);
    slots.append(one.element);
    return one.element;
  }
  // Filters are many: they come as they are picked
  /** @type {any[]} */
  const filters = parameters.filter((/** @type {any} */ one) => one["x-relata"]?.operator);
  for (const one of parameters) if (!filters.includes(one)) add(one);
  const more = h(
    "select",
    { id: `${operationId}-more`, onchange: addPicked },
    h("option", { value: "" }, "Add a filter"),
    filters.map(({ name }) => h("option", {}, name)),
  );
  more.ariaLabel = "Add a filter";
  function addPicked() {
    const parameter = filters.find(({ name }) => name === more.value);
    if (!parameter) return;
    more.selectedOptions[0]?.remove();
    more.value = "";
    add(parameter).querySelector("input")?.focus();
  }

  const text = body && h("textarea", {
    id: `${operationId}-body`,
    rows: String(Math.min(pretty(body.example).split("\n").length + 1, 16)),
    spellcheck: "false",
    dir: "ltr",
    class: "number",
  }, pretty(body.example));
  const error = h("p", { class: "error", id: `${operationId}-error`, role: "alert" });

  /** The request as it is filled in. */
  function request() {
    /** @param {string} where */
    const valuesIn = (where) =>
      given.flatMap(({ name, place, input }) =>
        place === where && input.value !== ""
          ? [/** @type {[string, string]} */ ([name, askedOf(input)])]
          : []
      );
    const query = new URLSearchParams(valuesIn("query"));
    return {
      method,
      path: pathWith(path, Object.fromEntries(valuesIn("path"))) +
        (query.size > 0 ? `?${query}` : ""),
      headers: Object.fromEntries(valuesIn("header")),
      ...(text && { body: JSON.parse(text.value) }),
    };
  }
  function edited() {
    try {
      line.data = request().path;
      error.textContent = "";
      text?.removeAttribute("aria-invalid");
    } catch {
      // The text is no JSON yet
    }
  }

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    if (sender.ariaDisabled) return;
    let asked;
    try {
      asked = request();
    } catch (reason) {
      answer.replaceChildren();
      error.textContent = `This is no JSON: ${/** @type {Error} */ (reason).message}`;
      text?.setAttribute("aria-invalid", "true");
      return text?.focus();
    }
    const { path, ...options } = asked;
    const began = performance.now();
    sender.ariaDisabled = "true"; // it keeps the focus
    say("Sending");
    try {
      const got = await ask(method, path, { ...options, signal });
      const milliseconds = Math.round(performance.now() - began);
      answer.replaceChildren(...answered(context, operation, got, milliseconds));
    } catch (reason) {
      if (signal.aborted) return;
      const why = /** @type {Error} */ (reason).message;
      answer.replaceChildren(note("bad", "No answer came", h("p", {}, why)));
    }
    sender.ariaDisabled = null;
  }
  const sender = button("Send", {
    type: "submit",
    class: method === "DELETE" ? "button destroy" : "button primary",
  });
  const form = h(
    "form",
    { class: "try view", "aria-label": `Send: ${summary}`, onsubmit: send, oninput: edited },
    requestLine(request, line).element,
    parameters.length > 0 && slots,
    filters.length > 0 && more,
    text && h("div", { class: "field" }, h("label", { for: text.id }, "Body"), text, error),
    does && h("p", { class: "strong" }, `This really ${does}.`),
    h("div", { class: "buttons" }, sender, button("Close", { onclick: close })),
    answer,
  );
  edited();
  return form;
}

/**
 * @typedef {object} Given
 * @property {string} name
 * @property {string} place in the path, the query or a header
 * @property {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input
 * @property {HTMLElement} element
 */

/**
 * The field of a parameter. In what only reads, one that has to be there begins with its example; the row that is
 * written is for a person to name: a key that is held down also sends.
 * @param {string} operationId
 * @param {any} parameter
 * @param {boolean} isRead
 * @returns {Given}
 */
function fieldFor(
  operationId,
  { name, in: place, required = false, schema, "x-relata": extension },
  isRead,
) {
  const input = inputFor({
    id: `${operationId}-${name}`,
    kind: extension?.kind ?? kindOfSchema(schema),
    schema,
    value: required && isRead ? String(schema.examples?.[0] ?? "") : "",
    isRequired: required,
  });
  const element = h(
    "label",
    { class: "parameter" },
    h("span", {}, h("code", {}, name), required && " · required"),
    input,
  );
  return { name, place, input, element };
}

/** @param {any} schema */
const kindOfSchema = ({ type }) => ["integer", "boolean"].includes(type) ? type : "text";

/**
 * What a server answered: its status in words, the milliseconds it took, its headers, its body.
 * @param {import("./docs.js").Context} context
 * @param {Operation} operation
 * @param {import("./client.js").Answer} answer
 * @param {number} milliseconds
 */
function answered({ contract, resource }, operation, { ok, status, headers, body }, milliseconds) {
  const means = body?.title ?? operation.answers[status] ?? "";
  const label = [
    h("b", { class: !ok && "bad" }, String(status)),
    ` ${means} · `,
    h("span", { class: "number" }, `${milliseconds} ms`),
  ];
  say(`${status} ${means}`);
  const told = [...headers].filter(([name]) => TELLING.test(name));
  const codes = ok || !body?.type ? [] : [
    body.type.split("/").at(-1),
    ...new Set((body.errors ?? []).map((/** @type {any} */ one) => one.code)),
  ];
  return [
    body === undefined
      ? code(label, h("span", { class: "quiet" }, "No JSON came with it"))
      : code(label, bodyOf(body, resource.fields), copy("JSON", () => pretty(body))),
    codes.length > 0 &&
    h(
      "p",
      { class: "quiet" },
      "What it means: ",
      codes.map((one, index) => [
        index > 0 && ", ",
        h("a", { href: `#/!shared.${one}` }, h("code", {}, one)),
      ]),
    ),
    contract.isSecured && status === 401 && h("p", {}, h("a", { href: "#/!token" }, "Use a token")),
    h(
      "details",
      {},
      h("summary", {}, "Headers"),
      h(
        "dl",
        { class: "spec" },
        told.map(([name, value]) => entry(h("code", {}, name), value)),
      ),
    ),
  ].filter((one) => one !== false);
}

/**
 * The body of an answer; of a long one, its beginning.
 * @param {any} body
 * @param {import("./contract.js").Field[]} fields
 * @returns {import("./dom.js").Children}
 */
function bodyOf(body, fields) {
  const lines = pretty(body).split("\n");
  if (lines.length <= MOST_LINES) {
    return Array.isArray(body) ? lines.join("\n") : jsonOf(body, fields);
  }
  const rest = h("span", {}, button(`All ${lines.length} lines`, { onclick: showAll }));
  function showAll() {
    rest.replaceChildren(lines.slice(MOST_LINES).join("\n"));
  }
  return [`${lines.slice(0, MOST_LINES).join("\n")}\n`, rest];
}
