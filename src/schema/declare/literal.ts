// The default of a column as a plain value.

const TEXT = /^'((?:[^']|'')*)'(?:::(?:"(?:[^"]|"")*"|\([\d,]+\)|[^'"()])+)?$/;

/** The text of a constant, as Postgres writes it: `'LP'::album_format`, `0.99`, `'-1'::integer`, `true`.
 * Undefined for any other expression. */
export function literalOf(expression: string): string | undefined {
  const bare = expression.replace(/^\((.*)\)$/, "$1");
  if (/^(-?\d+(\.\d+)?|true|false)$/.test(bare)) return bare;
  return TEXT.exec(expression)?.[1]?.replaceAll("''", "'");
}

/** A moment as clients send it, from one as Postgres writes it: `2026-01-01 00:00:00+00`, or without the zone,
 * which counts as UTC. */
export function momentLiteral(text: string): string {
  return text.replace(" ", "T").replace(/[+-]\d\d$/, "$&:00").replace(/T[\d:.]+$/, "$&Z");
}
