// How a command ends that cannot do what it is for: with one sentence, and an exit status that says
// whether to start it again.

/** Ends a command with exit status 2: a setting or an operand is wrong, and another start meets it again. */
export class UsageError extends Error {}

/** What may have passed by the next start, as the system names it: a disk, a table of files or the memory
 * is full, an address is not there yet, somebody else has it. */
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

/** The error of a setting that the system refuses: a `UsageError`, unless what it says may pass. */
export function unusable(
  sentence: string,
  cause: unknown,
  code = (Object(cause) as { code?: string }).code ?? "",
): Error {
  const Kind = passing.includes(code) ? Error : UsageError;
  return new Kind(sentence, { cause });
}

/** What was thrown, in one line. An error of several, as that of a host with two addresses, has no words
 * of its own. */
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
