// Who asks, and what they may do, as the server tells it.
import { ask, prefix, Refusal, token } from "./client.js";

/**
 * @typedef {object} Caller
 * @property {{ subject: string, roles: string[] }} [caller] whom the token stands for, if it stands for somebody
 * @property {string[]} scopes those of the token; none without one, or with one that the server refuses
 * @property {Record<string, string[]>} [access] what they may do, by resource, if there are rules
 */

/**
 * Reads who asks; rejects if the server does not say.
 * @param {boolean} isSecured
 * @returns {Promise<Caller | undefined>} undefined where the server asks for no token
 */
export async function readCaller(isSecured) {
  if (!isSecured) return undefined;
  const answer = await ask("GET", `${prefix}/`, { headers: { accept: "application/json" } });
  if (answer.status === 401) return { scopes: [] };
  if (!answer.ok) throw new Refusal(answer);
  return { scopes: [], ...answer.body };
}

/**
 * What each verb does, in the words of the rules.
 * @type {Record<string, string>}
 */
const RIGHTS = {
  create: "create",
  batch: "create",
  replace: "update",
  patch: "update",
  delete: "delete",
  action: "update",
  changes: "history",
};

/**
 * Whether somebody may do something, as far as that is known before a row is looked at.
 * @param {Caller | undefined} caller
 * @param {import("./contract.js").Resource} resource
 * @param {string} verb
 */
export function mayDo(caller, { name, operations }, verb) {
  const operation = operations[verb];
  if (!operation) return false;
  if (!caller) return true;
  const { scopes, access } = caller;
  if (access && !access[name]?.includes(RIGHTS[verb] ?? "read")) return false;
  // What is open to all needs no token, and so no scope
  return !operation.scope || scopes.includes(operation.scope) || (!!access && !token.get());
}
