// Coalescing from outside: many clients at once, over sockets, each of whom gets the answer to their
// own request and to no other.
import { Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  createMetrics,
  createStatement,
  finder,
  foo,
  openPostgres,
  type ServiceOfVerbs,
} from "./house.ts";
import { ask, endAll, type Reply, serve, until } from "./program.ts";
import { freshPostgres, serviceOn } from "./service.ts";
import { inTransaction } from "./transaction.ts";

const test = suite("coalescing, over sockets");

/** Clients at once. */
const CLIENTS = 64;

const database = await freshPostgres();
const { sql, url } = database;
const server = await serve({ DATABASE_URL: url });
test.after(async () => {
  await endAll();
  await database.stop();
});

/** Runs each task once, so many at a time as there are clients. */
async function atOnce(tasks: (() => Promise<void>)[]): Promise<void> {
  const rest = tasks.values();
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (const task of rest) await task();
  }));
}

/** What a client sends, and what the answer to it has to be. */
interface Exchange {
  request: string;
  body?: unknown;
  expect(reply: Reply): void;
}

const failing = (code: string, detail: string) => ({ status, body }: Reply) => {
  assert.is(status, 422);
  assert.equal(body.errors.map(({ code }: { code: string }) => code), [code]);
  assert.is(body.errors[0].detail, detail);
};

test("answers each of many with what they asked for, good and bad together", async () => {
  await sql`insert into bar (id, name) select i, 'Bar ' || i from generate_series(1, 50) as i`;
  await sql`
    insert into foo (id, name, bar_id)
    select i, 'Foo ' || i, 1 + i % 50 from generate_series(1, 1000) as i`;
  // What only the database refuses: nothing in the declarations knows of it.
  await sql`alter table foo add constraint tolerable check (name not like 'Intolerable%')`;
  const bars = (n: number) => ({ id: 1 + n % 50, name: `Bar ${1 + n % 50}` });
  const kinds: ((n: number) => Exchange)[] = [
    (n) => ({
      request: "POST /api/foos/",
      body: { name: `Created ${n}`, bar: bars(n).id },
      expect: ({ status, headers, body }) => {
        assert.equal([status, body.name, body.bar], [201, `Created ${n}`, bars(n)]);
        assert.is(headers.get("location"), `/api/foos/${body.id}/`);
      },
    }),
    (n) => ({
      request: "POST /api/foos/",
      body: { name: `Dangling ${n}`, bar: 1_000_000 + n },
      expect: failing("does_not_exist", `No bar has the identifier ${1_000_000 + n}`),
    }),
    (n) => ({
      request: "POST /api/foos/",
      body: { name: `${n}`.padEnd(65), bar: bars(n).id },
      expect: failing("too_long", "Send at most 64 characters"),
    }),
    (n) => ({
      request: "POST /api/foos/",
      body: { name: `Intolerable ${n}`, bar: bars(n).id },
      expect: ({ status }) => assert.is(status, 500),
    }),
    (n) => ({
      request: `GET /api/foos/${1 + n % 1000}/`,
      expect: ({ status, body }) => {
        const id = 1 + n % 1000;
        assert.is(status, 200);
        assert.equal(body, { id, name: `Foo ${id}`, bar: bars(id) });
      },
    }),
    (n) => ({
      request: `GET /api/foos/${2_000_000 + n}/`,
      expect: ({ status, body }) => {
        assert.is(status, 404);
        assert.is(body.detail, `No foo has the identifier ${2_000_000 + n}`);
      },
    }),
    (n) => ({
      request: "POST /bottage/",
      body: { cul: `Said ${n}`, colere: 1 },
      expect: ({ status, body }) => assert.equal([status, body.cul], [201, `Said ${n}`]),
    }),
    () => ({
      request: "GET /colere/",
      expect: ({ status, body }) => assert.equal([status, body.id], [200, 1]),
    }),
  ];
  const each = 100;
  await atOnce(
    Array.from({ length: each * kinds.length }, (_, n) => async () => {
      const { request, body, expect } = kinds[n % kinds.length]!(n);
      expect(await ask(server.url, request, body));
    }),
  );
  const [{ stored }] = await sql<[{ stored: number }]>`
    select count(distinct name)::int as stored from foo where id > 1000`;
  assert.is(stored, each, "The good ones are there, once, and no others");
});

test("shows whoever was answered what they wrote, and no older last bottage", async () => {
  const reading = { go: true };
  const readers = Array.from({ length: 16 }, async () => {
    let newest = 0;
    while (reading.go) {
      const { body } = await ask(server.url, "GET /bottage/last");
      assert.ok(body.bottage >= newest, "The last bottage never goes back");
      newest = body.bottage;
    }
  });
  const written: number[] = [];
  await atOnce(Array.from({ length: 400 }, (_, n) => async () => {
    const before = Math.max(0, ...written);
    const { body: { bottage } } = await ask(server.url, "POST /bottage/", {
      cul: `Read ${n}`,
      colere: 1,
    });
    written.push(bottage);
    assert.ok(bottage > before, "What begins after an answer gets a larger identifier");
    const last = await ask(server.url, "GET /bottage/last");
    assert.ok(last.body.bottage >= bottage, "A read misses no write that was answered");
    const { status, body } = await ask(server.url, `GET /bottage/${bottage}`);
    assert.equal([status, body.cul], [200, `Read ${n}`]);
  }));
  reading.go = false;
  await Promise.all(readers);
});

test("goes on for the others when a client goes away", async () => {
  const impatient = new AbortController();
  const lock = await held("bottage");
  const gone = fetch(`${server.url}/bottage/last`, { signal: impatient.signal }).catch(() => {});
  await lock.waits(1);
  const others = [1, 2, 3].map(() => ask(server.url, "GET /bottage/last"));
  impatient.abort();
  await gone;
  lock.release();
  assert.equal((await Promise.all(others)).map(({ status }) => status), [200, 200, 200]);
});

/** Locks a table against every reader and writer, until it is released. */
async function held(table: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  const locked = new Promise<void>((resolve) =>
    inTransaction(sql, async (transaction) => {
      await transaction`lock table ${transaction(table)} in access exclusive mode`;
      resolve();
      await released;
    })
  );
  await locked;
  return {
    release,
    waits: (sessions: number) =>
      until(`${sessions} sessions wait for the lock`, async () => {
        const waiting = await sql`
          select
          from pg_locks
          where not granted
            and database = (select oid from pg_database where datname = current_database())`;
        return waiting.length >= sessions;
      }),
  };
}

test("creates rows in the order they were sent, passing over those that are refused", async () => {
  const create = createStatement(foo, database.client);
  const rows = [1, 999_999, 2, 999_998, 3].map((bar, place) => ({ name: `Placed ${place}`, bar }));
  const outcomes = await create(rows);
  assert.equal(outcomes.map(({ refused }) => refused), ["", "bar", "", "bar", ""]);
  const texts = outcomes.map(({ text }) => text && JSON.parse(text).name);
  assert.equal(texts, ["Placed 0", null, "Placed 2", null, "Placed 4"]);
  const [first, , third, , fifth] = outcomes.map(({ id }) => Number(id));
  assert.ok(first! < third! && third! < fifth!);
});

test("sends what waits before it answers those whom the last statement served", async () => {
  const { app } = serviceOn(database);
  const events: string[] = [];
  const read = async (identifier: number) => {
    await app.fetch(new Request(`http://relata.test/api/bars/${identifier}/`));
    events.push("answered");
  };
  await Promise.all([1, 2, 3].map(read)); // so that the statements are prepared
  await Promise.all([1, 2, 3].map(read));
  events.length = 0;
  const { write } = Socket.prototype;
  try {
    const answers: Promise<void>[] = [];
    await new Promise<void>((resolve) => {
      Socket.prototype.write = function (this: Socket, ...words: unknown[]): boolean {
        events.push("sent");
        resolve();
        return Reflect.apply(write, this, words);
      };
      answers.push(...[1, 2].map(read));
    });
    answers.push(...[3, 4].map(read));
    await Promise.all(answers);
  } finally {
    Socket.prototype.write = write;
  }
  assert.equal(events, ["sent", "sent", ...Array(4).fill("answered")]);
});

test("keeps one plan for a statement, however few it serves at first", async () => {
  const { client: session, close } = openPostgres(url, { connections: 1, timeLimit: 10 });
  const create = createStatement(foo, session);
  const metrics = createMetrics(session, 1, { underWay: 0, seated: 0, refused: 0 });
  const find = finder(foo, { sql: session, metrics } as ServiceOfVerbs);
  for (let time = 1; time <= 7; time++) {
    const row = { name: `Planned ${time}`, bar: 1 };
    const [outcome] = await create([row]);
    await create([row, row]);
    await find(outcome!.id!);
  }
  const plans = await session`
    select
      custom_plans::int as custom,
      generic_plans::int as generic
    from pg_prepared_statements
    where cardinality(parameter_types) > 0`;
  // Postgres plans five times before it trusts one plan.
  assert.equal([...plans], Array(3).fill({ custom: 5, generic: 2 }));
  await close();
});

test.run();
