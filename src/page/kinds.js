// What the page knows of each kind of field: how a value is shown, filled in and compared, how one is asked for, what
// the rule of the field says.
import {
  bytesControl,
  checkboxControl,
  dateControl,
  decimalControl,
  identifierControl,
  identifiersControl,
  jsonControl,
  linesControl,
  numberControl,
  selectControl,
  textControl,
  timeControl,
  timestampControl,
} from "./controls.js";
import { h, icon } from "./dom.js";
import { identifiersOf } from "./identifiers.js";
import { ownedRows } from "./owned.js";
import { relationControl } from "./relation.js";
import { tokens } from "./tokens.js";
import { mergePatch } from "./json.js";
import { momentInWords, shownMoment, zone } from "./times.js";
import { listOfRows, rowLink, unitOf, words } from "./values.js";

/** @typedef {import("./contract.js").Field} Field */
/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./controls.js").Setting} Setting */
/** @typedef {import("./controls.js").Control} Control */

/**
 * @typedef {object} KindOfField
 * @property {(value: any, field: Field, contract: Contract, isInList: boolean) => HTMLElement} show a value that is not
 *   null
 * @property {(setting: Setting) => Control} control
 * @property {(field: Field) => boolean} [isAtTheRight] whether it has figures, which are compared and so stand at the
 *   right
 * @property {Record<string, string>} [asked] the attributes of an input that asks for one, if that is no identifier
 * @property {string[]} [values] the only ones that there are
 * @property {(field: Field, contract: Contract) => string} [name] what it is, if that is not the name of the kind
 * @property {(field: Field) => string | false | undefined} [rule] what its rule says besides
 * @property {(field: Field) => string | false | undefined} [plain] the same for people, who do not know the kind
 * @property {(schema: any) => string | false} [limits] the limits of a number
 * @property {(field: Field) => string} [example] one that people may follow, if `asked` has none
 * @property {(value: any) => string} [words] a value as a text for people
 * @property {(before: any, after: any) => unknown} [patch] what a merge patch has to send, if not the value
 * @property {(value: any, field: Field) => unknown} [comparable] what is the same for values that mean the same
 */

/** @param {any} value */
const figure = (value) => h("span", { class: "number" }, String(value));

/** @param {number} bytes */
const counted = (bytes) => `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;

const always = () => true;

/** @param {any} value */
const answered = (value) => String(value) === "true" ? "yes" : "no";

/** @param {Field} field */
const placesOf = ({ schema }) => schema.pattern?.match(/\{(\d+)\}\$$/)?.[1]; // it is read with all of them

/** @param {any} schema */
const limits = ({ minimum, maximum }) => range(minimum, maximum);

/** @type {Record<string, KindOfField>} */
const kinds = {
  text: {
    show: (value, _field, _contract, isInList) => words(value, isInList),
    control: textControl,
    asked: { dir: "auto" },
    rule: ({ written: { minLength, maxLength } }) => range(minLength, maxLength),
    plain({ written: { minLength, maxLength, pattern }, example }) {
      if (pattern) return `such as ${example}`;
      const limits = range(minLength, maxLength);
      return limits && `${limits} characters`;
    },
    example: ({ written: { pattern }, example }) => pattern && example,
  },
  identifier: {
    show: (value) => h("bdi", { class: "identifier quiet" }, String(value)),
    control: identifierControl,
    isAtTheRight: ({ schema }) => identifiersOf(schema).areFigures,
    name: ({ schema }) => identifiersOf(schema).name,
    rule: ({ written }) => range(undefined, written.maxLength),
  },
  integer: {
    show: figure,
    control: numberControl,
    isAtTheRight: always,
    asked: { inputmode: "numeric" },
    example: () => "12",
    limits,
  },
  number: {
    show: figure,
    control: numberControl,
    isAtTheRight: always,
    asked: { inputmode: "decimal" },
    limits,
  },
  decimal: {
    show: figure,
    control: decimalControl,
    isAtTheRight: always,
    asked: { inputmode: "decimal", placeholder: "9.90" },
    rule: (field) => placesOf(field) && `${placesOf(field)} places`,
    plain: (field) => placesOf(field) && `a number with ${placesOf(field)} decimals`,
    example: (field) => (12.5).toFixed(Number(placesOf(field) ?? 2)),
    comparable: (value) => value && value.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""),
  },
  boolean: {
    show: (value) =>
      h("span", { class: value ? "true" : "quiet" }, value && icon("check"), answered(value)),
    words: answered,
    control: (setting) =>
      setting.field.isNullable || setting.isMade
        ? selectControl(setting, [true, false], answered)
        : checkboxControl(setting),
    values: ["true", "false"],
  },
  uuid: { show: figure, control: textControl, asked: { placeholder: "01943f6c-8f2b-7c3a-…" } },
  json: {
    show: (value) => h("code", {}, JSON.stringify(value)),
    control: jsonControl,
    asked: { placeholder: '{"plan":"pro"}' },
    name: ({ schema: { type } }) =>
      Array.isArray(type) && type.length > 2 ? "JSON" : `JSON ${[type].flat()[0]}`,
    patch: mergePatch,
  },
  array: {
    show: (value, _field, _contract, isInList) =>
      words(value.map((/** @type {unknown} */ one) => String(one)).join(", "), isInList),
    control: linesControl,
    name: ({ schema: { items } }) => `array of ${items.type}`,
    rule: ({ written: { minItems, maxItems } }) => range(minItems, maxItems),
  },
  choice: {
    show: (value) => h("span", { class: "choice", dir: "auto" }, value),
    control: (setting) => selectControl(setting, setting.field.written.enum),
  },
  bytes: {
    show: (value, { name }) =>
      h(
        "a",
        { href: `data:application/octet-stream;base64,${value}`, download: name },
        counted(atob(value).length),
      ),
    control: bytesControl,
    rule: ({ written: { maxLength } }) => maxLength && `at most ${maxLength} characters of base64`,
    plain: () => false,
  },
  pgType: {
    show: (value, _field, _contract, isInList) => words(value, isInList),
    control: textControl,
    name: () => "text of Postgres",
  },
  date: { show: figure, control: dateControl, asked: { type: "date" } },
  time: { show: figure, control: timeControl, asked: { placeholder: "09:30:00" } },
  timestamp: {
    show: (value) => shownMoment(value),
    control: timestampControl,
    asked: { type: "datetime-local", step: "0.001" },
    rule: () => "UTC",
    plain: () => `time in ${zone}`,
    words: momentInWords,
  },
  created: {
    show: (value) => shownMoment(value),
    control: textControl,
    asked: { type: "datetime-local", step: "1" },
    words: momentInWords,
  },
  relation: {
    show: (value, field, contract) => rowLink(contract, field, value),
    control: (setting) =>
      setting.field.candidates ? relationControl(setting) : identifierControl(setting),
    name: ({ target = "" }, contract) => contract.resource(target).one,
    rule: ({ candidates }) => !candidates && "its identifier",
  },
  many: {
    show: (value, field, contract, isInList) => listOfRows(contract, field, value, isInList),
    control: (setting) => setting.field.candidates ? tokens(setting) : identifiersControl(setting),
    name: ({ target = "" }, contract) => contract.resource(target).many,
    rule: ({ isOrdered }) => isOrdered && "in this order",
    comparable: (value, { isOrdered }) => JSON.stringify(isOrdered ? value : value?.toSorted()),
  },
  owned: ownedRows,
};

/**
 * What is known of a kind; of one that is not known, what is known of a text.
 * @param {string} kind
 */
export const kindOfField = (kind) => kinds[kind] ?? /** @type {KindOfField} */ (kinds["text"]);

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 */
function range(least, most) {
  // Every integer has limits; the widest say nothing to a person
  const from = least === Number.MIN_SAFE_INTEGER ? undefined : least;
  const to = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (from === undefined) return to !== undefined && `at most ${to}`;
  return to === undefined ? `at least ${from}` : `${from} to ${to}`;
}

/**
 * A value as people read it.
 * @param {Contract} contract
 * @param {Field} field
 * @param {any} value
 * @param {boolean} [isInList]
 * @returns {HTMLElement}
 */
export function shownValue(contract, field, value, isInList = false) {
  if (value === null || value === undefined) return words(value, isInList);
  const shown = kindOfField(field.kind).show(value, field, contract, isInList);
  if (field.unit && !isInList) shown.append(" ", unitOf(field.unit));
  return shown;
}

/**
 * A value of a field that refers to nothing, as a text; in a query, values are texts already.
 * @param {{ kind: string }} field
 * @param {any} value
 */
export function valueInWords({ kind }, value) {
  const { words } = kindOfField(kind);
  if (words) return words(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * A text that people may follow where they fill a field in; undefined if there is none.
 * @param {Field} field
 * @returns {string | undefined}
 */
export function exampleOf(field) {
  const { example, asked } = kindOfField(field.kind);
  return example ? example(field) : asked?.["placeholder"];
}
