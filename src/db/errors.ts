// What Postgres says of a failure: its SQLSTATE (its documentation, appendix A), and what follows from it.

/** The host takes no writes: it is a standby. */
export const READ_ONLY = "25006";

/** Nobody knows whether a write was kept (class 08: the connection could not tell). */
export const UNKNOWN_OUTCOME = "08007";

/** The SQLSTATE of what Postgres itself said; empty where it did not. */
export function sqlState(error: unknown): string {
  const refusal = error instanceof Error && error.cause ? error.cause : error;
  return isFromPostgres(refusal) ? refusal.code : "";
}

/** Whether Postgres said it, so that the client knows where it stands. */
export function isFromPostgres(error: unknown): error is Error & {
  code: string;
  severity?: string;
} {
  return error instanceof Error && error.name === "PostgresError";
}

/** Whether Postgres refused a statement for what it is, which may be one value of many, and so undid
 * it: not for the state that Postgres itself is in (the classes of its appendix A that name other
 * sessions, resources and the system), nor because the connection was lost. */
export function wasRefused(error: unknown): boolean {
  return /^(?!08|25|40|53|55|57|58)./.test(sqlState(error));
}

/** Whether Postgres undid a statement that waited too long for a lock, or took too long. */
export function ranOut(error: unknown): boolean {
  return ["55P03", "57014"].includes(sqlState(error));
}

/** Whether the table has a constraint that is checked at the end of a transaction only, with which
 * no insert can pass over a conflict. */
export function cannotSkipConflicts(error: unknown): boolean {
  return sqlState(error) === "55000";
}

/** Whether what a row refers to was deleted while the statement ran. */
export function lostReference(error: unknown): boolean {
  return sqlState(error) === "23503";
}

/** Whether a unique index has such a row already. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === "23505";
}

/** Whether a table was in use: its lock was not to be had in time, or only by a deadlock. */
export function foundInUse(error: unknown): boolean {
  return ["55P03", "40P01"].includes(sqlState(error));
}

/** Whether Postgres rolled a statement back so that another could go on, as it says itself (its
 * documentation, 13.5). */
export function metAnother(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error));
}
