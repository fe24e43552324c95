// The interface of a database, and which statements are repeated after a failure: only those that have
// certainly changed nothing.
import { isConflict } from "./errors.ts";
import type { Fate, Pool, Unserved } from "./pool.ts";
import { type Statement, valuesOf } from "./sql.ts";

export interface Database {
  /** Runs a statement and returns its rows. A read is repeated when its connection is lost; a write
   * that was sent never is. */
  run<Values extends object, Row extends object>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Promise<Row[]>;
  /** Runs the statements of a text as one: all of them or none. */
  script(text: string): Promise<void>;
  /** How many requests may be under way in statements of their own, before the next ones had better share
   * one. */
  room(effect: Statement["effect"]): number;
  /** Hears what is told on a channel, in a session of its own, until the function that it returns is called. When
   * that session ends, another one takes its place, and what is told meanwhile is lost. Only where a session
   * belongs to this client alone. */
  listen?(channel: string, heard: (payload: string) => void): () => void;
  /** How many sessions are open, and how many there are at most. */
  sessions(): { open: number; most: number };
  /** Cancels the statements under way, and resolves when they have ended. */
  close(): Promise<void>;
}

/** The most times that a statement is repeated. */
const REPEATS = 3;

/** The database that a pool of sessions leads to. */
export function database(pool: Pool): Database {
  return {
    async run<Values extends object, Row extends object>(
      statement: Statement<Values, Row>,
      values: Values,
    ) {
      const parameters = valuesOf(statement, values);
      for (let repeats = 0;; repeats++) {
        try {
          return await pool.run(statement, parameters) as Row[];
        } catch (failure) {
          const { fate, cause } = failure as Unserved;
          if (repeats === REPEATS || !mayRepeat(fate, cause, statement)) throw cause;
        }
      }
    },

    async script(text) {
      try {
        await pool.script(text);
      } catch (failure) {
        throw (failure as Unserved).cause;
      }
    },

    room: pool.room,
    sessions: pool.sessions,
    close: pool.close,
  };
}

/** A statement that was sent may have been committed, whatever came back: Postgres can end a session
 * between the commit and the answer. */
function mayRepeat(fate: Fate, cause: unknown, { effect }: Statement): boolean {
  if (fate === "unknown") return effect === "reads";
  return fate === "unsent" || isConflict(cause);
}
