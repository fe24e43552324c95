// What a change of a row made of its fields, as they are written; of rows that it owns, what became of each.
import { entry, h } from "./dom.js";
import { shownValue } from "./kinds.js";

/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./contract.js").Field} Field */
/** @typedef {Record<string, any>} Row */

/** The most characters of a value that stand there at once. */
const MOST = 200;

/** Characters of a longer one. */
const BEGINNING = 60;

/**
 * The fields that differ; where there is no row before or after, those that say something.
 * @param {Contract} contract
 * @param {{ fields: Field[], key: string }} rows which have these fields
 * @param {Row | null} before
 * @param {Row | null} after
 * @returns {HTMLElement}
 */
export function differingFields(contract, { fields, key }, before, after) {
  const known = new Map(fields.map((field) => [field.name, field]));
  const names = new Set([...known.keys(), ...Object.keys({ ...before, ...after })]);
  names.delete(key);
  const lines = [...names].flatMap((name) => {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    const isNothing = (!before || !after) && [was ?? is ?? []].flat().length === 0;
    if (isNothing || isSame(was, is)) return [];
    const field = known.get(name) ?? withoutField(name);
    if (field.rows) {
      const changed = rowsOf(contract, field.rows, was ?? [], is ?? [], !!before && !!after);
      return [entry(field.label, changed)];
    }
    if (!before || !after) return [entry(field.label, shown(contract, field, was ?? is))];
    return [entry(field.label, [
      h("span", { class: "quiet" }, shown(contract, field, was)),
      h("span", { class: "arrow", role: "img", "aria-label": "became" }, "→"),
      shown(contract, field, is),
    ])];
  });
  if (lines.length === 0) return h("p", { class: "quiet" }, "No field differs");
  return h("dl", {}, lines);
}

/** @param {unknown} one @param {unknown} other */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * What is kept of a field that is declared no more.
 * @param {string} name
 */
const withoutField = (name) => /** @type {Field} */ ({ name, label: name, kind: "json" });

/**
 * @param {Contract} contract
 * @param {Field} field
 * @param {any} value
 */
function shown(contract, field, value) {
  const whole = shownValue(contract, field, value);
  const text = [...whole.textContent ?? ""];
  if (text.length <= MOST || field.target) return whole;
  const beginning = `${text.slice(0, BEGINNING).join("")}…`;
  return h("details", {}, h("summary", { dir: "auto" }, beginning), whole);
}

/**
 * What became of the rows that a field owns. Without an identifier, one that differs is another.
 * @param {Contract} contract
 * @param {import("./contract.js").OwnedRows} rows
 * @param {Row[]} before
 * @param {Row[]} after
 * @param {boolean} isChange
 */
function rowsOf(contract, rows, before, after, isChange) {
  const { one, key } = rows;
  /** @param {Row[]} all @param {Row} row */
  const find = (all, row) =>
    all.find((other) => key ? other[key] === row[key] : isSame(other, row)) ?? null;
  /** @param {Row | null} was @param {Row | null} is */
  const line = (was, is) =>
    h(
      "li",
      {},
      h(
        "p",
        {},
        h("span", { class: "quiet" }, isChange && (was ? is ? "changed " : "removed " : "added ")),
        `${one} ${key ? (is ?? was)?.[key] : ""}`,
      ),
      differingFields(contract, rows, was, is),
    );
  const kept = after.filter((row) => find(before, row));
  const inOldOrder = before.flatMap((row) => find(after, row) ?? []);
  return h(
    "ol",
    { class: "within" },
    after.filter((row) => !isSame(find(before, row), row)).map((row) =>
      line(find(before, row), row)
    ),
    before.filter((row) => !find(after, row)).map((row) => line(row, null)),
    !isSame(kept, inOldOrder) && h("li", {}, "in another order"),
  );
}
