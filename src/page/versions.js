// A row as it is written: what a form holds, compares and sends.
import { kindOfField } from "./kinds.js";
import { conditionOf } from "./client.js";
import { pathFor } from "./contract.js";

/** @typedef {Record<string, any>} Version values by the names of the fields, with identifiers for relations */

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field[]} fields
 * @param {Record<string, any>} row as it is read
 * @returns {Version}
 */
export function asWritten(contract, fields, row) {
  return Object.fromEntries(fields.map(({ name, target, rows }) => {
    const value = row[name];
    if (rows) {
      const sent = rows.fields.filter(({ written }) => written);
      /** @param {any} one */
      const asSent = (one) => asWritten(contract, sent, one);
      return [name, value.map(asSent)];
    }
    if (target === undefined) return [name, value];
    const { identifierOf } = contract.resource(target);
    return [name, Array.isArray(value) ? value.map(identifierOf) : identifierOf(value)];
  }));
}

/**
 * What rows that a row owns are sent as where they are to be made anew: without their identifiers, unless clients give
 * these.
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} version
 * @param {Version} [stored] whose rows are there still
 * @returns {Version}
 */
export function madeAnew(fields, version, stored) {
  return Object.fromEntries(fields.map(({ name, rows }) => {
    if (!rows) return [name, version[name]];
    const { key, takesKeys, fields: within } = rows;
    /** @type {any[]} */
    const there = stored?.[name] ?? [];
    return [
      name,
      version[name]?.map((/** @type {any} */ row) => {
        const same = there.find((one) => key && one[key] === row[key]);
        const anew = madeAnew(within.filter(({ written }) => written), row, same);
        if (!same && !takesKeys) delete anew[key];
        return anew;
      }),
    ];
  }));
}

/**
 * The fields that a version changes. Where a relation to many has no order, neither has the comparison.
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} before
 * @param {Version} after what is undefined in it changes nothing
 */
export function changedFields(fields, before, after) {
  return fields.filter((field) => {
    const { name } = field;
    return after[name] !== undefined &&
      comparable(field, before[name]) !== comparable(field, after[name]);
  });
}

/**
 * What is the same for values of a field that mean the same.
 * @param {import("./contract.js").Field} field
 * @param {any} value
 */
export const comparable = (field, value) =>
  kindOfField(field.kind).comparable?.(value, field) ?? JSON.stringify(value);

/**
 * What a new row has at first.
 * @param {import("./contract.js").Field[]} fields
 * @returns {Version}
 */
export const defaultsOf = (fields) =>
  Object.fromEntries(fields.map(({ name, written }) => [name, written.default]));

/**
 * What creates a row: the fields that say more than nothing.
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} held
 */
export const createOf = (fields, held) => part(changedFields(fields, leftOut(fields), held), held);

/**
 * What creates a row that was deleted once more, where somebody may create.
 * @param {import("./docs.js").Context} context
 * @param {Record<string, any>} row as it was read
 * @returns {import("./request.js").Request}
 */
export function createAgain({ contract, resource }, row) {
  const { path } = /** @type {import("./contract.js").Operation} */ (resource.operations["create"]);
  const fields = resource.fields.filter(({ written }) => written);
  const body = createOf(fields, madeAnew(fields, asWritten(contract, fields, row)));
  return { method: "POST", path, body };
}

/** @param {import("./contract.js").Field} field */
export const hasDefault = ({ written }) => (written.default ?? null) !== null;

/**
 * What a new row has where a field is left out, as far as it is nothing.
 * @param {import("./contract.js").Field[]} fields
 */
const leftOut = (fields) =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.isNullable && !hasDefault(field) && !field.isMade ? null : undefined,
    ]),
  );

/**
 * What changes a row, if it is still as it was stored: the fields that differ, or all where they are only replaced.
 * @param {import("./docs.js").Context} context
 * @param {import("./contract.js").Field[]} fields
 * @param {{ version: Version, etag: string | null }} stored
 * @param {Version} after
 */
export function changeOf({ resource: { operations }, identifier }, fields, stored, after) {
  const { patch, replace } = operations;
  const operation = /** @type {import("./contract.js").Operation} */ (patch ?? replace);
  const body = patch
    ? patchOf(changedFields(fields, stored.version, after), stored.version, after)
    : after;
  const headers = conditionOf(stored.etag);
  return { method: operation.method, path: pathFor(operation, identifier), body, headers };
}

/**
 * @param {import("./contract.js").Field[]} changed
 * @param {Version} before
 * @param {Version} after
 */
const patchOf = (changed, before, after) =>
  Object.fromEntries(changed.map(({ name, kind }) => {
    const { patch } = kindOfField(kind);
    return [name, patch ? patch(before[name], after[name]) : after[name]];
  }));

/**
 * Some fields of a version.
 * @param {import("./contract.js").Field[]} fields
 * @param {Version} version
 * @returns {Version}
 */
export const part = (fields, version) =>
  Object.fromEntries(fields.map(({ name }) => [name, version[name]]));

/**
 * What is kept of a row that is written, while somebody signs in.
 * @param {Node | string} name what the row is called
 * @param {Version} version what the form holds
 * @param {import("./save.js").Stored | undefined} stored the row that is there; none for a new one
 * @param {Record<string, any>} [typed] the texts of fields that have no value yet
 */
export const draftOf = (name, version, stored, typed) => ({
  name: typeof name === "string" ? name : name.textContent,
  version,
  stored,
  typed,
});
