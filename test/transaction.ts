// A transaction in a session of its own, for tests that hold what others then wait for.
import postgres from "postgres";
import type { Sql } from "../src/database/sql.ts";
import { onEmbedded } from "./service.ts";

/** Works in a transaction on the database of a client; the embedded one has no session but this. */
export async function inTransaction<Result>(
  sql: Sql,
  work: (sql: postgres.TransactionSql) => Promise<Result>,
): Promise<Result> {
  if (onEmbedded) return await (sql as unknown as postgres.Sql).begin(work) as Result;
  const { host, port, database, user, pass } = sql.options;
  const url = `postgres://${user}:${pass}@${host}:${port}/${database}`;
  const session = postgres(url, { max: 1, fetch_types: false });
  try {
    return await session.begin(work) as Result;
  } finally {
    await session.end();
  }
}

/** How many sessions of a database wait for what another one holds. */
export async function blocked(sql: Sql): Promise<number> {
  const sessions = await sql`
    select
    from pg_stat_activity
    where datname = current_database()
      and wait_event_type = 'Lock'`;
  return sessions.length;
}
