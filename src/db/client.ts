// All that touches the client of Postgres, postgres.js, by its documented interface: how a session is
// opened and what it is told, how values travel, how a statement is run.
import { Buffer } from "node:buffer";
import { connect as dial } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers";
import postgres from "postgres";
import { type Address, type Host, readAddress, type Tls } from "./address.ts";
import { type Database, database } from "./database.ts";
import { READ_ONLY, UNKNOWN_OUTCOME } from "./errors.ts";
import { type Open, pool, type Session } from "./pool.ts";
import { reads, slot, sql, type Value } from "./sql.ts";
import { SHARES } from "../time.ts";

export interface ClientOptions {
  /** Sessions at most. */
  sessions: number;
  /** Seconds that whoever waits for a statement has; without it, statements take what they take. */
  timeLimit?: number;
  /** Whether a session is this client's own, and so keeps what it is told: prepared statements, and
   * when Postgres is to give one up. */
  ownsSessions?: boolean;
  /** Is told what Postgres remarks besides its answers, in one line. */
  onNotice?(message: string): void;
  /** Is told what a session waits for that was given up. */
  onSilence?(what: string): void;
}

/** What a session is told that answers depend on, whatever the role or the database has for it. */
const settings = {
  application_name: "relata",
  TimeZone: "UTC",
  DateStyle: "ISO, MDY",
  standard_conforming_strings: "on",
};

/** The same where the session is our own; a pooler passes none of these on. */
const ownSettings = {
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  default_transaction_isolation: "read committed",
  transform_null_equals: "off",
};

// What is not said here, the client would look for in the environment, as libpq does.
const common = {
  max: 1,
  fetch_types: false,
  idle_timeout: null,
  max_lifetime: null,
  types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
};

// Its types leave out that `socket` takes any stream, and some of the options.
const client = postgres as unknown as (options: object) => postgres.Sql;

/** A database at an address: the first of its hosts that takes writes where there are several. It is
 * reached by the first statement. */
export function connect(url: Address | string, options: ClientOptions): Database {
  const address = typeof url === "string" ? readAddress(url) : url;
  const { hosts, user, password, database: name, targetSessionAttrs } = address;
  const { sessions, timeLimit = Infinity, ownsSessions = true, onNotice, onSilence } = options;
  const milliseconds = (share: number) => Math.ceil(timeLimit * 1000 * share);
  const patience = Math.min(
    address.connectTimeout ?? Infinity,
    timeLimit * SHARES.turn / hosts.length,
  );
  const isLimited = ownsSessions && timeLimit < Infinity;
  const own = {
    user,
    pass: password,
    database: name,
    prepare: ownsSessions,
    ...(patience < Infinity && { connect_timeout: patience }),
    target_session_attrs: targetSessionAttrs === "any" ? undefined : targetSessionAttrs,
    connection: {
      ...settings,
      ...(ownsSessions && ownSettings),
      ...address.settings,
      ...(isLimited && {
        lock_timeout: milliseconds(SHARES.lock),
        statement_timeout: milliseconds(SHARES.statement),
      }),
    },
  };
  const fallsBack = hosts.length > 1 && !targetSessionAttrs;
  const ways = hosts.map((host) => wayTo(host, address.tls, own, onNotice));
  const served = database(pool(firstOf(ways, { writable: fallsBack }), {
    size: sessions,
    fallsBack,
    turn: milliseconds(SHARES.turn),
    silence: milliseconds(SHARES.silence),
    grace: milliseconds(SHARES.grace),
    look: milliseconds(SHARES.look),
    onSilence: (session, statement) => explainSilence(session as ClientSession, statement),
  }));

  /** Postgres tells another session what the silent one waits for. */
  function explainSilence({ pid }: ClientSession, statement: string): Promise<void> {
    return served.run(whatItWaitsFor, { pid }).then(
      ([row]) => onSilence?.(`"${statement}" waits for ${row?.event || "an answer"}`),
      () => onSilence?.(`"${statement}" waits for an answer`),
    );
  }

  return served;
}

/** A database that is one session, over a stream of its own; after its end another is opened. */
export function connectOver(
  stream: () => Duplex,
  onNotice?: ClientOptions["onNotice"],
): Database {
  const own = {
    host: "embedded",
    port: 5432,
    user: "postgres",
    database: "postgres",
    ssl: false,
    connection: { ...settings, ...ownSettings },
  };
  return database(pool((gone) => session({ own, dial: stream, onNotice }, gone), { size: 1 }));
}

const whatItWaitsFor = reads<{ pid: number }, { event: string }>(
  "look at a session",
  sql`
    select concat_ws(' ', wait_event_type, wait_event) as event
    from pg_stat_activity
    where pid = ${slot("pid", "integer")}
      and state = 'active'`,
);

interface ClientSession extends Session {
  pid: number;
  isReadOnly: boolean;
}

/** How a session is opened on a host. */
interface Way {
  own: object;
  dial(): Duplex;
  /** The name that a certificate has to prove. */
  name?: string;
  onNotice?: ClientOptions["onNotice"];
}

function wayTo(host: Host, tls: Tls, own: object, onNotice: Way["onNotice"]): Way {
  const isFile = "path" in host;
  const name = isFile ? host.path : host.host;
  return {
    own: {
      ...own,
      host: [name],
      port: [isFile ? 5432 : host.port],
      ssl: isFile ? false : tlsFor(name, tls),
    },
    name,
    onNotice,
    dial: () => isFile ? dial(host.path) : dial({ ...host, noDelay: true }),
  };
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

/** Opens a session on the first host that will do, beginning with the one that did last. Where it is
 * to be `writable`, one does that takes writes. */
function firstOf(ways: Way[], { writable }: { writable: boolean }): Open {
  let preferred = 0;
  return async (gone) => {
    const first = preferred;
    let error: unknown;
    for (let turn = 0; turn < ways.length; turn++) {
      const place = (first + turn) % ways.length;
      let isTaken = false;
      try {
        const opened = await session(ways[place]!, () => isTaken && gone());
        if (!writable || !opened.isReadOnly) {
          [preferred, isTaken] = [place, true];
          return Object.assign(opened, { host: place });
        }
        opened.close();
        error = Object.assign(new Error("The host takes no writes"), { code: READ_ONLY });
      } catch (reason) {
        error = reason;
      }
    }
    throw error;
  };
}

/** Opens a session: a client of one connection, which is never mended. The client would open others,
 * and hand what is left of a lost one to the first statement on the next, so it gets one socket. */
async function session(
  { own, dial, name, onNotice }: Way,
  gone: () => void,
): Promise<ClientSession> {
  let socket: Duplex | undefined;
  let isUnconfirmed = false;
  const sql = client({
    ...common,
    ...own,
    onclose: gone,
    onnotice({ routine, severity, message = "" }: postgres.Notice) {
      // By its number it is any warning, also one that a trigger raises
      if (routine === "SyncRepWaitForLSN") isUnconfirmed = true;
      onNotice?.(`${severity}: ${message.replaceAll(/\s+/g, " ")}`);
    },
    async socket() {
      if (socket) {
        throw Object.assign(new Error("The session is over"), { code: "CONNECTION_CLOSED" });
      }
      socket = dial();
      await begun(socket);
      return Object.assign(socket, { host: name });
    },
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
    throw error;
  });
  const { pid, secret } = shown.state as unknown as { pid: number; secret: number };

  return {
    host: 0,
    pid,
    isReadOnly: shown[0]!["transaction_read_only"] === "on",

    /** The rows are taken out of the client's result, which lives until the next full collection. It counts
     * the rows of a statement that ended midway into the next result, which then begins with holes (its
     * issue 1181). */
    async run({ text, replans }, values) {
      // Its `unsafe` would have a text without values parsed in every run
      const rows =
        await (values.length === 0
          ? sql(Object.assign([text], { raw: [text] }))
          : sql.unsafe(text, values.map(sent) as never, { prepare: !replans }));
      confirm();
      return rows.splice(0).filter(() => true);
    },

    async script(text) {
      await sql.unsafe(text);
      confirm();
    },

    /** What Postgres takes on a connection of its own (its documentation, 54.2.8). */
    cancel() {
      const request = Buffer.alloc(16);
      [16, CANCEL_REQUEST, pid, secret].forEach((word, place) => {
        request.writeInt32BE(word | 0, 4 * place);
      });
      dial().on("error", () => {}).end(request);
    },

    close,
    destroy: () => socket!.destroy(),
  };
}

const CANCEL_REQUEST = 80_877_102;

/** As it travels: an array of identifiers as Postgres writes one. */
function sent(value: Value): string | number | boolean | null {
  return typeof value === "object" && value !== null ? `{${value.join()}}` : value;
}

/** Resolves when a socket has begun to connect; rejects where it fails at once, for want of a route or of
 * a file, which Node says before the client listens. */
function begun(socket: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    setImmediate(() => {
      socket.off("error", reject);
      resolve();
    });
  });
}
