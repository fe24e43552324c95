// What a person at the command line or in the environment got wrong.

/** Ends a command with one sentence and exit status 2. */
export class UsageError extends Error {}
