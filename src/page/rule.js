// What a field takes, in a few words: "integer, at least 1, or null, deprecated".
import { h } from "./dom.js";
import { kindOfField } from "./kinds.js";

/** @param {unknown[]} parts those that are nothing are left out */
const listed = (...parts) => parts.filter(Boolean).join(", ");

/**
 * @param {import("./contract.js").Field} field
 * @param {import("./contract.js").Contract} contract
 */
export function ruleOf(field, contract) {
  const { kind, unit, isNullable, isMade, isDeprecated, written } = field;
  const { name, rule, limits } = kindOfField(kind);
  return listed(
    name?.(field, contract) ?? kind,
    rule?.(field),
    limits?.(written),
    unit && `in ${unit}`,
    isNullable && "or null",
    isMade && "or left out",
    isDeprecated && "deprecated",
  );
}

/**
 * The same for those who fill it in; the kind before it is for developers.
 * @param {import("./contract.js").Field} field
 * @param {import("./contract.js").Contract} contract
 */
export function plainRuleOf(field, contract) {
  const { kind, unit = "", isNullable, isMade, isDeprecated, written } = field;
  const { name, rule, plain = rule, limits } = kindOfField(kind);
  const range = limits?.(written);
  const words = listed(
    plain?.(field),
    range && `${range} ${unit}`.trim(),
    (isNullable || isMade) && "optional",
    isDeprecated && "deprecated",
  );
  const known = name?.(field, contract) ?? kind;
  return [h("span", { class: "for-developers" }, known, words && ", "), words];
}

/**
 * What a schema says besides, each in a few words: of what, whether it has to be there, what it is else.
 * @param {any} schema
 * @param {boolean} isRequired
 */
export const othersOf = ({ enum: choices, default: fallback }, isRequired) => [
  choices && `one of ${choices.filter((/** @type {unknown} */ one) => one !== null).join(", ")}`,
  isRequired && "required",
  // null and no rows go without saying
  fallback !== undefined && typeof fallback !== "object" &&
  `default ${fallback === "" ? '""' : fallback}`,
];

/** @param {any} schema */
export const typeOf = ({ type }) => [type].flat().filter((one) => one !== "null").join(" or ");
