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
 * @property {Record<string, unknown>} row
 */

/** @typedef {{ line: import("./csv.js").CsvLine, field: string, detail: string }} Refused */

/** The most bytes of a request: a server takes a megabyte, unless it is told otherwise. */
const LENGTH = 900_000;

/** Where the tab keeps it, until all lines of a file are created. */
const KEPT = `${root} imported`;

/**
 * How often a row was created here: a file that is mended, or chosen again after a reload, creates none twice.
 * @type {Map<string, number>}
 */
const created = new Map(JSON.parse(inTab.get(KEPT) ?? "[]"));

/** @param {Resource} resource @param {Made} made */
const keyOf = ({ name }, { row }) => `${name} ${JSON.stringify(row)}`;

/**
 * Makes what tells, line by line, whether one is still to be created.
 * @param {Resource} resource
 */
export function isOpen(resource) {
  const left = new Map(created);
  return (/** @type {Made} */ made) => {
    const count = left.get(keyOf(resource, made)) ?? 0;
    left.set(keyOf(resource, made), count - 1);
    return count <= 0;
  };
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
  const stop = button("Stop", { onclick: () => stop.disabled = true });
  /** @type {Refused[]} */
  const refused = [];
  /** @type {Made[]} */
  const kept = [];
  let count = 0;

  async function goOn() {
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
      if (answer?.ok) remember(batch);
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

  /** @param {Made[]} batch */
  function remember(batch) {
    for (const made of batch) {
      const key = keyOf(resource, made);
      created.set(key, (created.get(key) ?? 0) + 1);
    }
    inTab.set(KEPT, JSON.stringify([...created]));
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
    trouble.replaceChildren(note(
      "bad",
      "No answer came",
      h("p", {}, "To send the same again is safe: it is done once."),
      h("p", {}, button("Go on", { onclick: goOn })),
    ));
  }

  function show() {
    const left = [...kept, ...batches.flat()];
    if (left.length === 0) inTab.remove(KEPT);
    const outcome = count === 0
      ? `No ${one} was created`
      : `${count} ${count === 1 ? one : many} created`;
    const why = Map.groupBy(refused, ({ line }) => line);
    const save = () =>
      giveFile(`${many} not created`, [
        csvLine([...heads, "error"]),
        ...left.map(({ line }) =>
          csvLine([
            ...heads.map((_, index) => line.cells[index] ?? ""),
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
