// How a command fails: with one sentence, and an exit status that tells whether another start may help.

/** Ends a command with exit status 2: a setting or an operand is wrong, and another start will not help. */
export class UsageError extends Error {}

/** The system errors that may have passed by the next start: a disk, the file table or the memory is full,
 * an address is not there yet, or another process has it. */
const passing = [
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EADDRNOTAVAIL",
  "EADDRINUSE",
  "EAI_AGAIN",
  "EAGAIN",
  "EBUSY",
  "EIO",
];

/** The error for a setting that the system refuses: a `UsageError`, unless the cause may pass. */
export function unusable(
  sentence: string,
  cause: unknown,
  code = (Object(cause) as { code?: string }).code ?? "",
): Error {
  const Kind = passing.includes(code) ? Error : UsageError;
  return new Kind(sentence, { cause });
}

/** An error in one line. An error made of several, as for a host with two addresses, has no message of its
 * own. */
export function sentenceOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  const { message, errors, name = "Error", code, errno = "" } = thrown as {
    message?: string;
    errors?: unknown[];
    name?: string;
    code?: string;
    errno?: number;
  };
  if (message) return message.trim().replaceAll(/\s*\n\s*/g, " ");
  return errors?.[0] ? sentenceOf(errors[0]) : `${name} ${code ?? errno}`.trim();
}
