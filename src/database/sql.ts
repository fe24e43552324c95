// The client of Postgres, the same for a server at DATABASE_URL and for the embedded one: how
// values travel, how long a statement may take, how fast a lost connection comes back.
import type { Duplex } from "node:stream";
import postgres from "postgres";

/** The tag that every statement is written with; it also runs them. */
export type Sql = postgres.Sql;

/** A piece of SQL, made by the tag, to stand in a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

type ParameterOrJSON = postgres.ParameterOrJSON<never>;

export interface ClientOptions {
  /** Connections at most. */
  connections: number;
  /** Seconds that whoever waits for a statement has; an attempt to connect gets half of them. */
  timeLimit: number;
  /** Whether a statement is cancelled after them. */
  cancels?: boolean;
}

/** Seconds that closing a client waits for the statements under way. */
export const CLOSING = 5;

/** Seconds at most between two attempts to reach a database that is away. */
const RECONNECT_CEILING = 1;

// The types a statement of ours takes or gives, said here so that no connection has to ask first.
const types = {
  bigint: {
    to: 20,
    from: [20],
    serialize: String,
    parse: Number,
  },
  bigints: {
    to: 1016,
    serialize: (values: (number | null)[]) => `{${values.map(String).join(",")}}`,
  },
  texts: {
    to: 1009,
    serialize: (values: (string | null)[]) => `{${values.map(arrayElement).join(",")}}`,
  },
};

// What is not said here, the client would look for in the environment, as libpq does.
const options = {
  fetch_types: false,
  prepare: true,
  max_pipeline: 100,
  idle_timeout: null,
  onnotice() {},
  backoff: (retries: number) => Math.min(2 ** retries / 100, RECONNECT_CEILING),
  types,
};

// In UTC, whatever zone the database lives in: far enough back, other zones are offset by seconds,
// which no reader of JSON dates understands.
const session = { application_name: "relata", TimeZone: "UTC" };

// The types of the client leave out that `socket` takes any stream, and that a type may be one
// that is only ever sent.
const client = postgres as unknown as (url: string, options: object) => Sql;

/** A client of the Postgres at an address; connects with the first statement. */
export function connect(url: string, { connections, timeLimit, cancels }: ClientOptions): Sql {
  return client(url, {
    ...options,
    max: connections,
    connect_timeout: timeLimit / 2,
    connection: { ...session, ...(cancels && { statement_timeout: timeLimit * 1000 }) },
  });
}

/** A client of a Postgres that is ONE session: one connection, ever, over a stream of its own. */
export function connectOver(stream: () => Duplex): Sql {
  return client("postgres://postgres@embedded/postgres", {
    ...options,
    connection: session,
    max: 1,
    max_lifetime: null,
    ssl: false,
    target_session_attrs: "read-write",
    socket: stream,
  });
}

/** Makes a statement that is composed by its first run and only given other values from then on. The
 * values are to stand in it in their order, each once. */
export function composedOnce<Values extends ParameterOrJSON[], Row extends object>(
  sql: Sql,
  compose: (...values: Values) => postgres.PendingQuery<Row[]>,
): (...values: Values) => Promise<Row[]> {
  let text: string | undefined;
  return async (...values) => {
    if (text !== undefined) return await sql.unsafe<Row[]>(text, values, { prepare: true });
    const rows = await compose(...values);
    text = rows.statement.string;
    return rows;
  };
}

/** Has Postgres plan a statement for the very values of this run, where one plan for all of them may
 * be far off: how many rows contain a text depends on the text. */
export function planned<Query extends Promise<unknown>>(query: Query): Query {
  // The client has this option for every statement, but its types tell of it for some only.
  Object.assign((query as unknown as { options: object }).options, { prepare: false });
  return query;
}

/** Whether what failed has certainly left nothing behind: Postgres refused it, and was not about to
 * go away itself (class 57 of its appendix A), nor was the connection lost. */
export function wasUndone(error: unknown): boolean {
  const refusal = error instanceof Error && error.cause ? error.cause : error;
  return refusal instanceof postgres.PostgresError && !refusal.code.startsWith("57");
}

/** As Postgres reads an element of an array (its documentation, 8.15.6). */
function arrayElement(value: string | null): string {
  return value === null ? "null" : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** Fragments or names, one after another, as SQL lists them. */
export function listed(sql: Sql, items: (Fragment | string)[]): Fragment {
  return items
    .map((item) => typeof item === "string" ? sql`${sql(item)}` : item)
    .reduce((before, item) => sql`${before}, ${item}`);
}
