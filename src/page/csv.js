// CSV (RFC 4180): lines as a text that spreadsheets open, and such a text as lines.

/** Spreadsheets run what begins so, with an apostrophe before it they show it. What has one gets another. */
const FORMULA = /^'*[=+\-@\t\r]/;

/**
 * A text that no spreadsheet runs.
 * @param {string} text
 */
export const harmless = (text) => FORMULA.test(text) ? `'${text}` : text;

/**
 * The text that `harmless` made one of.
 * @param {string} cell
 */
export const unquoted = (cell) => cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** @param {string[]} cells */
export const csvLine = (cells) =>
  `${
    cells.map((cell) => /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
      .join(",")
  }\r\n`;

/**
 * Gives somebody a file, which begins with the mark by which Excel knows UTF-8.
 * @param {string} name
 * @param {string[]} lines
 */
export function giveFile(name, lines) {
  const href = URL.createObjectURL(new Blob(["\ufeff", ...lines], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = href;
  link.download = `${name}.csv`;
  link.click();
  // The browser has it as soon as it has begun to save it
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** The marks with which a file says how its characters are written. */
const MARKS = { "ef,bb,bf": "utf-8", "ff,fe": "utf-16le", "fe,ff": "utf-16be" };

/**
 * The text of a file, and how its characters are written: as it says, else in UTF-8, or else as in Excel under Windows.
 * Rejects if they are not as it says.
 * @param {Blob} file
 */
export async function fileText(file) {
  const bytes = await file.arrayBuffer();
  const start = [...new Uint8Array(bytes.slice(0, 3))].map((byte) => byte.toString(16)).join();
  const [, said] = Object.entries(MARKS).find(([mark]) => start.startsWith(mark)) ?? [];
  for (const coding of said ? [said] : ["utf-8", "windows-1252"]) {
    try {
      return { text: new TextDecoder(coding, { fatal: true }).decode(bytes), coding };
    } catch {
      // The next one
    }
  }
  throw new Error(`It says that it is in ${said}, and is not: it may be cut off`);
}

/**
 * @typedef {object} CsvLine
 * @property {number} number where it begins in the text, from 1
 * @property {string[]} cells
 */

/**
 * The lines of a text, without empty ones.
 * @param {string} text
 * @returns {CsvLine[]}
 */
export function linesIn(text) {
  const whole = text.replace(/^\ufeff/, "");
  const told = /^"?sep=(.)"?\r?\n/i.exec(whole);
  const between = told?.[1] ?? separatorIn(whole);
  const separator = `\\${between}`; // which a "|" or a "]" is nowhere else
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\r\n]*))(${separator}|\r?\n|\r|$)`,
    "y",
  );
  cell.lastIndex = told?.[0].length ?? 0;
  /** @type {CsvLine[]} */
  const lines = [];
  let number = told ? 2 : 1;
  let line = { number, cells: /** @type {string[]} */ ([]) };
  for (let isOver = false; !isOver;) {
    const [all, quoted, bare = "", end] = /** @type {RegExpExecArray} */ (cell.exec(whole));
    line.cells.push(quoted?.replaceAll('""', '"') ?? bare);
    number += all.match(/\r?\n|\r/g)?.length ?? 0;
    isOver = end === "";
    if (end === between) continue;
    if (line.cells.some((text) => text !== "")) lines.push(line);
    line = { number, cells: [] };
  }
  return lines;
}

/**
 * What stands between the cells: Excel takes a semicolon where people write a comma in numbers.
 * @param {string} text
 */
function separatorIn(text) {
  const [first = ""] = text.replace(/"[^"]*"/g, "").match(/[^\r\n]+/) ?? [];
  /** @param {string} separator */
  const count = (separator) => first.split(separator).length;
  return [",", ";", "\t"].reduce((most, one) => count(one) > count(most) ? one : most);
}
