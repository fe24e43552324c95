// Mistakes on the command line or in the environment.

/** Ends a command with one sentence and exit status 2. */
export class UsageError extends Error {}
