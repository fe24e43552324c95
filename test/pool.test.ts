// The pool on its own, over sessions that behave as the test says.
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pool, type PoolOptions, type Session, statements } from "./house.ts";
import { until } from "./program.ts";

const test = suite("pool");

// The timers of a pool keep no process alive, and nothing else here waits for anything
const alive = setInterval(() => {}, 1000);
test.after(() => clearInterval(alive));

/** What a statement of the tests is sent with: the index of its ask. */
interface Values {
  index: number;
}

const { sql, reads, writes } = statements;
const read = reads<Values, object>("read", sql`select`);
const write = writes<Values, object>("write", sql`insert`);

/** Milliseconds that an outcome is waited for. */
const PATIENCE = 60_000;

/** A statement that was asked for. */
interface Ask {
  /** The session that it was sent in last; undefined while it waits for the first one. */
  at?: number;
  /** How often it was sent. */
  times: number;
  /** Ends it where it is. If it runs again, it goes on until it is ended there too. */
  end(error?: unknown): void;
  /** What became of it, "served" or "failed", at the latest after some seconds. */
  outcome: Promise<string>;
  /** The same, once it is known. */
  became?: string;
  /** What it failed of. */
  error?: { code?: string; cause?: unknown };
}

interface Fake extends Session {
  /** How often it was asked to cancel. */
  cancelled: number;
  spent: boolean;
  ended?: "closed" | "destroyed";
  /** Is lost, as when Postgres goes away. */
  lose(): void;
}

/** A pool of sessions that open as `admit` says, whose statements end when the test says so. */
function fake(
  options: Partial<PoolOptions> = {},
  admit: (attempt: number) => Promise<void> = () => Promise.resolve(),
) {
  const sessions: Fake[] = [];
  /** Each sends a statement in a session, until it is ended there. */
  const asks: ((place: number) => Promise<object[]>)[] = [];
  const silent: string[] = [];
  let attempts = 0;
  const made = pool(async (gone) => {
    await admit(++attempts);
    const lost = Promise.withResolvers<object[]>();
    lost.promise.catch(() => {});
    const place = sessions.length;
    const send = (index: number) => Promise.race([asks[index]!(place), lost.promise]);
    const leave = () => {
      lost.reject(Object.assign(new Error("Lost"), { code: "CONNECTION_CLOSED" }));
      gone();
    };
    const session: Fake = {
      cancelled: 0,
      spent: false,
      isSpent: () => session.spent,
      run: (_, values) => send((values as Values).index) as Promise<never[]>,
      transaction: (work) => work(session.run).then((result) => () => result),
      describe: () => Promise.resolve([]),
      async script(index) {
        await send(Number(index));
      },
      cancel: () => void session.cancelled++,
      close() {
        session.ended ??= "closed";
        leave();
      },
      destroy() {
        session.ended ??= "destroyed";
        leave();
      },
      lose: leave,
    };
    sessions.push(session);
    return session;
  }, {
    size: 2,
    look: 100,
    onSilence: (_, statement) => Promise.resolve(void silent.push(statement)),
    ...options,
  });

  const ask = (send: (index: number) => Promise<unknown>) => (): Ask => {
    let done = Promise.withResolvers<object[]>();
    const ask: Ask = {
      times: 0,
      end: (error) => error ? done.reject(error) : done.resolve([]),
      outcome: Promise.resolve(""),
    };
    asks.push((place) => {
      [ask.at, ask.times] = [place, ask.times + 1];
      if (ask.times > 1) done = Promise.withResolvers();
      return done.promise;
    });
    const sent = send(asks.length - 1).then(
      () => "served",
      (error) => {
        ask.error = error;
        return "failed";
      },
    ).then((became) => ask.became = became);
    ask.outcome = Promise.race([sent, delay(PATIENCE, "nothing yet", { ref: false })]);
    return ask;
  };
  const run = (statement: typeof read) => ask((index) => made.run(statement, { index }));
  return {
    sessions,
    silent,
    read: run(read),
    other: run(reads("other", sql`select`)),
    list: run(reads("list", sql`select`, { isForm: true })),
    search: run(reads("search", sql`select`, { replans: true })),
    write: run(write),
    shared: run(writes("shared", sql`insert`, { isShared: true })),
    script: ask((index) => made.script(String(index))),
    count: made.sessions,
    room: made.room,
    close: made.close,
    attempts: () => attempts,
  };
}

/** Waits until statements are in these sessions, in their order; undefined is one that waits. */
async function areAt(asks: Ask[], places: (number | undefined)[]): Promise<void> {
  const said = places.map((place) => place ?? "none").join();
  await until(`they are at ${said}`, () => asks.map(({ at }) => at ?? "none").join() === said);
  await turn();
  assert.equal(asks.map(({ at }) => at), places);
}

const refused = (code: string, severity = "ERROR") =>
  Object.assign(new postgres.PostgresError("Refused"), { code, severity });
const away = () => Promise.reject(new Error("Away"));
const never = () => new Promise<void>(() => {});

// Who is served, and where

test("runs one statement at a time in a session, and opens others while there may be more", async () => {
  const { read, sessions } = fake();
  const asks = [read(), read(), read(), read()];
  await areAt(asks, [0, 1, undefined, undefined]);
  asks[1]!.end();
  await areAt(asks, [0, 1, 1, undefined]);
  asks[0]!.end();
  await areAt(asks, [0, 1, 1, 0]);
  assert.is(sessions.length, 2);
});

/** A pool in which a kind was quick, with as many open sessions as it may have. */
async function quickly(
  size: number,
  options: Partial<PoolOptions> = {},
  kind: "read" | "list" | "search" = "read",
) {
  const made = fake({ size, quick: Infinity, ...options });
  const asks = [...Array(size)].map(() => made[kind]());
  await areAt(asks, asks.map((_, place) => place));
  for (const ask of asks) ask.end();
  await Promise.all(asks.map(({ outcome }) => outcome));
  return made;
}

test("sends a quick read behind the same one in its session, and a third one in another", async () => {
  const { read } = await quickly(2);
  const asks = [read(), read(), read(), read(), read()];
  await areAt(asks, [1, 1, 0, 0, undefined]);
  asks[0]!.end();
  await areAt(asks, [1, 1, 0, 0, undefined]);
  asks[1]!.end();
  await areAt(asks, [1, 1, 0, 0, 1]);
});

test("sends nothing behind another statement, or behind a write", async () => {
  const { read, other, write } = await quickly(4);
  const asks = [write(), write(), other(), read()];
  await areAt(asks, [3, 2, 1, 0]);
});

test("sends nothing behind a list or a search, which take long now and then", async () => {
  for (const ofKind of ["list", "search"] as const) {
    const { [ofKind]: ask } = await quickly(2, {}, ofKind);
    await areAt([ask(), ask()], [1, 0]);
  }
});

test("sends nothing behind a read that took long the last time, or has taken long now", async () => {
  const { read } = await quickly(4, { quick: 500 });
  const asks = [read()];
  await delay(600);
  asks.push(read());
  await areAt(asks, [3, 2]);
  asks[0]!.end();
  await asks[0]!.outcome;
  const next = [read(), read()];
  await areAt(next, [3, 1]);
});

test("sends nothing behind a read while another statement waits for a session", async () => {
  const { read, write } = await quickly(1);
  const asks = [read(), write(), read()];
  await areAt(asks, [0, undefined, undefined]);
  asks[0]!.end();
  await areAt(asks, [0, 0, undefined]);
  asks[1]!.end();
  await areAt(asks, [0, 0, 0]);
});

test("closes a session that is spent once it has answered both", async () => {
  const { read, sessions } = await quickly(1);
  const asks = [read(), read()];
  await areAt(asks, [0, 0]);
  sessions[0]!.spent = true;
  asks[0]!.end();
  await asks[0]!.outcome;
  assert.is(sessions[0]!.ended, undefined);
  asks[1]!.end();
  await until("it is closed", () => sessions[0]!.ended === "closed");
  assert.is(await asks[1]!.outcome, "served");
});

test("serves both when their session is lost, and each by itself when one is refused", async () => {
  const { read, sessions } = await quickly(2);
  const asks = [read(), read()];
  await areAt(asks, [1, 1]);
  sessions[1]!.lose();
  await until("both run again", () => asks.every(({ times }) => times === 2));
  asks[0]!.end(refused("22012"));
  assert.is(await asks[0]!.outcome, "failed");
  asks[1]!.end();
  assert.is(await asks[1]!.outcome, "served");
});

/** A pool of which one write keeps all sessions for writes, and what Postgres is asked about it. */
async function blockedPool() {
  const asked: { sessions: Session[]; answer(cancelled: Session[]): void }[] = [];
  const made = fake({
    size: 2,
    cancelWaiting: (sessions) => new Promise((answer) => asked.push({ sessions, answer })),
  });
  const first = made.write();
  await areAt([first], [0]);
  const second = made.write();
  await until("Postgres is asked", () => asked.length > 0);
  return { ...made, first, second, asked };
}

test("puts back a write that waits for a lock where others wait for its session", async () => {
  const { read, sessions, first, second, asked } = await blockedPool();
  assert.equal(asked[0]!.sessions.map((session) => sessions.indexOf(session as Fake)), [0]);
  first.end(refused("57014"));
  assert.is(await first.outcome, "failed");
  assert.is(first.error!.code, "55P03");
  const third = read();
  // The cancelling might meet the next one in that session; in the other one Postgres is asked
  await areAt([second, third], [undefined, undefined]);
  asked[0]!.answer([sessions[0]!]);
  await areAt([second, third], [1, 0]);
  second.end(refused("57014"));
  await second.outcome;
  assert.is(second.error!.code, "57014", "That was not for others");
});

test("leaves a write in its session that waits for no lock, and asks again", async () => {
  const { first, second, asked } = await blockedPool();
  asked[0]!.answer([]);
  await until("Postgres is asked again", () => asked.length > 1);
  asked[1]!.answer([]);
  await turn();
  first.end(refused("57014"));
  await first.outcome;
  assert.is(first.error!.code, "57014");
  await areAt([second], [0]);
});

test("puts back a write that others share, though none waits for a session", async () => {
  const asked: ((cancelled: Session[]) => void)[] = [];
  const { shared, write, sessions } = fake({
    size: 3,
    cancelWaiting: () => new Promise((answer) => asked.push(answer)),
  });
  const asks = [shared(), write()];
  await areAt(asks, [0, 1]);
  await until("Postgres is asked", () => asked.length > 0);
  for (const ask of asks) ask.end(refused("57014"));
  asked[0]!([sessions[0]!]);
  for (const ask of asks) await ask.outcome;
  assert.equal(asks.map(({ error }) => error!.code), ["55P03", "57014"]);
});

test("gives up the session in which it asked when that has ended", async () => {
  const { write, sessions } = fake({
    size: 2,
    cancelWaiting: () => Promise.reject(refused("57P01", "FATAL")),
  });
  const first = write();
  await areAt([first], [0]);
  const second = write();
  await until("it is closed", () => sessions[1]?.ended === "closed");
  first.end();
  await areAt([first, second], [0, 0]);
  second.end();
});

test("withholds no session while there is none to ask in", async () => {
  let count = 0;
  const { shared, read, write } = fake({
    size: 2,
    cancelWaiting: () => Promise.resolve((count++, [])),
  });
  const [slow, first] = [read(), shared()];
  await areAt([slow, first], [0, 1]);
  await delay(400);
  first.end();
  const second = write();
  await areAt([second], [1]);
  assert.is(count, 0);
  second.end();
  slow.end();
  await until("Postgres is asked no more", () => first.became === "served");
});

test("asks nothing while no write waits for a session", async () => {
  let count = 0;
  const { read, write } = fake({
    size: 2,
    cancelWaiting: () => Promise.resolve((count++, [])),
  });
  const asks = [write(), read(), read()];
  await areAt(asks, [0, 1, undefined]);
  await delay(400);
  assert.is(count, 0);
});

test("checks out the session that was used last, so that those that are not needed rest", async () => {
  const { read } = fake({ size: 3 });
  const asks = [read(), read(), read()];
  await areAt(asks, [0, 1, 2]);
  for (const place of [2, 0, 1]) asks[place]!.end();
  await asks[1]!.outcome;
  const next = [read(), read(), read()];
  await areAt(next, [1, 0, 2]);
});

test("closes a session that is spent once it has answered, and opens another", async () => {
  const { read, sessions } = fake({ size: 1 });
  const asks = [read(), read(), read()];
  await areAt(asks, [0, undefined, undefined]);
  sessions[0]!.spent = true;
  asks[0]!.end();
  await areAt(asks, [0, 1, undefined]);
  assert.equal(sessions.map(({ ended }) => ended), ["closed", undefined]);
  asks[1]!.end();
  await areAt(asks, [0, 1, 1]);
});

test("closes a session that is spent when it has rested, and opens another", async () => {
  const { read, sessions } = fake({ size: 1 });
  const first = read();
  await areAt([first], [0]);
  first.end();
  await first.outcome;
  sessions[0]!.spent = true;
  await areAt([read()], [1]);
  assert.is(sessions[0]!.ended, "closed");
});

test("closes a session that is spent though reads go on behind each other", async () => {
  const { read, sessions } = await quickly(1);
  const asks = [read(), read()];
  await areAt(asks, [0, 0]);
  sessions[0]!.spent = true;
  asks[0]!.end();
  await asks[0]!.outcome;
  const next = read();
  await areAt([next], [undefined]);
  asks[1]!.end();
  await areAt([next], [1]);
});

test("has no room without a free session", async () => {
  const { read, write, room } = fake({ size: 2 });
  const far = read();
  await delay(20);
  far.end();
  await far.outcome;
  assert.ok(room("reads") > 0);
  assert.is(room("writes"), room("reads"));
  const first = write();
  await areAt([first], [0]);
  assert.ok(room("reads") > 0);
  assert.is(room("writes"), 0, "The other session is kept for reads");
  const second = read();
  await areAt([second], [1]);
  assert.is(room("reads"), 0);
  first.end();
  await first.outcome;
  assert.ok(room("reads") > 0);
});

test("has the more room the longer the shortest answer takes, until a session is lost", async () => {
  const { read, room, sessions } = fake({ size: 1 });
  assert.is(room("reads"), 0);
  const answered = async (milliseconds: number) => {
    const ask = read();
    await delay(milliseconds);
    ask.end();
    await ask.outcome;
    return room("reads");
  };
  const started = performance.now();
  const far = await answered(20);
  assert.ok(far > 100, `${far} is little`);
  const further = await answered(performance.now() - started + 1);
  assert.is(further, far, "What takes longer tells nothing of the way");
  let near = far;
  for (let times = 0; times < 100 && near >= far; times++) near = await answered(5);
  assert.ok(near < far);
  sessions[0]!.lose();
  assert.is(room("reads"), 0);
});

test("keeps one session for reads, also from scripts", async () => {
  const { read, write, script } = fake({ size: 3 });
  const asks = [write(), script(), write(), read()];
  await areAt(asks, [0, 1, undefined, 2]);
  asks[3]!.end();
  const next = read();
  await areAt([asks[2]!, next], [undefined, 2]);
  asks[0]!.end();
  await areAt([asks[2]!], [0]);
});

test("runs a write in the only session of a pool of one", async () => {
  const { read, write } = fake({ size: 1 });
  const asks = [write(), read()];
  await areAt(asks, [0, undefined]);
  asks[0]!.end();
  await areAt(asks, [0, 0]);
});

test("serves the statement that has waited longest first, read or write", async () => {
  const { read, write } = fake({ size: 3 });
  const first = [read(), read(), read()];
  await areAt(first, [0, 1, 2]);
  const asks: Ask[] = [];
  for (const ask of [write, read, write, read]) {
    asks.push(ask());
    await delay(2); // they are told apart by the clock
  }
  first[0]!.end();
  await areAt(asks, [0, undefined, undefined, undefined]);
  first[1]!.end();
  await areAt(asks, [0, 1, undefined, undefined]);
  first[2]!.end();
  await areAt(asks, [0, 1, 2, undefined]);
});

test("does not let a write that has to wait hold up the reads behind it", async () => {
  const { read, write } = fake({ size: 2 });
  const asks = [write(), write(), read(), read()];
  await areAt(asks, [0, undefined, 1, undefined]);
  asks[2]!.end();
  await areAt(asks, [0, undefined, 1, 1]);
});

test("opens no session for a write that has to wait", async () => {
  const { write, sessions } = fake({ size: 4 });
  const asks = Array.from({ length: 5 }, write);
  await areAt(asks, [0, 1, 2, undefined, undefined]);
  assert.is(sessions.length, 3);
});

test("says how many sessions are open, and how many there are at most", async () => {
  let open = () => {};
  const opens = new Promise<void>((resolve) => open = resolve);
  const { read, count } = fake({ size: 3 }, () => opens);
  const one = read();
  assert.equal(count(), { open: 0, most: 3 });
  open();
  await areAt([one], [0]);
  assert.equal(count(), { open: 1, most: 3 });
});

// Waiting

test("refuses a statement that has waited too long, as Postgres does if its resources are used up", async () => {
  const { read } = fake({ size: 1, wait: 150 });
  const [running, waiting] = [read(), read()];
  assert.is(await waiting.outcome, "failed");
  assert.is(waiting.error!.code, "53000");
  assert.is(waiting.at, undefined);
  running.end();
  assert.is(await running.outcome, "served");
});

test("refuses a statement that has waited too long, also if no session is open yet", async () => {
  const { read } = fake({ wait: 150 }, never);
  const waiting = [read(), read(), read()];
  for (const { outcome } of waiting) assert.is(await outcome, "failed");
});

// Sessions that are lost, or no good

test("sends nothing in a session that was lost while it was idle", async () => {
  const { read, sessions, count } = fake();
  const first = read();
  await areAt([first], [0]);
  first.end();
  await first.outcome;
  sessions[0]!.lose();
  assert.is(count().open, 0);
  await areAt([read()], [1]);
});

const lost = Object.assign(new Error("Lost"), { code: "CONNECTION_CLOSED" });
const unsent = Object.assign(new Error("Ended"), { code: "CONNECTION_ENDED" });

/** How a statement ends, how often it runs at most if it always ends like this, and what becomes of its
 * session. */
const endings: [what: string, error: Error, reads: number, writes: number, ended?: "closed"][] = [
  ["was not sent", unsent, 4, 4, "closed"],
  ["was sent, and may have been carried out", lost, 4, 1, "closed"],
  ["Postgres rolled back for another (40001)", refused("40001"), 4, 4],
  ["Postgres rolled back for another (40P01)", refused("40P01"), 4, 4],
  ["Postgres refused", refused("23505"), 1, 1],
  ["Postgres cancelled", refused("57014"), 1, 1],
  ["Postgres ended the session of (57P01)", refused("57P01", "FATAL"), 1, 1, "closed"],
];

for (const [what, error, most, mostWrites, ended] of endings) {
  for (const [kind, times] of [["read", most], ["write", mostWrites], ["script", 1]] as const) {
    const often = times === 1 ? "once" : `${times} times at most`;
    test(`runs a ${kind} that ${what} ${often}; its session ${ended ? "is closed" : "goes on"}`, async () => {
      const made = fake();
      const one = made[kind]();
      for (let time = 1; time <= times; time++) {
        await until(`it is sent ${time} times`, () => one.times === time);
        one.end(error);
      }
      assert.is(await one.outcome, "failed");
      const isUnknown = kind !== "read" && ended && error !== unsent;
      assert.is(isUnknown ? one.error?.cause : one.error, error);
      if (isUnknown) assert.is(one.error!.code, "08007");
      assert.is(one.times, times);
      const used = ended ? times : 1;
      assert.equal(made.sessions.map(({ ended }) => ended), Array(used).fill(ended));
      await areAt([made.read()], [ended ? times : 0]);
    });

    if (times === 1) continue;
    test(`serves a ${kind} that ${what} and then ran`, async () => {
      const one = fake()[kind]();
      for (let time = 1; time < times; time++) {
        await until(`it is sent ${time} times`, () => one.times === time);
        one.end(error);
      }
      await until("it is sent again", () => one.times === times);
      one.end();
      assert.is(await one.outcome, "served");
    });
  }
}

test("repeats a write that was not sent, but not once it was sent", async () => {
  const { write } = fake();
  const one = write();
  await areAt([one], [0]);
  one.end(unsent);
  await areAt([one], [1]);
  one.end(lost);
  assert.is(await one.outcome, "failed");
  assert.equal([one.error?.code, one.error?.cause, one.times], ["08007", lost, 2]);
});

/** Milliseconds until a session that refuses writes is replaced. */
const AGE = 1100;

test("gives up every session when one that is not new refuses a write", async () => {
  const { read, write, sessions } = fake({ size: 4 });
  const asks = [write(), read(), read()];
  await areAt(asks, [0, 1, 2]);
  await delay(AGE);
  asks[2]!.end();
  await asks[2]!.outcome;
  asks[0]!.end(refused("25006"));
  await areAt([asks[0]!], [3]);
  assert.equal(sessions.map(({ ended }) => ended), ["closed", undefined, "closed", undefined]);
  asks[1]!.end();
  assert.is(await asks[1]!.outcome, "served", "What is under way ends well");
  assert.is(sessions[1]!.ended, "closed");
  asks[0]!.end();
  assert.is(await asks[0]!.outcome, "served");
});

test("runs a write again in a new session where one refused it, which is kept for a second", async () => {
  const { read, write, sessions } = fake({ size: 3 });
  const asks = [write(), read()];
  await areAt(asks, [0, 1]);
  asks[1]!.end();
  await delay(AGE);
  asks[0]!.end(refused("25006"));
  await areAt([asks[0]!], [2]);
  assert.equal(sessions.map(({ ended }) => ended), ["closed", "closed", undefined]);
  for (let one = asks[0]!, times = 0; times < 3; one = write(), times++) {
    await areAt([one], [2]);
    one.end(refused("25006"));
    assert.is(await one.outcome, "failed");
  }
  assert.is(sessions.length, 3);
  assert.is(sessions[2]!.ended, undefined);
});

test("keeps the sessions of a host that refuses a read for what it writes", async () => {
  const { read, sessions } = fake();
  const one = read();
  await areAt([one], [0]);
  await delay(AGE);
  one.end(refused("25006"));
  assert.is(await one.outcome, "failed");
  assert.is(sessions[0]!.ended, undefined);
});

// Silence

test("asks a silent session to cancel, counts it until it is gone, and never uses it again", async () => {
  const { read, write, sessions, count, silent } = fake({ size: 1, silence: 150, grace: 2000 });
  const slow = write();
  const next = read();
  await until("it is asked", () => sessions[0]?.cancelled === 1);
  assert.equal(silent, ["write"]);
  assert.equal(count(), { open: 1, most: 1 });
  assert.equal([slow.became, next.at], [undefined, undefined], "There may be no other yet");
  assert.is(await slow.outcome, "failed");
  assert.is(sessions[0]!.ended, "destroyed");
  assert.is(sessions[0]!.cancelled, 1, "It is asked once");
  await areAt([next], [1]);
});

test("notices a silent session that was idle before", async () => {
  const { read, write, sessions } = fake({ size: 1, silence: 150, grace: 150 });
  const first = read();
  await areAt([first], [0]);
  first.end();
  await first.outcome;
  await delay(400); // nobody looks at sessions while none has anything to do
  const silent = write();
  assert.is(await silent.outcome, "failed");
  assert.is(sessions[silent.at!]!.ended, "destroyed");
});

test("lets its owner look at a silent session before it is asked to cancel", async () => {
  const looks = Promise.withResolvers<void>();
  const { read, sessions } = fake({ silence: 150, grace: 60_000, onSilence: () => looks.promise });
  const [slow, idle] = [read(), read()];
  await areAt([slow, idle], [0, 1]);
  idle.end();
  await until("it is found silent", () => sessions[1]!.ended !== undefined);
  await delay(200);
  assert.is(sessions[0]!.cancelled, 0);
  looks.resolve();
  await until("it is asked", () => sessions[0]!.cancelled === 1);
});

test("asks a silent session to cancel in time, however long that look takes", async () => {
  const { read, sessions } = fake({ silence: 150, grace: 1000, onSilence: never });
  const slow = read();
  await until("it is asked", () => sessions[0]?.cancelled === 1);
  slow.end(refused("57014"));
  assert.is(await slow.outcome, "failed", "It is not cut off yet");
});

test("lets a silent session answer after all, and closes it then", async () => {
  const { read, sessions } = fake({ size: 1, silence: 150, grace: 60_000 });
  const slow = read();
  await until("it is asked", () => sessions[0]?.cancelled === 1);
  slow.end(refused("57014"));
  assert.is(await slow.outcome, "failed");
  assert.is(slow.error!.code, "57014");
  assert.is(sessions[0]!.ended, "closed");
  await areAt([read()], [1]);
});

test("gives up a silent session for both of its reads, which run again once it is cut off", async () => {
  const { read, sessions, silent } = await quickly(1, { silence: 1500, grace: 300 });
  const asks = [read(), read()];
  await areAt(asks, [0, 0]);
  for (const ask of asks) {
    await areAt([ask], [1]);
    ask.end();
    assert.is(await ask.outcome, "served");
  }
  assert.equal([sessions[0]!.ended, silent], ["destroyed", ["read"]]);
});

test("keeps one session for reads while those of silent writes are not gone", async () => {
  const { read, write, sessions } = fake({ size: 2, silence: 150, grace: 60_000 });
  write();
  await until("it is asked", () => sessions[0]?.cancelled === 1);
  const asks = [write(), read()];
  await areAt(asks, [undefined, 1]);
});

test("trusts no idle session when another one is silent", async () => {
  const { read, sessions } = fake({ size: 3, silence: 1500, grace: 60_000 });
  const asks = [read(), read(), read()];
  await areAt(asks, [0, 1, 2]);
  for (const place of [1, 2]) asks[place]!.end();
  await asks[2]!.outcome;
  await until("it is asked", () => sessions[0]?.cancelled === 1);
  assert.equal(sessions.map(({ ended }) => ended), [undefined, "destroyed", "destroyed"]);
  await areAt([read()], [3]);
});

test("ends the sessions that prepared what is out of date, and no later ones", async () => {
  const { read, write, sessions } = fake({ size: 2 });
  const stale = () => Object.assign(refused("0A000"), { routine: "RevalidateCachedQuery" });
  const asks = [write(), read()];
  await areAt(asks, [0, 1]);
  asks[0]!.end(stale());
  await areAt(asks, [2, 1]);
  asks[1]!.end(stale());
  await areAt(asks, [2, 3]);
  assert.equal(sessions.map(({ ended }) => ended), ["closed", "closed", undefined, undefined]);
});

test("gives up each silent session by itself, also one that is given nothing more", async () => {
  const { read, write, sessions } = fake({ size: 2, silence: 4000, grace: 150 });
  const slow = read();
  const first = write();
  await areAt([slow, first], [0, 1]);
  await delay(AGE);
  first.end(refused("25006"));
  await areAt([first], [2]);
  await until("it is cut off", () => sessions[0]!.ended !== undefined);
  assert.equal([sessions[0]!.cancelled, sessions[0]!.ended], [1, "destroyed"]);
});

test("does not treat a session as silent that has answered, or was idle", async () => {
  const { read, sessions } = fake({ size: 1, silence: 1500, grace: 0 });
  const end = performance.now() + 2000;
  while (performance.now() < end) {
    const one = read();
    await delay(60);
    one.end();
    assert.is(await one.outcome, "served");
  }
  await delay(2000);
  const last = read();
  await areAt([last], [0]);
  await delay(150);
  last.end();
  assert.is(await last.outcome, "served");
  assert.equal(sessions.map(({ ended, cancelled }) => [ended, cancelled]), [[undefined, 0]]);
});

test("gives up a silent session that took long to open, by the time that its statement has taken", async () => {
  const { read, write, sessions } = fake({ size: 1, silence: 1000, grace: 100 }, () => delay(1300));
  const [quick, slow] = [read(), write()];
  await areAt([quick], [0]);
  quick.end();
  assert.is(await quick.outcome, "served", "It waited for its session, and is not silent yet");
  assert.is(await slow.outcome, "failed");
  assert.is(sessions[0]!.ended, "destroyed");
});

// A database that is away

test("makes another attempt at once after the first that fails", async () => {
  const { read, attempts } = fake({}, (attempt) => attempt === 1 ? away() : Promise.resolve());
  await areAt([read()], [0]);
  assert.is(attempts(), 2);
});

test("refuses statements at once while the database is away, and makes an attempt each second", async () => {
  const attempted: number[] = [];
  const { read } = fake({}, () => {
    attempted.push(performance.now());
    return away();
  });
  assert.is(await read().outcome, "failed");
  let refusals = 0;
  while (attempted.length < 3) {
    const { outcome } = read();
    assert.is(await outcome, "failed");
    refusals++;
    await turn();
  }
  assert.ok(refusals > attempted.length, `${refusals} refusals`);
  const [, second = 0, third = 0] = attempted; // two at once, then one after a second
  assert.ok(third - second > 900, `It was tried again after ${third - second} ms`);
});

test("serves again when an attempt that no statement waits for has succeeded", async () => {
  let isAway = true;
  const { read, count } = fake({}, () => isAway ? away() : Promise.resolve());
  assert.is(await read().outcome, "failed");
  isAway = false;
  await until("a session is open", () => count().open === 1);
  await areAt([read()], [0]);
});

test("counts attempts that fail at the same time as one: the next is made at once", async () => {
  const fails = Promise.withResolvers<void>();
  const { read, attempts } = fake(
    { size: 6 },
    (attempt) => attempt <= 6 ? fails.promise : Promise.resolve(),
  );
  const asks = Array.from({ length: 6 }, read);
  await turn();
  assert.is(attempts(), 6);
  fails.reject(new Error("Away"));
  await until("they are served", () => asks.filter(({ at }) => at !== undefined).length >= 1);
  assert.ok(attempts() > 6);
});

test("makes no other attempt at once after one that timed out", async () => {
  const timeout = Object.assign(new Error("Timeout"), { code: "CONNECT_TIMEOUT" });
  const { read, attempts } = fake({}, () => Promise.reject(timeout));
  for (let time = 0; time < 3; time++) assert.is(await read().outcome, "failed");
  assert.is(attempts(), 1);
});

test("lets no statement wait for an attempt while the database is away", async () => {
  const { read, attempts } = fake({}, (attempt) => attempt < 3 ? away() : never());
  assert.is(await read().outcome, "failed");
  await until("it is tried again", () => attempts() === 3);
  assert.is(await read().outcome, "failed");
});

test("goes on with the sessions that it has while no other can be opened", async () => {
  const { read, count } = fake({}, (attempt) => attempt === 1 ? Promise.resolve() : away());
  const first = read();
  await areAt([first], [0]);
  const next = read();
  await delay(300);
  assert.is(next.became, undefined);
  assert.is(count().open, 1);
  first.end();
  await areAt([next], [0]);
});

// Closing

test("closes idle sessions at once, and others when their statement has ended", async () => {
  const { read, close, sessions } = fake();
  const asks = [read(), read()];
  await areAt(asks, [0, 1]);
  asks[1]!.end();
  await asks[1]!.outcome;
  let isClosed = false;
  const closing = close().then(() => isClosed = true);
  await turn();
  assert.equal(sessions.map(({ ended }) => ended), [undefined, "closed"]);
  assert.is(isClosed, false);
  asks[0]!.end();
  assert.is(await asks[0]!.outcome, "served");
  await closing;
  assert.is(sessions[0]!.ended, "closed");
});

test("refuses waiting and later statements when it is closed", async () => {
  const { read, close } = fake({ size: 1 });
  const [running, waiting] = [read(), read()];
  await areAt([running], [0]);
  const closing = close();
  for (const ask of [waiting, read()]) {
    assert.is(await ask.outcome, "failed");
    assert.is(ask.error!.code, "CONNECTION_ENDED");
  }
  running.end();
  await closing;
});

test("closes a session that opens after the pool was closed", async () => {
  const opens = Promise.withResolvers<void>();
  const { read, close, sessions } = fake({}, () => opens.promise);
  read();
  const closing = close();
  opens.resolve();
  await closing;
  assert.equal(sessions.map(({ ended }) => ended), ["closed"]);
});

test("cancels the statements under way when it is closed, and cuts off those that have not ended a second later", async () => {
  const { read, close, sessions } = fake();
  const [slow, dead] = [read(), read()];
  await areAt([slow, dead], [0, 1]);
  const closing = close();
  await until("they are asked", () => sessions.every(({ cancelled }) => cancelled === 1));
  slow.end(refused("57014"));
  await closing;
  assert.equal([await slow.outcome, await dead.outcome], ["failed", "failed"]);
  assert.equal(sessions.map(({ ended }) => ended), ["closed", "destroyed"]);
});

test.run();
