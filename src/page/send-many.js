// Sending a request a row, a few at once, each under the tag of what somebody saw. What became of it is told at the row.
import { pageAddress } from "./address.js";
import { ask, conditionOf } from "./client.js";
import { changeable, pathFor } from "./contract.js";
import { button, h, isolated } from "./dom.js";
import { newKey, pause, persist } from "./persist.js";
import { wordsOfRefusal } from "./sentences.js";
import { asWritten, changedFields, changeOf, createAgain } from "./versions.js";

/** @typedef {import("./seen.js").Seen} Seen */
/** @typedef {import("./versions.js").Version} Version */
/** @typedef {import("./client.js").Answer} Answer */

/** Requests that are under way at once. */
const AT_ONCE = 3;

/** The most times that a row waits where the server has too much to do. */
const TURNS = 10;

/**
 * @typedef {object} Place where rows are written
 * @property {import("./docs.js").Context} context
 * @property {import("./texts.js").Texts} texts
 * @property {(seen: Seen[], send: Send, done?: string) => Promise<void>} run sends something for each, and shows how
 *   far it is
 * @property {() => void} draw shows in the bar how much is selected and changed
 * @property {boolean} isFilling whether somebody says what to change
 */

/** @typedef {(seen: Seen, place: Place) => Promise<Answer | undefined>} Send gives why it was refused */

/**
 * Sends for each row what there is to send, until all are done or it is stopped.
 * @param {Place} place
 * @param {Seen[]} all
 * @param {Send} send
 * @param {AbortSignal} stopped
 * @param {(seen: Seen) => void} progressed called when one was sent
 * @returns {Promise<Answer | undefined>} the answer that nobody is let in, if it came: the others are not sent
 */
export async function sendEach(place, all, send, stopped, progressed) {
  const waiting = [...all];
  /** @type {Answer | undefined} */
  let shut;
  async function work() {
    for (let seen; !shut && !stopped.aborted && (seen = waiting.shift());) {
      seen.line.inert = true;
      seen.tell("");
      try {
        const refusal = await send(seen, {
          ...place,
          context: { ...place.context, signal: stopped },
        });
        if (refusal?.status === 401) shut = refusal;
        else {
          if (refusal) seen.tell("bad", ...why(place, refusal));
          progressed(seen);
        }
      } catch {
        seen.tell("bad", "No answer came. To send it again is safe: it is done once.");
        progressed(seen);
      }
      seen.line.inert = false;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return shut;
}

/**
 * Sends a request until it is answered; the server may ask to come back later. Rejects if no answer comes.
 * @param {Place} place
 * @param {Seen} seen
 * @param {import("./request.js").Request} request
 */
async function answered({ context }, seen, { method, path, ...sent }) {
  for (let turn = 0;; turn++) {
    const answer = await persist(
      { context, trouble: { replaceChildren: (...words) => seen.tell("", words) } },
      method === "POST" ? "Idempotency-Key" : "If-Match",
      () => ask(method, path, sent),
    );
    if (!answer) throw new Error("It was stopped");
    if (answer.status !== 429 || turn === TURNS) return answer;
    const seconds = Number(answer.headers.get("retry-after")) || 1;
    seen.tell("", `The server has too much to do: it is sent again in ${seconds} s`);
    await pause(seconds, context.signal);
    if (context.signal.aborted) return answer;
  }
}

/**
 * What sends a change of a row.
 * @param {import("./docs.js").Context} context
 * @param {Pick<Seen, "identifier" | "before" | "etag">} seen
 * @param {Version} after the fields to change
 */
export const changeOfSeen = (context, { identifier, before, etag }, after) =>
  changeOf(
    { ...context, identifier },
    changeable(context.resource),
    { version: before, etag },
    after,
  );

/**
 * Changes a row. Where another was faster, it is sent again if that touched nothing of it and `merges`, else told.
 * @param {Place} place
 * @param {Seen} seen
 * @param {Version} after
 * @param {boolean} merges
 * @param {(both: import("./contract.js").Field[], before: Version, seen: Seen) => import("./dom.js").Children} choice what a
 *   person can do about it
 * @param {string} [word] what was done about it already
 * @returns {Promise<Answer | undefined>}
 */
export async function changeSeen(place, seen, after, merges, choice, word = "") {
  const { context, texts } = place;
  const fields = changeable(context.resource);
  const { before } = seen;
  const changed = changedFields(fields, before, after);
  const answer = await answered(place, seen, changeOfSeen(context, seen, after));
  const etag = answer.headers.get("etag");
  const now = answer.ok ? answer.body : answer.status === 412 && answer.body?.current;
  if (!now) return answer;
  const theirs = asWritten(context.contract, fields, now);
  const byThem = changedFields(fields, before, theirs);
  seen.take(now, etag);
  // What was sent had arrived, and only its answer was lost
  if (answer.ok || changedFields(changed, theirs, after).length === 0) {
    seen.tick.checked = false;
    seen.tell("saved", word);
    return undefined;
  }
  const both = changed.filter((field) => byThem.includes(field));
  const names = byThem.map(({ label }) => label).join(", ");
  // Only what is read with it has changed, or, where that is no matter, other fields
  if (byThem.length === 0 || merges && both.length === 0) {
    const merged = names && `Another changed ${names} meanwhile; both changes are kept.`;
    return await changeSeen(place, seen, after, merges, choice, merged || word);
  }
  await texts.learn(byThem, before, now);
  const told = merges ? both : byThem;
  seen.tell(
    "bad",
    "Changed meanwhile by another, so not saved: ",
    told.map((field, index) => [
      index > 0 && "; ",
      isolated(field.label),
      " is now ",
      h("b", {}, isolated(texts.describe(field, theirs[field.name]))),
      ", was ",
      isolated(texts.describe(field, before[field.name])),
    ]),
    choice(both, before, seen),
  );
}

/**
 * Deletes a row. One that is gone is what was asked for.
 * @type {Send}
 */
export async function deleteSeen(seen, place) {
  const { resource: { operations, one }, may } = place.context;
  const operation = /** @type {import("./contract.js").Operation} */ (operations["delete"]);
  const path = pathFor(operation, seen.identifier);
  const headers = conditionOf(seen.etag);
  const answer = await answered(place, seen, { method: "DELETE", path, headers });
  const { status, body } = answer;
  if (answer.ok || isGone(answer)) {
    seen.bury();
    const back = may("create") &&
      button("Bring it back", { onclick: () => place.run([seen], bringBack, "brought back") });
    seen.tell("", status === 404 ? "Deleted: it was gone already" : "Deleted", back);
    return undefined;
  }
  if (status !== 412) return answer;
  seen.take(body.current, answer.headers.get("etag"));
  seen.tell(
    "bad",
    `Changed meanwhile by another, so not deleted: above is the ${one} as it is now.`,
    button("Delete it anyway", { onclick: () => place.run([seen], deleteSeen, "deleted") }),
  );
}

/**
 * Creates a row that was deleted once more.
 * @type {Send}
 */
export async function bringBack(seen, place) {
  const request = createAgain(place.context, seen.row);
  seen.key ??= newKey();
  const headers = { "idempotency-key": `"${seen.key}"` };
  const answer = await answered(place, seen, { ...request, headers });
  if (!answer.ok) return answer;
  seen.revive(answer.body, answer.headers.get("etag"));
  seen.tell("saved");
}

/** @param {Answer} answer */
const isGone = ({ status, body }) => status === 404 || status === 412 && !body?.current;

/**
 * Why a row was refused, in sentences.
 * @param {Place} place
 * @param {Answer} answer
 * @returns {import("./dom.js").Children[]}
 */
function why({ context: { contract, resource } }, answer) {
  const { status, body } = answer;
  if (isGone(answer)) return ["Not saved: it is gone, somebody has deleted it."];
  /** @type {{ pointer: string, detail: string, code?: string }[]} */
  const errors = body?.errors ?? [{ pointer: "", detail: body?.detail ?? `Status ${status}` }];
  /** @type {{ resource: string, href: string }[]} */
  const references = body?.references ?? [];
  return [
    errors.map((error, index) => [
      index > 0 && "; ",
      isolated(wordsOfRefusal(contract, resource, error)),
    ]),
    references.map(({ resource: other, href }) =>
      h("a", { href: pageAddress(href) }, contract.resource(other).many)
    ),
  ];
}
