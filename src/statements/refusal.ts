// How a create is refused: a cast fails, so that Postgres takes back whatever triggers did. The error has the
// text that was cast, in any language of Postgres.
import { sqlState } from "../db/errors.ts";
import { type Sql, sql } from "../db/sql.ts";
import type { Made, Outcome } from "./sent.ts";

/** The text of a create that is refused because the database left a row out. */
export const LEFT_OUT = "relata_refused()";

/** The identifier of what was made, or SQL that fails with the reasons why it was not; there are none if the
 * database left a row out. */
export function requireMade(identifier: Sql, reasons: Sql): Sql {
  return sql`coalesce(
        ${identifier},
        ('relata_refused(' || ${reasons} || ')')::bigint
      )`;
}

/** What became of a create: it was made, or refused. Rejects if its error has another cause. */
export async function outcomeOf(created: Promise<Made[]>): Promise<Outcome> {
  try {
    const [made] = await created;
    const { id, text } = made!;
    return { refused: "", id, text };
  } catch (error) {
    const [, refused] = /relata_refused\((.*)\)/.exec((error as Error).message) ?? [];
    if (refused === undefined || sqlState(error) !== "22P02") throw error;
    return { refused, id: null, text: null };
  }
}
