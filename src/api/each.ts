// Rows one by one, after a statement for all of them failed: its error does not tell which row it is about.
import type { Database } from "../db/database.ts";
import { postgresError } from "../db/errors.ts";
import type { Resource } from "../model/model.ts";
import { createStatement, eachStatement } from "../statements/create.ts";
import type { Made } from "../statements/sent.ts";

/** A row of several that Postgres refuses. */
interface Failing {
  /** Its place, from 0. */
  place: number;
  error: Error;
}

/** Creates rows, given as JSON, in one transaction, each as if it were alone. Gives what became of each: it was
 * made, or Postgres gave an error. */
export async function createEach(
  database: Database,
  resource: Resource,
  rows: string[],
): Promise<(Made | Error)[]> {
  const outcomes = await database.run(eachStatement, {
    statement: createStatement(resource).text,
    rows: `[${rows.join()}]`,
    isTrial: false,
  });
  const placed = new Map(
    outcomes.map(({ place, error, ...made }) =>
      [place, error ? postgresError(error) : made] as const
    ),
  );
  return rows.map((_, index) => placed.get(index + 1)!);
}

/** Finds the first row of a JSON array that Postgres refuses, and keeps none; undefined if it takes them all. */
export async function firstFailing(
  database: Database,
  resource: Resource,
  rows: string,
): Promise<Failing | undefined> {
  try {
    await database.run(eachStatement, {
      statement: createStatement(resource).text,
      rows,
      isTrial: true,
    });
  } catch (error) {
    const { message, detail } = error as { message: string; detail?: string };
    if (message !== "relata_trial") throw error;
    const { place, error: cause } = JSON.parse(detail!);
    return cause ? { place: place - 1, error: postgresError(cause) } : undefined;
  }
  throw new Error("A trial has to fail");
}
