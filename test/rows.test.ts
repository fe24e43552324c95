// What a database does to rows without any declaration: triggers and policies leave rows out, operators
// insert identifiers, indexes and constraints refuse rows. In all cases an answer is about the row of its
// own request, and its neighbours in the statement are not affected.
// Needs: Deno
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPostgres } from "./house.ts";
import { afterwards, endAll } from "./program.ts";
import { serverRole } from "./roles.ts";
import { type Answer, failures, freshPostgres, type Service, serviceOn } from "./service.ts";

const test = suite("rows that the database changes or leaves out");

/** Creates at once: as many as share a statement. */
const AT_ONCE = 64;

let sql: postgres.Sql;
let url: string;
let service: ReturnType<typeof serviceOn>;
let send: Service["send"];

test.before.each(async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  ({ sql, url } = database);
  service = serviceOn(database);
  ({ send } = service);
  await sql`insert into bar (name) select 'Bar ' || i from generate_series(1, 20) as i`;
});
test.after.each(endAll);

/** Has a trigger do something with each row of a table before it is written. */
async function before(action: string, table: string, body: string) {
  await sql.unsafe(`
    create function meddle() returns trigger language plpgsql as
      $$ begin ${body}; return ${action === "delete" ? "old" : "new"}; end $$;
    create trigger meddle before ${action} on ${table} for each row execute function meddle()`);
}

/** Sends many creates at once, several times; gives what each answered, by what was sent. */
async function createMany(
  path: string,
  textOf: (n: number) => string,
  bodyOf: (text: string) => object,
): Promise<[text: string, answer: Answer][]> {
  const all: [string, Answer][] = [];
  for (let round = 0; round < 3; round++) {
    const texts = Array.from({ length: AT_ONCE }, (_, n) => textOf(round * AT_ONCE + n));
    const answers = await Promise.all(texts.map((text) => send(`POST ${path}`, bodyOf(text))));
    all.push(...answers.map((answer, n): [string, Answer] => [texts[n]!, answer]));
  }
  return all;
}

const rejected = (answer: Answer, what?: string) =>
  assert.equal(failures(answer), { "": "rejected" }, what);

const every = (n: number, sixth: string, others: string) => `${n % 6 === 5 ? sixth : others} ${n}`;

// Rows that are left out

for (
  const [kind, path, table, column, bodyOf] of [
    ["bottages", "/bottage/", "bottage", "cul", (cul: string) => ({ cul, colere: 1 })],
    ["coleres", "/colere/", "colere", "name", (name: string) => ({ name })],
    ["bars", "/api/bars/", "bar", "name", (name: string) => ({ name })],
    ["foos", "/api/foos/", "foo", "name", (name: string) => ({ name, bar: 3 })],
  ] as const
) {
  test(`gives each of many ${kind} created at once its own row, or rejects it if a trigger leaves it out`, async () => {
    await before("insert", table, `if new.${column} like 'spam%' then return null; end if`);
    const made = await createMany(path, (n) => every(n, "spam", "Said"), bodyOf);
    for (const [text, answer] of made) {
      if (text.startsWith("spam")) rejected(answer, text);
      else {
        assert.equal([answer.status, answer.body[column]], [201, text]);
        const read = await send(`GET ${answer.headers.get("location")}`);
        assert.equal([read.status, read.body], [200, answer.body]);
      }
    }
    const rows = await sql`select ${sql(column)} as text from ${sql(table)} where ${
      sql(column)
    } like 'Said%' or ${sql(column)} like 'spam%'`;
    const expected = made.map(([text]) => text).filter((text) => text.startsWith("Said"));
    assert.equal(rows.map(({ text }) => text).sort(), expected.sort());
  });
}

test("tells rows with the same text apart when a trigger leaves some of them out", async () => {
  await before("insert", "bottage", "if new.id % 3 = 0 then return null; end if");
  const made = await createMany("/bottage/", () => "Same", (cul) => ({ cul, colere: 1 }));
  const ids = made.flatMap(([, { status, body }]) => status === 201 ? [body.bottage] : []);
  assert.is(new Set(ids).size, ids.length, "Nobody is given the row of another");
  const rows = await sql`select id::int from bottage order by id`;
  assert.equal(ids.sort((one, other) => one - other), rows.map(({ id }) => id));
});

test("rejects a create that is sent alone, and accepts the next one", async () => {
  await before("insert", "bar", "if new.name like 'spam%' then return null; end if");
  rejected(await send("POST /api/bars/", { name: "spam" }));
  assert.is((await send("POST /api/bars/", { name: "Bar" })).status, 201);
});

test("does not keep the key of a rejected create, so that it can succeed later", async () => {
  await before("insert", "bar", "if new.name like 'spam%' then return null; end if");
  const create = () => send("POST /api/bars/", { name: "spam" }, { "idempotency-key": "one" });
  for (let time = 0; time < 2; time++) rejected(await create());
  assert.is((await sql`select from relata_idempotency`).length, 0);
  await sql`drop trigger meddle on bar`;
  const [made, again] = [await create(), await create()];
  assert.equal([made.status, again.status], [201, 201]);
  assert.equal(again.body, made.body);
});

const writes: [request: string, body?: object][] = [
  ["PUT /api/foos/1/", { name: "New", bar: 2 }],
  ["PATCH /api/foos/1/", { name: "New" }],
  ["DELETE /api/foos/1/"],
];

/** Ways in which a database leaves out a row that is there to be read: from what is done to a table to
 * what takes it back. */
const hindrances: Record<string, [done: string, undone: string]> = {
  "a trigger": [
    `create function no() returns trigger language plpgsql as 'begin return null; end';
     create trigger no before update or delete on foo for each row execute function no()`,
    "drop trigger no on foo",
  ],
  "a policy on each action": [
    `alter table foo enable row level security;
     create policy reading on foo for select using (true);
     create policy updating on foo for update using (name <> 'Old');
     create policy deleting on foo for delete using (name <> 'Old')`,
    "alter table foo disable row level security",
  ],
};

for (const [what, [done, undone]] of Object.entries(hindrances)) {
  for (const [request, body] of writes) {
    test(`rejects ${request} when ${what} leaves the row out, and changes nothing`, async () => {
      await sql`insert into foo (name, bar_id) values ('Old', 1)`;
      await sql.unsafe(done);
      const { send } = await asRole();
      const before = await send("GET /api/foos/1/");
      assert.is(before.status, 200);
      rejected(await send(request, body));
      assert.equal((await send("GET /api/foos/1/")).body, before.body);
      const other = await send(request, body, { "if-match": '"another"' });
      assert.ok([412, 422].includes(other.status), `${other.status}`);
      assert.is((await send(request.replace("1", "9"), body)).status, 404);
      await sql.unsafe(undone);
      const made = await send(request, body, { "if-match": before.headers.get("etag")! });
      assert.is(made.status, body ? 200 : 204);
    });
  }
}

/** A service on the same database, as the role that serves, to which policies apply. */
async function asRole(): Promise<Omit<Service, "sql" | "stop">> {
  const role = await serverRole({ sql, url });
  afterwards(role.stop);
  const opened = openPostgres(role.url, { sessions: 4, timeLimit: 10 });
  afterwards(opened.close);
  return serviceOn(opened);
}

test("creates the neighbours of a row that a policy refuses", async () => {
  await sql.unsafe(`
    alter table bar enable row level security;
    create policy reading on bar for select using (true);
    create policy adding on bar for insert with check (name not like 'spam%')`);
  ({ send } = await asRole());
  const made = await createMany("/api/bars/", (n) => every(n, "spam", "Bar"), (name) => ({ name }));
  for (const [name, answer] of made) {
    if (name.startsWith("spam")) rejected(answer, name);
    else assert.equal([answer.status, answer.body.name], [201, name]);
  }
});

// What is refused changes nothing

/** Ten things in stock, of which a trigger takes one for each row of a table, or for each statement; gives how many
 * are left. */
async function takingStock(
  table: string,
  each: "row" | "statement" = "row",
  event = "insert",
) {
  await sql.unsafe(`
    create table stock (left_over integer not null);
    insert into stock values (10);
    create function take() returns trigger language plpgsql as
      $$ begin update stock set left_over = left_over - 1; return new; end $$;
    create trigger take before ${event} on ${table} for each ${each} execute function take()`);
  return async () => (await sql`select left_over from stock`)[0]!["left_over"];
}

test("takes back what triggers did for a row that a unique index refuses, each time", async () => {
  const left = await takingStock("bar");
  await sql`create unique index once on bar (name)`;
  const create = (name: string) => send("POST /api/bars/", { name });
  assert.is((await create("One")).status, 201);
  for (let time = 0; time < 2; time++) {
    assert.equal(failures(await create("One")), { "/name": "taken" });
  }
  assert.is(await left(), 9);
  const names = Array.from({ length: 16 }, (_, n) => `At once ${n % 8}`);
  const statuses = (await Promise.all(names.map(create))).map(({ status }) => status);
  assert.equal(statuses.toSorted(), [...Array(8).fill(201), ...Array(8).fill(422)]);
  assert.is(await left(), 1);
});

test("tells why a row is refused, not what another attempt would have met", async () => {
  const left = await takingStock("bar");
  await sql`create unique index once on bar (name)`;
  await sql`alter table stock add check (left_over >= 8)`;
  const create = () => send("POST /api/bars/", { name: "One" });
  assert.is((await create()).status, 201);
  for (let time = 0; time < 2; time++) assert.equal(failures(await create()), { "/name": "taken" });
  assert.is(await left(), 9);
});

test("runs triggers once for a row that is made although its identifier was inserted by hand", async () => {
  const left = await takingStock("bottage");
  await sql`insert into bottage (id, cul, colere_id) values (1, 'By hand', 1)`;
  assert.is(await left(), 9);
  assert.is((await send("POST /bottage/", { cul: "Said", colere: 1 })).status, 201);
  assert.is(await left(), 8);
});

test("takes back what triggers did for a row that another one leaves out", async () => {
  const left = await takingStock("bar");
  await sql.unsafe(`
    create function leave_out() returns trigger language plpgsql as
      $$ begin if new.name like 'spam%' then return null; end if; return new; end $$;
    create trigger then_leave_out before insert on bar
      for each row execute function leave_out()`);
  for (const names of [["spam"], ["spam 1", "Bar 1", "spam 2", "Bar 2", "spam 3"]]) {
    const answers = await Promise.all(names.map((name) => send("POST /api/bars/", { name })));
    names.forEach((name, n) => assert.is(answers[n]!.status, name.startsWith("s") ? 422 : 201));
  }
  assert.is(await left(), 8);
});

for (const headers of [{}, { "idempotency-key": "one" }]) {
  const keyed = "idempotency-key" in headers ? " with a key" : "";
  test(`takes back what triggers did for each statement if it makes no row${keyed}`, async () => {
    const left = await takingStock("foo", "statement");
    const bars = [...keyed ? [] : [998, 997], 999];
    const answers = await Promise.all(
      bars.map((bar) => send("POST /api/foos/", { name: "Foo", bar }, headers)),
    );
    for (const answer of answers) assert.equal(failures(answer), { "/bar": "does_not_exist" });
    const batch = await send("POST /api/foos/batch/", [{ name: "Foo", bar: 999 }], headers);
    assert.equal(failures(batch), { "/0/bar": "does_not_exist" });
    assert.is(await left(), 10);
  });
}

const raised = ["XX000", "57P01", "57014", "08006", "25006", "55000", "26000", "42704"];
for (const state of raised) {
  test(`a row whose trigger raises ${state} has no part in what becomes of others`, async () => {
    await before(
      "insert",
      "bar",
      `if new.name = 'bad' then raise 'Words' using errcode = '${state}'; end if`,
    );
    for (let round = 0; round < 3; round++) {
      const names = Array.from({ length: 16 }, (_, n) => n === 9 ? "bad" : `Bar ${n}`);
      const answers = await Promise.all(names.map((name) => send("POST /api/bars/", { name })));
      answers.forEach(({ status }, n) => assert.is(status === 201, names[n] !== "bad", names[n]!));
    }
  });
}

test("a row beside a refused one sees constraints as if it were alone", async () => {
  await sql.unsafe(`
    create table once (word text unique deferrable initially immediate);
    create table later (word text unique deferrable initially deferred)`);
  await before(
    "insert",
    "bar",
    `if new.name = 'bad' then raise 'Bad'; end if;
    begin insert into once values ('one'); exception when unique_violation then null; end`,
  );
  for (let round = 0; round < 3; round++) {
    const names = Array.from({ length: 16 }, (_, n) => n === 9 ? "bad" : `Bar ${n}`);
    const answers = await Promise.all(names.map((name) => send("POST /api/bars/", { name })));
    answers.forEach(({ status }, n) => assert.is(status, names[n] === "bad" ? 422 : 201));
  }
});

test("takes back what triggers did for each statement if a change is refused", async () => {
  const { body: { id } } = await send("POST /api/foos/", { name: "Foo", bar: 1 });
  const left = await takingStock("foo", "statement", "update or delete");
  for (const method of ["PUT", "PATCH"]) {
    const answer = await send(`${method} /api/foos/${id}/`, { name: "Foo", bar: 999 });
    assert.equal(failures(answer), { "/bar": "does_not_exist" });
  }
  await before("update or delete", "foo", "return null");
  for (const [method, body] of [["PATCH", { name: "Other" }], ["DELETE"]] as const) {
    assert.equal(failures(await send(`${method} /api/foos/${id}/`, body)), { "": "rejected" });
  }
  assert.is(await left(), 10);
});

test("tells the words of a trigger, also where a client has chosen them", async () => {
  await before("insert", "bar", `raise 'The name "%" is bad', new.name`);
  for (const name of ["relata_refused(name:taken)", "relata_refused()"]) {
    const { status, body } = await send("POST /api/bars/", { name });
    assert.equal([status, body.errors[0].detail], [422, `The name "${name}" is bad`]);
  }
});

test("finds the row of an array that is refused in one further pass", async () => {
  await sql`alter table bar add constraint tolerable check (name <> 'bad')`;
  const tried = await attempts("bar");
  const rows = Array.from({ length: 100 }, (_, n) => ({ name: n === 98 ? "bad" : `Bar ${n}` }));
  assert.equal(failures(await send("POST /api/bars/batch/", rows)), { "/98/name": "rejected" });
  assert.is(await tried(), 2 * 99);
});

test("does not deny a row that was created and is gone", async () => {
  await before(
    "insert",
    "foo",
    "insert into bar (name) values ('New') returning id into new.bar_id",
  );
  await sql.unsafe(`
    create function remove() returns trigger language plpgsql as
      $$ begin delete from foo where id = new.id; return null; end $$;
    create constraint trigger remove after insert on foo deferrable initially deferred
      for each row execute function remove()`);
  const made = await service.fetch(
    new Request("http://relata.test/api/foos/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Foo", bar: 1 }),
    }),
  );
  assert.equal(
    [made.status, made.headers.get("location"), await made.json()],
    [201, "/api/foos/1/", null],
  );
});

// Identifiers

/** What a trigger can make of an identifier. */
const changes: [which: "some" | "all", what: string, change: string][] = [
  ["some", "far from where it was", "new.id := new.id + 1000000"],
  ["some", "to that of its neighbour", "new.id := new.id + 1"],
  ["some", "to the next of the sequence", "new.id := nextval('bottage_id_seq')"],
  ["all", "to that of its neighbour", "new.id := new.id + 1"],
  ["all", "to one of another sequence, a little ahead", "new.id := nextval('other')"],
  ["all", "to the next of the sequence", "new.id := nextval('bottage_id_seq')"],
];

for (const [which, what, change] of changes) {
  test(`gives each create its own row when a trigger changes the identifier of ${which} ${what}`, async () => {
    await sql`create sequence other start 5`;
    const condition = which === "some" ? "new.cul like 'odd%'" : "true";
    await before("insert", "bottage", `if ${condition} then ${change}; end if`);
    const made = await createMany("/bottage/", (n) => every(n, "odd", "Said"), (cul) => ({
      cul,
      colere: 1,
    }));
    for (const [cul, { status, headers, body }] of made) {
      assert.equal([status, body.cul], [201, cul]);
      assert.equal((await send(`GET ${headers.get("location")}`)).body, body);
    }
    const rows = await sql`select cul from bottage`;
    assert.equal(rows.map(({ cul }) => cul).sort(), made.map(([cul]) => cul).sort());
  });
}

/** Counts how often a row was to be written to a table. */
async function attempts(table: string): Promise<() => Promise<number>> {
  await sql.unsafe(`create sequence attempt minvalue 0 start 0`);
  await sql`select nextval('attempt')`;
  await before("insert", table, "perform nextval('attempt')");
  return async () => {
    const [row] = await sql`select last_value::int as tried from attempt`;
    await sql`select setval('attempt', 0)`;
    return row!.tried;
  };
}

/** Rows that somebody gave identifiers of their own, so that the sequence does not know of them. */
const byHand: Record<string, string> = {
  "in the middle of the range": "2 ^ 52",
  "at the end of the range": "2 ^ 53 - 1",
  "in a block ahead of the sequence": "generate_series(1, 100)",
  "in blocks with gaps between them": "generate_series(1, 2000, 13)",
  "in all of these places":
    "unnest(array[2 ^ 52, 2 ^ 53 - 1] || array(select generate_series(1, 50)))",
};

for (const [where, ids] of Object.entries(byHand)) {
  for (const headers of [{}, { "idempotency-key": "one" }]) {
    const keyed = "idempotency-key" in headers ? " with a key" : "";
    test(`creates a row${keyed} although others were inserted by hand ${where}, in at most three attempts`, async () => {
      await sql.unsafe(`
        insert into bottage (id, cul, colere_id) select ${ids}, 'By hand', 1`);
      const tried = await attempts("bottage");
      for (const most of [3, 1]) {
        const { status, body } = await send("POST /bottage/", { cul: "Said", colere: 1 }, {
          ...headers,
          ...(keyed && { "idempotency-key": String(most) }),
        });
        assert.equal([status, body.cul], [201, "Said"]);
        const often = await tried();
        assert.ok(often <= most, `It was tried ${often} times`);
      }
    });
  }

  test(`creates many at once although others were inserted by hand ${where}`, async () => {
    await sql.unsafe(`insert into bottage (id, cul, colere_id) select ${ids}, 'By hand', 1`);
    const made = await createMany("/bottage/", (n) => `Said ${n}`, (cul) => ({ cul, colere: 1 }));
    for (const [cul, { status, body }] of made) assert.equal([status, body.cul], [201, cul]);
    const rows = await sql`select cul from bottage where cul <> 'By hand'`;
    assert.equal(rows.map(({ cul }) => cul).sort(), made.map(([cul]) => cul).sort());
    const [{ last } = {}] = await sql`select last_value as last from bottage_id_seq`;
    assert.ok(Number(last) < 2 ** 52 + 10_000, "There is room for others");
  });
}

// Constraints that no declaration knows

test("creates rows in a table with a deferrable constraint", async () => {
  await sql`alter table bar add constraint once unique (name) deferrable`;
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(
      Array.from(
        { length: AT_ONCE },
        (_, n) => send("POST /api/bars/", { name: `Bar ${round}.${n}` }),
      ),
    );
    answers.forEach(({ status, body }, n) =>
      assert.equal([status, body.name], [201, `Bar ${round}.${n}`])
    );
  }
  assert.equal(failures(await send("POST /api/bars/", { name: "Bar 0.0" })), { "/name": "taken" });
  assert.is(
    (await send("POST /api/bars/", { name: "Keyed" }, { "idempotency-key": "one" })).status,
    201,
  );
});

for (
  const [what, definition] of Object.entries({
    "a unique index": "create unique index once on bar (lower(name))",
    "a unique constraint": "alter table bar add constraint once unique (name)",
    "an exclusion constraint":
      "alter table bar add constraint once exclude using btree (name with =)",
    "a check": "alter table bar add constraint tolerable check (name <> 'Bar 1')",
  })
) {
  test(`refuses only the create that ${what} refuses: its neighbours are created`, async () => {
    await sql.unsafe(`delete from bar where id > 1; ${definition}`).catch(async (error) => {
      if (error.code !== "23514") throw error;
      await sql.unsafe(`delete from bar; ${definition}`);
    });
    const made = await createMany(
      "/api/bars/",
      (n) => n % 6 === 5 ? "Bar 1" : `Bar 1.${n}`,
      (name) => ({ name }),
    );
    for (const [name, { status, body }] of made) {
      if (name === "Bar 1") assert.is(status, 422);
      else assert.equal([status, body.name], [201, name]);
    }
    const tried = await attempts("bar");
    assert.is((await send("POST /api/bars/", { name: "Bar 1" })).status, 422);
    assert.ok(await tried() <= 2, "It is not tried in vain");
  });
}

test.run();
