// The SQL of a migration file: its statements, and what it must not have.
import { QUOTED } from "../db/quoted.ts";
import { UsageError } from "../errors/usage.ts";

/** A body that is SQL. A `case` in it ends in the middle of a statement. */
const BODY = /\bbegin\s+(?=atomic\b)[^]*?(?:;|atomic)\s*end\b/gi;

const REFUSED =
  /(?:^|;)\s*(\\\S+|copy\b[^;]*\bstd(?:in|out)\b|(?:begin|commit|end|abort|(?:start|prepare)\s+transaction|rollback(?!\s+(?:\w+\s+)?to\b))\b)/i;

/** The first line of a file whose statements run one by one. */
export const ALONE = "-- relata: no transaction";

export function isWhole(text: string): boolean {
  return text.split("\n", 1)[0]!.trimEnd() !== ALONE;
}

/** The text of a file, in which the last semicolon may be missing. It must not begin or end a transaction: what it
 * did before would stay without what follows, and without a word in the history. */
export function checked(file: string, text: string): string {
  const code = codeOf(text);
  const [all = "", word = ""] = REFUSED.exec(code) ?? [];
  if (word === "") return /;\s*$/.test(code) ? text : `${text}\n;\n`;
  const line = text.slice(0, code.indexOf(all) + all.length - word.length).split("\n").length;
  throw new UsageError(
    `The file "${file}" has "${word}" in line ${line}: it must not begin or end a transaction, ` +
      "nor need psql",
  );
}

/** The statements of a file, each at its place there. */
export function statementsOf(text: string): string[] {
  return Array.from(
    codeOf(text).matchAll(/[^;]*[^;\s][^;]*/g),
    ({ 0: code, index }) => blank(text.slice(0, index)) + text.slice(index, index + code.length),
  );
}

/** The code of a text, at the same place, with only the semicolons that end a statement. */
function codeOf(text: string): string {
  return text.replace(QUOTED, blank).replace(BODY, blank);
}

function blank(text: string): string {
  return text.replace(/.+/g, (line) => " ".repeat(line.length));
}
