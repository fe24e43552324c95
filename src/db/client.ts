// The only file that knows the Postgres client, postgres.js, by its documented interface: how a session
// is opened and set up, how values are sent. What is not documented is in `query.ts`.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect as dial } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { HOLD, RETRY_AFTER, SHARES } from "../time.ts";
import type { Address, Host, Tls } from "./address.ts";
import type { Database } from "./database.ts";
import { isFromPostgres, READ_ONLY, UNKNOWN_OUTCOME } from "./errors.ts";
import { untilFree } from "./locks.ts";
import { type Open, pool, type Session } from "./pool.ts";
import { runner } from "./query.ts";
import { reads, type Scalar, slot, sql, type Statement, type Value, valuesOf } from "./sql.ts";

export interface ClientOptions {
  /** The most sessions to open. */
  sessions: number;
  /** Seconds that a request has; without it, statements are not limited. */
  timeLimit?: number;
  /** Whether each session belongs to this client alone, so that prepared statements and settings
   * stay in it. A pooler shares its sessions. */
  ownsSessions?: boolean;
  /** Called with each notice of Postgres, in one line. */
  onNotice?(message: string): void;
  /** Called when a session is given up, with what it waits for. */
  onSilence?(what: string): void;
}

/** The settings that answers depend on, set in every session: a role or a database may have others. */
const sessionSettings = {
  application_name: "relata",
  TimeZone: "UTC",
  DateStyle: "ISO, MDY",
  standard_conforming_strings: "on",
};

/** More settings, only for sessions of our own: poolers do not pass these on. */
const ownSettings = {
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  default_transaction_isolation: "read committed",
  transform_null_equals: "off",
  quote_all_identifiers: "off",
  jit: "off", // it takes seconds to compile the many joins of a list, for milliseconds of work
};

// Options of postgres.js. Without them, it would look in the environment, as libpq does.
const common = {
  max: 1,
  fetch_types: false,
  idle_timeout: null,
  max_lifetime: null,
  // The client would turn a text for a boolean into false, cut one for a time to the millisecond, and quote one
  // that is JSON already
  types: {
    bigint: { to: 20, from: [20, 1700], serialize: String, parse: Number }, // a key may be a numeric
    boolean: { to: 16, from: [16], serialize: String, parse: (text: string) => text === "t" },
    json: { to: 114, from: [114, 3802], serialize: String, parse: JSON.parse },
    time: { to: 1184, from: [1082, 1114, 1184], serialize: String, parse: (text: string) => text },
  },
};

// The types of postgres.js lack some options, and that `socket` may return any stream.
const client = postgres as unknown as (options: object) => postgres.Sql;

/** The database at an address, or on the first of its hosts that accepts writes. The first statement
 * connects to it. */
export function connect(address: Address, options: ClientOptions): Database {
  const { hosts, user, password, database: name, targetSessionAttrs } = address;
  const { sessions, timeLimit = Infinity, ownsSessions = true, onNotice, onSilence } = options;
  const milliseconds = (share: number) => Math.ceil(timeLimit * 1000 * share);
  const patience = Math.min(
    address.connectTimeout ?? Infinity,
    timeLimit * SHARES.session / hosts.length,
  );
  const isLimited = ownsSessions && timeLimit < Infinity;
  const driverOptions = {
    user,
    pass: password,
    database: name,
    prepare: ownsSessions,
    ...(patience < Infinity && { connect_timeout: patience }),
    target_session_attrs: targetSessionAttrs === "any" ? undefined : targetSessionAttrs,
    connection: {
      ...sessionSettings,
      ...(ownsSessions && ownSettings),
      ...address.settings,
      ...(isLimited && {
        lock_timeout: milliseconds(SHARES.lock),
        statement_timeout: milliseconds(SHARES.statement),
      }),
    },
  };
  const writable = hosts.length > 1 && !targetSessionAttrs;
  const ways = hosts.map((host) => wayTo(host, address.tls, driverOptions, onNotice));
  const sessionPool = pool(firstOf(ways, { writable }), {
    size: sessions,
    quick: ownsSessions ? QUICK : 0,
    wait: milliseconds(SHARES.session),
    silence: milliseconds(SHARES.silence),
    grace: milliseconds(SHARES.grace),
    look: milliseconds(SHARES.look),
    onSilence: (session, statement) => explainSilence(session as ClientSession, statement),
    ...(isLimited &&
      { look: Math.min(milliseconds(SHARES.look), HOLD), cancelWaiting: cancelWaitingIn }),
  });
  const repeat = untilFree({
    most: Math.max(1, Math.floor(sessions / 3)),
    limit: milliseconds(SHARES.lock),
  });
  const served: Database = {
    ...sessionPool,
    run: (statement, values) =>
      repeat(statement, (isPatient) => sessionPool.run(statement, values, isPatient)),
    transaction: (of, work) =>
      repeat(of, (isPatient) => sessionPool.transaction(of, work, isPatient)),
  };

  async function cancelWaitingIn(sessions: Session[], asking: Session): Promise<Session[]> {
    const pids = sessions.map((session) => (session as ClientSession).pid);
    const cancelled = (await asking.run(cancelWaiting, { pids })).map(({ pid }) => pid);
    return sessions.filter((session) => cancelled.includes((session as ClientSession).pid));
  }

  /** Asks Postgres, in another session, what the silent one waits for. */
  function explainSilence({ pid }: ClientSession, statement: string): Promise<void> {
    return served.run(whatItWaitsFor, { pid }).then(
      ([row]) => onSilence?.(`"${statement}" waits for ${row?.event || "an answer"}`),
      () => onSilence?.(`"${statement}" waits for an answer`),
    );
  }

  if (!ownsSessions) return served;
  const listening = new Set<() => void>();
  return {
    ...served,
    listen(channel, onNotification) {
      const end = keepListening(ways, channel, onNotification);
      listening.add(end);
      return () => listening.delete(end) && end();
    },
    async close() {
      for (const end of listening) end();
      await served.close();
    },
  };
}

/** A database with one session, over a stream; when it ends, another one is opened. */
export function connectOver(
  stream: () => Duplex,
  { timeLimit, onNotice }: { timeLimit: number; onNotice: ClientOptions["onNotice"] },
): Database {
  const driverOptions = () => ({
    host: "embedded",
    port: 5432,
    user: "postgres",
    database: "postgres",
    ssl: false,
    connection: { ...sessionSettings, ...ownSettings },
  });
  return pool((gone) => session({ driverOptions, dial: stream, onNotice }, gone), {
    size: 1,
    wait: timeLimit * 1000 * SHARES.session,
    look: timeLimit * 1000 * SHARES.look,
  });
}

export const whatItWaitsFor = reads<{ pid: number }, { event: string }>(
  "look at a session",
  sql`
    select concat_ws(' ', wait_event_type, wait_event) as event
    from pg_stat_activity
    where pid = ${slot("pid", "integer")}
      and state = 'active'`,
);

/** Cancels what has waited for a lock in some sessions. In one query with their conditions, Postgres might cancel first
 * and then look whose session it was. */
export const cancelWaiting = reads<{ pids: number[] }, { pid: number }>(
  "cancel what waits for locks",
  sql`
    with waiting as materialized (
      select distinct pid
      from pg_locks
      where pid = any(${slot("pids", "integer[]")})
        and not granted
        and waitstart < clock_timestamp() - interval ${`${HOLD} ms`}
    )
    select pid
    from waiting
    where pg_cancel_backend(pid)`,
);

/** What a request to cancel has in place of the version of the protocol (documentation of Postgres, 54.7). */
export const CANCEL_REQUEST = 80_877_102;

/** Milliseconds that a quick read takes at most. A read of rows takes 0.2 while 32 clients ask for them, and 1 to
 * 3 while 256 do. */
const QUICK = 4;

interface ClientSession extends Session {
  pid: number;
  isReadOnly: boolean;
}

/** How a session is opened on a host. */
interface Way {
  /** Options of postgres.js for a session on this host: its certificates may be renewed. */
  driverOptions(): object;
  dial(): Duplex;
  /** The name that the certificate must be for. */
  name?: string;
  onNotice?: ClientOptions["onNotice"];
}

function wayTo(host: Host, tls: Tls, driverOptions: object, onNotice: Way["onNotice"]): Way {
  const isFile = "path" in host;
  const name = isFile ? host.path : host.host;
  return {
    driverOptions: () => ({
      ...driverOptions,
      host: [name],
      port: [isFile ? 5432 : host.port],
      ssl: isFile ? false : tlsFor(name, tls),
    }),
    name,
    onNotice,
    dial: () => isFile ? dial(host.path) : dial({ ...host, noDelay: true }),
  };
}

/** The TLS options for a host. The client sends no name to an IP address; without one, TLS would check
 * for "localhost". */
function tlsFor(host: string, { mode, authorities }: Tls) {
  if (mode === "disable") return false;
  if (mode === "prefer" || mode === "require") return mode;
  return {
    host,
    ca: authorities?.(),
    ...(mode === "verify-ca" && { checkServerIdentity() {} }),
  };
}

/** Opens a session on the first host that works, starting with the one that worked last. If it has to
 * be `writable`, the host must accept writes. */
function firstOf(ways: Way[], { writable }: { writable: boolean }): Open {
  let preferred = 0;
  return async (gone) => {
    const first = preferred;
    let error: unknown;
    for (let count = 0; count < ways.length; count++) {
      const index = (first + count) % ways.length;
      let isChosen = false;
      try {
        const opened = await session(ways[index]!, () => isChosen && gone());
        if (!writable || !opened.isReadOnly) {
          [preferred, isChosen] = [index, true];
          return opened;
        }
        opened.close();
        error = Object.assign(new Error("The host accepts no writes"), { code: READ_ONLY });
      } catch (reason) {
        error = reason;
      }
    }
    throw error;
  };
}

/** Listens on the first host that lets it, and again when that ends, until the function that it returns is
 * called. */
function keepListening(
  ways: Way[],
  channel: string,
  onNotification: (payload: string) => void,
): () => void {
  const over = new AbortController();
  async function keep(): Promise<void> {
    while (!over.signal.aborted) {
      for (const way of ways) {
        await listenOn(way, channel, onNotification, over.signal).catch(() => {});
      }
      await delay(RETRY_AFTER * 1000, undefined, { ref: false });
    }
  }
  keep();
  return () => over.abort();
}

/** Listens on one host until the session ends; rejects if it cannot. By itself the client would listen again, but
 * not once a try of it has failed, so it gets only one socket. */
async function listenOn(
  { driverOptions, dial, name }: Way,
  channel: string,
  onNotification: (payload: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { socket, dialled } = oneSocket(dial, name);
  const sql = client({ ...common, ...driverOptions(), socket });
  try {
    await sql.listen(channel, onNotification);
    if (!dialled().destroyed) await once(dialled(), "close", { signal });
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** Opens a session: a client with one connection, which is never replaced. The client would reconnect,
 * and give the rest of a lost answer to the first statement on the new connection, so it gets only
 * one socket. */
async function session(
  { driverOptions, dial, name, onNotice }: Way,
  gone: () => void,
): Promise<ClientSession> {
  const { socket, dialled } = oneSocket(dial, name);
  let isUnconfirmed = false;
  const sql = client({
    ...common,
    ...driverOptions(),
    onclose: gone,
    onnotice({ routine, severity, message = "" }: postgres.Notice) {
      // Its SQLSTATE is that of any warning, even one raised by a trigger
      if (routine === "SyncRepWaitForLSN") isUnconfirmed = true;
      onNotice?.(`${severity}: ${message.replaceAll(/\s+/g, " ")}`);
    },
    socket,
  });
  const close = () => void sql.end({ timeout: 0 });
  const confirm = () => {
    if (!isUnconfirmed) return;
    isUnconfirmed = false;
    throw Object.assign(new Error("No standby has confirmed the commit"), {
      code: UNKNOWN_OUTCOME,
    });
  };
  const shown = await sql.unsafe("show transaction_read_only").catch((error) => {
    close();
    const hasNoTls = /before secure TLS/.test(error.message);
    if (hasNoTls) error.message = `The Postgres at "${name}" offers no TLS, which sslmode wants`;
    throw error;
  });
  const { pid, secret } = shown.state as unknown as { pid: number; secret: number };
  const send = runner(sql);
  const { isPrepared, isSpent } = preparing();

  /** The result may begin with holes: one for each row of a statement before it that was cut short
   * (postgres.js issue 1181). A loop leaves them out, because the methods of arrays are slow on it. */
  async function run<Values extends object, Row extends object>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Promise<Row[]> {
    const prepare = isPrepared(statement);
    const parameters = valuesOf(statement, values).map((value, index) =>
      encode(value, statement.slots[index]!.type)
    );
    const { text, isText } = statement;
    const received = await send(text, parameters, { prepare, isRaw: isText });
    const found: Row[] = [];
    for (const row of received) {
      if (row) found.push((isText ? textsIn(row as RawRow, received.columns ?? []) : row) as Row);
    }
    return found;
  }

  return {
    pid,
    isReadOnly: shown[0]!["transaction_read_only"] === "on",

    async run(statement, values) {
      const rows = await run(statement, values);
      confirm();
      return rows;
    },

    async transaction(work) {
      let failure: unknown;
      const told = (error: unknown) => {
        failure ??= error;
        throw error;
      };
      const word = (text: string) => send(text, [], { prepare: false }).catch(told);
      const [, worked] = await Promise.allSettled([
        word("begin"),
        work((statement, values) => {
          const ran = run(statement, values).catch(told);
          ran.catch(() => {}); // the work need not wait for it
          return ran;
        }),
      ]);
      // In a session that is over, a word may never be answered
      if (failure !== undefined && !isAlive(failure)) throw failure;
      const isDone = worked.status === "fulfilled" && failure === undefined;
      await word(isDone ? "commit" : "rollback").catch(() => {}); // by now all have been answered
      if (failure !== undefined) throw failure;
      confirm();
      return () => {
        if (worked.status === "rejected") throw worked.reason;
        return worked.value;
      };
    },

    async describe({ text }) {
      return (await sql.unsafe(text).describe()).columns;
    },

    async script(...texts) {
      for (const text of texts) await sql.unsafe(text);
      confirm();
    },

    /** A cancel request has a connection of its own (documentation of Postgres, 54.2.8). */
    cancel() {
      const request = Buffer.alloc(16);
      [16, CANCEL_REQUEST, pid, secret].forEach((word, index) => {
        request.writeInt32BE(word | 0, 4 * index);
      });
      dial().on("error", () => {}).end(request);
    },

    isSpent,
    close,
    destroy: () => dialled().destroy(),
  };
}

/** Whether a session goes on after an error. */
function isAlive(error: unknown): boolean {
  return isFromPostgres(error) && error.severity !== "FATAL";
}

/** Which statements a session prepares. The client forgets none that it has prepared, so a session prepares
 * the first 64 forms of lists that it runs, and Postgres plans the others in each run. Once it has run 1,024
 * of those it is spent: the session that follows prepares what is asked for then. */
function preparing() {
  const forms = new Set<string>();
  const end = performance.now() + LIFE * (1 + Math.random());
  let others = 0;
  return {
    isPrepared({ text, replans, isForm }: Statement): boolean {
      if (replans) return false;
      if (!isForm || forms.has(text)) return true;
      if (forms.size < FORMS) forms.add(text);
      else others++;
      return forms.has(text);
    },
    isSpent: () => others >= OTHERS || performance.now() > end,
  };
}

const FORMS = 64;
const OTHERS = 1024;

/** Milliseconds that a session lives, and at most twice: its host may be another one by now, its caches grow. */
const LIFE = 20 * 60_000;

/** The value as the client sends it; an array in the notation of Postgres. */
function encode(value: Value, type?: string): Scalar {
  if (Array.isArray(value)) {
    const text = `{${value.map(encodeElement).join()}}`;
    return value.length > 1 ? text.padEnd(AT_ONCE) : text;
  }
  return type === "json" && typeof value === "string" ? value.padEnd(AT_ONCE) : value as Scalar;
}

/** From this many bytes on, the client sends at once. Fewer would leave after the answers to other requests, and
 * Postgres would have nothing to do until then, so blanks are added where they mean nothing. */
const AT_ONCE = 1024;

function encodeElement(value: Scalar): Scalar {
  return typeof value === "string" ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : value;
}

/** The values of a row as Postgres writes them, in place of their bytes. */
type RawRow = readonly (Uint8Array | null)[];

/** The values of a raw row as texts, by their columns. */
function textsIn(row: RawRow, columns: readonly { name: string }[]): Record<string, string | null> {
  return Object.fromEntries(
    columns.map(({ name }, index) => [name, row[index] ? UTF_8.decode(row[index]) : null]),
  );
}

const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Gives a client one socket and no other: it would go on with another one by itself. */
function oneSocket(dial: Way["dial"], name: Way["name"]) {
  let dialled: Duplex | undefined;
  return {
    dialled: () => dialled!,
    async socket() {
      if (dialled) {
        throw Object.assign(new Error("The session is over"), { code: "CONNECTION_CLOSED" });
      }
      dialled = dial();
      await untilDialling(dialled);
      return Object.assign(dialled, { host: name });
    },
  };
}

/** Resolves once a socket has begun to connect. Rejects if that fails at once, because there is no route
 * or no file: Node reports this before the client listens. */
function untilDialling(socket: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    setImmediate(() => {
      socket.off("error", reject);
      resolve();
    });
  });
}
