// The default of a column as a plain value.
import { Buffer } from "node:buffer";

const TEXT = /^'((?:[^']|'')*)'(?:::(?:"(?:[^"]|"")*"|\([\d,]+\)|[^'"()])+)?$/;

/** The text of a constant, as Postgres writes it: `'LP'::album_format`, `0.99`, `'-1'::integer`, `true`.
 * Undefined for any other expression. */
export function literalOf(expression: string): string | undefined {
  if (/^ARRAY\[\]::/.test(expression)) return "{}";
  const bare = expression.replace(/^\((.*)\)$/, "$1");
  if (/^(-?\d+(\.\d+)?|true|false)$/.test(bare)) return bare;
  return TEXT.exec(expression)?.[1]?.replaceAll("''", "'");
}

/** The elements of an array as Postgres writes it: `{a,"b c"}`. Undefined for one of several dimensions, or with a
 * null. */
export function elementsIn(text: string): string[] | undefined {
  const inner = /^\{(.*)\}$/s.exec(text)?.[1];
  if (inner === undefined || /(^|,)(\{|null(,|$))/i.test(inner)) return undefined;
  const elements = inner.match(/"(?:\\.|[^"\\])*"|[^,"]+/gs) ?? [];
  return elements.map((one) => one.replace(/^"(.*)"$/s, "$1").replaceAll(/\\(.)/gs, "$1"));
}

/** A moment as clients send it, from one as Postgres writes it: `2026-01-01 00:00:00+00`, or without the zone,
 * which counts as UTC. */
export function momentLiteral(text: string): string {
  return text.replace(" ", "T").replace(/[+-]\d\d$/, "$&:00").replace(/T[\d:.]+$/, "$&Z");
}

/** Bytes as clients send them, from some as Postgres writes them: `\\x4279`. */
export function bytesLiteral(text: string): string {
  return Buffer.from(text.slice(2), "hex").toString("base64");
}
