// JSON as people read it, and with its relations marked: the same field, as it is written and as it is read.
import { h } from "./dom.js";

/**
 * JSON over lines, but for arrays of plain values.
 * @param {unknown} value
 */
export const pretty = (value) =>
  JSON.stringify(value, null, 2).replace(
    /\[\n\s+((?:"(?:[^"\\]|\\.)*"|[^"[\]{}])*?)\n\s*\]/g,
    (_, inner) => `[${inner.replace(/\n\s+/g, " ")}]`,
  );

/**
 * What a merge patch (RFC 7396) has to send to make one value of another. A null that is new within an object cannot be
 * sent: there it takes a member away.
 * @param {any} before
 * @param {any} after
 * @returns {any}
 */
export function mergePatch(before, after) {
  if (!isObject(after)) return after;
  const from = isObject(before) ? before : {};
  const gone = Object.keys(from).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.keys(after).filter((name) =>
    !Object.hasOwn(from, name) || JSON.stringify(from[name]) !== JSON.stringify(after[name])
  );
  return Object.fromEntries([
    ...gone.map((name) => [name, null]),
    ...changed.map((name) => [name, mergePatch(from[name], after[name])]),
  ]);
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An object as JSON with each relation as a band.
 * @param {Record<string, unknown>} object
 * @param {import("./contract.js").Field[]} [fields] what it has
 * @returns {Node[]}
 */
export function jsonOf(object, fields = []) {
  const relations = new Set(fields.filter(({ target }) => target).map(({ name }) => name));
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  if (members.length === 0) return [h("span", {}, "{}")];
  return [
    h("span", {}, "{\n"),
    ...members.map(([name, value], index) => {
      const end = index < members.length - 1 ? "," : "";
      const lines = `${JSON.stringify(name)}: ${pretty(value)}${end}`.split("\n");
      return h(relations.has(name) ? "mark" : "span", {}, lines.map(line));
    }),
    h("span", {}, "}"),
  ];
}

/** @param {string} text */
function line(text) {
  const [, space = "", key = "", rest = ""] = /** @type {RegExpMatchArray} */ (
    text.match(/^(\s*)("(?:[^"\\]|\\.)*":)?(.*)$/s)
  );
  return [`  ${space}`, key && h("span", { class: "key" }, key), ...strings(rest), "\n"];
}

/**
 * Each string in a direction of its own, so that Hebrew moves no comma.
 * @param {string} text
 */
const strings = (text) =>
  text.split(/("(?:[^"\\]|\\.)*")/).map((part) => part.startsWith('"') ? h("bdi", {}, part) : part);
