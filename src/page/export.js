// "Export": the rows of a list, as it is narrowed and sorted, through all its pages, or of a report, as a CSV file.
import { csvColumns } from "./csv-cells.js";
import { ask } from "./client.js";
import { csvLine, giveFile } from "./csv.js";
import { dialog } from "./dialog.js";
import { button, h, note, say } from "./dom.js";
import { pause } from "./persist.js";

/** Seconds before a page is asked for again, where the server does not say when to come back. */
const WAITS = [1, 2, 4, 8];

/**
 * @param {import("./docs.js").Context} context
 * @param {string} address what the list asks for
 */
export const exportButton = (context, address) =>
  button("Export", { id: "export", onclick: () => exportList(context, address) });

/**
 * @param {import("./docs.js").Context} context
 * @param {any[]} rows all that there are
 */
export const exportRows = (context, rows) =>
  button("Export", { id: "export", onclick: () => fileOf(context).give(rows) });

/** @param {import("./docs.js").Context} context */
function fileOf({ contract, resource }) {
  const columns = csvColumns(contract, resource);
  const lines = [csvLine(columns.map(({ head }) => head))];
  return {
    count: () => lines.length - 1,
    /** @param {any[]} rows */
    add: (rows) =>
      void lines.push(...rows.map((row) => csvLine(columns.map(({ cell }) => cell(row))))),
    /** @param {any[]} rows */
    give(rows) {
      this.add(rows);
      giveFile(resource.many, lines);
      say(`Exported: ${this.count()} rows`);
    },
  };
}

/**
 * Reads page after page. A file is always whole: where a page cannot be read, somebody may go on or stop.
 * @param {import("./docs.js").Context} context
 * @param {string} address
 */
function exportList(context, address) {
  const { resource, signal } = context;
  const file = fileOf(context);
  const stopped = new AbortController();
  const stop = AbortSignal.any([stopped.signal, signal]);
  const progress = h("p", { class: "number" });
  const trouble = h("div", {});
  const shown = dialog(
    `Export ${resource.many}`,
    {
      signal,
      closed() {
        stopped.abort();
        shown.remove();
      },
    },
    h("progress", { "aria-label": "Rows are read" }),
    progress,
    trouble,
    h("div", { class: "buttons" }, button("Stop", { onclick: () => shown.close() })),
  );

  /** @param {string} path */
  async function read(path) {
    trouble.replaceChildren();
    progress.textContent = `${file.count().toLocaleString("en")} rows so far`;
    const answer = await pageAt(path, stop);
    if (stop.aborted) return;
    if (!answer?.ok) return fail(path, answer?.body?.detail ?? "No answer came");
    const { items, next } = answer.body;
    if (next === null) {
      file.give(items);
      return shown.close();
    }
    file.add(items);
    await read(next);
  }

  /** @param {string} path @param {string} why */
  function fail(path, why) {
    trouble.replaceChildren(note(
      "bad",
      "The next rows cannot be read",
      h("p", {}, `${why}. There is no file yet, because it would not be whole.`),
      h("p", {}, button("Go on", { onclick: () => read(path) })),
    ));
  }
  read(inLargePages(resource, address));
}

/**
 * The same list from its first page, in pages as large as they may be.
 * @param {import("./contract.js").Resource} resource
 * @param {string} address
 */
function inLargePages({ parameters }, address) {
  const [path = "", query] = address.split("?");
  const asked = new URLSearchParams(query);
  for (const name of ["cursor", "etags"]) asked.delete(name); // a file has no tags
  const limit = parameters.find(({ name }) => name === "limit");
  if (limit) asked.set("limit", limit.schema.maximum);
  return `${path}?${asked}`;
}

/**
 * Reads a page, and tries again where that may help; undefined if no answer comes.
 * @param {string} path
 * @param {AbortSignal} signal
 */
async function pageAt(path, signal) {
  for (const wait of [...WAITS, 0]) {
    const answer = await ask("GET", path, { signal }).catch(() => undefined);
    const mayPass = !answer || answer.status === 429 || answer.status >= 500;
    if (signal.aborted || wait === 0 || !mayPass) return answer;
    const seconds = Number(answer?.headers.get("retry-after")) || wait;
    await pause(seconds, signal);
  }
  return undefined;
}
