// A row as it is written: what a form holds, compares and sends.

/** @typedef {Record<string, any>} Version values by the names of the fields, with identifiers for relations */

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field[]} fields
 * @param {Record<string, any>} row as it is read
 * @returns {Version}
 */
export function asWritten(contract, fields, row) {
  return Object.fromEntries(fields.map(({ name, target }) => {
    const key = target === undefined ? "" : contract.resource(target).key;
    /** @param {any} value */
    const one = (value) => value?.[key] ?? value;
    const value = row[name];
    return [name, Array.isArray(value) ? value.map(one) : one(value)];
  }));
}

/**
 * The fields that a version changes. Where a relation to many has no order, neither has the comparison.
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} before
 * @param {Version} after what is undefined in it changes nothing
 */
export function changedFields(fields, before, after) {
  return fields.filter(({ name, kind, isOrdered }) => {
    /** @param {any} value */
    const comparable = (value) =>
      JSON.stringify(kind === "many" && !isOrdered ? value?.toSorted() : value);
    return after[name] !== undefined && comparable(before[name]) !== comparable(after[name]);
  });
}

/**
 * What changes a row from one version to another: the fields that differ, or all where they are only replaced.
 * @param {import("./contract.js").Resource} resource
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} before
 * @param {Version} after
 */
export const changeOf = ({ operations }, fields, before, after) =>
  operations["patch"]
    ? { method: "PATCH", body: part(changedFields(fields, before, after), after) }
    : { method: "PUT", body: after };

/**
 * Some fields of a version.
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} version
 * @returns {Version}
 */
export const part = (fields, version) =>
  Object.fromEntries(fields.map(({ name }) => [name, version[name]]));
