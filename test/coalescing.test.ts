// Shared statements, from outside: many clients at once, over sockets, and each gets the answer to its own
// request.
// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPostgres, statements } from "./house.ts";
import { ask, endAll, type Reply, serve, until } from "./program.ts";
import { freshPostgres, serviceOn } from "./service.ts";
import { inTransaction } from "./transaction.ts";

const test = suite("shared statements, from outside");

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
      expect: failing("rejected", "The database rejected this value"),
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

test("shows each client what it wrote, and no older last bottage", async () => {
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
  const { send } = serviceOn(database);
  const create = (bar: number, place: number) =>
    send("POST /api/foos/", { name: `Placed ${place}`, bar });
  // The first leaves alone, and the others together at the end of its turn
  const [, ...answers] = await Promise.all([1, 1, 999_999, 2, 999_998, 3].map(create));
  assert.equal(answers.map(({ status }) => status), [201, 422, 201, 422, 201]);
  assert.equal(
    answers.map(({ body }) => body.name ?? body.errors[0].detail),
    [
      ...["Placed 1", "No bar has the identifier 999999", "Placed 3"],
      ...["No bar has the identifier 999998", "Placed 5"],
    ],
  );
  const [first, , third, , fifth] = answers.map(({ body }) => body.id);
  assert.ok(first < third && third < fifth);
});

test("keeps one plan for a statement, however few it serves at first", async () => {
  const { client, close } = openPostgres(url, { sessions: 1, timeLimit: 10 });
  const { send } = serviceOn({ client });
  for (let time = 1; time <= 7; time++) {
    const { body: { id } } = await send("POST /api/foos/", { name: `Planned ${time}`, bar: 1 });
    await send(`GET /api/foos/${id}/`);
    await send(`PATCH /api/foos/${id}/`, { name: "Changed" });
    await send(`DELETE /api/foos/${id}/`);
    await send("GET /bottage/last");
    await send("POST /bottage/", { cul: "Said", colere: 1 }, { "idempotency-key": `${time}` });
  }
  const { reads, sql: piece } = statements;
  const plans = await client.run(
    reads<object, { statement: string; takes: number; custom: number; generic: number }>(
      "look at plans",
      piece`
        select
          statement,
          cardinality(parameter_types) as takes,
          custom_plans::int as custom,
          generic_plans::int as generic
        from pg_prepared_statements
        where statement not like '%pg_prepared_statements%'
          and statement not like 'with forgotten %' -- which runs once a minute
          and statement not like '%pg_notify%' -- which tells of several creates at once`,
    ),
    {},
  );
  assert.is(plans.length, 6, "One for each, that with a key included");
  // Postgres plans five times before it trusts one plan, except where it has no parameters to plan for
  const planned = plans.filter(({ takes, custom, generic }) =>
    custom !== (takes > 0 ? 5 : 0) || custom + generic !== 7
  );
  assert.equal(planned.map((row) => ({ ...row })), []);
  await close();
});

test("shares one statement among many requests that come at once, whatever they hold", async () => {
  const { send } = serviceOn(database);
  const before = await batches(send);
  const names = Array.from({ length: 65 }, (_, n) => `Shared ${n}`);
  const made = await Promise.all(names.map((name) => send("POST /api/foos/", { name, bar: 1 })));
  assert.equal(made.map(({ body }) => body.name), names);
  const read = await Promise.all(made.map(({ body }) => send(`GET /api/foos/${body.id}/`)));
  assert.equal(read.map(({ body }) => body.name), names);
  const after = await batches(send);
  assert.is(after("create foo") - before("create foo"), 2);
  assert.is(after("read foo") - before("read foo"), 2);
});

/** Looks how many statements of each name there were. */
async function batches(send: ReturnType<typeof serviceOn>["send"]) {
  const { body } = await send("GET /metrics");
  return (name: string) =>
    Number(
      new RegExp(`relata_batch_size_count\\{statement="${name}"\\} (\\d+)`).exec(body)?.[1] ?? 0,
    );
}

test.run();
