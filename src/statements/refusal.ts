// How a write is refused: its statement fails, so that Postgres takes back whatever triggers did. Why is in the
// detail of the error (`sql/server/0005_each.up.sql`).
import { type PostgresError, postgresError, sqlState } from "../db/errors.ts";
import { type Sql, sql } from "../db/sql.ts";

/** The SQLSTATEs with which the functions of this server fail. */
export const [REFUSED, TRIAL] = ["RL001", "RL002"];

/** The identifier of what was written, or SQL that fails with the reasons why it was not: empty if the database left
 * a row out, null if nothing was to be written. */
export function requireWritten(identifier: Sql, reasons: Sql): Sql {
  return sql`coalesce(
        ${identifier},
        relata_refuse(${reasons})
      )`;
}

/** The error of a row that is refused. */
export function refusal(reasons: string): PostgresError {
  return postgresError({ name: "", message: "", code: REFUSED, detail: reasons });
}

/** Why a write was refused, as `bar:does_not_exist`, separated by commas; empty if the database left a row out,
 * undefined if its error has another cause. */
export function refusalIn(error: unknown): string | undefined {
  return sqlState(error) === REFUSED ? (error as PostgresError).detail ?? "" : undefined;
}
