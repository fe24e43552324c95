// Whether a database has what requests take.
import type { Database } from "./database.ts";
import { lacking, pendingMigrations } from "./migrations.ts";
import { hiddenIn, history, look, named, type Seen, tables, type Wanted } from "./seen.ts";
import type { Migration } from "./step.ts";

/** What is asked of who asks, and of what was created under a key. */
export const tokenTable: Wanted = {
  name: "relata_token",
  columns: ["id", "sha256", "scopes", "expires_at", "revoked_at"],
};
export const keyTable: Wanted = {
  name: "relata_idempotency",
  columns: ["caller", "path", "key", "body", "identifier", "text", "created_at"],
};

/** Why requests would fail, in one sentence; undefined where they would not. */
export async function unready(
  database: Database,
  known: Migration[],
  wanted: Wanted[],
): Promise<string | undefined> {
  const seen = await look(database, [history, ...wanted]);
  const hidden = hiddenIn(seen);
  if (hidden !== undefined) return hidden;
  if (seen.every(({ found }) => !found)) return lacking(known);
  const [kept] = seen.filter(({ name }) => name === history.name);
  const pending = kept!.found ? await pendingMigrations(database, known) : [];
  return pending.length > 0 ? lacking(pending) : missingIn(seen);
}

function missingIn(seen: Seen[]): string | undefined {
  const away = seen.filter(({ found }) => !found);
  if (away.length > 0) return `The database does not have ${tables(away)}`;
  const [lame] = seen.filter(({ absent }) => absent.length > 0);
  return lame && `The table "${lame.name}" lacks ${named(lame.absent)}`;
}
