// How a write is refused: its statement asks for a setting that is not there, so that it fails, and Postgres takes
// back whatever triggers did. The name of the setting says why, in any language of Postgres.
import { type PostgresError, postgresError, sqlState } from "../db/errors.ts";
import { raw, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { givenIdentifier } from "../model/table.ts";
import type { WriteVerdict } from "./change.ts";

/** The SQLSTATE of a setting that is not there. */
const UNDEFINED = "42704";

/** The identifier of what was written, or SQL that fails with the reasons why it was not: empty if the database left
 * a row out, null if nothing was to be written. */
export function requireWritten(resource: Resource, identifier: Sql, reasons: Sql): Sql {
  return sql`coalesce(
        ${givenIdentifier(resource, identifier)},
        ${refuse(reasons)}::${raw(resource.identifiers.sqlType)}
      )`;
}

/** SQL that fails with the reasons, unless they are null. */
export function refuse(reasons: Sql): Sql {
  return sql`current_setting('relata_refused(' || ${reasons} || ')')`;
}

/** The error of a row that is refused. */
export function refusal(reasons: string): PostgresError {
  return postgresError({ name: "", message: `relata_refused(${reasons})`, code: UNDEFINED });
}

/** The verdict on a row that was not written, as `WriteVerdict`, if it is what the statement failed with. */
export function verdictIn(error: unknown): { id: null } & WriteVerdict | undefined {
  const told = refusalIn(error);
  return told?.startsWith("{") ? { id: null, ...JSON.parse(told) } : undefined;
}

/** Why a write was refused, as `bar:does_not_exist`, separated by commas; empty if the database left a row out,
 * undefined if its error has another cause. */
export function refusalIn(error: unknown): string | undefined {
  if (sqlState(error) !== UNDEFINED) return undefined;
  return /relata_refused\((.*)\)/.exec((error as PostgresError).message)?.[1];
}
