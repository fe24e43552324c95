// Which texts Postgres can keep, wherever they come from.

/** Whether Postgres can keep this text: it refuses U+0000, and UTF-8 has no lone surrogates. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}
