// How long things may take, and how often they are tried: the shares of TIME_LIMIT, the time of a request,
// that what it waits for has, and what has no share in it.

/** Postgres gives a statement up after half of the time, and one that waits for a lock sooner, since
 * others wait behind it: for one row it waits twice, to be next in line and for the row, and both fit
 * into the half. A statement waits for a session a little longer than that. A session on which Postgres
 * has not even said that time is up is lost: it is asked to end what it does, then cut off, and what is
 * left is enough to open another and read again. */
export const SHARES = {
  /** Between two looks at the clock: nothing ends later than that after its time. */
  look: 1 / 100,
  /** For a session that was given up to answer, before it is cut off. */
  grace: 1 / 20,
  /** For a seat. A refusal costs as much as an answer, so clients that try again at once would leave no
   * time for the others. */
  seat: 1 / 10,
  lock: 1 / 5,
  /** For a turn in a session, and for an attempt to open one. */
  turn: 1 / 4,
  statement: 1 / 2,
  silence: 3 / 5,
};

/** Milliseconds that what is told to end has for it: a statement that is cancelled, the last of the log. */
export const ENDING = 1000;

/** How often something is tried that others are in the way of. */
export const ATTEMPTS = 10;

/** Seconds until the next attempt: of a client that was answered with 503, at a database that is away, at
 * a process that ended. */
export const RETRY_AFTER = 1;
