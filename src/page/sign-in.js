// Signing in at the issuer: the authorization code flow with PKCE (RFC 7636), within the page. The server never sees
// the code, and of all that the issuer gives, only the access token stays.
import { root, token } from "./client.js";
import { inTab } from "./keep.js";

/**
 * @typedef {object} Issuer what the server tells of it
 * @property {string} issuer
 * @property {string} authorization
 * @property {string} token
 * @property {string} [end]
 * @property {string} parameters
 */

/** @typedef {{ verifier: string, state: string, hash: string, draft: unknown }} Asked */

const told = /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=sign-in]")).content;

/**
 * Undefined where people cannot sign in: browsers have what it takes on secure origins alone.
 * @type {Issuer | undefined}
 */
export const issuer = told !== "" && globalThis.crypto.subtle ? JSON.parse(told) : undefined;

const KEY = `${root} sign in`;
const HOME = `${root}/docs/`;

/** @param {Uint8Array<ArrayBuffer>} bytes */
const base64 = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const random = () => base64(crypto.getRandomValues(new Uint8Array(32)));

/**
 * Leaves for the issuer, which leads back to this address.
 * @param {Issuer} issuer
 * @param {unknown} draft what was typed here; it comes back
 */
export async function signIn({ authorization, parameters }, draft) {
  const [verifier, state] = [random(), random()];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  inTab.set(KEY, JSON.stringify({ verifier, state, hash: location.hash, draft }));
  const place = new URL(authorization);
  place.search = String(
    new URLSearchParams([
      ...place.searchParams,
      ["response_mode", "fragment"], // which no server gets
      ...new URLSearchParams(parameters),
      ["response_type", "code"],
      ["redirect_uri", HOME],
      ["state", state],
      ["code_challenge", base64(new Uint8Array(digest))],
      ["code_challenge_method", "S256"],
    ]),
  );
  location.assign(place);
}

/**
 * Takes the answer of the issuer, if the page was opened with one, and keeps the token. The address is the one that was
 * left again, and what was typed there is in the state of the history, as `draft`. Rejects if the answer signs nobody
 * in.
 */
export async function finishSignIn() {
  const asked = /** @type {Asked | null} */ (JSON.parse(inTab.get(KEY) ?? "null"));
  inTab.remove(KEY);
  const { search, hash } = location;
  // An address of the page begins with a slash
  const answer = new URLSearchParams(search || (hash.startsWith("#/") ? "" : hash.slice(1)));
  const isAnswer = answer.has("state");
  const isOurs = asked !== null &&
    (isAnswer ? asked.state === answer.get("state") : asked.hash === hash);
  if (isOurs) history.replaceState({ draft: asked.draft }, "", HOME + asked.hash);
  else if (isAnswer) history.replaceState(null, "", `${HOME}#/`);
  if (!isAnswer) return;
  if (!isOurs || !issuer) throw new Error("This tab did not ask for the answer that came");
  if ((answer.get("iss") ?? issuer.issuer) !== issuer.issuer) {
    throw new Error("The answer is of another issuer");
  }
  const error = answer.get("error");
  if (error) throw new Error(answer.get("error_description") ?? error);
  token.set(await redeem(issuer, answer.get("code") ?? "", asked.verifier));
}

/**
 * Gets the token for a code.
 * @param {Issuer} issuer
 * @param {string} code
 * @param {string} verifier
 * @returns {Promise<string>}
 */
async function redeem({ token, parameters }, code, verifier) {
  const given = new URLSearchParams(parameters);
  const response = await fetch(token, {
    method: "POST",
    redirect: "error",
    body: new URLSearchParams([
      ["grant_type", "authorization_code"],
      ["client_id", given.get("client_id") ?? ""],
      ["redirect_uri", HOME],
      ["code", code],
      ["code_verifier", verifier],
      ...given.getAll("resource").map((resource) => ["resource", resource]),
    ]),
  });
  const { access_token, error, error_description } = await response.json();
  if (response.ok && typeof access_token === "string") return access_token;
  throw new Error(error_description ?? error ?? `The issuer answered ${response.status}`);
}

/** Forgets the token, and what the tab keeps of their work; where the issuer signs people out, the page leaves for that, otherwise it begins again. */
export function signOut() {
  const isOfIssuer = !token.get().startsWith("relata_");
  inTab.removeAll(root);
  if (!issuer?.end || !isOfIssuer) return location.reload();
  const place = new URL(issuer.end);
  place.searchParams.set(
    "client_id",
    new URLSearchParams(issuer.parameters).get("client_id") ?? "",
  );
  place.searchParams.set("post_logout_redirect_uri", HOME);
  location.assign(place);
}
