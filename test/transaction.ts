// A transaction in a session of its own, for tests that hold a lock which others wait for.
import type postgres from "postgres";

/** Works in a transaction on the database of a client; the embedded one has no session but this. */
export async function inTransaction<Result>(
  sql: postgres.Sql,
  work: (sql: postgres.TransactionSql) => Promise<Result>,
): Promise<Result> {
  return await sql.begin(work) as Result;
}

/** How many sessions of a database wait for what another one holds. */
export async function blocked(sql: postgres.Sql): Promise<number> {
  const sessions = await sql`
    select
    from pg_stat_activity
    where datname = current_database()
      and wait_event_type = 'Lock'`;
  return sessions.length;
}
