// The connections to a Postgres that may go away: which one takes a statement, which are given up,
// and when others are opened in their place.
import { setTimeout } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import postgres, { type Row } from "postgres";
import type { Composed } from "./query.ts";
import type { Open, Session } from "./session.ts";
import { READ_ONLY } from "./state.ts";

export interface PoolOptions {
  /** Connections at most. */
  connections: number;
  /** Whether another host may take the writes that one refuses. */
  fallsBack: boolean;
  /** Milliseconds without any answer after which a connection is lost. */
  silence?: number;
  /** Milliseconds that a statement waits for its turn at most. */
  turn?: number;
}

/** What a statement does: it looks up some rows, which is soon done; it reads what may take longer; or
 * it writes, and may wait for locks. */
export type Kind = "lookup" | "read" | "write";

/** Has a statement run in the session of some connection; rejects with an `Unserved`. */
export type Serve = (kind: Kind, statement: Composed) => Promise<Row[]>;

/** Why a statement did not succeed, and what became of it: nobody may know where it was sent. */
export class Unserved extends Error {
  readonly fate: "unsent" | "unknown" | "refused";

  constructor(fate: Unserved["fate"], cause: unknown) {
    super(`The statement was not served: ${fate}`, { cause });
    this.fate = fate;
  }
}

interface Waiting {
  kind: Kind;
  since: number;
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

interface Connection {
  /** `probing`: it is an attempt to reach a database that is away, for which nobody waits. */
  state: "probing" | "opening" | "open" | "lost";
  session?: Session;
  /** Resolves when it is open, or rejects. */
  opened: Promise<void>;
  /** Statements under way, and how many of them look up or write. */
  underWay: number;
  lookups: number;
  writes: number;
  /** When it last answered or, if later, had nothing to answer, as `performance.now()` counts. */
  heard: number;
  /** Resolves when it is lost or closed, by this. */
  gone: Promise<void>;
  vanish(): void;
}

/** Statements under way on a connection at most: what is behind one that takes long takes as long, and
 * what has not been sent can still be sent elsewhere, or refused. */
const DEPTH = 2;

/** Those where all of them look up, and nothing else waits. */
const LOOKUP_DEPTH = 4;

/** Where Postgres says, before it begins, that what a session has prepared will not do any more: a column
 * is of another type by now, or the session behind a pooler is another. */
const STALE = ["RevalidateCachedQuery", "FetchPreparedStatement"];

/** Milliseconds without an answer after which a connection is given no lookup behind others, for one of
 * these may wait for a lock on its table; and after which it is given nothing at all. */
const [SLOW, STUCK] = [5, 100];

/** Milliseconds between two looks at what waits. */
const INTERVAL = 100;

/** Milliseconds between two attempts to reach a database that is away: at first, and at most. */
const [BACKOFF, BACKOFF_CEILING] = [20, 1000];

/** Milliseconds that a connection lasts at most: what Postgres keeps for it must not grow for ever. */
const LIFETIME = 3_600_000;

/** Makes a pool of the connections that sessions are opened over. */
export function pool(open: Open, { connections, fallsBack, silence, turn }: PoolOptions) {
  const all = new Set<Connection>();
  /** Connections that are given nothing more, while statements are under way there. */
  const leaving = new Set<Connection>();
  const queue = new Set<Waiting>();
  const writers = Math.max(1, connections - 1);
  let isEnded = false;
  /** Why there is no connection to be had, while nobody is to wait for the next attempt. */
  let refusal: unknown;
  let failures = 0;
  let attempt: ReturnType<typeof setTimeout> | undefined;
  let watch: ReturnType<typeof setTimeout> | undefined;

  async function serve(kind: Kind, statement: Composed): Promise<Row[]> {
    let connection: Connection;
    try {
      connection = take(kind) ?? await next(kind);
    } catch (error) {
      throw new Unserved("refused", error);
    }
    try {
      if (connection.state === "opening") await connection.opened;
      return await connection.session!.run(statement);
    } catch (error) {
      const fate = settle(connection, error);
      throw new Unserved(fate, error);
    } finally {
      connection.heard = performance.now();
      connection.underWay--;
      if (kind === "lookup") connection.lookups--;
      if (kind === "write") connection.writes--;
      if (!all.has(connection)) retire(connection);
      admit();
    }
  }

  /** Gives up the connections that a failure shows to be no good, and says what became of the
   * statement. */
  function settle(connection: Connection, error: unknown): Unserved["fate"] {
    const { code } = error as { code?: string };
    // The connection did not open, or its client had ended.
    if (connection.state === "opening" || code === "CONNECTION_ENDED") return "unsent";
    if (!(error instanceof postgres.PostgresError)) {
      if (connection.state === "open") cut(connection); // its client does not know where it stands
      return "unknown";
    }
    if (STALE.includes((error as { routine?: string }).routine ?? "")) {
      // The others have prepared the same; those that were opened since have not
      const alike = all.has(connection) ? [...all].filter(({ session }) => session) : [];
      alike.forEach(retire);
      return "unsent";
    }
    if (code !== READ_ONLY || !fallsBack) return "refused";
    // The host was demoted and did nothing; to the one that takes its place nothing was sent.
    const { host } = connection.session!;
    for (const one of all) if (one.session?.host === host) retire(one);
    return "unsent";
  }

  /** Gives a statement to the connection that has the least to do; undefined where it has to wait. A
   * lookup rather follows others, to which Postgres goes on without having slept. A write may wait for
   * locks, so nothing is sent behind it, and one connection is left to reads. */
  function take(kind: Kind): Connection | undefined {
    const now = performance.now();
    const follows = kind === "lookup" && !othersWait();
    let best: Connection | undefined;
    let least = Infinity;
    let writing = 0;
    for (const connection of all) {
      if (connection.writes > 0) writing++;
      const load = loadOf(connection, follows, now);
      if (load < least) [best, least] = [connection, load];
    }
    if (kind === "write" && writing >= writers) return undefined;
    const mayOpen = all.size < connections && !refusal && !isEnded;
    if (mayOpen && least > 0) best = add("opening");
    if (best) {
      if (best.underWay === 0) best.heard = now;
      best.underWay++;
      if (kind === "lookup") best.lookups++;
      if (kind === "write") best.writes++;
      watch ??= setTimeout(look, INTERVAL).unref();
      return best;
    }
    if (isEnded) throw Object.assign(new Error("The pool has ended"), { code: "CONNECTION_ENDED" });
    for (const { state } of all) if (state !== "probing") return undefined;
    throw refusal;
  }

  /** Whether anything waits that is more than a lookup. */
  function othersWait(): boolean {
    for (const { kind } of queue) if (kind !== "lookup") return true;
    return false;
  }

  function next(kind: Kind): Promise<Connection> {
    return new Promise((resolve, reject) =>
      queue.add({ kind, since: performance.now(), resolve, reject })
    );
  }

  /** Gives connections to those who wait for one, as far as there are. */
  function admit(): void {
    if (queue.size === 0) return;
    const full = new Set<Kind>();
    for (const waiting of queue) {
      const { kind } = waiting;
      if (full.has(kind)) continue;
      try {
        const connection = take(kind);
        if (connection) waiting.resolve(connection);
        else full.add(kind);
      } catch (error) {
        waiting.reject(error);
      }
      if (!full.has(kind)) queue.delete(waiting);
    }
  }

  function add(state: Connection["state"]): Connection {
    const connection = unopened(state);
    all.add(connection);
    connection.opened = connecting(connection, failures);
    connection.opened.catch(() => {}); // whoever waits for it is told
    return connection;
  }

  async function connecting(connection: Connection, before: number): Promise<void> {
    try {
      connection.session = await open(() => lose(connection));
    } catch (error) {
      all.delete(connection);
      connection.vanish();
      // One attempt may have met what ended the connections before; the next is made at once. Those
      // made at the same time count as one, and one that took all of its time is enough.
      failures = before + 1;
      if (before > 0 || (error as { code?: string }).code === "CONNECT_TIMEOUT") {
        refusal = error;
        const pause = Math.min(BACKOFF * 2 ** before, BACKOFF_CEILING);
        attempt ??= setTimeout(tryAgain, pause).unref();
      }
      admit();
      throw error;
    }
    [refusal, failures] = [undefined, 0];
    [connection.state, connection.heard] = ["open", performance.now()];
    const end = setTimeout(retire, LIFETIME * (0.5 + Math.random() / 2), connection).unref();
    connection.gone.then(() => clearTimeout(end));
    if (!all.has(connection)) retire(connection);
    admit();
  }

  function tryAgain(): void {
    attempt = undefined;
    if (!isEnded) add("probing");
  }

  function lose(connection: Connection): void {
    connection.state = "lost";
    all.delete(connection);
    connection.vanish();
    connection.session!.close();
    admit();
  }

  function cut(connection: Connection): void {
    lose(connection);
    connection.session!.cut();
  }

  /** Gives a connection nothing more to do, and closes it when it has nothing left. */
  function retire(connection: Connection): void {
    all.delete(connection);
    if (connection.underWay > 0) return void leaving.add(connection);
    leaving.delete(connection);
    if (connection.state === "open") connection.session!.close();
  }

  /** Gives up connections that no longer answer, and statements that have waited too long for their
   * turn. When one connection is silent, those that are idle are not relied on either: they may have
   * gone the same way, and it costs little to open others. */
  function look(): void {
    const now = performance.now();
    const known = [...all, ...leaving];
    const open = known.filter(({ state }) => state === "open");
    const silent = open.filter((connection) =>
      !isIdle(connection) && now - connection.heard > (silence ?? Infinity)
    );
    if (silent.length > 0) open.filter(isIdle).forEach(cut);
    silent.forEach(cut);
    for (const waiting of queue) {
      if (now - waiting.since < (turn ?? Infinity)) break;
      queue.delete(waiting);
      // As Postgres says where its resources do not suffice
      waiting.reject(Object.assign(new Error("Every connection is busy"), { code: "53000" }));
    }
    admit();
    const isOver = known.every(isIdle) && queue.size === 0;
    watch = isOver ? undefined : setTimeout(look, INTERVAL).unref();
  }

  /** Ends when what is under way has ended, and at the latest after the timeout, in seconds. */
  async function end({ timeout }: { timeout?: number } = {}): Promise<void> {
    isEnded = true;
    clearTimeout(attempt);
    const left = [...all, ...leaving];
    left.forEach(retire);
    const gone = Promise.all(left.map(({ gone }) => gone));
    await (timeout === undefined
      ? gone
      : Promise.race([gone, delay(timeout * 1000, undefined, { ref: false })]));
    for (const { session } of left) session?.cut();
  }

  return {
    serve,
    end,
    /** How many connections are open. */
    count: () => [...all].filter(({ state }) => state === "open").length,
  };
}

/** How much a connection has to do before a statement that it is given; less than nothing where that
 * `follows` lookups, Infinity where it is not to be given any. */
function loadOf(connection: Connection, follows: boolean, now: number): number {
  const { state, underWay, lookups, writes, heard } = connection;
  if (state !== "open" && state !== "opening" || writes > 0) return Infinity;
  if (underWay === 0) return 0;
  const silence = state === "open" ? now - heard : 0;
  if (silence >= STUCK) return Infinity;
  if (follows && silence < SLOW && lookups === underWay && underWay < LOOKUP_DEPTH) return -1;
  return underWay < DEPTH ? underWay : Infinity;
}

function isIdle({ underWay }: Connection): boolean {
  return underWay === 0;
}

function unopened(state: Connection["state"]): Connection {
  let vanish = () => {};
  const gone = new Promise<void>((resolve) => vanish = resolve);
  return { state, opened: gone, underWay: 0, lookups: 0, writes: 0, heard: 0, gone, vanish };
}
