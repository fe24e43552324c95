// Writes with an Idempotency-Key happen once, however often they are sent.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { identifier, resource, text } from "../house.ts";
import { invoices, up } from "../invoices.ts";
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

const person = resource("person", {
  path: "/people/",
  fields: { login: identifier({ type: "text", column: "login" }), name: text() },
});

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

test("takes one identifier, however often the request is sent", async () => {
  const key = freshKey();
  const { body: first } = await post("/colere/", {}, key);
  await post("/colere/", {}, key);
  const { body: next } = await relata.send("POST /colere/", {});
  assert.is(next.id, first.id + 1);
});

test("gives the first answer again whatever the database refuses by then", async () => {
  const own = await startService();
  try {
    const send = () => own.send("POST /api/bars/", { name: "Open" }, { "idempotency-key": "once" });
    const first = await send();
    assert.is(first.status, 201);
    for (const each of ["row", "statement"]) {
      await own.sql.unsafe(`
        create or replace function closed() returns trigger language plpgsql as
          'begin raise ''It is closed''; end';
        create trigger closed_${each} before insert on bar for each ${each} execute function closed()`);
      assert.equal(told(await send()), told(first), each);
      assert.is((await own.send("POST /api/bars/", { name: "Open" })).status, 422, each);
      await own.sql.unsafe(`drop trigger closed_${each} on bar`);
    }
  } finally {
    await own.stop();
  }
});

test("keeps the first answer also where it shows a row that its statement made", async () => {
  const own = await startService();
  try {
    await own.sql`insert into bar (name) values ('Sent')`;
    await own.sql.unsafe(`
      create function own_bar() returns trigger language plpgsql as $$
      begin
        insert into bar (name) values ('Own') returning id into new.bar_id;
        return new;
      end $$;
      create trigger own_bar before insert on foo for each row execute function own_bar()`);
    const send = () =>
      own.send("POST /api/foos/", { name: "Foo", bar: 1 }, { "idempotency-key": "once" });
    const first = await send();
    assert.equal([first.status, first.body.bar.name], [201, "Own"]);
    await own.sql`update bar set name = 'Changed'`;
    assert.equal(told(await send()), told(first));
    assert.is((await own.sql`select from foo`).length, 1);
    assert.is((await own.sql`select from bar`).length, 2, "What is tried in vain leaves nothing");
  } finally {
    await own.stop();
  }
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
      // has committed, in a transaction that began before that
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
      assert.is(Number(row!.last_value), 2);
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

// Changes and deletions

/** A request to a foo that is there, and what it leaves. */
const writes: [method: string, body: object | undefined, status: number][] = [
  ["PUT", { name: "Put", bar: 1 }, 200],
  ["PATCH", { name: "Patched" }, 200],
  ["DELETE", undefined, 204],
];

async function madeFoo(): Promise<{ path: string; tag: string }> {
  const { body, headers } = await relata.send("POST /api/foos/", { name: "Made", bar: 1 });
  return { path: `/api/foos/${body.id}/`, tag: headers.get("etag")! };
}

const told = ({ status, body, headers }: Answer) => [status, body, headers.get("etag")];

for (const [method, body, status] of writes) {
  const write = (path: string, headers: Record<string, string>, sent: unknown = body) =>
    relata.send(`${method} ${path}`, sent, headers);

  test(`a ${method} with a key is carried out once, and its first answer given again`, async () => {
    const { path, tag } = await madeFoo();
    const headers = { "idempotency-key": freshKey(), "if-match": tag };
    const first = await write(path, headers);
    assert.is(first.status, status);
    // Neither the row nor its tag is there any more
    if (status === 200) await relata.send(`PATCH ${path}`, { name: "Since then" });
    const restarted = serviceOn(relata);
    for (const send of [relata.send, restarted.send]) {
      assert.equal(told(await send(`${method} ${path}`, body, headers)), told(first));
    }
    if (status === 200) {
      assert.is((await relata.send(`GET ${path}`)).body.name, "Since then");
      await relata.send(`DELETE ${path}`);
      assert.equal(told(await write(path, headers)), told(first));
    }
  });

  test(`a key of a ${method} is refused with other contents or conditions`, async () => {
    const { path, tag } = await madeFoo();
    const key = { "idempotency-key": freshKey() };
    assert.is((await write(path, { ...key, "if-match": tag })).status, status);
    const conditions: Record<string, string>[] = [
      {},
      { "if-match": '"other"' },
      { "if-none-match": tag },
    ];
    const others = [
      ...conditions.map((headers) => ({ headers, sent: body })),
      ...(body ? [{ headers: { "if-match": tag }, sent: { ...body, name: "Other" } }] : []),
    ];
    for (const { headers, sent } of others) {
      const refused = await write(path, { ...key, ...headers }, sent);
      assert.is(refused.status, 422);
      assert.equal(refused.body.errors.map(({ code }: { code: string }) => code), ["reused_key"]);
    }
  });

  test(`a key of a ${method} takes the same conditions in another order`, async () => {
    const { path, tag } = await madeFoo();
    const key = { "idempotency-key": freshKey() };
    const conditions = [`${tag}, "old"`, `"old",${tag}`, `, "old" ,${tag},${tag}`];
    for (const condition of conditions) {
      const answer = await write(path, { ...key, "if-match": condition });
      assert.is(answer.status, status, condition);
    }
  });

  test(`a key of a ${method} is another one at another path and with another method`, async () => {
    const [one, other] = [await madeFoo(), await madeFoo()];
    const headers = { "idempotency-key": freshKey() };
    for (const { path } of [one, other]) assert.is((await write(path, headers)).status, status);
    const [next, sent, expected] = method === "DELETE"
      ? ["PATCH", { name: "Next" }, 404] as const
      : ["DELETE", undefined, 204] as const;
    assert.is((await relata.send(`${next} ${one.path}`, sent, headers)).status, expected);
  });

  test(`does not keep the key of a ${method} that was refused`, async () => {
    const { path, tag } = await madeFoo();
    const key = { "idempotency-key": freshKey() };
    assert.is((await write(path, { ...key, "if-match": '"old"' })).status, 412);
    assert.is((await write("/api/foos/999999/", key)).status, 404);
    assert.is((await write(path, { ...key, "if-match": tag })).status, status);
  });

  test(`carries one of many simultaneous ${method} with one key out`, async () => {
    const { path, tag } = await madeFoo();
    const headers = { "idempotency-key": freshKey(), "if-match": tag };
    const answers = await Promise.all(Array.from({ length: 20 }, () => write(path, headers)));
    const outcomes = new Set(answers.map(({ status, body }) => body?.type ?? status));
    outcomes.delete("/problems/in_progress");
    assert.equal([...outcomes], [status]);
  });

  alone(`answers 409 while the first ${method} is under way${skipped}`, async () => {
    const { path } = await madeFoo();
    const headers = { "idempotency-key": freshKey() };
    const id = path.split("/")[3]!;
    let first: Promise<Answer> | undefined;
    await inTransaction(relata.sql, async (other) => {
      await other`select from foo where id = ${id} for update`;
      first = write(path, headers);
      await until("the first waits", async () => await blocked(relata.sql) > 0);
      const second = await write(path, headers);
      assert.equal([second.status, second.body.type], [409, "/problems/in_progress"]);
    });
    assert.is((await first!).status, status);
    assert.equal(told(await write(path, headers)), told(await first!));
  });

  alone(`a ${method} with a key sees what it waited for${skipped}`, async () => {
    const { path, tag } = await madeFoo();
    const headers = { "idempotency-key": freshKey(), "if-match": tag };
    const id = path.split("/")[3]!;
    let first: Promise<Answer> | undefined;
    await inTransaction(relata.sql, async (other) => {
      await other`update foo set name = 'By hand' where id = ${id}`;
      first = write(path, headers);
      await until("the first waits", async () => await blocked(relata.sql) > 0);
    });
    assert.is((await first!).status, 412);
    const free = await write(path, { "idempotency-key": freshKey() });
    assert.is(free.status, status);
  });
}

test("a PUT that created a row with a key gives its first answer again, also where the row is gone", async () => {
  const own = await startService({ resources: [person] });
  try {
    await own.sql`create table person (login text collate "C" primary key, name text not null)`;
    const headers = { "idempotency-key": "once", "if-none-match": "*" };
    const put = () => own.send("PUT /people/ann%2Fb/", { name: "Ann" }, headers);
    const first = await put();
    assert.equal([first.status, first.headers.get("location")], [201, "/people/ann%2Fb/"]);
    for (const since of ["PATCH", "DELETE"]) {
      const body = since === "PATCH" ? { name: "Since then" } : undefined;
      assert.ok((await own.send(`${since} /people/ann%2Fb/`, body)).status < 300);
      const again = await put();
      assert.equal([again.body, again.headers.get("location")], [
        first.body,
        first.headers.get("location"),
      ]);
      assert.equal(told(again), told(first));
    }
    assert.is((await own.sql`select from person`).length, 0);
    const replaced = async (name: string) =>
      (await own.send("PUT /people/bob/", { name }, { "idempotency-key": name })).status;
    assert.equal([await replaced("Bob"), await replaced("Rob"), await replaced("Bob")], [
      201,
      200,
      201,
    ]);
  } finally {
    await own.stop();
  }
});

test("a repeated PUT has the first Location, also where a trigger changes the identifier", async () => {
  const own = await startService({ resources: [person] });
  try {
    await own.sql.unsafe(`
      create table person (login text collate "C" primary key, name text not null);
      create function lowered() returns trigger language plpgsql as $$
      begin
        new.login := lower(new.login);
        return new;
      end $$;
      create trigger lowered before insert on person for each row execute function lowered()`);
    const put = () => own.send("PUT /people/Ann/", { name: "Ann" }, { "idempotency-key": "once" });
    const answers = [await put(), await put()];
    assert.equal(answers.map(({ status, headers }) => [status, headers.get("location")]), [
      [201, "/people/ann/"],
      [201, "/people/ann/"],
    ]);
  } finally {
    await own.stop();
  }
});

test("keeps the first answer with the rows that a row owns, as they were", async () => {
  const own = await startService({ resources: invoices });
  try {
    await own.sql.unsafe(up);
    const sent = { title: "Bill", lines: [{ product: 1, tags: [2, 1] }, { product: 2 }] };
    const requests: [request: string, body: unknown, status: number][] = [
      ["POST /invoices/", sent, 201],
      ["POST /invoices/batch/", [sent, sent], 201],
      ["PUT /invoices/1/", { title: "Other", lines: [{ product: 2 }] }, 200],
      ["PATCH /invoices/1/", { lines: [{ product: 1 }, { product: 1 }] }, 200],
    ];
    for (const [request, body, status] of requests) {
      const headers = { "idempotency-key": "once" };
      const first = await own.send(request, body, headers);
      assert.is(first.status, status, request);
      const [{ lines }] = [first.body].flat();
      assert.ok(lines.length > 0 && lines.every(({ id }: { id: number }) => id > 0), request);
      await own.sql`update line set quantity = quantity + 1`;
      await own.sql`delete from line_tag`;
      assert.equal(told(await own.send(request, body, headers)), told(first), request);
    }
    assert.is((await own.sql`select from invoice`).length, 3);
  } finally {
    await own.stop();
  }
});

test("keeps nothing of a write whose answer cannot be kept", async () => {
  const { path } = await madeFoo();
  await relata.sql`alter table relata_idempotency add constraint full_up check (key <> 'full')`;
  const { status } = await relata.send(`PATCH ${path}`, { name: "Lost" }, {
    "idempotency-key": "full",
  });
  assert.ok(status >= 400, String(status));
  assert.is((await relata.send(`GET ${path}`)).body.name, "Made");
  await relata.sql`alter table relata_idempotency drop constraint full_up`;
});

test("keeps keys of any length at paths of any length", async () => {
  const own = await startService({ resources: [person] });
  try {
    await own.sql`create table person (login text collate "C" primary key, name text not null)`;
    const path = `/people/${"%C3%A4".repeat(1200)}/`;
    const put = () =>
      own.send(`PUT ${path}`, { name: "Long" }, { "idempotency-key": "k".repeat(255) });
    const first = await put();
    assert.is(first.status, 201);
    assert.equal(told(await put()), told(first));
  } finally {
    await own.stop();
  }
});

test.run();
