// The sessions of the server on a real Postgres: their settings, how they run statements, and what happens
// to one that does not answer.
// Needs: Deno
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ClientOptions, type Opened, openPostgres, SHARES, statements } from "./house.ts";
import { gateTo } from "./faults/gate.ts";
import { freePort } from "./port.ts";
import { afterwards, endAll, relata, until } from "./program.ts";
import { type Role, serverRole } from "./roles.ts";
import { freshPostgres } from "./service.ts";

const test = suite("session");

const { reads, slot, sql, writes } = statements;

let database: Awaited<ReturnType<typeof freshPostgres>>;
let role: Role;
test.before(async () => {
  database = await freshPostgres();
  role = await serverRole(database);
});
test.after.each(endAll);
test.after(async () => {
  await role.stop();
  await database.stop();
});

/** A client of one session, closed when the test has ended. */
function open(options: Partial<ClientOptions> = {}, url = database.url): Opened["client"] {
  const opened = openPostgres(url, { sessions: 1, timeLimit: 10, ...options });
  afterwards(opened.close);
  return opened.client;
}

// What a session is told

const setting = reads<{ name: string }, { value: string }>(
  "look at a setting",
  sql`select current_setting(${slot("name", "text")}) as value`,
);

/** From what a role has to what a session of the server has instead, and one through a pooler. */
const settings: [name: string, ofRole: string, own: string, pooled: string][] = [
  ["TimeZone", "Asia/Tokyo", "UTC", "UTC"],
  ["DateStyle", "SQL, DMY", "ISO, MDY", "ISO, MDY"],
  ["standard_conforming_strings", "off", "on", "on"],
  ["application_name", "other", "relata", "relata"],
  ["IntervalStyle", "iso_8601", "postgres", "iso_8601"],
  ["bytea_output", "escape", "hex", "escape"],
  ["extra_float_digits", "-3", "1", "-3"],
  ["default_transaction_isolation", "serializable", "read committed", "serializable"],
  ["transform_null_equals", "on", "off", "on"],
  ["quote_all_identifiers", "on", "off", "on"],
  ["jit", "on", "off", "on"],
];

for (const [name, ofRole, own, pooled] of settings) {
  test(`has "${name}" of its own, though the role has "${ofRole}"`, async () => {
    await database.sql.unsafe(`alter role ${role.name} set ${name} = '${ofRole}'`);
    afterwards(() => database.sql.unsafe(`alter role ${role.name} reset ${name}`));
    const valueOf = async (options: Partial<ClientOptions>) =>
      (await open(options, role.url).run(setting, { name }))[0]!.value;
    assert.is(await valueOf({}), own);
    const [{ setting: real } = {}] = await database.sql`
      select split_part(setting, '=', 2) as setting
      from pg_db_role_setting
      cross join unnest(setconfig) as setting
      where setrole = ${role.name}::regrole and lower(setting) like ${`${name.toLowerCase()}=%`}`;
    assert.is(String(real).replaceAll('"', ""), ofRole, "The role has it");
    assert.is(await valueOf({ ownsSessions: false }), pooled, "A pooler passes some settings on");
  });
}

test("tokens are listed with the right times, whatever DateStyle the role has", async () => {
  await database.sql`
    insert into relata_token (sha256, scopes, created_at, expires_at)
    values (repeat('0', 64), '{read}', '2026-02-01 03:04:05+00', '2027-03-04 05:06:07+00')`;
  for (const style of ["SQL, DMY", "German", "Postgres, DMY"]) {
    await database.sql.unsafe(`alter role ${role.name} set DateStyle = '${style}'`);
    await database.sql.unsafe(`alter role ${role.name} set TimeZone = 'Asia/Tokyo'`);
    const { stdout, stderr } = await relata(["token", "list"], { DATABASE_URL: role.url });
    assert.is(stderr, "");
    assert.match(stdout, "2026-02-01T03:04:05.000Z");
    assert.match(stdout, "2027-03-04T05:06:07.000Z");
  }
  await database.sql.unsafe(`alter role ${role.name} reset all`);
});

test("has Postgres cancel statements and lock waits in time, if requests wait for them", async () => {
  const client = open({ timeLimit: 20 });
  const shares = { lock_timeout: SHARES.lock, statement_timeout: SHARES.statement };
  for (const [name, share] of Object.entries(shares)) {
    const [row] = await client.run(setting, { name });
    assert.is(row!.value, `${20 * share}s`);
    for (const options of [{ ownsSessions: false }, { timeLimit: undefined }] as object[]) {
      const [other] = await open(options).run(setting, { name });
      assert.is(
        other!.value,
        "0",
        "A pooler would hand it on to others; a migration takes its time",
      );
    }
  }
});

test("passes on the notices of Postgres", async () => {
  const notices: string[] = [];
  const client = open({ onNotice: (message) => notices.push(message) });
  await client.script("do $$ begin raise notice 'One'; raise warning 'Two'; end $$");
  assert.equal(notices, ["NOTICE: One", "WARNING: Two"]);
});

// How statements travel

test("sends values unchanged, and returns identifiers as numbers", async () => {
  const echo = reads<Record<string, statements.Value>, object>(
    "echo",
    sql`
      select
        ${slot("id", "bigint")} as id,
        ${slot("text", "text")} as text,
        ${slot("is", "boolean")} as is,
        ${slot("none", "text")} as none,
        array_length(${slot("ids", "bigint[]")}, 1) as count,
        (${slot("ids", "bigint[]")})[2] as second,
        ${"constant"} as constant`,
  );
  const values = { id: 2 ** 53 - 1, text: 'it\'s \\ "ü"\n{1,2}', is: false, none: null };
  const [row] = await open().run(echo, { ...values, ids: [7, 2 ** 53 - 1, 9] });
  assert.equal({ ...row }, { ...values, count: 3, second: 2 ** 53 - 1, constant: "constant" });
  const [empty] = await open().run(echo, { ...values, ids: [] });
  assert.equal({ ...empty }, { ...values, count: null, second: null, constant: "constant" });
});

const kept = reads<{ text: string }, { count: number; runs: number }>(
  "look at what is prepared",
  sql`
    select
      count(*) as count,
      coalesce(sum(generic_plans + custom_plans), 0)::int as runs
    from pg_prepared_statements
    where statement = ${slot("text", "text")}`,
);

/** Statements of each kind, with values for them. */
const kinds = {
  "a read": [reads("read", sql`select ${slot("id", "bigint")} as it`), { id: 1 }],
  "a read of a constant": [reads("read", sql`select ${1}::integer as it`), {}],
  "a write": [
    writes("write", sql`update bar set name = '' where id = ${slot("id", "bigint")}`),
    { id: 1 },
  ],
} as const;

for (const [kind, [statement, values]] of Object.entries(kinds)) {
  test(`prepares ${kind} once in a session`, async () => {
    const client = open();
    for (let time = 1; time <= 3; time++) {
      await client.run(statement, values);
      assert.equal(
        (await client.run(kept, { text: statement.text })).map((row) => ({ ...row })),
        [{ count: 1, runs: time }],
      );
    }
  });

  test(`never prepares ${kind} if sessions are shared with others, as behind a pooler`, async () => {
    const client = open({ ownsSessions: false });
    for (let time = 1; time <= 3; time++) await client.run(statement, values);
    const [{ prepared } = {}] = await client.run(
      reads<object, { prepared: number }>(
        "count what is prepared",
        sql`select count(*) as prepared from pg_prepared_statements where name <> ''`,
      ),
      {},
    );
    assert.is(prepared, 0);
  });
}

test("runs again what a session has prepared when a type has changed, and mixes up no answers", async () => {
  const client = open();
  const lookup = reads<{ n: number }, { it: unknown; n: number }>(
    "look up",
    sql`select it, ${slot("n", "integer")} as n from changing`,
  );
  const write = writes<{ n: number }, { it: unknown; n: number }>(
    "write",
    sql`insert into changing (it) values (null) returning it, ${slot("n", "integer")} as n`,
  );
  await database.sql`create table changing (it integer)`;
  await database.sql`insert into changing (it) values (1)`;
  afterwards(() => database.sql`drop table changing`);
  const lookUp = async (n: number) => ({ ...(await client.run(lookup, { n }))[0] });
  assert.equal(await lookUp(0), { it: 1, n: 0 });
  await client.run(write, { n: 0 });
  await database.sql`alter table changing alter column it type text`;
  assert.equal(await Promise.all([1, 2, 3].map(lookUp)), [1, 2, 3].map((n) => ({ it: "1", n })));
  await database.sql`alter table changing alter column it type integer using it::integer`;
  assert.equal({ ...(await client.run(write, { n: 4 }))[0] }, { it: null, n: 4 });
  assert.is((await client.run(lookup, { n: 5 })).length, 3, "It has written once each time");
});

test("has Postgres plan each run for its own values if a statement asks for that", async () => {
  const client = open();
  const of = sql`select id from bar where name = ${slot("name", "text")}`;
  const [usual, planned] = [reads("usual", of), reads("planned", of, { replans: true })];
  for (let time = 0; time < 10; time++) await client.run(planned, { name: "x" });
  assert.is((await client.run(kept, { text: of.texts.join("$1::text") }))[0]!.count, 0);
  await client.run(usual, { name: "x" });
  assert.is((await client.run(kept, { text: usual.text }))[0]!.count, 1);
});

// Statements that fail, and sessions that do not answer

/** Fails when it has given most of its rows. */
const midway = reads<object, object>(
  "fail midway",
  sql`select 1 / (900 - i) as it, repeat('x', 100) from generate_series(1, 1000) as i`,
);

const pid = reads<object, { pid: number }>("ask who it is", sql`select pg_backend_pid() as pid`);

const three = reads<object, { i: number }>(
  "read three",
  sql`select i from generate_series(1, 3) as i`,
);

for (
  const [what, options] of [
    ["that it plans in each run", { replans: true }],
    ["that it has not prepared yet", {}],
  ] as const
) {
  test(`needs one answer of Postgres for a statement ${what}`, async () => {
    const { url, said } = await overheard();
    const client = open({}, url);
    await client.run(setting, { name: "TimeZone" });
    said.length = 0;
    const sum = reads<{ one: number }, { two: number }>(
      "add",
      sql`select ${slot("one", "integer")} + 1 as two`,
      options,
    );
    assert.equal(await client.run(sum, { one: 1 }), [{ two: 2 }]);
    const turns = said.filter((who, index) => who !== said[index - 1]);
    assert.equal(turns, ["client", "Postgres"]);
  });
}

/** The address of the database through a port, and who has said something there, in turn. */
async function overheard() {
  const { hostname, port } = new URL(database.url);
  const said: ("client" | "Postgres")[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.on("error", () => {}).on("close", () => other.destroy()).on("data", (data) => {
        said.push(one === near ? "client" : "Postgres");
        other.write(data);
      });
    }
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve));
  afterwards(() => server.close());
  return { url: Object.assign(new URL(database.url), { port: own }).href, said };
}

test("returns the rows of a statement and no others after one that failed midway", async () => {
  const client = open();
  for (let time = 0; time < 3; time++) {
    const error = await client.run(midway, {}).catch((error) => error);
    assert.is(error.code, "22012");
    const rows = await client.run(three, {});
    assert.is(rows.length, 3);
    assert.equal(rows.map((row) => row?.i), [1, 2, 3]);
  }
});

// Transactions

const insert = writes<{ name: string }, object>(
  "insert",
  sql`insert into bar (name) values (${slot("name", "text")})`,
);
const divide = writes<object, object>("divide", sql`select 1 / 0`);

/** What a transaction does after it has written a row, how it ends, and whether the row stays. */
const ends: [title: string, then: (run: Opened["client"]["run"]) => unknown, code: unknown][] = [
  ["that ends well", () => "well", undefined],
  ["whose work throws", () => Promise.reject({ code: "ours" }), "ours"],
  ["with a statement that fails", (run) => run(divide, {}), "22012"],
  [
    "whose work goes on after such a statement",
    (run) => run(divide, {}).catch(() => "well"),
    "22012",
  ],
];

for (const [title, then, code] of ends) {
  test(`keeps all or nothing of a transaction ${title}, and its session`, async () => {
    const client = open();
    const [before] = await client.run(pid, {});
    const ended = client.transaction(insert, async (run) => {
      const [made] = await Promise.all([run(insert, { name: title }), run(three, {})]);
      assert.equal(made, []);
      return await then(run);
    });
    assert.is(await ended.catch((error) => error.code), code ?? "well");
    const kept = await database.sql`select from bar where name = ${title}`;
    assert.is(kept.length, code === undefined ? 1 : 0);
    assert.equal(await client.run(pid, {}), [before]);
  });
}

test("answers each transaction whose session ends under it, and has sessions for others", async () => {
  const client = open({ sessions: 3 });
  for (let time = 0; time < 6; time++) {
    const [one] = await client.run(pid, {});
    await database.sql`select pg_terminate_backend(${one!.pid})`;
    const outcome = client.transaction(insert, async (run) => {
      await run(insert, { name: "Ended" });
      return await run(insert, { name: "Ended" });
    }).then(() => "done", ({ code }) => code);
    const known = ["done", "08007", "57P01", "CONNECTION_ENDED"];
    assert.ok(known.includes(await Promise.race([outcome, delay(5000, "nothing")])));
  }
  assert.equal(await client.run(insert, { name: "After" }), []);
});

test("keeps nothing of a transaction that is cut off before its end, and tells that this is not known", async () => {
  const gate = await gateTo(database.url);
  await gate.open();
  afterwards(gate.close);
  const client = open({ timeLimit: 2 }, gate.url);
  const error = await client.transaction(insert, async (run) => {
    await run(insert, { name: "Cut off" });
    gate.silence();
    return await run(three, {});
  }).catch((error) => error);
  assert.is(error.code, "08007");
  assert.is((await database.sql`select from bar where name = 'Cut off'`).length, 0);
});

test("sends a quick read behind the same one, and each gets its own rows or error", async () => {
  const client = open({ sessions: 2 });
  const short = reads<object, object>("sleep shortly", sql`select pg_sleep(0.2)`);
  await Promise.all([client.run(short, {}), client.run(short, {})]); // both sessions are open
  const lookup = reads<{ bad: number }, { i: number; pid: number }>(
    "look up",
    sql`
      select
        i,
        pg_backend_pid() as pid,
        1 / (${slot("bad", "integer")} - i) as it
      from generate_series(1, 1000) as i`,
  );
  const both = async (...bad: number[]) => {
    const outcomes = await Promise.allSettled(bad.map((bad) => client.run(lookup, { bad })));
    return outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value : outcome.reason.code
    );
  };
  await until("one goes behind the other", async () => {
    const [one, other] = await both(0, 0);
    return one[0].pid === other[0].pid;
  });
  for (const bad of [[900, 0], [0, 900], [900, 900], [0, 0], [900, 900], [900, 0]]) {
    (await both(...bad)).forEach((outcome, place) => {
      if (bad[place] === 900) return assert.is(outcome, "22012");
      const numbers = outcome.map(({ i }: { i: number }) => i);
      assert.equal(numbers, [...Array(1000)].map((_, index) => index + 1));
    });
  }
});

const sleep = reads<object, object>("sleep", sql`select pg_sleep(20)`);

test("has Postgres cancel a statement that is not answered in time, says what it waits for, and ends the session", async () => {
  const silences: string[] = [];
  // Postgres itself gives up nothing in time where sessions are shared
  const onSilence = (what: string) => silences.push(what);
  const client = open({ sessions: 2, timeLimit: 8, ownsSessions: false, onSilence });
  const [before] = await client.run(pid, {});
  const error = await client.run(sleep, {}).catch((error) => error);
  assert.is(error.code, "57014");
  await until("it is said", () => silences.length > 0);
  assert.equal(silences, ['"sleep" waits for Timeout PgSleep']);
  await until("its session is gone", async () => {
    const rows = await database.sql`select from pg_stat_activity where pid = ${before!.pid}`;
    return rows.length === 0;
  });
  assert.is((await client.run(three, {})).length, 3);
});

test("opens another session after an hour, also where nothing was asked for meanwhile", async () => {
  const client = open();
  const [first] = await client.run(pid, {});
  assert.equal(await client.run(pid, {}), [first]);
  const { now } = performance;
  performance.now = () => now.call(performance) + 3_600_000;
  afterwards(() => performance.now = now);
  const [second] = await client.run(pid, {});
  assert.is.not(second!.pid, first!.pid);
});

test("keeps its settings when a script has reset all", async () => {
  const client = open();
  await client.script("set jit = on; set TimeZone = 'Asia/Tokyo'; reset all");
  const values = ["jit", "TimeZone"].map(async (name) =>
    (await client.run(setting, { name }))[0]!.value
  );
  assert.equal(await Promise.all(values), ["off", "UTC"]);
});

test("cuts off a session that does not react to that either, in time, and opens another one", async () => {
  const gate = await gateTo(database.url);
  await gate.open();
  afterwards(gate.close);
  const client = open({ timeLimit: 2 }, gate.url);
  await client.run(three, {});
  gate.silence();
  // A read may run again, so this is what it is given by the session after
  assert.is((await client.run(three, {})).length, 3);
  assert.is(gate.taken(), 3, "One for the session, one to cancel, one for the next session");
});

test("never repeats a write that was cut off", async () => {
  const gate = await gateTo(database.url);
  await gate.open();
  afterwards(gate.close);
  const client = open({ timeLimit: 2 }, gate.url);
  await client.run(three, {});
  const insert = writes<object, object>("insert", sql`insert into bar (name) values (${"Once"})`);
  gate.silence();
  const error = await client.run(insert, {}).catch((error) => error);
  assert.is(error.code, "08007");
  assert.match(error.cause.code, /^CONNECTION_/);
  assert.is((await database.sql`select from bar where name = 'Once'`).length, 0);
});

test.run();
