// Sending what may safely be sent twice: a create under its Idempotency-Key, a change under its If-Match.

/** Seconds before each repetition, where the server does not say when to come back. */
const WAITS = [1, 2, 4, 8, 15];

/** The most seconds that the server may ask to wait. */
const MOST = 60;

/** Answers that leave open what became of the request. */
const OPEN = [502, 503, 504];

/**
 * Sends a request until it is answered, six times at most; rejects if the last has no answer either.
 * @param {() => Promise<import("./client.js").Answer>} send
 * @param {() => boolean} again called where no answer came; false ends it
 * @returns {Promise<import("./client.js").Answer | undefined>} undefined if it was ended
 */
export async function persist(send, again) {
  for (const wait of WAITS) {
    const answer = await send().catch(() => undefined);
    if (answer && !isOpen(answer)) return answer;
    const seconds = Math.min(Number(answer?.headers.get("retry-after")) || wait, MOST);
    if (!again()) return undefined;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    if (!again()) return undefined; // the form may have been left meanwhile
  }
  return await send();
}

/** @param {import("./client.js").Answer} answer */
function isOpen({ status, body }) {
  return OPEN.includes(status) || (status === 409 && body?.type?.endsWith("/in_progress"));
}

/**
 * Gives each body a key of its own, and the same body its key again.
 * @returns {(body: unknown) => string}
 */
export function keyed() {
  let sent = "";
  let key = "";
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== sent) {
      sent = text;
      // Not `randomUUID`, which browsers have on secure origins alone
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      key = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    }
    return key;
  };
}
