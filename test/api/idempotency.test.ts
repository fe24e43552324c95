// Creates with an Idempotency-Key happen once, however often they are sent.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { until } from "../program.ts";
import { type Answer, onEmbedded, type Service, serviceOn, startService } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { blocked, inTransaction } from "../transaction.ts";

const test = suite("idempotency");
let relata: Service;

test.before(async () => {
  relata = await startService();
  await relata.send("POST /api/bars/", { name: "Bar" });
});
test.after(() => relata.stop());

let keys = 0;
const freshKey = () => `key-${++keys}`;

const post = (path: string, body: unknown, key: string): Promise<Answer> =>
  relata.send(`POST ${path}`, body, { "idempotency-key": key });

async function count(table: string): Promise<number> {
  const [row] = await relata.sql<[{ count: number }]>`
    select count(*)::int as count from ${relata.sql(table)}`;
  return row.count;
}

for (
  const [table, path, body] of [
    ["bar", "/api/bars/", { name: "Once" }],
    ["foo", "/api/foos/", { name: "Once", bar: 1 }],
    ["colere", "/colere/", {}],
    ["bottage", "/bottage/", { cul: "Once", colere: 1 }],
  ] as const
) {
  test(`makes a ${table} once, and gives the first answer again, also after a restart`, async () => {
    const [key, before] = [freshKey(), await count(table)];
    const first = await post(path, body, key);
    assert.is(first.status, 201);
    const restarted = serviceOn(relata);
    for (const send of [relata.send, restarted.send]) {
      const again = await send(`POST ${path}`, body, { "idempotency-key": key });
      assert.equal([again.status, again.body], [201, first.body]);
      for (const header of ["location", "etag"]) {
        assert.is(again.headers.get(header), first.headers.get(header));
      }
    }
    assert.is(await count(table), before + 1);
  });
}

test("treats a quoted and a bare key as the same, and the key of another path as another", async () => {
  const key = freshKey();
  const first = await post("/api/bars/", { name: "Quoted" }, key);
  const quoted = await post("/api/bars/", { name: "Quoted" }, `"${key}"`);
  assert.is(quoted.body.id, first.body.id);
  assert.is((await post("/colere/", { name: "Quoted" }, key)).status, 201);
});

for (
  const [title, body] of [
    ["another body", '{"name":"Other"}'],
    ["the same body, spelt otherwise", '{ "name": "First" }'],
  ] as const
) {
  test(`refuses a key that is sent again with ${title}`, async () => {
    const key = freshKey();
    assert.is((await post("/api/bars/", '{"name":"First"}', key)).status, 201);
    const before = await count("bar");
    const refused = await post("/api/bars/", body, key);
    assert.is(refused.status, 422);
    assert.equal(
      refused.body.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
      [
        ["", "reused_key"],
      ],
    );
    assert.is(await count("bar"), before);
  });
}

test("does not keep the key of a refused request, so that it can be sent again", async () => {
  const key = freshKey();
  const [{ next }] = await relata.sql<[{ next: number }]>`select max(id) + 1 as next from bar`;
  const body = { name: "Patient", bar: next };
  assert.is((await post("/api/foos/", body, key)).status, 422);
  assert.is((await post("/api/foos/", { name: 1, bar: next }, key)).status, 422);
  assert.is((await relata.send("POST /api/bars/", { name: "At last" })).body.id, next);
  assert.is((await post("/api/foos/", body, key)).status, 201);
});

test("gives the first answer even if the row that it refers to is gone", async () => {
  const key = freshKey();
  const bar = (await relata.send("POST /api/bars/", { name: "Gone" })).body.id;
  const first = await post("/api/foos/", { name: "Kept", bar }, key);
  await relata.send(`DELETE /api/foos/${first.body.id}/`);
  await relata.send(`DELETE /api/bars/${bar}/`);
  const again = await post("/api/foos/", { name: "Kept", bar }, key);
  assert.equal([again.status, again.body], [201, first.body]);
});

test("creates one row for many simultaneous requests with one key", async () => {
  const [key, before] = [freshKey(), await count("bottage")];
  const body = { cul: "Many", colere: 1 };
  const answers = await Promise.all(Array.from({ length: 30 }, () => post("/bottage/", body, key)));
  const made = answers.filter(({ status }) => status === 201);
  assert.ok(made.length > 0);
  assert.is(new Set(made.map(({ body }) => body.bottage)).size, 1);
  for (const { status, body } of answers) {
    const isUnderWay = status === 409 && body.type === "/problems/in_progress";
    assert.ok(status === 201 || isUnderWay, `${status} ${JSON.stringify(body)}`);
  }
  assert.is(await count("bottage"), before + 1);
});

const alone = onEmbedded ? test.skip : test;
const skipped = onEmbedded ? " (skipped: the embedded database is one session)" : "";

alone(
  `answers 409 at once while the first is under way${skipped}`,
  async () => {
    const key = freshKey();
    const body = { name: "Slow", bar: 1 };
    let first: Promise<Answer> | undefined;
    await inTransaction(relata.sql, async (other) => {
      await other`select from bar where id = 1 for update`;
      first = post("/api/foos/", body, key);
      await until("the first waits", async () => await blocked(relata.sql) > 0);
      const second = await post("/api/foos/", body, key);
      assert.equal([second.status, second.body.type], [409, "/problems/in_progress"]);
    });
    assert.is((await first!).status, 201);
  },
);

const onlyOnce = (otherwise: string) => `
  create function once() returns trigger language plpgsql as $$
  begin
    if exists (select from bottage where cul = new.cul) then
      ${otherwise};
    end if;
    return new;
  end
  $$;
  create trigger once before insert on bottage for each row execute function once()`;

for (
  const [what, statement] of [
    ["even if the first request ends after it began", ""],
    [
      "even if the row of the first is then in the way of a unique index",
      "create unique index on bottage (cul)",
    ],
    ["even if a trigger then refuses a second row", onlyOnce("raise 'It is there'")],
    ["even if a trigger then leaves a second row out", onlyOnce("return null")],
  ] as const
) {
  alone(`gives a repeat the first answer, ${what}${skipped}`, async () => {
    const own = await startService();
    try {
      await own.sql`insert into colere (name) values ('One')`;
      await own.sql.unsafe(statement);
      // Each attempt to lock a key takes longer than the one before: the second succeeds after the first
      // has committed, in a statement that began before that
      await own.sql.unsafe(`
        create sequence attempt;
        create function public.pg_try_advisory_xact_lock(key bigint) returns boolean as $$
        begin
          perform pg_sleep(0.2 * nextval('attempt'));
          return pg_catalog.pg_try_advisory_xact_lock(key);
        end
        $$ language plpgsql;
        do $$
        begin
          execute format('alter database %I set search_path = public, pg_catalog', current_database());
        end
        $$`);
      const send = () =>
        own.send("POST /bottage/", { cul: "Once", colere: 1 }, { "idempotency-key": "once" });
      const answers = await Promise.all([send(), send()]);
      assert.equal(answers.map(({ status }) => status), [201, 201]);
      assert.equal(answers.map(({ body }) => body.bottage), [1, 1]);
      const [row] = await own.sql<{ last_value: number }[]>`select last_value from attempt`;
      assert.is(Number(row!.last_value), 3);
    } finally {
      await own.stop();
    }
  });
}

for (const hours of [1, 24, 720]) {
  test(`forgets a key after ${hours} hours, at the first request with a key in a minute, and not before`, async () => {
    const send: typeof relata.send = (...request) =>
      serviceOn(relata, { idempotencyHours: hours }).send(...request);
    const headers = { "idempotency-key": freshKey() };
    const [body, other] = [{ name: "Old" }, { name: "New" }];
    const first = await send("POST /api/bars/", body, headers);
    await age(headers, 60 * hours - 1);
    assert.equal((await send("POST /api/bars/", body, headers)).body, first.body);
    assert.is((await send("POST /api/bars/", other, headers)).status, 422);
    await age(headers, 60 * hours);
    const again = await send("POST /api/bars/", other, headers);
    assert.equal([again.status, again.body.id > first.body.id], [201, true]);
  });
}

/** Makes a key so many minutes old. */
async function age(headers: Record<"idempotency-key", string>, minutes: number): Promise<void> {
  await relata.sql`
    update relata_idempotency
    set created_at = now() - make_interval(mins => ${minutes}::integer)
    where key = ${headers["idempotency-key"]}`;
}

for (const key of ["", '""', "a".repeat(256), "a b", '"a', "ä"]) {
  test(`refuses the key ${JSON.stringify(key).slice(0, 20)}`, async () => {
    const { status, body } = await post("/api/bars/", { name: "x" }, key);
    assert.equal([status, body.type], [400, "/problems/invalid_header"]);
    assert.match(body.detail, "Idempotency-Key");
  });
}

test("keeps the keys of one token apart from those of another", async () => {
  const { send } = serviceOn(relata, { authRequired: true });
  const [one, other] = [1, 2].map(() => grant(relata.sql, { scope: "write" }));
  const key = freshKey();
  const create = async (token: Promise<string>) =>
    await send("POST /api/bars/", { name: "Own" }, {
      "idempotency-key": key,
      ...bearer(await token),
    });
  const [first, second, again] = [await create(one!), await create(other!), await create(one!)];
  assert.equal([first, second, again].map(({ status }) => status), [201, 201, 201]);
  assert.is(again.body.id, first.body.id);
  assert.is.not(second.body.id, first.body.id);
});

test("a key of a batch that is sent with another body is told as such, whatever the database would say", async () => {
  await relata.sql`create unique index once on bar (name) where name like 'Once %'`;
  const key = freshKey();
  const batch = (names: string[]) => post("/api/bars/batch/", names.map((name) => ({ name })), key);
  assert.is((await batch(["Once 1", "Once 2"])).status, 201);
  const { status, body } = await batch(["Once 3", "Once 2"]);
  assert.equal([status, body.errors[0].code], [422, "reused_key"]);
  await relata.sql`drop index once`;
});

test("forgets many old keys at the first request with a key in a minute, and no others", async () => {
  const keys = [1, 2, 3].map(freshKey);
  for (const key of keys) await post("/colere/", {}, key);
  for (const key of keys) await age({ "idempotency-key": key }, 60 * 24);
  const { send } = serviceOn(relata);
  const old = async () => {
    await send("POST /colere/", {}, { "idempotency-key": freshKey() });
    const rows = await relata.sql`
      select from relata_idempotency where created_at <= now() - interval '24 hours'`;
    return rows.length;
  };
  assert.is(await old(), 0);
  const key = freshKey();
  await post("/colere/", {}, key);
  await age({ "idempotency-key": key }, 60 * 24);
  assert.is(await old(), 1, "It looks once a minute");
});

alone("does not wait for a request that is deleting keys", async () => {
  const key = freshKey();
  await post("/colere/", {}, key);
  await age({ "idempotency-key": key }, 60 * 24);
  const { send } = serviceOn(relata);
  await inTransaction(relata.sql, async (other) => {
    await other`select from relata_idempotency where key = ${key} for update`;
    const { status } = await send("POST /colere/", {}, { "idempotency-key": freshKey() });
    assert.is(status, 201);
  });
});

alone("accepts a key at one path while a request with it is under way at another", async () => {
  const key = freshKey();
  let first: Promise<Answer> | undefined;
  await inTransaction(relata.sql, async (other) => {
    await other`select from bar where id = 1 for update`;
    first = post("/api/foos/", { name: "Slow", bar: 1 }, key);
    await until("the first waits", async () => await blocked(relata.sql) > 0);
    assert.is((await post("/colere/", {}, key)).status, 201);
  });
  assert.is((await first!).status, 201);
});

test.run();
