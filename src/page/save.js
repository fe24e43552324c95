// Saving a change of a row that is there, under its tag. Where another was faster, both versions are shown.
import { ask } from "./client.js";
import { conflict } from "./conflict.js";
import { persist } from "./persist.js";
import { asWritten, changedFields, changeOf, madeAnew, part } from "./versions.js";

/** @typedef {import("./client.js").Answer} Answer */
/** @typedef {import("./versions.js").Version} Version */

/**
 * @typedef {object} Stored a row that is there
 * @property {Version} version
 * @property {string | null} etag
 */

/**
 * The row of an answer, with the texts of what it refers to.
 * @param {import("./form.js").Place} place
 * @param {Answer} answer
 * @returns {Promise<Stored>}
 */
export async function storedOf({ context: { contract }, fields, texts }, { body, headers }) {
  await texts.learn(fields, body);
  return { version: asWritten(contract, fields, body), etag: headers.get("etag") };
}

/**
 * @param {import("./form.js").Place} place
 * @param {Stored} stored
 * @param {Version} mine
 * @param {(version: Version, stored: Stored, refusal: Answer) => void} reopen where a choice between two
 *   versions was refused: the form shows it
 * @returns {Promise<Answer | undefined>} why it was refused; undefined if something else is shown now
 */
export async function saveChange(place, stored, mine, reopen) {
  const { context, fields } = place;
  const changed = changedFields(fields, stored.version, mine);
  const { method, path: to, ...sent } = changeOf(context, fields, stored, mine);
  /** @param {Stored} [now] @returns {undefined} */
  function done(now) {
    const undo = now && {
      words: "Undo",
      request: changeOf(context, fields, now, madeAnew(fields, stored.version, now.version)),
      done: "Undone: it is as it was before",
    };
    place.saved(changed.map(({ name }) => name), undo);
  }

  const answer = await persist(place, "If-Match", () => ask(method, to, sent));
  if (answer?.ok) return done(await storedOf(place, answer));
  const now = answer && await changedRow(place, stored, answer);
  if (!now) return answer;

  const theirs = await storedOf(place, now);
  // What was sent had arrived, and only its answer was lost
  if (changedFields(changed, theirs.version, mine).length === 0) return done();
  // Only what is read with it has changed, such as the name of what it refers to: there is nothing to choose
  const isSame = changedFields(fields, stored.version, theirs.version).length === 0;
  if (isSame && theirs.etag !== stored.etag) {
    return await saveChange(place, theirs, mine, reopen);
  }
  conflict(place, {
    before: stored.version,
    mine: { ...stored.version, ...part(changed, mine) },
    theirs,
    save: (merged) => saveChange(place, theirs, merged, reopen),
    reopen: (merged, refusal) => reopen(merged, theirs, refusal),
  });
}

/**
 * The row as it is, if that is why an answer refused to change it.
 * @param {import("./form.js").Place} place
 * @param {Stored} stored
 * @param {Answer} answer
 * @returns {Promise<Answer | undefined>}
 */
async function changedRow({ context: { path }, fields }, { etag }, answer) {
  const { status, body } = answer;
  if (status === 412) return body?.current && { ...answer, body: body.current };
  // The identifiers of owned rows that another took away are refused before the tag is looked at
  const mayBeGone = fields.some(({ rows }) => rows) &&
    body?.errors?.some((/** @type {{ code: string }} */ { code }) => code === "does_not_exist");
  const now = mayBeGone ? await ask("GET", path).catch(() => undefined) : undefined;
  return now?.ok && now.headers.get("etag") !== etag ? now : undefined;
}
