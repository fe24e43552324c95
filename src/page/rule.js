// What a field takes, in a few words: "integer, at least 1, or null, deprecated".

/**
 * @param {import("./contract.js").Field} field
 * @param {import("./contract.js").Contract} contract
 * @returns {string}
 */
export function ruleOf(field, contract) {
  const { kind, isOrdered, isNullable, isDeprecated, candidates, written } = field;
  const { minLength, maxLength, minimum, maximum } = written;
  const isNumber = kind === "integer" || kind === "number";
  return [
    nameOf(field, contract),
    kind === "many" && isOrdered && "in this order",
    kind === "relation" && !candidates && "its identifier",
    kind === "text" && range(minLength, maxLength),
    isNumber && range(minimum, maximum),
    isNullable && "or null",
    isDeprecated && "deprecated",
  ].filter(Boolean).join(", ");
}

/**
 * @param {import("./contract.js").Field} field
 * @param {import("./contract.js").Contract} contract
 */
function nameOf({ kind, target = "", schema }, contract) {
  if (kind === "relation") return contract.resource(target).one;
  if (kind === "many") return contract.resource(target).many;
  if (kind === "timestamp") return "timestamp, UTC";
  // A decimal is read with all of its places
  const places = kind === "decimal" ? schema.pattern?.match(/\{(\d+)\}\$$/)?.[1] : undefined;
  return places === undefined ? kind : `${kind}, ${places} places`;
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
  `else ${fallback === "" ? '""' : fallback}`,
];

/** @param {any} schema */
export const typeOf = ({ type }) => [type].flat().filter((one) => one !== "null").join(" or ");

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 */
export function range(least, most) {
  // Every integer has limits; the widest say nothing to a person
  const from = least === Number.MIN_SAFE_INTEGER ? undefined : least;
  const to = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (from === undefined) return to !== undefined && `at most ${to}`;
  return to === undefined ? `at least ${from}` : `${from} to ${to}`;
}
