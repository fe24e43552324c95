// The SQLSTATE of a failure (documentation of Postgres, appendix A), and what it means here.

/** The session takes no writes: its host is a standby, or its database is read-only. */
export const READ_ONLY = "25006";

/** Nobody knows whether a write was kept (class 08: the connection could not tell). */
export const UNKNOWN_OUTCOME = "08007";

/** An error of Postgres, with its members as the client spells them. */
export interface PostgresError extends Error {
  /** The SQLSTATE. */
  code: string;
  severity?: string;
  detail?: string;
  /** Where in functions it came to be, in the language of Postgres. */
  where?: string;
  /** The function of Postgres that reports it. */
  routine?: string;
  schema_name?: string;
  table_name?: string;
  column_name?: string;
  constraint_name?: string;
  /** The domain. */
  "data type_name"?: string;
}

/** The SQLSTATE of an error that came from Postgres; empty for any other error. */
export function sqlState(error: unknown): string {
  const origin = error instanceof Error && error.cause ? error.cause : error;
  return isFromPostgres(origin) ? origin.code : "";
}

/** Whether an error came from Postgres, so that the connection is still in a known state. */
export function isFromPostgres(error: unknown): error is PostgresError {
  return error instanceof Error && error.name === "PostgresError";
}

/** An error that a function of Postgres caught, by its members. */
export function postgresError({ message, ...members }: PostgresError): PostgresError {
  return Object.assign(new Error(message), members, { name: "PostgresError" });
}

/** Whether Postgres refused to begin, because what the session has prepared is out of date: a column has
 * another type by now, or a pooler has given us another session. */
export function isStale({ routine = "" }: { routine?: string }): boolean {
  return ["RevalidateCachedQuery", "FetchPreparedStatement"].includes(routine);
}

/** Whether Postgres refused a statement because of its content, perhaps one value of many, and rolled it
 * back. The classes of errors that come from other sessions, resources or the system are not
 * counted, nor is a lost connection, nor that no transaction identifier or block of a table is left. */
export function isContentError(error: unknown): boolean {
  const { routine = "" } = (error ?? {}) as { routine?: string };
  return /^(?!08|25|40|53|54000 (GetNew|.*xtend)|55|57|58)\S/.test(`${sqlState(error)} ${routine}`);
}

/** Whether the system that Postgres runs on is at its limits, so that other statements would fare no better. */
export function isAtLimits(error: unknown): boolean {
  return /^(53|58)/.test(sqlState(error));
}

/** Whether it lasts until an operator acts: a partition is missing, Postgres is at its limits, or a function fails. */
export function needsOperator(error: unknown): boolean {
  return /^(23514|53|54)/.test(sqlState(error)) || isFailingFunction(error);
}

/** Whether a value is none of the type that Postgres takes it for, or of its domain. */
export function isInvalidValue(error: unknown): boolean {
  return /^(22|23514)/.test(sqlState(error));
}

/** Whether Postgres rolled back a statement that took too long. */
export function isTimeout(error: unknown): boolean {
  return sqlState(error) === "57014";
}

/** Whether what a row of these tables refers to was deleted while the statement ran. */
export function isLostReference(error: unknown, tables: readonly string[]): boolean {
  return sqlState(error) === "23503" && isAbout(error, tables);
}

/** Whether only the routine of Postgres tells what it means: a policy or a missing grant, a value too long for an index
 * or Postgres at its limits. An error that a function of ours caught has lost it. */
export function needsRoutine(error: unknown): boolean {
  return ["42501", "54000"].includes(sqlState(error));
}

/** Whether a function raised it, or a policy refused the row. Its author may have given it any SQLSTATE, and
 * a missing grant has the SQLSTATE of a policy, so the routine of Postgres tells. */
export function isFromFunctionOrPolicy(error: unknown): boolean {
  const { routine } = error as PostgresError;
  return isContentError(error) && (isRaised(error) || routine === "ExecWithCheckOptions");
}

/** Whether RAISE in a function of PL/pgSQL made it, so that the words are those of the author. The routine of
 * Postgres tells. An error that a function of ours caught has lost it, but not the context, which is in
 * the language of Postgres; there, statements stand in quotes. */
export function isRaised(error: unknown): boolean {
  const { routine, where = "" } = error as PostgresError;
  if (routine !== undefined) return routine === "exec_stmt_raise";
  return /^(?=[^"«»\n]*PL\/pgSQL)(?=.*\bRAISE\b)/.test(where);
}

/** Whether the SQL of somebody's function, such as that of a trigger, cannot run at all (classes 3F and 42): it names
 * what is not there, or lacks a grant. A line of the context is about the function. */
export function isFailingFunction(error: unknown): boolean {
  return isFromPostgres(error) && /^(3F|42)/.test(error.code) &&
    /^(?=[^"«»\n]*PL\/pgSQL)(?!.*\brelata_\w+\()/m.test(error.where ?? "");
}

/** Whether a unique index already has such a row. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === "23505";
}

/** Whether a unique index of one of these tables already has such a row. */
export function isDuplicateIn(error: unknown, tables: readonly string[]): boolean {
  return isDuplicate(error) && isAbout(error, tables);
}

/** Whether an error is about one of these tables. A name without a schema may be that of another, too. */
function isAbout(error: unknown, tables: readonly string[]): boolean {
  const { schema_name: schema, table_name: table = "" } = error as PostgresError;
  return tables.includes(table) || tables.includes(`${schema}.${table}`);
}

/** Whether a table was in use: its lock was not free in time, or there was a deadlock. */
export function isInUse(error: unknown): boolean {
  return ["55P03", "40P01"].includes(sqlState(error));
}

/** Whether the time to wait for a lock was over, and not what a trigger says of one. */
export function isLockTimeout(error: unknown): error is PostgresError {
  const { routine = "" } = error as PostgresError;
  return sqlState(error) === "55P03" && ["ProcessInterrupts", PUT_BACK].includes(routine);
}

/** What is in place of the routine of Postgres where a statement was cancelled for others. */
const PUT_BACK = "put back";

/** The error of a statement that was cancelled because it waited for a lock, and others for it or its session. */
export function putBackError(): PostgresError {
  const message = "It waited for a lock, and held up others";
  return postgresError({ name: "", message, code: "55P03", routine: PUT_BACK });
}

export function isPutBack(error: unknown): boolean {
  return (error as PostgresError).routine === PUT_BACK;
}

/** Whether Postgres rolled a statement back to let another one go on (documentation of Postgres, 13.5). */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error));
}
