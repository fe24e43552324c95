// The client of Postgres, the same for a server at DATABASE_URL and for the embedded one: how
// values travel, and how long a statement may take.
import { connect as dial, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers";
import postgres from "postgres";
import { type Address, type Host, readAddress, type Tls } from "./address.ts";
import { pool } from "./pool.ts";
import { preparedText, running } from "./query.ts";
import { retrying } from "./retry.ts";
import { type Connect, opener } from "./session.ts";

/** The tag that every statement is written with; it also runs them. No request begins a transaction: a
 * statement decides alone, on whichever connection is free. */
export interface Tag extends Pick<postgres.Sql, "unsafe" | "end" | "options"> {
  /** Runs a statement, or makes a piece of one. */
  <Rows extends readonly (object | undefined)[] = postgres.Row[]>(
    template: TemplateStringsArray,
    ...values: readonly postgres.ParameterOrFragment<never>[]
  ): postgres.PendingQuery<Rows>;
  /** Quotes names, or lists values. */
  <Values extends string | readonly string[] | Record<string, unknown>>(
    values: Values,
  ): postgres.Fragment;
}

/** Runs a statement with the values of its parameters, in their order. */
export type Prepared = (values: ParameterOrJSON[]) => Promise<postgres.Row[]>;

/** The tag of a database. */
export type Sql = Tag & {
  /** Makes what runs a text again and again; if it only reads, it is to be done in a moment. */
  prepared(text: string): Prepared;
  /** How many connections are open. */
  connections(): number;
};

/** A piece of SQL, made by the tag, to stand in a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

type ParameterOrJSON = postgres.ParameterOrJSON<never>;

export interface ClientOptions {
  /** Connections at most. */
  connections: number;
  /** Seconds that whoever waits for a statement has. */
  timeLimit: number;
  /** Whether a statement that takes too much of them is given up. */
  cancels?: boolean;
  /** Whether a session is this client's own, and so keeps what it is told: prepared statements, and
   * when Postgres is to give one up. Where it is not, the role's own limits hold. */
  preparedStatements?: boolean;
  /** Is told what Postgres remarks besides its answers, in one line. */
  notice?: ((text: string) => void) | undefined;
}

/** The parts of the time limit that things have. A statement gets half, so that a request which waits
 * for the one before its own is answered in time; what waits for a lock or for its turn is told to
 * come back sooner, for others wait behind it. For one row Postgres waits twice, to be next in line
 * and for the row, and both are to fit into the half. A connection on which Postgres has not even said
 * that time is up is lost (half-open, as TCP calls it), and what is left then is enough to open
 * another. */
export const PARTS = { lock: 1 / 5, statement: 1 / 2, silence: 5 / 8, connecting: 1 / 4 };

/** Bytes of what the client sends at once; less than that it keeps until the end of the event loop's
 * turn. */
const SENT_AT_ONCE = 1024;

/** Seconds that closing a client waits for the statements under way. */
export const CLOSING = 5;

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
    serialize: (values: (number | null)[]) => array(values.map(String)),
  },
  texts: {
    to: 1009,
    serialize: (values: (string | null)[]) => array(values.map(arrayElement)),
  },
};

// What is not said here, the client would look for in the environment, as libpq does.
const options = {
  fetch_types: false,
  prepare: true,
  max_pipeline: 100,
  idle_timeout: null,
  max_lifetime: null,
  max: 1,
  types,
};

// In UTC, whatever zone the database lives in: far enough back, other zones are offset by seconds,
// which no reader of JSON dates understands.
const sessionSettings = { application_name: "relata", TimeZone: "UTC" };

// The types of the client leave out that `socket` takes any stream, and that a type may be one
// that is only ever sent.
const client = postgres as unknown as (options: object) => Tag;

/** A client of the Postgres at an address, the first of its hosts that takes writes where there are
 * several; connects with the first statement. */
export function connect(
  url: Address | string,
  { connections, timeLimit, cancels = false, preparedStatements = true, notice }: ClientOptions,
): Sql {
  const address = typeof url === "string" ? readAddress(url) : url;
  const { hosts, user, password, database, targetSessionAttrs, connectTimeout = Infinity } =
    address;
  const milliseconds = (part: number) => Math.ceil(timeLimit * 1000 * part);
  const own = {
    ...options,
    onnotice: telling(notice),
    host: hosts.map(nameOf),
    port: hosts.map((host) => "path" in host ? 5432 : host.port),
    user,
    pass: password,
    database,
    target_session_attrs: targetSessionAttrs === "any" ? undefined : targetSessionAttrs,
    prepare: preparedStatements,
    connect_timeout: Math.min(connectTimeout, timeLimit * PARTS.connecting / hosts.length),
    connection: {
      ...sessionSettings,
      ...address.settings,
      ...(cancels && preparedStatements && {
        lock_timeout: milliseconds(PARTS.lock),
        statement_timeout: milliseconds(PARTS.statement),
      }),
    },
  };
  const composer = client(own);
  const fallsBack = hosts.length > 1 && !targetSessionAttrs;
  const open = opener(hosts.map((host) => at(host, address.tls, own)), { writable: fallsBack });
  const { serve, end, count } = pool(open, {
    connections,
    fallsBack,
    ...(cancels && { turn: milliseconds(PARTS.lock), silence: milliseconds(PARTS.silence) }),
  });
  return Object.assign(retrying(composer, serve), {
    end,
    connections: count,
    options: { ...composer.options, max: connections },
  }) as unknown as Sql; // the tag, and of its methods those that this house uses
}

/** Makes clients of one connection to one host. The client would open others, so it is given one
 * socket only. That sends a statement as it comes: TCP would keep it back until the one before it is
 * acknowledged, which is with its answer or some 40 ms later (RFC 9293, section 3.7.4). */
function at(host: Host, tls: Tls, own: object): Connect {
  return (gone) => {
    let socket: Socket | undefined;
    const sql = client({
      ...own,
      host: [nameOf(host)],
      port: ["path" in host ? 5432 : host.port],
      ssl: "path" in host ? false : tlsFor(host.host, tls),
      onclose: gone,
      async socket() {
        if (socket) {
          throw Object.assign(new Error("The session is over"), { code: "CONNECTION_CLOSED" });
        }
        socket = "path" in host ? dial(host.path) : dial({ ...host, noDelay: true });
        await begun(socket);
        return Object.assign(socket, { host: nameOf(host) }); // whose certificate is expected
      },
    });
    return { sql, cut: () => socket?.destroy() };
  };
}

function nameOf(host: Host): string {
  return "path" in host ? host.path : host.host;
}

function telling(notice: ClientOptions["notice"]) {
  return ({ severity, message = "" }: postgres.Notice) =>
    notice?.(`${severity}: ${message.replaceAll(/\s+/g, " ")}`);
}

/** How the client is to have TLS with a host. It names no host that is an IP address, for which TLS would
 * take "localhost". */
function tlsFor(host: string, { mode, authorities }: Tls) {
  if (mode === "disable") return false;
  if (mode === "prefer" || mode === "require") return mode;
  return {
    host,
    ca: authorities,
    ...(mode === "verify-ca" && { checkServerIdentity() {} }),
  };
}

/** Resolves when a socket has begun to connect; rejects where it fails at once, for want of a route or of
 * a file, which Node says before the client listens. */
function begun(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    setImmediate(resolve);
  });
}

/** A client of a Postgres that is ONE session: one connection, ever, over a stream of its own. */
export function connectOver(stream: () => Duplex, notice?: ClientOptions["notice"]): Sql {
  const tag = client({
    ...options,
    onnotice: telling(notice),
    host: "embedded",
    port: 5432,
    user: "postgres",
    database: "postgres",
    connection: sessionSettings,
    ssl: false,
    target_session_attrs: "read-write",
    socket: stream,
  });
  const run = running(tag);
  return Object.assign(tag, {
    prepared: (text: string): Prepared => (values) => run(preparedText(text, values)),
    connections: () => 1,
  });
}

/** Makes a statement that is composed by its first run and only given other values from then on. The
 * values are to stand in it in their order, each once; what it reads, if it only reads, it is to find
 * by an index. */
export function composedOnce<Values extends ParameterOrJSON[], Row extends object>(
  sql: Sql,
  compose: (...values: Values) => postgres.PendingQuery<Row[]>,
): (...values: Values) => Promise<Row[]> {
  let run: Prepared | undefined;
  async function composed(...values: Values): Promise<Row[]> {
    const rows = await compose(...values);
    run = sql.prepared(rows.statement.string);
    return rows;
  }
  return (...values) => run ? run(values) as Promise<Row[]> : composed(...values);
}

/** Has Postgres plan a statement for the very values of this run, where one plan for all of them may
 * be far off: how many rows contain a text depends on the text. */
export function planned<Query extends Promise<unknown>>(query: Query): Query {
  // The client has this option for every statement, but its types tell of it for some only.
  Object.assign((query as unknown as { options: object }).options, { prepare: false });
  return query;
}

/** As Postgres reads an array, which may have spaces after it (its documentation, 8.15.6). With these
 * a statement for several is long enough to be sent at once: before the answers of the one before it,
 * while Postgres has nothing to do, and not after them. */
function array(elements: string[]): string {
  return `{${elements.join(",")}}`.padEnd(SENT_AT_ONCE);
}

/** As Postgres reads an element of an array (its documentation, 8.15.6). */
function arrayElement(value: string | null): string {
  if (value === null) return "null";
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Fragments or names, one after another, as SQL lists them. */
export function listed(sql: Sql, items: (Fragment | string)[]): Fragment {
  return items
    .map((item) => typeof item === "string" ? sql`${sql(item)}` : item)
    .reduce((before, item) => sql`${before}, ${item}`);
}
