// The shares of TIME_LIMIT, and the few other limits that several rooms have in common. A request has
// TIME_LIMIT; each thing that it may wait for has a share of that.

/** The shares fit into each other. Postgres cancels a statement after half of the time, and one that
 * waits for a lock sooner, because others wait behind it; the lock of a row may take two such waits, one to
 * be next in line and one for the row. A session that is silent for longer is lost: it is cancelled, then
 * cut off, and the rest of the time is enough to open another one and read again. */
export const SHARES = {
  /** Between two checks of the clock, so nothing outlives its time by more. */
  look: 1 / 100,
  /** From the cancelling of a silent session until its connection is cut. */
  grace: 1 / 20,
  /** The wait for a seat. It is not refused at once: a refusal costs as much as an answer, so clients
   * that retry at once would leave no time for the others. */
  seat: 1 / 10,
  /** The wait for a lock in Postgres. */
  lock: 1 / 5,
  /** The wait for a session, and for an attempt to open one. */
  session: 1 / 4,
  /** The work of Postgres on one statement. */
  statement: 1 / 2,
  /** The silence of a session after which it is given up. */
  silence: 3 / 5,
};

/** Milliseconds for which a statement may hold up others. */
export const HOLD = 50;

/** Milliseconds in which a cancelled statement must end, and the last lines of the log be written. */
export const ENDING = 1000;

/** How often a write or a migration is tried while others get in its way. */
export const ATTEMPTS = 10;

/** Seconds until the next attempt, of a client that got 503, to reach the database, or to replace a process. */
export const RETRY_AFTER = 1;
