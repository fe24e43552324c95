// What a transaction on one client of the pool makes, as the documentation of node-postgres has it.
import type { DatabaseError, Pool, PoolClient } from "pg";

/** The SQLSTATE of a row that is referred to and not there. */
const NOT_THERE = "23503";

/** Resolves to undefined where the work refers to a row that is not there. */
export async function inTransaction<Made>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Made>,
): Promise<Made | undefined> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const made = await work(client);
    await client.query("commit");
    return made;
  } catch (error) {
    await client.query("rollback");
    if ((error as DatabaseError).code === NOT_THERE) return undefined;
    throw error;
  } finally {
    client.release();
  }
}
