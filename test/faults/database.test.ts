// Faults of a database at DATABASE_URL, each while clients send requests all the time.
// Needs: Deno, time
import { createServer } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "../port.ts";
import {
  ask,
  endAll,
  type Environment,
  relata,
  type Reply,
  sentence,
  serve,
  type Server,
  until,
} from "../program.ts";
import { freshPostgres, serviceOn } from "../service.ts";
import { gateTo } from "./gate.ts";
import { assertSound, how, type Load, load, passes, recovered, seed, soak } from "./load.ts";
import { blocked, inTransaction } from "../transaction.ts";

const test = suite("a database that fails");

/** How often what happens at random moments is done. */
const ROUNDS = soak ? 200 : 5;

let database: Awaited<ReturnType<typeof freshPostgres>>;
let sql: postgres.Sql;

test.before.each(async () => {
  database = await freshPostgres();
  sql = database.sql;
  await seed(sql);
});

test.after.each(async () => {
  await endAll();
  await database.stop();
});

const start = (environment: Environment = {}) =>
  serve({ DATABASE_URL: database.url, ...environment }, how);

/** Eight times a name. */
const names = (name: string) => Array<string>(8).fill(name);

/** Lets clients ask a server while something is done; what they were answered is sound. */
async function underLoad(
  server: Server,
  fault: (clients: Load) => Promise<void>,
): Promise<Load["history"]> {
  const clients = load(server);
  await passes(clients, 200);
  await fault(clients);
  await passes(clients, 200);
  const history = await clients.stop();
  await assertSound(history, server, sql);
  return history;
}

/** Ends the sessions of the server that a condition is true of; returns how many. */
async function terminate(condition = "true"): Promise<number> {
  const ended = await sql.unsafe(`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where datname = current_database()
      and pid <> pg_backend_pid()
      and application_name = 'relata'
      and ${condition}`);
  return ended.length;
}

/** Holds what a statement locks, while something is done. */
async function holding<Result>(statement: string, action: () => Promise<Result>): Promise<Result> {
  return await inTransaction(sql, async (transaction) => {
    await transaction.unsafe(statement);
    return await action();
  });
}

/** Makes the writes of rows that are named so slower than any server waits. */
async function slow(table: string): Promise<void> {
  await sql.unsafe(`
    create function slow() returns trigger language plpgsql as
      'begin perform pg_sleep(60); return new; end';
    create trigger slow before insert or update on ${table} for each row
      when (new.name like 'Slow%') execute function slow()`);
}

/** The sessions in which a write is slow. */
const SLOW = "wait_event = 'PgSleep'";

/** Waits until so many writes are slow. */
function areSlow(writes: number): Promise<void> {
  return until(`${writes} writes are slow`, async () => {
    const sessions = await sql.unsafe(`
      select
      from pg_stat_activity
      where datname = current_database()
        and ${SLOW}`);
    return sessions.length === writes;
  });
}

/** One of the figures that a server has of itself. */
async function figure({ url }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(text.split(`\n${name} `)[1]?.split("\n")[0]);
}

/** Waits until so many requests wait for the database. */
function allAreThere(server: Server, requests: number): Promise<void> {
  return until(
    "all are there",
    async () => await figure(server, "relata_database_requests") === requests,
  );
}

/** How many creates were sent, counted by the statements for them. */
function sent(server: Server, resource: string): Promise<number> {
  return figure(server, `relata_batch_size_sum{statement="create ${resource}"}`);
}

function unavailable({ status, headers }: Reply, what?: string): void {
  assert.is(status, 503, what);
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
}

// Sessions that end

test("ends every session, again and again: reads succeed, creates happen once", async () => {
  const server = await start();
  const history = await underLoad(server, async (clients) => {
    for (let round = 0; round < ROUNDS; round++) {
      assert.ok(await terminate("pid <> pg_backend_pid()") > 0);
      await passes(clients, 50);
    }
  });
  const refused = history.filter(({ status, request }) =>
    status === 503 && request.startsWith("GET")
  );
  assert.equal(refused, []);
});

test("ends the session of a batch: none of its rows is created, and none is sent again", async () => {
  const server = await start({ POOL_SIZE: "3", TIME_LIMIT: "60" });
  const create = (name: string) => ask(server.url, "POST /api/bars/", { name });
  await slow("bar");
  const before = [create("Slow 0")];
  await areSlow(1);
  before.push(create("Slow 1"));
  await areSlow(2);
  const batch = Array.from({ length: 32 }, (_, n) => create(`Slow ${2 + n}`));
  await allAreThere(server, 34);
  await terminate(SLOW);
  for (const reply of await Promise.all(before)) unavailable(reply);
  let isOver = false;
  const replies = Promise.all(batch).finally(() => isOver = true);
  await until("the batch has ended", async () => (await terminate(SLOW), isOver));
  for (const reply of await replies) unavailable(reply);
  assert.is(await sent(server, "bar"), 34);
  assert.equal([...await sql`select from bar where name like 'Slow %'`], []);
  await recovered(server);
});

test("ends busy sessions: the statements after them are not affected", async () => {
  const server = await start({ TIME_LIMIT: "60" });
  const write = (n: number, name: string) => ask(server.url, `PATCH /api/bars/${n}/`, { name });
  await slow("bar");
  const running = [1, 2, 3].map((n) => write(n, "Slow"));
  await areSlow(3);
  await terminate(SLOW);
  for (const reply of await Promise.all(running)) unavailable(reply);
  const later = await Promise.all([1, 2, 3, 4].map((n) => write(n, "Cut")));
  assert.equal(later.map(({ status }) => status), [200, 200, 200, 200]);
});

test("ends the session of a migration: it says so in one sentence", async () => {
  const ended = await holding("lock table relata_migration in share mode", async () => {
    const migration = relata(["migrate", "down"], { DATABASE_URL: database.url });
    await until("it waits", async () => await terminate("wait_event_type = 'Lock'") > 0);
    return await migration;
  });
  sentence(ended, [1]);
  assert.is(
    (await relata(["migrate", "up"], { DATABASE_URL: database.url })).stdout,
    "Nothing to do\n",
  );
});

// Sessions that wait

test("locks a table: its requests get 503, the others are served", async () => {
  const server = await start({ TIME_LIMIT: "4" });
  await holding("lock table foo in access exclusive mode", async () => {
    const requests = [
      () => ask(server.url, "GET /api/foos/1/"),
      () => ask(server.url, "POST /api/foos/", { name: "Foo", bar: 1 }),
    ];
    const stuck = Promise.all(requests.flatMap((send) => Array.from({ length: 20 }, send)));
    await until("statements wait", async () => await blocked(sql) > 1);
    for (let n = 1; n <= 20; n++) {
      assert.is((await ask(server.url, `GET /api/bars/${n}/`)).status, 200);
      assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 201);
    }
    for (const reply of await stuck) unavailable(reply);
  });
  await recovered(server);
  assert.is(server.stderr(), "");
});

test("locks a row: changes get 503, reads are served", async () => {
  const server = await start({ TIME_LIMIT: "4", POOL_SIZE: "4" });
  await holding("update bar set name = name where id = 1", async () => {
    const change = () => ask(server.url, "PATCH /api/bars/1/", { name: "Bar 1" });
    const changes = Promise.all(Array.from({ length: 32 }, change));
    await until("changes wait", async () => await blocked(sql) > 0);
    const reads = Array.from(
      { length: 32 },
      (_, n) => ask(server.url, n % 2 === 0 ? `GET /api/bars/${1 + n % 20}/` : "GET /api/foos/"),
    );
    for (const { status } of await Promise.all(reads)) assert.is(status, 200);
    for (const reply of await changes) unavailable(reply);
  });
  await recovered(server);
});

for (
  const [lock, locked] of Object.entries({
    "select from bar where id = 1 for update": [1],
    "select from bar where id % 2 = 0 for update": [2, 4, 6, 8, 10, 12, 14, 16, 18, 20],
  })
) {
  test(`locks rows that some creates refer to (${lock}): the others in their batch succeed`, async () => {
    const server = await start({ TIME_LIMIT: "6", POOL_SIZE: "3" });
    const names = Array.from({ length: 20 }, (_, n) => `Foo of bar ${1 + n}`);
    const create = (bar: number, name: string) => ask(server.url, "POST /api/foos/", { name, bar });
    const replies = await holding(lock, async () => {
      const before = ["First", "Second"].map((name) => create(locked[0]!, name));
      await until("statements wait", async () => await blocked(sql) > 0);
      const replies = Promise.all(names.map((name, n) => create(1 + n, name)));
      for (const reply of await Promise.all(before)) unavailable(reply);
      return await replies;
    });
    assert.is(await sent(server, "foo"), 22, "The others were sent once");
    const made = replies.flatMap((reply, n) => {
      if (!locked.includes(1 + n)) return [[reply.status, reply.body.name]];
      unavailable(reply);
      return [];
    });
    const expected = names.filter((_, n) => !locked.includes(1 + n));
    assert.equal(made, expected.map((name) => [201, name]));
    const stored = await sql`select name from foo where id > 20 order by name`;
    assert.equal(stored.map(({ name }) => name), expected.toSorted());
    await recovered(server);
    assert.is(server.stderr(), "");
  });
}

test("locks a row: writes of every kind that do not need it are made", async () => {
  const server = await start({ POOL_SIZE: "4" });
  const { url } = server;
  let keys = 0;
  const writes = (bar: number) => [
    () => ask(url, `PATCH /api/bars/${bar}/`, { name: "Changed" }),
    () => ask(url, "POST /api/foos/", { name: "Foo", bar }),
    () => ask(url, "POST /api/foos/batch/", [{ name: "Foo", bar }]),
    () => ask(url, "POST /api/foos/", { name: "Foo", bar }, { "Idempotency-Key": `${keys++}` }),
  ];
  const send = (bar: number, times = 1) =>
    Promise.all(writes(bar).flatMap((write) => Array.from({ length: times }, write)));
  await holding("select from bar where id = 1 for update", async () => {
    const others = async () => {
      await until("writes wait", async () => await blocked(sql) > 0);
      for (let bar = 2; bar <= 12; bar++) {
        const made = await send(bar);
        assert.equal(made.map(({ status }) => status), [200, 201, 201, 201]);
      }
    };
    const [waiting] = await Promise.all([send(1, 2), others()]);
    for (const reply of waiting) unavailable(reply);
  });
  await recovered(server);
});

test("locks a row: a trigger that catches errors waits for it all the same", async () => {
  await sql.unsafe(`
    create table counted (number int not null);
    insert into counted values (0);
    create function count_bars() returns trigger language plpgsql as $$
      begin
        if new.name = 'Refused' then
          raise 'No';
        end if;
        begin
          update counted set number = number + 1;
        exception when others then
          return new;
        end;
        return new;
      end $$;
    create trigger count_bars before insert or update on bar for each row execute function count_bars()`);
  const server = await start({ POOL_SIZE: "3" });
  const { url } = server;
  const change = (name: string, n: number) => ask(url, `PATCH /api/bars/${1 + n}/`, { name });
  const create = (name: string) => ask(url, "POST /api/bars/", { name });
  // More creates than there is room for, so that they share statements
  const counted = [...names("Counted"), ...names("Counted")];
  const writes: Record<string, () => Promise<Reply>[]> = {
    changes: () => names("Counted").map(change),
    creates: () => counted.map(create),
    "creates of which some are refused": () =>
      counted.flatMap((name) => ["Refused", name]).map(create),
  };
  for (const [kind, send] of Object.entries(writes)) {
    await sql`update counted set number = 0`;
    const { waiting } = await holding("select from counted for update", async () => {
      const waiting = Promise.all(send());
      await until(`${kind} wait`, async () => await blocked(sql) > 0);
      const made = await ask(url, "POST /api/foos/", { name: "Foo", bar: 20 });
      assert.is(made.status, 201, "They leave sessions to others");
      await delay(500); // a wait that is cut short would be over
      return { waiting };
    });
    const statuses = (await waiting).map(({ status }) => status);
    const made = statuses.filter((status) => status < 300).length;
    assert.is(made, kind === "changes" ? 8 : 16, kind);
    assert.equal([...await sql`select number from counted`], [{ number: made }], kind);
  }
});

test("has all of its connections waiting: requests that wait for one get 503", async () => {
  const server = await start({ POOL_SIZE: "1", TIME_LIMIT: "4" });
  await holding("lock table bar in access exclusive mode", async () => {
    const replies = [ask(server.url, "GET /api/bars/")];
    await until("the only connection waits", async () => await blocked(sql) === 1);
    for (let n = 0; n < 100; n++) replies.push(ask(server.url, "GET /api/bars/"));
    assert.is((await ask(server.url, "GET /livez")).status, 200);
    for (const reply of await Promise.all(replies)) unavailable(reply);
  });
  await recovered(server);
});

test("takes too long for a statement: it gets 504, the others are served", async () => {
  await slow("foo");
  const server = await start({ TIME_LIMIT: "4" });
  await underLoad(server, async () => {
    const { status } = await ask(server.url, "POST /api/foos/", { name: "Slow", bar: 1 });
    assert.is(status, 504);
  });
  assert.equal([...await sql`select from foo where name = 'Slow'`], []);
});

test("takes too long for one row of many: the others in its statement succeed", async () => {
  await slow("foo");
  // A busy machine may bring them one by one, so that the slow one shares no statement
  for (let round = 1, isShared = false; !isShared; round++) {
    assert.ok(round <= 5, "The others were sent together, then alone");
    const server = await start({ TIME_LIMIT: "8", POOL_SIZE: "3" });
    const create = (name: string) => ask(server.url, "POST /api/foos/", { name, bar: 1 });
    const before = [create("Slow 0")];
    await areSlow(1);
    before.push(create("Slow 1"));
    await areSlow(2);
    // The first waits for what a row of foo refers to, so that the others share a statement
    const { others } = await holding("select from bar where id = 1 for update", async () => {
      const others = [...names("Foo"), "Slow", ...names("Foo")].map(create);
      await allAreThere(server, 19);
      return { others };
    });
    await terminate(SLOW);
    for (const reply of await Promise.all(before)) unavailable(reply);
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    assert.equal(statuses, [...Array(8).fill(201), 504, ...Array(8).fill(201)]);
    isShared = await sent(server, "foo") > 19;
    await server.kill("SIGTERM");
  }
});

// Statements that Postgres gives up

/** Has the creation of a colere refused as often as its name says, less one. */
async function refusing(code: string): Promise<void> {
  await sql.unsafe(`
    create sequence attempt;
    create function give_up() returns trigger language plpgsql as $$
      begin
        if nextval('attempt') < new.name::integer then
          raise 'Given up' using errcode = '${code}', table = tg_table_name;
        end if;
        return new;
      end $$;
    create trigger give_up before insert on colere for each row execute function give_up()`);
}

for (
  const [title, codes, most, status, logged] of [
    ["gives a statement up", ["40001", "40P01"], 4, 503, /^$/],
    [
      "no longer has the row that a row refers to",
      ["23503"],
      2,
      422,
      /^$/,
    ],
  ] as const
) {
  for (const code of codes) {
    test(`${title} with ${code}: it runs ${most} times at most`, async () => {
      await refusing(code);
      const server = await start();
      for (const attempts of [1, 2, most, most + 1]) {
        await sql`alter sequence attempt restart`;
        const reply = await ask(server.url, "POST /colere/", { name: String(attempts) });
        assert.is(reply.status, attempts > most ? status : 201, `It takes ${attempts} attempts`);
        const [{ tried } = {}] = await sql`select last_value::int as tried from attempt`;
        assert.is(tried, Math.min(attempts, most));
        const lines = attempts > most ? logged : /^$/;
        await until("it is in the log, or nothing is", () => lines.test(server.stderr()));
      }
      const rows = await sql`select name from colere where name <> '' order by id`;
      assert.equal(rows.map(({ name }) => name), ["1", "2", String(most)]);
    });
  }
}

test("leaves a deadlock, for the other one goes on: the change succeeds in the end", async () => {
  const server = await start({ TIME_LIMIT: "60" });
  let change: Promise<Reply>;
  await inTransaction(sql, async (transaction) => {
    await transaction`set local deadlock_timeout = '1h'`; // it would wait for as long
    await transaction`select from bar where id = 2 for update`;
    change = ask(server.url, "PATCH /api/foos/1/", { bar: 2 });
    await until("the change waits for bar 2", async () => await blocked(sql) === 1);
    await transaction`update foo set name = 'Other' where id = 1`;
  });
  const { status, body } = await change!;
  assert.equal([status, body.name, body.bar.id], [200, "Other", 2]);
});

test("has its disk full: creates get 503, once each, and reads are served", async () => {
  // A trigger says what a full disk says, for nobody may fill that of the machine.
  await sql.unsafe(`
    create sequence attempt;
    create function full_disk() returns trigger language plpgsql as $$
      begin
        perform nextval('attempt');
        raise 'could not extend file' using errcode = '53100';
      end $$;
    create trigger full_disk before insert on foo for each statement execute function full_disk()`);
  const server = await start({ LOG_LEVEL: "silent" }); // what needs an operator is an error
  const history = await underLoad(server, async () => {
    const create = () => ask(server.url, "POST /api/foos/", { name: "Foo", bar: 1 });
    for (const reply of await Promise.all(Array.from({ length: 64 }, create))) unavailable(reply);
  });
  assert.ok(history.every(({ status }) => status < 300));
  const [{ tried } = {}] = await sql`select last_value::int as tried from attempt`;
  assert.ok(tried < 64, `A batch is not sent in parts: ${tried} statements`);
  await sql`drop trigger full_disk on foo`;
  await recovered(server);
});

// Connections that fail

test("starts without its database, and answers when it comes, goes and comes again", async () => {
  const gate = await gateTo(database.url);
  const server = await start({ DATABASE_URL: gate.url, LOG_LEVEL: "silent" });
  for (const _ of ["once", "again"]) {
    await assertAway(server, new URL(gate.url));
    await gate.open();
    await recovered(server);
    await gate.close();
  }
  await assertAway(server, new URL(gate.url));
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("cannot even be asked for a connection: that is 503, and the server keeps running", async () => {
  // TCP has no route to the address of everybody, which shows at once
  const url = "postgres://somebody:secret@255.255.255.255:5432/nowhere";
  const server = await start({ DATABASE_URL: url, LOG_LEVEL: "silent" });
  await assertAway(server, new URL(url));
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("accepts connections and never answers: that is 503, not 504, and comes early", async () => {
  const silent = createServer((socket) => socket.resume().unref()).unref();
  const port = await freePort();
  await new Promise<void>((resolve) => silent.listen(port, "127.0.0.1", resolve));
  const url = `postgres://somebody:secret@127.0.0.1:${port}/silent`;
  const server = await start({ DATABASE_URL: url, TIME_LIMIT: "2", LOG_LEVEL: "silent" });
  await assertAway(server, new URL(url));
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("falls silent on open connections: they are given up, within the time limit", async () => {
  const gate = await gateTo(database.url);
  await gate.open();
  const server = await start({ DATABASE_URL: gate.url, TIME_LIMIT: "8" });
  await underLoad(server, async (clients) => {
    const before = gate.taken();
    gate.silence();
    await until("others are opened", () => gate.taken() > before);
    await passes(clients, 200);
    const asked = clients.history.length;
    gate.silence("all");
    await until(
      "requests are refused at once",
      () => clients.history.slice(asked).filter(({ status }) => status === 503).length > 100,
    );
    await gate.open();
    await recovered(server);
  });
  await gate.close();
});

test("is cut off at each message: no answer is wrong, nothing is created twice or said to have failed", async () => {
  const gate = await gateTo(database.url);
  await gate.open();
  const server = await start({ DATABASE_URL: gate.url, POOL_SIZE: "2" });
  const history = await underLoad(server, async (clients) => {
    for (let messages = 0; messages < 60; messages += soak ? 1 : 4) {
      const before = gate.taken();
      gate.cutAfter(messages);
      await until("a connection is cut", () => gate.taken() > before);
      await passes(clients, 10);
    }
    gate.cutAfter(Infinity);
    await recovered(server);
  });
  await gate.close();
  // What was carried out is never said to have failed
  const made = new Set((await sql`select name from bar`).map(({ name }) => name));
  const unknown = "Nobody knows whether the database carried this out";
  const wrong = history.filter(({ status, name, body }) =>
    status === 503 && made.has(name) && body.detail !== unknown
  );
  assert.equal(wrong, []);
});

test("answers in pieces of a byte: no answer is wrong", async () => {
  const gate = await gateTo(database.url);
  gate.crumble();
  await gate.open();
  const server = await start({ DATABASE_URL: gate.url });
  const history = await underLoad(server, async () => {});
  assert.ok(history.every(({ status }) => status < 300));
  await gate.close();
});

test("allows fewer connections than the pool wants: the pool works with those", async () => {
  const role = `limited_${process.pid}_${Date.now()}`;
  await sql.unsafe(`
    create role ${role} login password 'secret' connection limit 2;
    grant select, insert, update, delete on all tables in schema public to ${role};
    grant usage, select, update on all sequences in schema public to ${role}`);
  const url = Object.assign(new URL(database.url), { username: role, password: "secret" });
  const server = await start({ DATABASE_URL: url.href, POOL_SIZE: "4" });
  const history = await underLoad(server, async () => {
    await until("a connection was refused", async () => {
      const rows = await sql`select from pg_stat_activity where usename = ${role}`;
      return rows.length === 2;
    });
  });
  assert.ok(history.every(({ status }) => status < 300));
  await endAll();
  await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
});

async function assertAway(server: Server, { port, password }: URL): Promise<void> {
  assert.is((await ask(server.url, "GET /livez")).status, 200);
  await until("it is not ready", async () => (await ask(server.url, "GET /readyz")).status === 503);
  for (
    const [request, body] of [
      ["GET /readyz"],
      ["GET /colere/"],
      ["GET /api/bars/"],
      ["POST /api/bars/", { name: "Bar" }],
      ["POST /api/foos/", { bar: 1 }],
    ] as const
  ) {
    const reply = await ask(server.url, request, body);
    unavailable(reply, request);
    assert.not.match(JSON.stringify(reply.body), new RegExp(`${port}|${password}|Error|at /`));
  }
}

test("gives a column another type: every client gets its own answer", async () => {
  const { send } = serviceOn(database);
  const { body: { items: bars } } = await send("GET /api/bars/?q=Bar");
  let isOver = false;
  const turns = Array(8).fill(0);
  async function ask(_: unknown, place: number): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const bar = bars[turn % bars.length];
      const [read, listed, made] = await Promise.all([
        send(`GET /api/bars/${bar.id}/`),
        send(`GET /api/bars/?name=${encodeURIComponent(bar.name)}`),
        send("POST /api/bars/", { name: `Made ${turn}` }),
      ]);
      assert.equal([read.status, read.body], [200, bar]);
      assert.equal([listed.status, listed.body.items], [200, [bar]]);
      assert.equal([made.status, made.body.name], [201, `Made ${turn}`]);
      turns[place]++;
    }
  }
  async function change(): Promise<void> {
    for (let turn = 0; turn < ROUNDS; turn++) {
      for (const type of ["character varying(64)", "text"]) {
        await sql.unsafe(`alter table bar alter name type ${type}`);
        // Nobody is to meet one change after the other, more often than a statement runs again
        const now = [...turns];
        await until(
          "all were answered since",
          () => turns.every((turn, place) => turn > now[place] + 1),
        );
      }
    }
  }
  const clients = turns.map(ask);
  await Promise.all([change().finally(() => isOver = true), ...clients]);
});

test.run();
