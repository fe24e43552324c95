// The sessions of a Postgres that may go away. A session runs one statement at a time, so every answer,
// error and notice belongs to that statement; only a quick read may be sent while the same one is in flight.
// The pool decides which session runs a statement, when to open another one, which ones to give up, and which
// statements run again: only those that have certainly changed nothing.
import { setTimeout } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Run } from "./database.ts";
import {
  isConflict,
  isFromPostgres,
  isStale,
  isTimeout,
  putBackError,
  READ_ONLY,
  UNKNOWN_OUTCOME,
} from "./errors.ts";
import type { Statement } from "./sql.ts";
import { ENDING, HOLD, RETRY_AFTER } from "../time.ts";

export interface Session extends Pick<Database, "run" | "script" | "describe"> {
  /** Works in a transaction. Resolves to what gives the result, or throws the error of the work itself, after which
   * the session is as good as before. */
  transaction<Result>(work: (run: Run) => Promise<Result>): Promise<() => Result>;
  /** Whether another session had better take its place. */
  isSpent(): boolean;
  /** Asks Postgres to cancel the statement in flight; the request may come too late. */
  cancel(): void;
  /** Ends the session properly. */
  close(): void;
  /** Cuts the connection off. */
  destroy(): void;
}

/** Opens a session, which calls `gone` when it has ended. */
export type Open = (gone: () => void) => Promise<Session>;

export interface PoolOptions {
  /** The most sessions to open. */
  size: number;
  /** Milliseconds that a quick read takes at most; without it, none is quick. */
  quick?: number;
  /** Milliseconds that a statement may wait for a session. */
  wait?: number;
  /** Milliseconds without an answer before a session is given up. */
  silence?: number;
  /** Milliseconds from then until its connection is cut. */
  grace?: number;
  /** Milliseconds between two checks of these limits; without it, they are not checked. */
  look?: number;
  /** Has Postgres cancel the statements that have waited for a lock in some sessions, asking in another one; resolves,
   * when that is done, to those. */
  cancelWaiting?(sessions: Session[], asking: Session): Promise<Session[]>;
  /** Called when a session is given up, with its statement. It may ask Postgres what the statement waits
   * for, before it is cancelled. */
  onSilence?(session: Session, statement: string): Promise<void>;
}

/** What the pool has to know of a statement. */
type Traits = Pick<Statement, "name" | "effect" | "replans" | "isForm" | "isShared">;

const PLAIN = { replans: false, isForm: false, isShared: false };
const SCRIPT: Traits = { name: "script", effect: "writes", ...PLAIN };
const DESCRIPTION: Traits = { name: "describe a statement", effect: "reads", ...PLAIN };
const QUESTION: Traits = { name: "cancel what waits for locks", effect: "reads", ...PLAIN };

/** A database whose statements keep their session while they wait for a lock if they are patient. */
interface Pool extends Omit<Database, "run" | "transaction"> {
  run<Values extends object, Row extends object>(
    statement: Statement<Values, Row>,
    values: Values,
    isPatient?: boolean,
  ): Promise<Row[]>;
  transaction<Result>(
    of: Statement,
    work: (run: Run) => Promise<Result>,
    isPatient?: boolean,
  ): Promise<Result>;
}

/** The most times that a statement is repeated. */
const REPEATS = 3;

/** How many requests get statements of their own for each millisecond of the way to Postgres and back, in which it
 * does nothing for them. Where the way is short, sharing is cheaper even for a few. */
const OWN_STATEMENTS = 24;

/** A statement in flight. */
interface InFlight {
  kind: Traits;
  since: number;
  /** Whether it keeps its session while it waits for a lock. */
  isPatient?: boolean;
  isGivenUp?: boolean;
  /** Whether Postgres has cancelled it for others, as far as it has answered. */
  isPutBack?: boolean;
}

interface Member {
  /** `probing`: an attempt to reach a database that is away; no statement waits for it. */
  state: "opening" | "probing" | "open";
  session?: Session;
  openedAt?: number;
  /** The statements in flight: none, one, or the same read twice. */
  inFlight: InFlight[];
  /** It runs no further statement, but counts until it is gone. */
  isLeaving: boolean;
  /** It runs no further statement, and counts as a write, until Postgres has answered whether it cancelled the one in
   * flight. */
  isAsked?: boolean;
}

interface WaitingStatement {
  kind: Traits;
  since: number;
  resolve(member: Member): void;
  reject(error: unknown): void;
}

export function pool(open: Open, options: PoolOptions): Pool {
  const { size, quick = 0, onSilence, cancelWaiting } = options;
  const { wait = Infinity, silence = Infinity, grace = 0, look = Infinity } = options;
  /** All sessions, until they are gone. */
  const members = new Set<Member>();
  /** The idle ones; the one used last is at the end. */
  const idle: Member[] = [];
  /** In the order in which they came. */
  const waiting: WaitingStatement[] = [];
  /** Writes may wait for locks, so one session is kept for reads. */
  const mostWrites = Math.max(1, size - 1);
  let writes = 0;
  /** The reads that were quick the last time. Lists and searches differ too much from each other for that. */
  const quickReads = new WeakSet<Traits>();
  /** Milliseconds of the shortest answer since a session was lost, for the next one may be elsewhere. */
  let shortest: number | undefined;
  /** Why no session can be opened at present; statements are refused with it until one can. */
  let refusal: unknown;
  let hasFailed = false;
  let attempt: ReturnType<typeof setTimeout> | undefined;
  let nextCheck: ReturnType<typeof setTimeout> | undefined;
  let isRelieving = false;
  let isClosed = false;
  let allAreGone = () => {};

  /** Does work in a session, and at most so many times again in others. */
  async function serve<Result>(
    kind: Traits,
    work: (session: Session) => Promise<Result>,
    repeats = 0,
    isPatient = false,
  ): Promise<Result> {
    for (;; repeats--) {
      const member = checkOut(kind) ?? await waitForSession(kind);
      if (isPatient) member.inFlight[0]!.isPatient = true;
      try {
        return await work(member.session!);
      } catch (error) {
        if (isTimeout(error) && member.inFlight[0]!.isPutBack) throw putBackError();
        if (!giveUpAfter(error, member) || repeats === 0) {
          throw kind.effect === "writes" && isCutOff(error) ? unknownOutcome(error) : error;
        }
      } finally {
        checkIn(member);
      }
    }
  }

  /** Checks a session out; undefined if the statement has to wait for one. */
  function checkOut(kind: Traits): Member | undefined {
    if (isClosed) throw closedError();
    if (kind.effect === "writes" && writes >= mostWrites) return undefined;
    while (idle.at(-1)?.session?.isSpent()) retire(idle.at(-1)!);
    const member = sessionOf(kind) ?? idle.pop();
    if (!member) return undefined;
    if (kind.effect === "writes") writes++;
    member.inFlight.push({ kind, since: performance.now() });
    watch();
    return member;
  }

  /** The session in which the same quick read has just been sent: Postgres begins the next one there without
   * having to wake another process. Nobody else must be waiting for that session. */
  function sessionOf(kind: Traits): Member | undefined {
    if (!quickReads.has(kind) || waiting.length > 0) return undefined;
    const recently = performance.now() - quick;
    return [...members].find(({ inFlight: [first, second], isLeaving }) =>
      first?.kind === kind && first.since > recently && !second && !isLeaving
    );
  }

  async function waitForSession(kind: Traits): Promise<Member> {
    return await new Promise((resolve, reject) => {
      waiting.push({ kind, since: performance.now(), resolve, reject });
      watch();
      grow();
    });
  }

  function checkIn(member: Member): void {
    const { kind, since } = member.inFlight.shift()!;
    const elapsed = performance.now() - since;
    shortest = Math.min(shortest ?? elapsed, elapsed);
    if (kind.effect === "writes") {
      if (!member.isAsked) writes--;
    } else if (elapsed < quick && !kind.replans && !kind.isForm) quickReads.add(kind);
    else quickReads.delete(kind);
    if (member.isLeaving || member.session!.isSpent()) retire(member);
    else if (member.inFlight.length === 0 && !member.isAsked) idle.push(member);
    admit();
  }

  /** Gives idle sessions to waiting statements, the oldest first; reads pass writes that have no session to hope
   * for. */
  function admit(): void {
    for (;;) {
      const next = waiting.findIndex(({ kind }) => kind.effect === "reads" || writes < mostWrites);
      const member = next < 0 ? undefined : checkOut(waiting[next]!.kind);
      if (!member) break;
      waiting.splice(next, 1)[0]!.resolve(member);
    }
    grow();
  }

  /** Opens the sessions that are missing, or refuses the statements that would wait in vain. */
  function grow(): void {
    if (waiting.length === 0) return;
    const all = [...members];
    if (!refusal) {
      const waitingWrites = waiting.filter(({ kind }) => kind.effect === "writes").length;
      const wanted = waiting.length - waitingWrites + Math.min(waitingWrites, mostWrites - writes);
      const opening = all.filter(({ state }) => state !== "open").length;
      const missing = Math.min(wanted - opening, size - all.length);
      for (let count = 0; count < missing; count++) connect("opening");
    } else if (all.every(({ state, isLeaving }) => state === "probing" || isLeaving)) {
      refuse(refusal);
    }
  }

  /** Refuses the statements that have waited since before a moment. */
  function refuse(error: unknown, before = Infinity): void {
    while (waiting[0] && waiting[0].since < before) waiting.shift()!.reject(error);
  }

  async function connect(state: "opening" | "probing"): Promise<void> {
    const member: Member = { state, inFlight: [], isLeaving: false };
    members.add(member);
    const hadFailed = hasFailed;
    try {
      member.session = await open(() => forget(member));
    } catch (error) {
      // The first failure may have the same cause as the loss of the sessions before, so the next attempt
      // is made at once. Attempts made at the same time count as one; one that timed out is enough.
      hasFailed = true;
      if (hadFailed || (error as { code?: string }).code === "CONNECT_TIMEOUT") {
        refusal = error;
        attempt ??= setTimeout(tryAgain, RETRY_AFTER * 1000).unref();
      }
      return forget(member);
    }
    [member.state, member.openedAt] = ["open", performance.now()];
    [refusal, hasFailed] = [undefined, false];
    if (isClosed) retire(member);
    else idle.push(member);
    admit();
  }

  function tryAgain(): void {
    attempt = undefined;
    if (!isClosed && members.size < size) connect("probing");
  }

  /** Forgets a session that is gone, or did not open. */
  function forget(member: Member): void {
    members.delete(member);
    leave(member);
    shortest = undefined;
    if (members.size === 0) allAreGone();
    admit();
  }

  function leave(member: Member): void {
    member.isLeaving = true;
    if (idle.includes(member)) idle.splice(idle.indexOf(member), 1);
  }

  /** Lets a session finish what is in flight, then closes it. */
  function retire(member: Member): void {
    leave(member);
    if (member.inFlight.length === 0) member.session?.close();
  }

  /** Gives up the sessions that cannot be trusted after an error; returns whether the statement may run
   * again. A write that was sent may have been committed, whatever came back: Postgres can end a session
   * between the commit and the answer. */
  function giveUpAfter(error: unknown, member: Member): boolean {
    const isWrite = member.inFlight[0]!.kind.effect === "writes";
    if (!isFromPostgres(error) || error.severity === "FATAL") {
      retire(member);
      distrustIdle();
    }
    if (!isFromPostgres(error)) return !isWrite || errorCode(error) === "CONNECTION_ENDED"; // it was not sent
    const isNew = performance.now() - member.openedAt! < RETRY_AFTER * 1000;
    // A read that calls what writes is refused everywhere, and a new session would say the same as this one
    const isOld = error.code === READ_ONLY ? isWrite && !isNew : isStale(error);
    // The sessions from before are no better, those opened since may be; what was refused did nothing
    if (isOld && !member.isLeaving) [...members].filter(({ session }) => session).forEach(retire);
    return isOld || isConflict(error);
  }

  /** When one session is lost or silent, the idle ones may be broken too. Opening others costs little. */
  function distrustIdle(): void {
    for (const other of idle.splice(0)) {
      other.isLeaving = true;
      other.session!.destroy();
    }
  }

  function watch(): void {
    if (look < Infinity) nextCheck ??= setTimeout(checkLimits, look).unref();
  }

  /** Puts back the writes that wait for a lock: those that several requests share, and where other writes wait
   * because all sessions have one, all. One session is left to ask Postgres which those are. */
  async function relieve(): Promise<void> {
    if (!cancelWaiting || mostWrites === size || isRelieving || inTheWay().length === 0) return;
    isRelieving = true;
    await serve(QUESTION, async (session) => {
      const asked = inTheWay(); // by now others may be
      if (asked.length === 0) return;
      for (const member of asked) member.isAsked = member.inFlight[0]!.isPutBack = true;
      let cancelled: Session[] = [];
      try {
        cancelled = await cancelWaiting(asked.map(({ session }) => session!), session);
      } finally {
        for (const member of asked) answered(member, cancelled.includes(member.session!));
      }
    }).catch(() => {});
    isRelieving = false;
  }

  function answered(member: Member, isCancelled: boolean): void {
    member.isAsked = false;
    const [first] = member.inFlight;
    if (first) {
      first.isPutBack = isCancelled;
      return;
    }
    writes--;
    if (!member.isLeaving) idle.push(member);
  }

  /** Those with a write that others may be waiting for. */
  function inTheWay(): Member[] {
    const isFull = writes === mostWrites && waiting.some(({ kind }) => kind.effect === "writes");
    const since = performance.now() - HOLD;
    return [...members].filter(({ inFlight: [first], isLeaving }) =>
      first?.kind.effect === "writes" && (first.kind.isShared || isFull && !first.isPatient) &&
      first.since < since && !isLeaving
    );
  }

  /** Gives up silent sessions, and refuses statements that have waited too long. */
  function checkLimits(): void {
    nextCheck = undefined;
    const now = performance.now();
    relieve();
    for (const member of members) {
      const { inFlight: [first], session } = member;
      const silent = first ? now - first.since : 0;
      if (silent > silence + grace) session!.destroy();
      if (!first || silent <= silence || first.isGivenUp) continue;
      first.isGivenUp = true;
      retire(member);
      const explained = onSilence?.(session!, first.kind.name);
      Promise.race([explained, delay(grace / 2, undefined, { ref: false })]).then(session!.cancel);
      distrustIdle();
    }
    // The SQLSTATE of Postgres for insufficient resources
    refuse(Object.assign(new Error("Every session is busy"), { code: "53000" }), now - wait);
    admit();
    if (waiting.length > 0 || [...members].some(({ inFlight }) => inFlight.length > 0)) watch();
  }

  return {
    run: (statement, values, isPatient) =>
      serve(statement, (session) => session.run(statement, values), REPEATS, isPatient),

    async transaction(of, work, isPatient) {
      const result = await serve(of, (session) => session.transaction(work), REPEATS, isPatient);
      return result();
    },

    describe: (statement) => serve(DESCRIPTION, (session) => session.describe(statement), REPEATS),

    script: (...texts) => serve(SCRIPT, (session) => session.script(...texts)),

    /** None if no session is free. */
    room(effect) {
      const isFree = idle.length > 0 || members.size < size;
      if (!isFree || (effect === "writes" && writes >= mostWrites)) return 0;
      return Math.floor(OWN_STATEMENTS * (shortest ?? 0));
    },

    isBusy: () =>
      members.size === size &&
      [...members].every(({ inFlight: [first] }) => first && !first.isGivenUp),

    sessions: () => ({
      open: [...members].filter(({ state }) => state === "open").length,
      most: size,
    }),

    async close() {
      isClosed = true;
      clearTimeout(attempt);
      refuse(closedError());
      for (const member of [...members]) retire(member);
      if (members.size === 0) return;
      for (const { inFlight, session } of members) if (inFlight.length > 0) session!.cancel();
      const over = new AbortController();
      const patience = delay(ENDING, undefined, { signal: over.signal }).catch(() => {});
      await Promise.race([new Promise<void>((gone) => allAreGone = gone), patience]);
      over.abort();
      for (const { session } of members) session?.destroy();
    },
  };
}

/** Whether a session ended with a statement that was sent: by Postgres, the client, or the system. */
function isCutOff(error: unknown): boolean {
  if (isFromPostgres(error)) return error.severity === "FATAL";
  const code = errorCode(error);
  return code !== "CONNECTION_ENDED" && /^(CONNECTION_|E[A-Z]+$)/.test(code);
}

function errorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? "");
}

function unknownOutcome(cause: unknown): Error {
  return Object.assign(new Error("The session ended before the answer", { cause }), {
    code: UNKNOWN_OUTCOME,
  });
}

function closedError(): Error {
  return Object.assign(new Error("The database is closed"), { code: "CONNECTION_ENDED" });
}
