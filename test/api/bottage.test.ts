// Needs: Deno, the embedded database
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPostgres } from "../house.ts";
import {
  failures,
  freshPostgres,
  onEmbedded,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";

const test = suite("bottage");
const testOnPostgres = onEmbedded ? test.skip : test; // the embedded database is always in UTC
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.after(() => relata.stop());

async function addBottage(cul: string): Promise<number> {
  return (await relata.send("POST /bottage/", { cul, colere: 1 })).body.bottage;
}

// The client of the specification

test("serves the client of the specification on a fresh database", async () => {
  const { send, stop } = await startService();
  try {
    assert.is((await send("GET /bottage/last")).status, 404);

    const colere = await send("GET /colere/");
    assert.is(colere.status, 200);
    const created = await send("POST /bottage/", { cul: "C'est dit", colere: colere.body.id });
    assert.is(created.status, 201);
    const last = await send("GET /bottage/last");
    assert.is(last.status, 200);
    const { bottage, date } = last.body;
    assert.equal(last.body, { bottage, cul: "C'est dit", colere: colere.body.id, date });
    assert.ok(Number.isSafeInteger(bottage) && bottage >= 1);
    assert.match(date, /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
  } finally {
    await stop();
  }
});

test("is created, and read at its Location as it was answered", async () => {
  const created = await relata.send("POST /bottage/", { cul: "Cul", colere: 1 });
  assert.is(created.status, 201);
  const { bottage, date } = created.body;
  assert.equal(created.body, { bottage, cul: "Cul", colere: 1, date });
  assert.is(created.headers.get("location"), `/bottage/${bottage}`);
  const read = await relata.send(`GET /bottage/${bottage}`);
  assert.is(read.status, 200);
  assert.equal(read.body, created.body);
});

for (
  const [body, expected] of [
    [{}, { "/cul": "required", "/colere": "required" }],
    [{ cul: "Cul" }, { "/colere": "required" }],
    [{ colere: 1 }, { "/cul": "required" }],
    [{ cul: "Cul", colere: 1, bottage: 7 }, { "/bottage": "read_only" }],
    [{ cul: "Cul", colere: 1, date: "2026-11-21 09:30:00" }, { "/date": "read_only" }],
  ] as const
) {
  test(`is not created from ${JSON.stringify(body)}`, async () => {
    const before = await relata.sql`select id from bottage`;
    assert.equal(failures(await relata.send("POST /bottage/", body)), expected);
    assert.equal(await relata.sql`select id from bottage`, before);
  });
}

test("is not found where there is none", async () => {
  assert.is((await relata.send("GET /bottage/987654")).status, 404);
});

// Its date

/** The clock of the database, as the contract writes a date. */
async function databaseClock(): Promise<string> {
  const [row] = await relata.sql`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as now`;
  return row!["now"];
}

test("has the date, in UTC, at which the clock of the database saw it made", async () => {
  const before = await databaseClock();
  const { body } = await relata.send("POST /bottage/", { cul: "Now", colere: 1 });
  const after = await databaseClock();
  assert.ok(before <= body.date && body.date <= after, `${before} <= ${body.date} <= ${after}`);
  const [row] = await relata.sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as date
    from bottage
    where id = ${body.bottage}`;
  assert.is(body.date, row!["date"]);
});

const dates = {
  "2026-11-21T09:30:00Z": "2026-11-21 09:30:00",
  "2026-11-21T09:30:00.999999Z": "2026-11-21 09:30:00",
  "2026-01-02T03:04:05Z": "2026-01-02 03:04:05",
  "2026-06-15T00:00:00Z": "2026-06-15 00:00:00",
  "2026-06-15T12:00:00Z": "2026-06-15 12:00:00",
  // the end of a year, which ISO weeks and local time would move
  "2026-12-31T23:59:59.999999Z": "2026-12-31 23:59:59",
  "2027-01-01T00:00:00Z": "2027-01-01 00:00:00",
  "2026-12-31T22:30:00-02": "2027-01-01 00:30:00",
  "2027-01-01T05:00:00+05:30": "2026-12-31 23:30:00",
  "2028-02-29T12:00:00Z": "2028-02-29 12:00:00",
  // the clocks of Europe and of New York, forwards and back
  "2026-03-29T00:59:59Z": "2026-03-29 00:59:59",
  "2026-03-29T01:00:00Z": "2026-03-29 01:00:00",
  "2026-03-29T02:30:00Z": "2026-03-29 02:30:00",
  "2026-10-25T00:30:00Z": "2026-10-25 00:30:00",
  "2026-10-25T01:30:00Z": "2026-10-25 01:30:00",
  "2026-03-08T02:30:00Z": "2026-03-08 02:30:00",
  "2026-03-08T07:00:00Z": "2026-03-08 07:00:00",
  "2026-11-01T05:30:00Z": "2026-11-01 05:30:00",
  "2026-11-01T06:30:00Z": "2026-11-01 06:30:00",
  // seldom, but a date
  "1969-12-31T23:59:59.5Z": "1969-12-31 23:59:59",
  "0999-01-01T00:00:00Z": "0999-01-01 00:00:00",
  "9999-12-31T23:59:59Z": "9999-12-31 23:59:59",
};

/** Gives a record each of the moments in turn and reads its date, wherever dates are shown. */
async function readDates(
  { sql, send }: Pick<Service, "sql" | "send">,
): Promise<Record<string, string>> {
  const { body: { bottage } } = await send("POST /bottage/", { cul: "Then", colere: 1 });
  const read: Record<string, string> = {};
  for (const moment of Object.keys(dates)) {
    await sql`
      update bottage set created_at = ${moment}::text::timestamptz where id = ${bottage}`;
    const { body } = await send(`GET /bottage/${bottage}`);
    assert.equal((await send("GET /bottage/last")).body, body);
    assert.equal((await send("GET /bottage/?limit=1")).body.items, [body]);
    read[moment] = body.date;
  }
  return read;
}

test("shows any moment in UTC, to the second", async () => {
  assert.equal(await readDates(relata), dates);
});

const zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia"];

for (const zone of zones) {
  test(`shows it in UTC even if the process runs in ${zone}`, async () => {
    const given = process.env["TZ"];
    process.env["TZ"] = zone;
    try {
      assert.equal(await readDates(relata), dates);
    } finally {
      if (given === undefined) delete process.env["TZ"];
      else process.env["TZ"] = given;
    }
  });

  testOnPostgres(`shows it in UTC even if the database runs in ${zone}`, async () => {
    const { sql, url, stop } = await freshPostgres();
    const zoned = openPostgres(url, { sessions: 1 });
    try {
      const [row] = await sql`select current_database() as name`;
      await sql`alter database ${sql(row!["name"])} set timezone = ${sql(zone)}`;
      assert.equal(await readDates({ ...serviceOn(zoned), sql }), dates);
    } finally {
      await zoned.close();
      await stop();
    }
  });
}

// The last one

test("is the last one as soon as it is created, on every instance", async () => {
  const instances = [relata, serviceOn(relata), serviceOn(relata)];
  for (let turn = 0; turn < 9; turn++) {
    const created = await instances[turn % 3]!.send("POST /bottage/", { cul: "New", colere: 1 });
    for (const { send } of instances) {
      assert.equal((await send("GET /bottage/last")).body, created.body);
    }
  }
});

test("is the last one, or older than it, when many are created at once", async () => {
  await Promise.all(Array.from({ length: 60 }, async (_, turn) => {
    const created = await relata.send("POST /bottage/", { cul: `Turn ${turn}`, colere: 1 });
    assert.is(created.status, 201);
    const last = await relata.send("GET /bottage/last");
    assert.ok(last.body.bottage >= created.body.bottage);
    const read = await relata.send(`GET /bottage/${created.body.bottage}`);
    assert.equal(read.body, created.body);
    assert.is(read.body.cul, `Turn ${turn}`);
  }));
});

test("is the last one by its identifier, not by its date", async () => {
  const [older, newer] = [await addBottage("Older"), await addBottage("Newer")];
  assert.ok(newer > older);
  await relata.sql`update bottage set created_at = '2100-01-01' where id = ${older}`;
  await relata.sql`update bottage set created_at = '1999-01-01' where id = ${newer}`;
  assert.is((await relata.send("GET /bottage/last")).body.bottage, newer);
});

test("is listed newest first", async () => {
  const made = [await addBottage("1"), await addBottage("2"), await addBottage("3")];
  const { body } = await relata.send("GET /bottage/?limit=3");
  const listed = body.items.map(({ bottage }: { bottage: number }) => bottage);
  assert.equal(listed, made.reverse());
});

// A record

for (
  const [path, methods, allow] of [
    ["/bottage/", ["PUT", "PATCH", "DELETE"], "GET HEAD OPTIONS POST"],
    ["/bottage/last", ["POST", "PUT", "PATCH", "DELETE"], "GET HEAD OPTIONS"],
    ["/bottage/1", ["POST", "PUT", "PATCH", "DELETE"], "GET HEAD OPTIONS"],
    ["/bottage/987654", ["PUT", "PATCH", "DELETE"], "GET HEAD OPTIONS"],
  ] as const
) {
  for (const method of methods) {
    test(`is neither updated nor deleted by ${method} ${path}`, async () => {
      await addBottage("Kept");
      const before = await relata.sql`select * from bottage order by id`;
      const answer = await relata.send(`${method} ${path}`, { cul: "Changed", colere: 1 });
      assert.is(answer.status, 405);
      assert.is(answer.headers.get("allow")?.split(", ").sort().join(" "), allow);
      assert.equal(await relata.sql`select * from bottage order by id`, before);
    });
  }
}

// Operators

test("can be inserted by an operator, and is then the last", async () => {
  const before = await databaseClock();
  const [row] = await relata.sql`
    insert into bottage (cul, colere_id) values ('By hand', 1) returning id`;
  const after = await databaseClock();
  const { body } = await relata.send("GET /bottage/last");
  assert.equal(body, { bottage: row!["id"], cul: "By hand", colere: 1, date: body.date });
  assert.ok(before <= body.date && body.date <= after);
});

test("can be inserted by an operator with its identifier and its date", async () => {
  await relata.sql`
    insert into bottage (id, cul, colere_id, created_at)
    values (7001, 'By hand', 1, '2026-11-21 09:30:00+00')`;
  const expected = { bottage: 7001, cul: "By hand", colere: 1, date: "2026-11-21 09:30:00" };
  assert.equal((await relata.send("GET /bottage/7001")).body, expected);
  assert.equal((await relata.send("GET /bottage/last")).body, expected);
});

test("is the last one made, also after an operator inserted one and set the sequence", async () => {
  await relata.sql`insert into bottage (id, cul, colere_id) values (9001, 'Far ahead', 1)`;
  await relata.sql`select setval('bottage_id_seq', 9001)`;
  const created = await relata.send("POST /bottage/", { cul: "Made after", colere: 1 });
  assert.is(created.status, 201);
  assert.equal((await relata.send("GET /bottage/last")).body, created.body);
});

for (
  const [statement, outcome] of [
    ["insert into bottage (id, cul, colere_id) values (9007199254740991, 'The last', 1)", "done"],
    ["insert into bottage (id, cul, colere_id) values (9007199254740992, 'Beyond', 1)", "23514"],
    ["insert into bottage (id, cul, colere_id) values (0, 'Zero', 1)", "23514"],
    ["insert into bottage (id, cul, colere_id) values (-1, 'Negative', 1)", "23514"],
    ["insert into bottage (cul, colere_id) values (repeat('😀', 25600), 1)", "done"],
    ["insert into bottage (cul, colere_id) values (null, 1)", "23502"],
    ["insert into bottage (cul, colere_id) values ('Of no colere', 999999)", "23503"],
    ["delete from colere where id = 1", "23503"],
  ] as const
) {
  // 23502: not_null_violation, 23503: foreign_key_violation, 23514: check_violation
  test(`the database answers an operator's "${statement}" with ${outcome}`, async () => {
    const result = relata.sql.unsafe(statement).then(() => "done", ({ code }) => code);
    assert.is(await result, outcome);
  });
}

test.run();
