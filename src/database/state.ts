// What Postgres says of a failure: its SQLSTATE (its documentation, appendix A), and what follows from it.
import postgres from "postgres";

/** The host takes no writes: it is a standby. */
export const READ_ONLY = "25006";

/** Whether Postgres refused a statement for what it is, which may be one value of many, and so undid
 * it: not for the state that Postgres itself is in (the classes of its appendix A that name other
 * sessions, resources and the system), nor because the connection was lost: a pooler that lost its own
 * says that by a code of class 08. */
export function wasRefused(error: unknown): boolean {
  return /^(?!08|25|40|53|55|57|58)./.test(sqlState(error));
}

/** Whether Postgres undid a statement that waited too long for a lock, or took too long. */
export function ranOut(error: unknown): boolean {
  return ["55P03", "57014"].includes(sqlState(error));
}

/** Whether another writer was ahead while a statement ran: it took away what a row refers to, or took its
 * identifier by hand. */
export function lostRace(error: unknown): boolean {
  return ["23503", "23505"].includes(sqlState(error));
}

/** Whether a table was in use: its lock was not to be had in time, or only by a deadlock. */
export function foundInUse(error: unknown): boolean {
  return ["55P03", "40P01"].includes(sqlState(error));
}

/** The SQLSTATE of what Postgres itself said; empty where it did not. */
export function sqlState(error: unknown): string {
  const refusal = error instanceof Error && error.cause ? error.cause : error;
  return refusal instanceof postgres.PostgresError ? refusal.code : "";
}

/** Whether Postgres has rolled a statement back, as it says itself, so that another could go on (its
 * documentation, 13.5). */
export function metAnother(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error));
}
