// The pool by itself, over sessions that do as the test says.
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type Kind,
  pool,
  type PoolOptions,
  preparedText,
  type Session,
  type Unserved,
} from "./house.ts";
import { until } from "./program.ts";

const test = suite("pool");

interface Fake extends Session {
  ended?: "closed" | "cut";
}

/** A pool of sessions that are made as `admit` says, and what became of each. */
function fake(options: Partial<PoolOptions>, admit: () => Promise<void> = () => Promise.resolve()) {
  const sessions: Fake[] = [];
  let attempts = 0;
  const { serve, end, count } = pool(async (gone) => {
    attempts++;
    await admit();
    const place = sessions.length;
    const off = new AbortController();
    const leave = (how: "closed" | "cut") => () => {
      session.ended ??= how;
      gone();
    };
    const session: Fake = {
      host: 0,
      async run({ args }) {
        const [milliseconds, error] = args as [number, Error?];
        if (milliseconds) await delay(milliseconds, undefined, { signal: off.signal });
        if (error) throw error;
        return [{ place }];
      },
      cut() {
        leave("cut")();
        off.abort();
      },
      close: () => session.ended ? undefined : leave("closed")(),
    };
    sessions.push(session);
    return session;
  }, { connections: 2, fallsBack: false, ...options });
  /** Makes what has a statement run that takes so long; it resolves to the place of its session. */
  const running = (kind: Kind) => async (milliseconds = 0, error?: Error) => {
    const [row] = await serve(kind, preparedText("", [milliseconds, error]));
    return row!["place"] as number;
  };
  return {
    sessions,
    run: running("read"),
    lookUp: running("lookup"),
    write: running("write"),
    end,
    count,
    attempts: () => attempts,
  };
}

const stale = Object.assign(new postgres.PostgresError("Stale"), {
  code: "0A000",
  routine: "RevalidateCachedQuery",
});

test("takes no connection for silent that was idle before", async () => {
  const { run, sessions } = fake({ silence: 300 });
  await run();
  await delay(500);
  assert.is(await run(150), 0);
  assert.is(sessions[0]!.ended, undefined);
});

test("takes no connection for silent that answers one statement while another is under way", async () => {
  const { run, sessions } = fake({ silence: 1000, connections: 1 });
  await run();
  const runs: Promise<number>[] = [];
  for (let turn = 0; turn < 40; turn++) {
    runs.push(run(60));
    await delay(40);
  }
  await Promise.all(runs);
  assert.is(sessions.length, 1);
  assert.is(sessions[0]!.ended, undefined);
});

test("relies on no idle connection either when one is silent", async () => {
  const { run, sessions } = fake({ silence: 150 });
  await Promise.all([run(10), run(10)]);
  const failure = await run(400).catch((error) => error);
  assert.is((failure as Unserved).fate, "unknown");
  assert.ok(sessions.every(({ ended }) => ended));
});

test("gives a silent connection up that took long to open", async () => {
  const { run, sessions } = fake({ silence: 150, connections: 1 }, () => delay(250));
  const failure = await run(5000).catch((error) => error);
  assert.is((failure as Unserved).fate, "unknown");
  assert.ok(sessions[0]!.ended);
});

test("gives a silent connection up that is given nothing more", async () => {
  const { run, sessions } = fake({ silence: 300 });
  const hung = run(5000).catch((error) => error);
  await run(10);
  await run(10, stale).catch(() => {});
  await run(10);
  assert.is((await hung as Unserved).fate, "unknown");
  assert.ok(sessions[0]!.ended);
});

test("gives every connection up that has prepared what is stale, and lets them end their work", async () => {
  const { run, sessions } = fake({});
  await Promise.all([run(10), run(10)]);
  const slow = run(100);
  const failure = await run(10, stale).catch((error) => error as Unserved);
  assert.is((failure as Unserved).fate, "unsent");
  assert.is(await run(), 2, "The next has a session of its own");
  assert.ok(await slow < 2);
  assert.equal(sessions.map(({ ended }) => ended), ["closed", "closed", undefined]);
});

test("keeps what was opened since when an older session is stale", async () => {
  const { run, sessions } = fake({ connections: 3 });
  await Promise.all([run(10), run(10)]);
  const late = run(100, stale).catch(() => {});
  await run(10, stale).catch(() => {});
  assert.is(await run(), 2);
  await late;
  assert.is(sessions[2]!.ended, undefined);
  assert.is(await run(), 2);
});

test("counts attempts that fail at the same time as one", async () => {
  let away = true;
  const { run } = fake({ connections: 6 }, async () => {
    await delay(1);
    if (away) throw new Error("Away");
  });
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => run()));
  assert.ok(all.every(({ status }) => status === "rejected"));
  await run().catch(() => {}); // from now on nobody is to wait
  away = false;
  await delay(150);
  assert.type(await run(), "number");
});

test("refuses who has waited too long, also where no connection is open yet", async () => {
  const { run } = fake({ connections: 1, turn: 250 }, () => new Promise(() => {}));
  const [, , third] = [run(), run(), run()];
  const failure = await Promise.race([third!.catch((error) => error), delay(1000)]);
  assert.is((failure as Unserved)?.fate, "refused");
});

test("closes what opens after the pool has ended", async () => {
  const { run, end, sessions } = fake({}, () => delay(50));
  const late = run().catch(() => {});
  const began = performance.now();
  await end({ timeout: 2 });
  await late;
  assert.ok(performance.now() - began < 1000);
  assert.is(sessions[0]!.ended, "closed");
});

test("ends when the statement under way has ended", async () => {
  const { run, end } = fake({});
  const slow = run(100);
  await delay(10);
  const began = performance.now();
  await end({ timeout: 2 });
  assert.ok(performance.now() - began < 1000);
  assert.is(await slow, 0);
});

test("ends when a statement has ended whose connection is given nothing more", async () => {
  const { run, end, sessions } = fake({});
  const slow = run(100);
  await run(10, stale).catch(() => {});
  await end();
  assert.equal(sessions.map(({ ended }) => ended), ["closed", "closed"]);
  assert.is(await slow, 0);
});

test("gives a connection up whose client failed, and no other", async () => {
  const { run, sessions } = fake({});
  const fate = async (error: Error) => (await run(0, error).catch((error) => error)).fate;
  assert.is(await fate(Object.assign(new Error("Ended"), { code: "CONNECTION_ENDED" })), "unsent");
  assert.is(await fate(new postgres.PostgresError("Refused")), "refused");
  assert.is(sessions[0]!.ended, undefined);
  assert.is(await fate(new Error("Lost")), "unknown");
  assert.ok(sessions[0]!.ended);
  assert.is(await run(), 1);
});

test("makes no other attempt at once after one that took all of its time", async () => {
  const timeout = Object.assign(new Error("Timeout"), { code: "CONNECT_TIMEOUT" });
  const { run, attempts } = fake({}, () => Promise.reject(timeout));
  for (let turn = 0; turn < 3; turn++) await run().catch(() => {});
  assert.is(attempts(), 1);
});

test("has nobody wait for an attempt to reach what is away", async () => {
  let attempt = () => Promise.reject(new Error("Away"));
  const { run, attempts } = fake({}, () => attempt());
  for (let turn = 0; turn < 2; turn++) await run().catch(() => {});
  attempt = () => new Promise(() => {});
  await until("it is tried again", () => attempts() === 3);
  const failure = await Promise.race([run().catch((error) => error), delay(200)]);
  assert.is((failure as Unserved)?.fate, "refused");
});

test("sends nothing behind a statement that waits for something", async () => {
  const { run } = fake({ connections: 1, turn: 150 });
  const slow = run(600);
  await delay(150);
  const failure = await run().catch((error) => error);
  assert.is((failure as Unserved).fate, "refused");
  await slow;
});

test("has lookups follow each other on one connection, and others when there are many", async () => {
  const { lookUp } = fake({});
  const places = await Promise.all(Array.from({ length: 6 }, () => lookUp(20)));
  assert.equal(places, [0, 0, 0, 0, 1, 1]);
});

test("has no lookup follow one that is not soon done", async () => {
  const { lookUp } = fake({});
  await lookUp();
  const slow = lookUp(100);
  await delay(20);
  assert.is(await lookUp(), 1);
  assert.is(await slow, 0);
});

for (const kind of ["run", "write"] as const) {
  test(`has no lookup follow what may take long (${kind}), nor that a lookup`, async () => {
    const statements = fake({});
    const slow = statements[kind](50);
    assert.is(await statements.lookUp(), 1);
    assert.is(await slow, 0);
    const lookup = statements.lookUp(50);
    assert.is(await statements[kind](), 1);
    assert.is(await lookup, 0);
  });

  test(`lets lookups that never end keep nothing else waiting (${kind})`, async () => {
    const statements = fake({ connections: 1, turn: 2000 });
    let isServed = false;
    async function lane(): Promise<void> {
      while (!isServed) await statements.lookUp(1);
    }
    const lanes = Array.from({ length: 4 }, lane);
    await until("the connection is open", () => statements.count() === 1);
    assert.is(await statements[kind](1).finally(() => isServed = true), 0);
    await Promise.all(lanes);
  });
}

test.run();
