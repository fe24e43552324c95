// The server as the page sees it: its address, the token, requests, and what a refusal says.
import { inTab } from "./keep.js";

/** The address of the server, without a final slash; this file is two folders below it. */
export const root = new URL("../..", import.meta.url).href.replace(/\/$/, "");

/** The path of that address, with which every path begins. */
export const prefix = new URL(`${root}/`).pathname.replace(/\/$/, "");

const KEY = `${root} token`;

/** The token of the requests; "" if there is none. It is kept until the tab is closed. */
export const token = {
  get: () => inTab.get(KEY) ?? "",
  /**
   * Keeps a token as it was pasted, but for "Bearer " before it and characters that no token has.
   * @param {string} pasted
   */
  set: (pasted) =>
    inTab.set(
      KEY,
      pasted.trim().replace(/^Bearer\s+/i, "").replace(/[^\x21-\x7e]/g, ""),
    ),
  forget: () => inTab.remove(KEY),
};

/**
 * The header of a write that is only for the version of a row that was read.
 * @param {string | null} etag that of the version
 * @returns {Record<string, string>}
 */
export const conditionOf = (etag) => etag ? { "if-match": etag } : {};

/**
 * @typedef {object} Answer
 * @property {boolean} ok
 * @property {number} status
 * @property {Headers} headers
 * @property {any} body the JSON; undefined if there is none
 */

/**
 * Sends a request; rejects if no answer comes.
 * @param {string} method
 * @param {string} path with the prefix
 * @param {object} [options]
 * @param {unknown} [options.body] sent as JSON, unless it is undefined
 * @param {Record<string, string>} [options.headers] besides the token and the media type
 * @param {AbortSignal | undefined} [options.signal]
 * @returns {Promise<Answer>}
 */
export async function ask(method, path, { body, headers, signal } = {}) {
  const response = await fetch(new URL(path, root), {
    method,
    headers: {
      ...authorization(),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
  return await answerIn(response);
}

/**
 * @param {Response} response
 * @returns {Promise<Answer>}
 */
export async function answerIn(response) {
  const text = await response.text();
  return {
    ok: response.ok,
    status: response.status,
    headers: response.headers,
    body: jsonOf(text),
  };
}

/**
 * The JSON of an answer; undefined if it has none. A proxy in front of the server may answer in HTML.
 * @param {string} text
 */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns {Record<string, string>} the header that says who sends a request */
export const authorization = () => token.get() ? { authorization: `Bearer ${token.get()}` } : {};

/** That the server refused a request; it has the answer. */
export class Refusal extends Error {
  /** @param {Answer} answer */
  constructor(answer) {
    super(answer.body?.detail ?? `The server answered ${answer.status}`);
    this.answer = answer;
  }
}

/**
 * The answer to what was asked for before a view was there to read it, by its path; each is for one view.
 * @type {Map<string, Promise<Answer>>}
 */
const ahead = new Map();

/** @param {string} path */
export function readAhead(path) {
  const answer = ask("GET", path);
  answer.catch(() => {}); // who reads it is told
  ahead.set(path, answer);
}

/**
 * Reads a path; rejects with a `Refusal` unless the answer is a success.
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
export async function readJson(path, signal) {
  const asked = ahead.get(path);
  ahead.delete(path);
  const answer = await (asked ?? ask("GET", path, { signal }));
  if (!answer.ok) throw new Refusal(answer);
  return answer;
}
