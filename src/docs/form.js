// One form for each operation of the contract that creates something: its fields, the request, the answer.
import { ask, element, prefix, resolve } from "./contract.js";
import { exchanged } from "./exchange.js";
import { fieldOf } from "./fields.js";

/**
 * @typedef {object} Creation
 * @property {string} name the resource
 * @property {string} summary
 * @property {string} path
 * @property {any} schema what is sent
 * @property {string | undefined} last where the newest is read, for a resource that says so
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
  const fields = new Map(
    Object.entries(schema.properties).map(([field, property]) => {
      const example = schema.examples?.[0]?.[field];
      return [field, fieldOf({ id: `${name}-${field}`, name: field, property, example })];
    }),
  );
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
    exchanges.append(exchanged({ method, path, body, answer, relations }));
    return answer;
  }

  async function send() {
    for (const field of fields.values()) field.refuse([]);
    if (!await settled()) return;
    const sent = Object.fromEntries([...fields].map(([name, { value }]) => [name, value()]));
    const { ok, status: number, location, body } = await exchange("POST", path, sent);
    if (ok) {
      if (last) await exchange("GET", last);
      status.textContent = location ? `Created at ${location}` : "Created";
      return;
    }
    const elsewhere = refuse(body.errors ?? []);
    status.textContent = [`${number} ${body.title}: ${body.detail}`, ...elsewhere].join("\n");
  }

  /** Whether every field has a value to send; if not, the focus goes to the first that has none. */
  async function settled() {
    const all = [...fields.values()];
    const ready = await Promise.all(all.map((field) => field.settle()));
    const failing = all.filter((_, index) => !ready[index]);
    if (failing.length === 0) return true;
    for (const { control } of failing) control.setAttribute("aria-invalid", "true");
    failing[0]?.control.focus();
    const count = failing.length === 1 ? "One field fails" : `${failing.length} fields fail`;
    status.textContent = `Nothing was sent: ${count}`;
    return false;
  }

  /**
   * Shows what the server refuses at its fields, and gives what is of none of them.
   * @param {{ pointer: string, detail: string }[]} errors
   * @returns {string[]}
   */
  function refuse(errors) {
    const elsewhere = [];
    /** @type {Map<import("./fields.js").Field, import("./fields.js").Refusal[]>} */
    const failing = new Map();
    for (const { pointer, detail } of errors) {
      const [, name = "", index] = pointer.split("/"); // "/tags/1" is of the field "tags"
      const field = fields.get(name);
      const refusal = { detail, index: index === undefined ? undefined : Number(index) };
      if (field) failing.set(field, [...(failing.get(field) ?? []), refusal]);
      else elsewhere.push(detail);
    }
    for (const [field, refusals] of failing) field.refuse(refusals);
    failing.keys().next().value?.control.focus();
    return elsewhere;
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
    ...[...fields.values()].map((field) => field.element),
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
