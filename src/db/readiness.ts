// Whether a database has the tables and columns that requests need.
import type { Database } from "./database.ts";
import { ForeignHistory, lacking, pendingMigrations } from "./migrations.ts";
import { hiddenIn, history, look, named, type Seen, tables, type Wanted } from "./seen.ts";
import type { Migration } from "./step.ts";

/** The columns of the tables for tokens and idempotency keys. */
export const tokenTable: Wanted = {
  name: "relata_token",
  columns: ["id", "sha256", "scopes", "expires_at", "revoked_at"],
};
export const keyTable: Wanted = {
  name: "relata_idempotency",
  columns: ["caller", "path", "key", "body", "identifier", "text", "created_at"],
};

/** Why requests would fail, in one sentence; undefined if they would not. */
export async function whyUnready(
  database: Database,
  known: Migration[],
  wanted: Wanted[],
): Promise<string | undefined> {
  const seen = await look(database, [history, ...wanted]);
  const hidden = hiddenIn(seen);
  if (hidden !== undefined) return hidden;
  if (seen.every(({ found }) => !found)) return lacking(known);
  const [kept] = seen.filter(({ name }) => name === history.name);
  return kept!.found && await whyBehind(database, known) || missingIn(seen);
}

async function whyBehind(database: Database, known: Migration[]): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(database, known);
    return pending.length > 0 ? lacking(pending) : undefined;
  } catch (error) {
    if (error instanceof ForeignHistory) return error.message;
    throw error;
  }
}

function missingIn(seen: Seen[]): string | undefined {
  const away = seen.filter(({ found }) => !found);
  if (away.length > 0) return `The database does not have ${tables(away)}`;
  const [lame] = seen.filter(({ absent }) => absent.length > 0);
  return lame && `The table "${lame.name}" lacks ${named(lame.absent)}`;
}
