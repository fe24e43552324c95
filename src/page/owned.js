// Rows that a row owns: a table in the row, which has them whole, and in its form a set of fields each.
import { entry, h } from "./dom.js";
import { shownValue } from "./kinds.js";
import { setsControl } from "./sets.js";
import { cell, columnHead, columnTitle, labelOf, rowTitle, sheet, sideOf, tr } from "./table.js";
import { comparable } from "./versions.js";

/** @typedef {import("./contract.js").Field} Field */
/** @typedef {import("./contract.js").OwnedRows} OwnedRows */

/** @type {import("./kinds.js").KindOfField} */
export const ownedRows = {
  show(value, field, contract, isInList) {
    if (isInList) return h("span", { class: "number" }, String(value.length));
    if (value.length === 0) return h("span", { class: "null" }, "none");
    return table(value, field, contract);
  },
  control: setsControl,
  isAtTheRight: () => true,
  name: () => "rows of its own",
  rule: ({ isOrdered }) => isOrdered && "in this order",
  // What is sent anew has no identifier yet
  comparable: (value, { rows }) => {
    const { fields, key, takesKeys } = /** @type {OwnedRows} */ (rows);
    const compared = fields.filter(({ name, written }) => written && (name !== key || takesKeys));
    return JSON.stringify(
      value?.map((/** @type {any} */ row) =>
        compared.map((field) => comparable(field, row[field.name] ?? null))
      ),
    );
  },
};

/**
 * @param {any[]} value
 * @param {Field} field
 * @param {import("./contract.js").Contract} contract
 */
function table(value, { label, rows }, contract) {
  const { fields } = /** @type {OwnedRows} */ (rows);
  /** @param {Field} field @param {any} value */
  const shown = (field, value) =>
    field.rows && value.length > 0
      ? list(value, field.rows, contract)
      : shownValue(contract, { ...field, unit: undefined }, value); // the head has it
  /** @param {any} row */
  const line = (row) =>
    tr(fields.map((field, index) => {
      const content = shown(field, row[field.name]);
      return index === 0
        ? rowTitle(content, { "data-label": labelOf(field), class: sideOf(field) })
        : cell(labelOf(field), content, field.rows ? "" : sideOf(field));
    }));
  return sheet(
    label,
    fields.map((field) => field.rows ? columnTitle(field.label) : columnHead(field)),
    value.map(line),
  );
}

/**
 * Rows within a row of a table.
 * @param {any[]} value
 * @param {OwnedRows} rows
 * @param {import("./contract.js").Contract} contract
 */
const list = (value, { fields }, contract) =>
  h(
    "ol",
    { class: "within" },
    value.map((row) =>
      h(
        "li",
        {},
        h(
          "dl",
          {},
          fields.map((field) => entry(field.label, shownValue(contract, field, row[field.name]))),
        ),
      )
    ),
  );
