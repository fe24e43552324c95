// Rows one by one, after a statement for all of them failed: its error does not tell which row it is about.
import type { Database } from "../db/database.ts";
import { type PostgresError, postgresError, sqlState } from "../db/errors.ts";
import type { Statement } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { createStatement, eachStatement, trialStatement } from "../statements/create.ts";
import type { Made } from "../statements/sent.ts";

/** The SQLSTATE with which a trial fails. */
const TRIAL = "RL001";

/** Creates rows, given as JSON, in one transaction, each by the statement for one. Gives what became of each: it was
 * made, or Postgres gave an error. */
export async function createEach(
  database: Database,
  { text: statement }: Statement,
  rows: string[],
): Promise<(Made | Error)[]> {
  const outcomes = await database.run(eachStatement, { statement, rows: `[${rows.join()}]` });
  const byOrdinal = new Map(
    outcomes.map(({ ordinal, error, ...made }) =>
      [ordinal, error ? postgresError(error) : made] as const
    ),
  );
  return rows.map((_, index) => byOrdinal.get(index + 1)!);
}

/** Finds the first row of a JSON array that Postgres refuses, by its index, and keeps none; undefined if it
 * takes them all. */
export async function firstFailing(
  database: Database,
  resource: Resource,
  rows: string,
): Promise<{ index: number; error: PostgresError } | undefined> {
  const { text: statement } = createStatement(resource);
  try {
    await database.run(trialStatement, { statement, rows });
  } catch (error) {
    if (sqlState(error) !== TRIAL) throw error;
    const { ordinal, error: cause } = JSON.parse((error as PostgresError).detail!);
    return cause ? { index: ordinal - 1, error: postgresError(cause) } : undefined;
  }
  throw new Error("A trial has to fail");
}
