// Rows of a file, created by as few requests as can be: of each all or none, and once. What is refused is told by the
// line of the file, and given back to be mended.
import { pageAddress } from "./address.js";
import { root } from "./client.js";
import { csvLine, giveFile } from "./csv.js";
import { button, h, isolated, note, say } from "./dom.js";
import { inTab } from "./keep.js";
import { keyed } from "./persist.js";
import { wordsFor } from "./sentences.js";
import { showRefused } from "./states.js";
import { cell, rowTitle, sheet, tr } from "./table.js";

/** @typedef {import("./contract.js").Resource} Resource */

/**
 * @typedef {object} Made what a line stands for
 * @property {import("./csv.js").CsvLine} line
 * @property {string[]} cells as they are given back: numbers with a point, which is read alike whatever is beside it
 * @property {Record<string, unknown>} row
 */

/** @typedef {{ line: import("./csv.js").CsvLine, field: string, detail: string }} Refused */

/** The most bytes of a request: a server takes a megabyte, unless it is told otherwise. */
const LENGTH = 900_000;

/** @param {Resource} resource */
const nameOf = ({ name }) => `${root} imported ${name}`;

/**
 * What was sent for each row that was created in this tab, by its identifier: a file that is mended or chosen again
 * creates none twice by mistake.
 * @param {Resource} resource
 * @returns {Map<string, string>}
 */
const createdOf = (resource) => new Map(JSON.parse(inTab.get(nameOf(resource)) ?? "[]"));

/**
 * What stands for a row that is sent, 64 bits: a tab has no room for a long file itself.
 * @param {Made} made
 */
function shortOf({ row }) {
  let [one, other] = [0, 1];
  for (const character of JSON.stringify(row)) {
    const code = character.codePointAt(0) ?? 0;
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other + code, 0x85ebca6b) ^ other >>> 13;
  }
  return `${(one >>> 0).toString(36)} ${(other >>> 0).toString(36)}`;
}

/**
 * Makes what tells, line by line, whether one is still to be created.
 * @param {Resource} resource
 */
export function isOpen(resource) {
  const left = Map.groupBy(createdOf(resource).values(), (sent) => sent);
  return (/** @type {Made} */ made) => left.get(shortOf(made))?.pop() === undefined;
}

/**
 * @param {import("./import.js").ImportPlace} place
 * @param {string[]} heads
 * @param {Made[]} all
 */
export function createAll(place, heads, all) {
  const { context, body, trouble, begin } = place;
  const { contract, resource, signal, guard } = context;
  const { one, many, operations } = resource;
  const path = operations["batch"]?.path ?? "";
  const sendOnce = keyed(place);
  const batches = batchesOf(resource, all);
  const bar = h("progress", { max: all.length, value: 0, "aria-label": "Rows are created" });
  const stop = button("Stop", { onclick: () => isSending ? stop.disabled = true : show() });
  /** @type {Refused[]} */
  const refused = [];
  /** @type {Made[]} */
  const kept = [];
  let count = 0;
  let isSending = false;
  /** How many lines were sent of which no answer came. */
  let open = 0;

  async function goOn() {
    isSending = true;
    open = 0;
    await sendAll();
    isSending = false;
  }

  async function sendAll() {
    stop.disabled = false;
    trouble.replaceChildren();
    body.replaceChildren(bar, trouble, stop);
    stop.focus();
    guard(() => bar.isConnected);
    while (!stop.disabled) {
      const [batch] = batches;
      if (!batch) break;
      const answer = await sendOnce({ method: "POST", path, body: batch.map(({ row }) => row) })
        .catch(() => undefined);
      if (answer?.ok) remember(batch, answer.body);
      if (signal.aborted) return;
      if (!answer) return unanswered();
      const errors = answer.body?.errors;
      if (!answer.ok && !errors) return showRefused(trouble, context, answer, goOn);
      trouble.replaceChildren();
      batches.shift();
      if (!answer.ok) keep(batch, errors);
      bar.value = count + kept.length;
    }
    show();
  }

  /** @param {Made[]} batch @param {any[]} rows */
  function remember(batch, rows) {
    const created = createdOf(resource);
    batch.forEach((made, index) => {
      const row = rows[index]; // null where it is gone already
      if (row) created.set(String(resource.identifierOf(row)), shortOf(made));
    });
    inTab.set(nameOf(resource), JSON.stringify([...created]));
    count += batch.length;
  }

  /** @param {Made[]} batch @param {{ pointer: string, detail: string, code?: string }[]} errors */
  function keep(batch, errors) {
    kept.push(...batch);
    for (const { pointer, ...error } of errors) {
      const [, index = "", name, ...inside] = pointer.split("/");
      const { label, told } = wordsFor(contract, resource, name, { ...error, inside });
      // What is refused of the whole stands at its first line
      const made = batch[Number(index)] ?? batch[0];
      if (made) refused.push({ line: made.line, field: label, detail: told });
    }
  }

  function unanswered() {
    open = batches[0]?.length ?? 0;
    trouble.replaceChildren(note(
      "bad",
      "No answer came",
      h("p", {}, "To send the same again is safe: it is done once."),
      h("p", {}, button("Go on", { onclick: goOn })),
    ));
  }

  function show() {
    const left = [...kept, ...batches.flat()];
    const outcome = [
      count === 0 && open === 0
        ? `No ${one} was created`
        : `${count} ${count === 1 ? one : many} created`,
      open > 0 && `no answer came of ${open === 1 ? "1 line" : `${open} lines`}`,
    ].filter(Boolean).join(", ");
    const why = Map.groupBy(refused, ({ line }) => line);
    const save = () =>
      giveFile(`${many} not created`, [
        csvLine([...heads, "error"]),
        ...left.map(({ line, cells }) =>
          csvLine([
            ...heads.map((_, index) => cells[index] ?? ""),
            (why.get(line) ?? []).map(({ field, detail }) => `${field}: ${detail}`).join("; "),
          ])
        ),
      ]);
    body.replaceChildren(
      note(
        refused.length > 0 ? "bad" : left.length > 0 ? "" : "good",
        outcome,
        left.length > 0 &&
          h(
            "p",
            {},
            `${
              left.length === 1 ? "1 line is" : `${left.length} lines are`
            } left: of those that are sent together, all or none are created.`,
          ),
      ),
      ...(refused.length > 0 ? [refusals(refused)] : []),
      h(
        "div",
        { class: "buttons" },
        batches.length > 0 && button("Go on", { class: "button primary", onclick: goOn }),
        left.length > 0 && button("Save these lines", { onclick: save }),
        button("Another file", { onclick: begin }),
        h("a", { class: "button", href: pageAddress(resource.path) }, `All ${many}`),
      ),
    );
    if (refused.length === 0) say(outcome);
    body.querySelector("button")?.focus();
  }
  goOn();
}

/**
 * The rows of each request: as many as it takes.
 * @param {Resource} resource
 * @param {Made[]} all
 */
function batchesOf({ operations }, all) {
  const most = operations["batch"]?.body?.schema.maxItems;
  /** @type {Made[][]} */
  const batches = [];
  let length = Infinity;
  for (const made of all) {
    length += new Blob([JSON.stringify(made.row)]).size;
    if (length > LENGTH || batches.at(-1)?.length === most) {
      batches.push([]);
      length = 0;
    }
    batches.at(-1)?.push(made);
  }
  return batches;
}

/** @param {Refused[]} refused */
const refusals = (refused) =>
  sheet(
    "What was refused",
    ["Where", "Field", "Why"],
    refused.map(({ line, field, detail }) =>
      tr(
        rowTitle(`Line ${line.number}`),
        cell("Field", isolated(field)),
        cell("Why", isolated(detail)),
      )
    ),
    { class: "rows cards" },
  );
