// The interface of a database.
import type { Statement } from "./sql.ts";

/** Runs a statement and returns its rows. */
export type Run = <Values extends object, Row extends object>(
  statement: Statement<Values, Row>,
  values: Values,
) => Promise<Row[]>;

export interface Database {
  /** A read is repeated when its connection is lost; a write that was sent never is. */
  run: Run;
  /** Runs what `work` runs as one transaction, by the name of one of its statements: all of it, or nothing if `work`
   * rejects or a statement fails. Statements are sent without a wait in between where `work` awaits none. It waits
   * for nothing but them, because it holds a session. */
  transaction<Result>(of: Statement, work: (run: Run) => Promise<Result>): Promise<Result>;
  /** The columns that a statement gives, each with the identifier of its type. It is not run. */
  describe(statement: Statement): Promise<{ name: string; type: number }[]>;
  /** Runs each text in one session, the statements of one text as one: all of them or none. */
  script(...texts: string[]): Promise<void>;
  /** How many requests may be under way in statements of their own, before the next ones had better share
   * one. */
  room(effect: Statement["effect"]): number;
  /** Listens on a channel, in a session of its own, until the function that it returns is called. When that
   * session ends, another one takes its place, and notifications meanwhile are lost. Only where a session
   * belongs to this client alone. */
  listen?(channel: string, onNotification: (payload: string) => void): () => void;
  /** Whether every session runs a statement, and none is silent. */
  isBusy(): boolean;
  /** How many sessions are open, and how many there are at most. */
  sessions(): { open: number; most: number };
  /** Cancels the statements under way, and resolves when they have ended. */
  close(): Promise<void>;
}
