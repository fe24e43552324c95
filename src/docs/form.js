// One form for each operation of the contract that creates something: its fields, the request, the answer.
import { combobox } from "./combobox.js";
import { ask, element, prefix, resolve } from "./contract.js";

/**
 * @typedef {object} Creation
 * @property {string} name the resource
 * @property {string} summary
 * @property {string} path
 * @property {any} schema what is sent
 * @property {string | undefined} last where the newest is read, for a resource that says so
 */

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {HTMLElement} control
 * @property {() => unknown} value what to send; undefined leaves the field out
 * @property {(detail: string) => void} refuse
 */

/**
 * The operations of the contract that create something.
 * @param {any} contract
 * @returns {Creation[]}
 */
export function creations(contract) {
  return Object.entries(contract.paths).flatMap(([path, { post }]) => {
    const content = post?.requestBody?.content["application/json"];
    const schema = content && resolve(contract, content.schema);
    if (!schema?.properties) return [];
    const id = post.operationId.replace("create", "readLast");
    const last = Object.keys(contract.paths).find((path) =>
      contract.paths[path].get?.operationId === id
    );
    return [{
      name: post.tags[0],
      summary: post.summary,
      path: prefix + path,
      schema,
      last: last && prefix + last,
    }];
  });
}

/** @param {Creation} creation */
export function form({ name, summary, path, schema, last }) {
  const title = element("h3", { id: `create-${name}` }, name);
  const fields = Object.entries(schema.properties).map((
    [field, property],
  ) => /** @type {[string, Field]} */ ([field, fieldOf(`${name}-${field}`, field, property)]));
  const relations = Object.keys(schema.properties).filter((field) =>
    schema.properties[field].externalDocs
  );
  const status = element("p", { role: "status", class: "status" });
  const exchanges = element("div", { class: "exchanges" });
  const buttons = [element("button", { type: "submit" }, summary)];
  const made = element("form", { "aria-labelledby": title.id, novalidate: "" });

  /** @param {() => Promise<void>} work */
  async function busy(work) {
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    exchanges.replaceChildren();
    status.textContent = ""; // so that the same words are heard again
    try {
      await work();
    } catch (error) {
      status.textContent = `The answer cannot be read: ${/** @type {Error} */ (error).message}`;
    }
    for (const button of buttons) button.removeAttribute("aria-disabled");
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async function exchange(method, path, body) {
    const answer = await ask(method, path, body);
    exchanges.append(shown({ method, path, body, answer, relations }));
    return answer;
  }

  async function send() {
    for (const [, field] of fields) field.refuse("");
    const sent = Object.fromEntries(fields.map(([name, { value }]) => [name, value()]));
    const { ok, status: number, location, body } = await exchange("POST", path, sent);
    if (ok) {
      if (last) await exchange("GET", last);
      status.textContent = location ? `Created at ${location}` : "Created";
      return;
    }
    status.textContent = `${number} ${body.title}: ${body.detail}`;
    const failing = new Map(fields.map(([name, field]) => [`/${name}`, field]));
    const errors = /** @type {{ pointer: string, detail: string }[]} */ (body.errors ?? []);
    for (const { pointer, detail } of errors) failing.get(pointer)?.refuse(detail);
    failing.get(errors[0]?.pointer ?? "")?.control.focus();
  }

  async function readLast() {
    const { ok, status: number, body } = await exchange("GET", /** @type {string} */ (last));
    status.textContent = ok ? "Read" : `${number} ${body.title}: ${body.detail}`;
  }

  made.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!buttons[0]?.hasAttribute("aria-disabled")) busy(send);
  });
  if (last) {
    const button = element("button", { type: "button" }, `Read the last ${name}`);
    button.addEventListener("click", () => busy(readLast));
    buttons.push(button);
  }
  made.append(
    ...fields.map(([, field]) => field.element),
    element("div", { class: "buttons" }, ...buttons),
  );
  const route = element("code", {}, `POST ${path}`);
  return element(
    "article",
    { class: "creation" },
    element("header", {}, title, route),
    made,
    status,
    exchanges,
  );
}

/**
 * @param {string} id
 * @param {string} name
 * @param {any} property
 * @returns {Field}
 */
function fieldOf(id, name, property) {
  const hint = element("p", { id: `${id}-hint`, class: "hint" });
  const error = element("p", { id: `${id}-error`, class: "error" });
  const described = `${hint.id} ${error.id}`;
  const url = property.externalDocs?.url;
  const { input, parts, value } = url
    ? combobox({ id, url, described })
    : plain({ id, described, hint, property });
  return {
    element: element(
      "div",
      { class: "field" },
      element("label", { for: id }, name),
      ...parts,
      hint,
      error,
    ),
    control: input,
    value,
    refuse(detail) {
      error.textContent = detail;
      if (detail) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    },
  };
}

/**
 * A text field. It does not limit the length: the server refuses text that is too long.
 * @param {{ id: string, described: string, hint: HTMLElement, property: any }} options
 */
function plain({ id, described, hint, property: { type, maxLength } }) {
  const attributes = { id, autocomplete: "off", "aria-describedby": described };
  const input = type === "string" && maxLength === undefined
    ? element("textarea", { ...attributes, rows: "2" })
    : element("input", { ...attributes, type: "text" });
  if (maxLength !== undefined) {
    // Code points, as in the contract
    const count = () => hint.textContent = `${[...input.value].length} of ${maxLength} characters`;
    input.addEventListener("input", count);
    count();
  }
  const number = () => input.value === "" ? undefined : Number(input.value);
  return { input, parts: [input], value: type === "string" ? () => input.value : number };
}

/**
 * @param {object} exchange
 * @param {string} exchange.method
 * @param {string} exchange.path
 * @param {unknown} exchange.body
 * @param {import("./contract.js").Answer} exchange.answer
 * @param {string[]} exchange.relations
 */
function shown({ method, path, body, answer, relations }) {
  const request = element("pre", {}, `${method} ${path}`);
  if (body !== undefined) request.append("\n", json(body, relations));
  const outcome = element("b", { class: answer.ok ? "good" : "bad" }, String(answer.status));
  const reply = element("pre", {}, outcome, "\n", json(answer.body, relations));
  return element(
    "dl",
    {},
    element("dt", {}, "Sent"),
    element("dd", {}, request),
    element("dt", {}, "Came back"),
    element("dd", {}, reply),
  );
}

/**
 * An object as JSON, with its relations marked: the same field, written and read.
 * @param {any} object
 * @param {string[]} relations
 */
function json(object, relations) {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  const text = document.createDocumentFragment();
  text.append("{");
  members.forEach(([name, value], index) => {
    text.append(index === 0 ? "\n" : ",\n");
    const member = `${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)}`;
    member.split("\n").forEach((line, number) => {
      const bare = line.trimStart();
      const marked = relations.includes(name) ? element("mark", {}, bare) : bare;
      text.append(number === 0 ? "" : "\n", " ".repeat(2 + line.length - bare.length), marked);
    });
  });
  text.append("\n}");
  return text;
}
