// Why the embedded database cannot be opened, in one sentence with what to do about it.
import { sentenceOf, unusable } from "../errors/usage.ts";

interface Trouble {
  /** The name of the error, its number in WASI, which PGlite gives, and the words of Postgres for it. */
  code: string;
  number: number;
  words: string;
  help: string;
}

const MAKE_ROOM = "make room, 64 MB for a new database";
const GIVE = "give DATA_DIR, with all that is in it, to the user that runs relata";
const USE_ANOTHER = "let DATA_DIR name a folder that can be written";

const troubles: Trouble[] = [
  { code: "ENOSPC", number: 51, words: "No space left on device", help: MAKE_ROOM },
  { code: "EDQUOT", number: 19, words: "Disk quota exceeded", help: MAKE_ROOM },
  { code: "EACCES", number: 2, words: "Permission denied", help: GIVE },
  { code: "EPERM", number: 63, words: "Operation not permitted", help: GIVE },
  { code: "EROFS", number: 69, words: "Read-only file system", help: USE_ANOTHER },
];

/** Why Postgres ended: what it wrote in its last lines, or else the error. */
export function reasonOf(error: unknown, lines: string[] = []): string {
  return lastWords(lines) ?? systemError(error) ?? sentenceOf(error);
}

/** The error to throw: a `UsageError`, unless the cause may pass. */
export function openingError(what: string, cause: unknown): Error {
  const reason = reasonOf(cause);
  const trouble = troubles.find(({ code, words }) =>
    reason.includes(code) || reason.includes(words)
  );
  const help = trouble?.help ?? helpOf(reason);
  return unusable([what, reason, ...help ? [help] : []].join(": "), cause, trouble?.code);
}

/** The last error line of Postgres, and its detail. */
function lastWords(lines: string[]): string | undefined {
  const index = lines.findLastIndex((line) => /(FATAL|PANIC):/.test(line));
  if (index < 0) return undefined;
  const words = lines[index]!.replace(/.*(FATAL|PANIC): +/, "$1: ");
  const [, detail] = /DETAIL: +(.*?)\.?$/.exec(lines[index + 1] ?? "") ?? [];
  return detail ? `${words} (${detail})` : words;
}

/** An error of PGlite's file system, which has only a number. */
function systemError(cause: unknown): string | undefined {
  const { errno } = Object(cause) as { errno?: number };
  return troubles.find(({ number }) => number === errno)?.code;
}

function helpOf(reason: string): string | undefined {
  // Node takes a read-only file system for a missing folder
  if (/ENOENT.*mkdir/.test(reason)) return USE_ANOTHER;
  if (reason.includes("incompatible with server")) {
    return 'have the version of relata that made it print its data, by "relata dump"';
  }
  return /^(FATAL|PANIC)/.test(reason) ? "put a backup of DATA_DIR in its place" : undefined;
}
