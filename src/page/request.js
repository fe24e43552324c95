// The request that a view makes, to be taken away as curl, fetch or Python; and code with what copies it.
import { root, token } from "./client.js";
import { button, h, icon, say } from "./dom.js";
import { pretty } from "./json.js";

/** Milliseconds that a tick says "copied". */
const TICK = 1500;

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {string} path with the prefix and the query
 * @property {unknown} [body]
 * @property {Record<string, string>} [headers] besides the token and the media type
 */

/**
 * The headers, with a name instead of the token: it is shown nowhere.
 * @param {Request} request
 */
const headersOf = ({ body, headers }) =>
  Object.entries({
    ...(token.get() && { authorization: "Bearer $TOKEN" }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  });

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const origin = new URL(root).origin;

/**
 * A request as a command for a shell.
 * @param {Request} request
 */
export function curl(request) {
  const { method, path, body } = request;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(origin + path)}`,
    ...headersOf(request).map(([name, value]) =>
      // Double quotes, so that the shell puts the token in
      value.includes("$TOKEN") ? `-H "${name}: ${value}"` : `-H ${quoted(`${name}: ${value}`)}`
    ),
    ...(body === undefined ? [] : [`-d ${quoted(pretty(body))}`]),
  ].join(" \\\n  ");
}

/**
 * A request as JavaScript.
 * @param {Request} request
 */
function asFetch(request) {
  const { method, path, body } = request;
  const headers = headersOf(request).map(([name, value]) =>
    value.includes("$TOKEN")
      ? `    ${JSON.stringify(name)}: \`${value.replace("$TOKEN", "${TOKEN}")}\`,`
      : `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`
  );
  const options = [
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : ["  headers: {", ...headers, "  },"]),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${pretty(body).replaceAll("\n", "\n  ")}),`]),
  ];
  const address = JSON.stringify(origin + path);
  if (options.length === 0) return `const response = await fetch(${address});`;
  return `const response = await fetch(${address}, {\n${options.join("\n")}\n});`;
}

/** @type {Record<string, string>} */
const IN_PYTHON = { true: "True", false: "False", null: "None" };

/**
 * A request as Python, with the library that people have.
 * @param {Request} request
 */
function asPython(request) {
  const { method, path, body } = request;
  const headers = headersOf(request).map(([name, value]) =>
    value.includes("$TOKEN")
      ? `        ${JSON.stringify(name)}: f${JSON.stringify(value.replace("$TOKEN", "{TOKEN}"))},`
      : `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`
  );
  const json = body === undefined ? "" : pretty(body).replaceAll(
    /"(?:[^"\\]|\\.)*"|true|false|null/g, // these words within a text stay
    (word) => IN_PYTHON[word] ?? word,
  ).replaceAll("\n", "\n    ");
  return [
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(origin + path)},`,
    ...(headers.length === 0 ? [] : ["    headers={", ...headers, "    },"]),
    ...(json === "" ? [] : [`    json=${json},`]),
    ")",
  ].join("\n");
}

/**
 * A button that copies.
 * @param {string} label what it gives: curl, fetch, Python, JSON
 * @param {() => string} text
 */
export function copy(label, text) {
  const made = button("", {
    class: "quiet-button copy",
    "aria-label": `Copy as ${label}`,
    onclick: take,
  });
  /** @param {"copy" | "check"} sign */
  const show = (sign) => made.replaceChildren(icon(sign), label);
  async function take() {
    try {
      await navigator.clipboard.writeText(text());
      show("check");
      say("Copied");
    } catch {
      // Browsers allow it on secure origins alone, and at this machine
      made.replaceChildren("not allowed here");
      say("The browser allows no copying here");
    }
    setTimeout(() => show("copy"), TICK);
  }
  show("copy");
  return made;
}

/** @param {() => Request} request called when it is copied */
const copies = (request) => [
  copy("curl", () => curl(request())),
  copy("fetch", () => asFetch(request())),
  copy("Python", () => asPython(request())),
];

/**
 * @param {string} method
 * @param {string | Text} path
 */
const words = (method, path) => h("code", {}, h("b", {}, method), " ", path);

/**
 * The line under each title: what the page asks, in the API's words.
 * @param {() => Request} request
 * @param {string | Text} [path] instead of that of the request
 * @param {import("./dom.js").Child[]} others what else can be done with it
 */
export function requestLine(request, path = request().path, ...others) {
  const code = words(request().method, path);
  return {
    element: h(
      "div",
      { class: "request" },
      code,
      h("span", { class: "copies" }, others, copies(request)),
    ),
    /** @param {string} answer its status, its ETag */
    showAnswer: (answer) => code.append(h("span", {}, answer)),
  };
}

/**
 * A request over the JSON that it sends.
 * @param {() => Request} request
 * @param {string | Text} path as it is shown
 * @param {import("./dom.js").Children} content
 * @param {import("./dom.js").Child[]} others what else can be done with it
 */
export const sentCode = (request, path, content, ...others) =>
  code(["Sends", words(request().method, path)], content, ...others, ...copies(request));

/**
 * Code under a label.
 * @param {import("./dom.js").Children} label
 * @param {import("./dom.js").Children} content
 * @param {import("./dom.js").Child[]} copies
 */
export const code = (label, content, ...copies) =>
  h(
    "figure",
    { class: "code" },
    h("figcaption", {}, h("span", {}, label), h("span", { class: "copies" }, copies)),
    h("pre", { tabindex: "0" }, content),
  );
