// The connections to a Postgres that may go away: which one takes a statement, what comes in the
// place of one that is lost, and which statements may then run again. A connection is never mended:
// the client would hand what is left of the old one, its error and how many rows had come, to the
// first statement on the new one.
import { setTimeout } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import type { Sql } from "./sql.ts";

/** A client of one connection, which it opens once. */
export interface Session {
  sql: Sql;
  /** Cuts the connection, without a word to the other side. */
  cut(): void;
}

/** Makes a session, which connects with its first statement, and says when its connection is gone. */
export type Host = (gone: () => void) => Session;

export interface PoolOptions {
  /** Connections at most. */
  connections: number;
  /** Whether only a host will do that takes writes. */
  writable: boolean;
  /** Milliseconds without any answer after which a connection is lost. */
  silence?: number;
  /** Milliseconds that a statement waits for its turn at most. */
  turn?: number;
}

interface Waiting {
  writes: boolean;
  since: number;
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

interface Connection {
  session: Session | undefined;
  /** Resolves when the first session of the hosts is open; rejects where there is none. */
  opened: Promise<void>;
  /** `probing`: it is an attempt to reach a database that is away, for which nobody waits. */
  state: "probing" | "opening" | "open" | "lost";
  /** The place of its host. */
  host: number;
  /** Statements under way, and how many of them write. */
  underWay: number;
  writes: number;
  /** When it last answered or, if later, had nothing to answer, as `performance.now()` counts. */
  heard: number;
  /** Resolves when it is lost or closed, by this. */
  gone: Promise<void>;
  vanish(): void;
}

/** What the types of the client do not tell of a statement: who runs it, and how it ends. */
interface Query extends Promise<unknown> {
  handler(query: Query): void;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
  tagged: boolean;
  strings: string[];
  args: never[];
  options: object;
}

/** What Postgres says of itself where its resources do not suffice (appendix A: class 53). */
const BUSY = "53000";

/** How often a statement runs again at most. */
const REPEATS = 3;

/** Milliseconds, at most, before a statement that met another runs again for the first time. */
const JITTER = 20;

/** Milliseconds without an answer after which nothing more is sent on a connection: what is under way
 * there waits for something, and would be waited for. */
const STUCK = 100;

/** Milliseconds between two looks at what waits. */
const INTERVAL = 100;

/** Milliseconds between two attempts to reach a database that is away: at first, and at most. */
const [BACKOFF, BACKOFF_CEILING] = [10, 1000];

/** Milliseconds that a connection lasts at most: what Postgres keeps for it must not grow for ever. */
const LIFETIME = 3_600_000;

/** Makes, of a client that only composes, one that runs what it composes on connections to the first
 * of some hosts that will do. */
export function pool(composer: Sql, hosts: Host[], options: PoolOptions): Sql {
  const { connections, writable, silence = Infinity, turn = Infinity } = options;
  const all = new Set<Connection>();
  const queue = new Set<Waiting>();
  const writers = Math.max(1, connections - 1);
  let isEnded = false;
  /** The place of the host that did last. */
  let preferred = 0;
  /** Why there is no connection to be had: nobody waits for the next attempt. */
  let refusal: unknown;
  let failures = 0;
  let attempt: ReturnType<typeof setTimeout> | undefined;
  let watch: ReturnType<typeof setTimeout> | undefined;

  const routed = <Made>(made: Made): Made =>
    made instanceof Promise ? Object.assign(made, { handler: run }) : made;
  return Object.assign((...words: Parameters<Sql>) => routed(composer(...words)), {
    options: composer.options,
    unsafe: (...words: Parameters<Sql["unsafe"]>) => routed(composer.unsafe(...words)),
    begin,
    end,
  }) as unknown as Sql; // the tag and the methods that this house uses

  async function run(query: Query): Promise<void> {
    const writes = isWrite(query);
    for (let repeats = 0;; repeats++) {
      let connection: Connection | undefined;
      try {
        connection = take(writes) ?? await next(writes);
        return query.resolve(await send(connection, query, writes));
      } catch (error) {
        const again = connection && repeats < REPEATS &&
          await mayRepeat(error, connection, writes, repeats);
        if (!again) return query.reject(error);
      }
    }
  }

  /** Whether a statement that failed may run again: where it cannot have done anything. */
  async function mayRepeat(
    error: unknown,
    connection: Connection,
    writes: boolean,
    repeats: number,
  ): Promise<boolean> {
    const { code } = error as { code?: string };
    // It was never sent: the connection did not open, or its client had ended. Where there is no other
    // to be had, the next attempt says why.
    if (connection.state === "opening" || code === "CONNECTION_ENDED") return true;
    if (!(error instanceof postgres.PostgresError)) {
      if (connection.state === "open") cut(connection); // nor does its client know where it stands
      // What was sent may have been carried out, whatever came back: Postgres can end a session
      // between the commit and its answer. So a write that was sent is never sent again.
      return !writes;
    }
    if (code === "25006" && writable) { // refused as a whole: the host was demoted
      for (const one of all) if (one.host === connection.host) retire(one);
      return true;
    }
    // Postgres has rolled back, as it says itself (its documentation, 13.5).
    if (code !== "40001" && code !== "40P01") return false;
    await delay(Math.random() * JITTER * 2 ** repeats);
    return true;
  }

  async function send(connection: Connection, query: Query, writes: boolean): Promise<unknown> {
    try {
      if (connection.state === "opening") await connection.opened;
      const { sql } = connection.session!;
      return await (query.tagged
        ? Object.assign(sql`${query as never}`, { options: query.options })
        : sql.unsafe(query.strings[0]!, query.args, query.options));
    } finally {
      connection.heard = performance.now();
      connection.underWay--;
      if (writes) connection.writes--;
      if (!all.has(connection)) retire(connection);
      admit();
    }
  }

  /** Gives a statement to the connection that has the least to do; undefined where it has to wait. A
   * write may wait for locks, so nothing is sent behind it, and one connection is left to reads. */
  function take(writes: boolean): Connection | undefined {
    const now = performance.now();
    let best: Connection | undefined;
    let writing = 0;
    for (const connection of all) {
      if (connection.writes > 0) writing++;
      else if (isFree(connection, now) && !(best && best.underWay <= connection.underWay)) {
        best = connection;
      }
    }
    if (writes && writing >= writers) return undefined;
    const mayOpen = all.size < connections && !refusal && !isEnded;
    if (mayOpen && !(best && best.underWay === 0)) best = open();
    if (best) {
      if (best.underWay === 0) best.heard = now;
      best.underWay++;
      if (writes) best.writes++;
      watch ??= setTimeout(look, INTERVAL).unref();
      return best;
    }
    if (isEnded) throw Object.assign(new Error("The pool has ended"), { code: "CONNECTION_ENDED" });
    for (const { state } of all) if (state !== "probing") return undefined;
    throw refusal;
  }

  function isFree({ state, underWay, heard }: Connection, now: number): boolean {
    return state === "opening" ||
      state === "open" && (underWay === 0 || now - heard < STUCK);
  }

  function next(writes: boolean): Promise<Connection> {
    return new Promise((resolve, reject) =>
      queue.add({ writes, since: performance.now(), resolve, reject })
    );
  }

  /** Gives connections to those who wait for one, as far as there are. */
  function admit(): void {
    const full = new Set<boolean>();
    for (const waiting of queue) {
      if (full.has(waiting.writes)) continue;
      try {
        const connection = take(waiting.writes);
        if (!connection) {
          full.add(waiting.writes);
          continue;
        }
        waiting.resolve(connection);
      } catch (error) {
        waiting.reject(error);
      }
      queue.delete(waiting);
    }
  }

  function open(state: Connection["state"] = "opening"): Connection {
    const connection = { ...unopened(), state };
    const before = failures;
    all.add(connection);
    connection.opened = reach(connection).then(() => {
      [refusal, failures] = [undefined, 0];
      const lifetime = LIFETIME * (0.5 + Math.random() / 2);
      const end = setTimeout(retire, lifetime, connection).unref();
      connection.gone.then(() => clearTimeout(end));
      if (!all.has(connection)) retire(connection);
      admit();
    }, (error) => {
      all.delete(connection);
      connection.vanish();
      // One attempt may have met what ended the connections before; the next is made at once. Those
      // made at the same time count as one, and one that took all of its time is enough.
      failures = before + 1;
      if (before > 0 || error.code === "CONNECT_TIMEOUT") {
        refusal = error;
        const pause = Math.min(BACKOFF * 2 ** failures, BACKOFF_CEILING);
        attempt ??= setTimeout(tryAgain, pause).unref();
      }
      admit();
      throw error;
    });
    connection.opened.catch(() => {}); // whoever waits for it is told
    return connection;
  }

  function tryAgain(): void {
    attempt = undefined;
    if (all.size < connections && !isEnded) open("probing");
    else refusal = undefined;
  }

  /** Opens a session on the first host that will do, beginning with the one that did last. */
  async function reach(connection: Connection): Promise<void> {
    let error: unknown;
    for (let turn = 0; turn < hosts.length; turn++) {
      const host = (preferred + turn) % hosts.length;
      const session = hosts[host]!(() => {
        if (connection.session === session && connection.state === "open") lose(connection);
      });
      Object.assign(connection, { session, host });
      try {
        const [shown] = await session.sql.unsafe("show transaction_read_only");
        if (writable && shown!["transaction_read_only"] === "on") {
          throw Object.assign(new Error("The database takes no writes"), { code: "25006" });
        }
        preferred = host;
        connection.state = "open";
        connection.heard = performance.now();
        return;
      } catch (reason) {
        error = reason;
        close(session);
      }
    }
    throw error;
  }

  function lose(connection: Connection): void {
    connection.state = "lost";
    all.delete(connection);
    connection.vanish();
    close(connection.session!);
    admit();
  }

  function cut(connection: Connection): void {
    lose(connection);
    connection.session!.cut();
  }

  /** Gives a connection nothing more to do, and closes it when it has nothing left. */
  function retire(connection: Connection): void {
    all.delete(connection);
    if (connection.underWay === 0 && connection.state === "open") close(connection.session!);
  }

  /** Gives up connections that no longer answer, and statements that have waited too long for their
   * turn. When one connection is silent, those that are idle are not relied on either: they may have
   * gone the same way, and it costs little to open others. */
  function look(): void {
    const now = performance.now();
    const busy = [...all].filter(({ underWay }) => underWay > 0);
    const silent = busy.filter(({ state, heard }) => state === "open" && now - heard > silence);
    if (silent.length > 0) {
      all.forEach((one) => one.state === "open" && one.underWay === 0 && cut(one));
    }
    silent.forEach(cut);
    for (const waiting of queue) {
      if (now - waiting.since < turn) break;
      queue.delete(waiting);
      waiting.reject(Object.assign(new Error("Every connection waits"), { code: BUSY }));
    }
    admit();
    watch = busy.length > 0 || queue.size > 0 ? setTimeout(look, INTERVAL).unref() : undefined;
  }

  /** Works in a transaction, on a connection of its own: what is left undone, Postgres rolls back when
   * that ends. (The client's own way to do this ends the process when the connection is lost.) */
  async function begin<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const connection = unopened();
    await reach(connection);
    const session = connection.session!;
    try {
      await session.sql`begin`;
      const result = await work(session.sql);
      const { command } = await session.sql`commit`;
      if (command !== "COMMIT") throw new Error("The transaction was rolled back");
      return result;
    } finally {
      close(session);
    }
  }

  /** Ends when what is under way has ended, and at the latest after the timeout, in seconds. */
  async function end({ timeout = Infinity } = {}): Promise<void> {
    isEnded = true;
    clearTimeout(attempt);
    const left = [...all];
    left.forEach(retire);
    const gone = Promise.all(left.map(({ gone }) => gone));
    await (timeout < Infinity
      ? Promise.race([gone, delay(timeout * 1000, undefined, { ref: false })])
      : gone);
    for (const { session } of left) session?.cut();
  }
}

function close({ sql }: Session): void {
  sql.end({ timeout: 0 });
}

function unopened(): Connection {
  let vanish = () => {};
  const gone = new Promise<void>((resolve) => vanish = resolve);
  return {
    session: undefined,
    opened: Promise.resolve(),
    state: "opening",
    host: 0,
    underWay: 0,
    writes: 0,
    heard: 0,
    gone,
    vanish,
  };
}

/** Whether a statement may change anything: it only reads if it begins as one that does, and nothing
 * in it is a word that writes. */
function isWrite(query: Query): boolean {
  return !/^\s*(select|with)\b/i.test(query.strings[0]!) || changes(query);
}

function changes({ strings, args }: Query): boolean {
  return strings.some((text) => /\b(insert|update|delete|merge)\b/i.test(text)) ||
    args.some((fragment: unknown) => fragment instanceof Promise && changes(fragment as Query));
}
