// Sending what may safely be sent twice: a create under its Idempotency-Key, a change under its If-Match.
import { ask, root } from "./client.js";
import { h, note, say } from "./dom.js";
import { inTab } from "./keep.js";

/** Seconds before each repetition, where the server does not say when to come back. */
const WAITS = [1, 2, 4, 8, 15];

/** The most seconds that the server may ask to wait. */
const MOST = 60;

/** Answers that leave open what became of the request. */
const OPEN = [502, 503, 504];

/**
 * Sends a request until it is answered, six times at most; rejects if the last has no answer either.
 * @param {{ context: { signal: AbortSignal }, trouble: Pick<HTMLElement, "replaceChildren"> }} place where it is said
 *   that no answer came
 * @param {string} key the header that makes it safe
 * @param {() => Promise<import("./client.js").Answer>} send
 * @returns {Promise<import("./client.js").Answer | undefined>} undefined if the view was left meanwhile
 */
export async function persist({ context: { signal }, trouble }, key, send) {
  for (const wait of WAITS) {
    const answer = await send().catch(() => undefined);
    if (answer && !isOpen(answer)) return answer;
    const seconds = Math.min(Number(answer?.headers.get("retry-after")) || wait, MOST);
    if (signal.aborted) return undefined;
    const words = "No answer came: it is being sent again";
    const once = ", so it is done once, whatever became of the first.";
    trouble.replaceChildren(
      note("", words, h("p", {}, "Under the same ", h("code", {}, key), once)),
    );
    say(words);
    await pause(seconds, signal);
    if (signal.aborted) return undefined;
  }
  return await send();
}

/**
 * Waits, unless that is in vain.
 * @param {number} seconds
 * @param {AbortSignal} signal
 */
export const pause = (seconds, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", resolve, { once: true });
  });

/** @param {import("./client.js").Answer} answer */
function isOpen({ status, body }) {
  return OPEN.includes(status) || (status === 409 && body?.type?.endsWith("/in_progress"));
}

/**
 * What sends a request under an Idempotency-Key: the same one has its key again, until it is known what became of it;
 * also where the tab was loaded anew meanwhile.
 * @param {Pick<import("./form.js").Place, "context" | "trouble">} place where it is said that no answer came
 * @returns {(request: import("./request.js").Request) => ReturnType<typeof persist>}
 */
export function keyed(place) {
  return async ({ method, path, body }) => {
    const name = `${root} sent to ${path}`;
    const text = JSON.stringify([body]);
    /** @returns {Map<string, string>} the keys of what has no answer yet */
    const open = () => new Map(JSON.parse(inTab.get(name) ?? "[]"));
    const key = open().get(text) ?? newKey();
    inTab.set(name, JSON.stringify([...open().set(text, key)]));
    const headers = { "idempotency-key": `"${key}"` };
    const answer = await persist(
      place,
      "Idempotency-Key",
      () => ask(method, path, { body, headers }),
    );
    if (answer && answer.status < 500 && !isOpen(answer)) {
      const others = [...open()].filter(([sent]) => sent !== text);
      if (others.length > 0) inTab.set(name, JSON.stringify(others));
      else inTab.remove(name);
    }
    return answer;
  };
}

/** A key under which what is sent again is done once. */
export function newKey() {
  // Not `randomUUID`, which browsers have on secure origins alone
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
