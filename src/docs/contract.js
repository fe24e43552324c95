// The server as the page sees it: its address, its contract, and requests to it.

/** The address before the paths of the contract; this file is one folder below it. */
export const root = new URL("..", import.meta.url).href.replace(/\/$/, "");

/** The path of that address, as people see it. */
export const prefix = new URL(`${root}/`).pathname.replace(/\/$/, "");

/** The token of the requests; "" if the server needs none. It is kept until the tab is closed. */
export const token = {
  // Drops pasted characters that no token has, since `fetch` refuses them in a header
  get: () => (sessionStorage.getItem(KEY) ?? "").replace(/[^\x21-\x7e]/g, ""),
  /** @param {string} text */
  set: (text) => sessionStorage.setItem(KEY, text),
};

const KEY = `${root} token`;

/**
 * The header that says who sends a request.
 * @returns {Record<string, string>}
 */
export function authorization() {
  return token.get() ? { authorization: `Bearer ${token.get()}` } : {};
}

/**
 * @typedef {object} Answer
 * @property {boolean} ok
 * @property {number} status
 * @property {string | null} location
 * @property {any} body
 */

/**
 * Asks the server at a path from its root; rejects if it cannot be reached.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function ask(method, path, body, signal) {
  const response = await fetch(new URL(path, root), {
    method,
    headers: {
      ...authorization(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
  return {
    ok: response.ok,
    status: response.status,
    location: response.headers.get("location"),
    body: await response.json(),
  };
}

/** Reads the contract; rejects with the server's detail if it is refused. */
export async function readContract() {
  const { ok, body } = await ask("GET", `${prefix}/openapi.json`);
  if (!ok) throw new Error(body.detail);
  return body;
}

/**
 * The schema itself, even if the contract only refers to it.
 * @param {any} contract
 * @param {any} schema
 */
export function resolve(contract, schema) {
  if (!schema.$ref) return schema;
  return schema.$ref.slice(2).split("/").reduce(
    (/** @type {any} */ value, /** @type {string} */ name) => value[name],
    contract,
  );
}

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
