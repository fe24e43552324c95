// Conditional requests: tags of representations, reads that are answered with 304, and writes that happen
// only if the row is as the client has seen it.
// Needs: Deno, the embedded database
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decimal, identifier, json, resource, resources } from "../house.ts";
import * as invoices from "../invoices.ts";
import { until } from "../program.ts";
import { type Answer, onEmbedded, type Service, startService } from "../service.ts";
import { blocked, inTransaction } from "../transaction.ts";

const test = suite("conditions");
let relata: Service;
const send: Service["send"] = (...request) => relata.send(...request);

const measurement = resource("measurement", {
  path: "/measurements/",
  fields: { id: identifier({ generated: false }), value: decimal(), raw: json() },
});

test.before(async () => {
  relata = await startService({ resources: [...resources, ...invoices.invoices, measurement] });
  await relata.sql.unsafe(invoices.up);
  await relata.sql`
    create table measurement (id bigint primary key, value numeric not null, raw jsonb not null)`;
});
test.after(() => relata.stop());

const tag = (answer: Answer) => answer.headers.get("etag")!;

/** A foo of its own bar, as the two answers that made them. */
async function made() {
  const bar = await send("POST /api/bars/", { name: "Bar" });
  const foo = await send("POST /api/foos/", { name: "Foo", bar: bar.body.id });
  return { bar, foo, path: `/api/foos/${foo.body.id}/`, barPath: `/api/bars/${bar.body.id}/` };
}

test("use tags that are the same for the same representation, read or written, and for no other", async () => {
  const { foo, path, barPath } = await made();
  assert.match(tag(foo), /^"[0-9a-f]{32}"$/);
  const read = await send(`GET ${path}`);
  assert.is(tag(read), tag(foo));
  assert.is(
    tag(read),
    `"${createHash("sha256").update(JSON.stringify(read.body)).digest("hex").slice(0, 32)}"`,
  );
  assert.is(tag(await send(`HEAD ${path}`)), tag(foo));
  assert.is(tag(await send(`PUT ${path}`, { name: "Foo", bar: foo.body.bar.id })), tag(foo));
  const patched = await send(`PATCH ${path}`, { name: "Föö" });
  assert.is.not(tag(patched), tag(foo));
  await send(`PATCH ${barPath}`, { name: "Another" });
  const after = await send(`GET ${path}`);
  assert.is.not(tag(after), tag(patched), "The tag of a foo changes with its bar");
});

for (const path of ["/bottage/last", "/bottage/1", "/colere/", "/colere/1/"]) {
  test(`tag the answer to GET ${path}`, async () => {
    await send("POST /bottage/", { cul: "Hello", colere: 1 });
    const first = await send(`GET ${path}`);
    assert.match(tag(first), /^"[0-9a-f]{32}"$/);
    const again = await send(`GET ${path}`, undefined, { "if-none-match": tag(first) });
    assert.equal([again.status, tag(again)], [304, tag(first)]);
    assert.is(again.headers.has("content-length"), false); // it would be that of the representation
  });
}

test("do not apply to lists and candidate lists, which have no tags", async () => {
  for (const path of ["/api/foos/", "/api/foos/choices/bar/", "/bottage/"]) {
    assert.is((await send(`GET ${path}`)).headers.get("etag"), null);
  }
});

for (
  const [title, header, status] of [
    ["its tag", (own: string) => own, 304],
    ["its tag, weak", (own: string) => `W/${own}`, 304],
    ["its tag among others", (own: string) => `"a", W/"b,c" ,${own}`, 304],
    ["its tag between empty elements", (own: string) => `, ,"a",,${own} ,`, 304],
    ["any tag", () => "*", 304],
    ["another tag", () => '"0123"', 200],
    ["another tag with its own inside", (own: string) => `"x${own.slice(1)}`, 200],
  ] as const
) {
  test(`answer ${status} to a read whose If-None-Match names ${title}`, async () => {
    const { foo, path } = await made();
    for (const method of ["GET", "HEAD"]) {
      const read = await send(`${method} ${path}`, undefined, {
        "if-none-match": header(tag(foo)),
      });
      assert.equal([read.status, tag(read)], [status, tag(foo)]);
    }
  });
}

for (
  const [title, header, status] of [
    ["its tag", (own: string) => own, 200],
    ["its tag among others", (own: string) => `"a", ${own}`, 200],
    ["any tag", () => "*", 200],
    ["another tag", () => '"0123"', 412],
    ["its tag, weak", (own: string) => `W/${own}`, 412],
    ["a tag that is an asterisk", () => '"*"', 412],
  ] as const
) {
  test(`answer ${status} to a read whose If-Match names ${title}`, async () => {
    const { foo, path } = await made();
    for (const method of ["GET", "HEAD"]) {
      const headers = { "if-match": header(tag(foo)) };
      assert.is((await send(`${method} ${path}`, undefined, headers)).status, status);
      const both = { ...headers, "if-none-match": tag(foo) };
      const read = await send(`${method} ${path}`, undefined, both);
      assert.is(read.status, status === 200 ? 304 : 412, "If-Match comes first");
      assert.is(tag(read), tag(foo));
      if (read.status === 412 && method === "GET") assert.equal(read.body.current, foo.body);
    }
    const absent = { "if-match": header(tag(foo)) };
    assert.is((await send("GET /api/foos/987654/", undefined, absent)).status, 404);
  });
}

const isPage = (path: string) => /^\/(openapi|docs)/.test(path);

for (const path of ["/bottage/last", "/colere/", "/openapi.json", "/docs/", "/docs/docs.css"]) {
  test(`refuse a read of ${path} whose If-Match does not hold`, async () => {
    await send("POST /bottage/", { cul: "Hello", colere: 1 });
    const { headers, body } = await send(`GET ${path}`);
    const own = headers.get("etag")!;
    for (const [value, status] of [[own, 200], ["*", 200], ['"0123"', 412]] as const) {
      const read = await send(`GET ${path}`, undefined, { "if-match": value });
      assert.is(read.status, status);
      if (status === 412) assert.equal(read.body.current, isPage(path) ? undefined : body);
    }
  });
}

for (const [method, body] of [["GET"], ["PATCH", {}], ["DELETE"]] as [string, object?][]) {
  test(`say that weak tags never match when ${method} is refused for one`, async () => {
    const { foo, path } = await made();
    const unmet = async (header: string) => {
      const answer = await send(`${method} ${path}`, body, { "if-match": header });
      assert.is(answer.status, 412);
      return answer.body.detail;
    };
    assert.match(await unmet(`W/${tag(foo)}`), /weak tags \(W\/"…"\) never match/);
    assert.match(await unmet(`"a", W/${tag(foo)}`), /weak tags/);
    assert.not.match(await unmet('"a"'), /weak/);
    assert.not.match(await unmet('"W/"'), /weak/);
  });
}

const writes: [method: string, body: object | undefined, done: number][] = [
  ["PUT", { name: "New", bar: 1 }, 200],
  ["PATCH", { name: "New" }, 200],
  ["DELETE", undefined, 204],
];

for (const [method, body, done] of writes) {
  for (
    const [name, title, header, status] of [
      ["If-Match", "its tag", (own: string) => own, done],
      ["If-Match", "its tag among others", (own: string) => `"a", ${own}`, done],
      ["If-Match", "any tag", () => "*", done],
      ["If-Match", "its tag, weak", (own: string) => `W/${own}`, 412],
      ["If-Match", "another tag", () => '"0123"', 412],
      ["If-Match", "a tag that is an asterisk", () => '"*"', 412],
      ["If-None-Match", "its tag", (own: string) => own, 412],
      ["If-None-Match", "its tag, weak", (own: string) => `W/${own}`, 412],
      ["If-None-Match", "its tag among others", (own: string) => `"a", ${own}`, 412],
      ["If-None-Match", "any tag", () => "*", 412],
      ["If-None-Match", "another tag", () => '"0123"', done],
      ["If-None-Match", "a tag that is an asterisk", () => '"*"', done],
    ] as const
  ) {
    test(`answer ${status} to ${method} whose ${name} names ${title}`, async () => {
      const { foo, path } = await made();
      const answer = await send(`${method} ${path}`, body, { [name]: header(tag(foo)) });
      assert.is(answer.status, status);
      const { status: now, body: stored } = await send(`GET ${path}`);
      if (status === 412) {
        assert.equal(stored, foo.body, "Nothing was written");
        assert.equal([answer.body.current, tag(answer)], [foo.body, tag(foo)]);
      } else {assert.equal(
          [now, stored.name],
          method === "DELETE" ? [404, undefined] : [200, "New"],
        );}
      if (status === 200) assert.is(tag(answer), tag(await send(`GET ${path}`)));
    });
  }

  test(`hold ${method} to both of its conditions`, async () => {
    const { foo, path } = await made();
    const own = tag(foo);
    const met = { "if-match": `"0123", ${own}`, "if-none-match": '"0123"' };
    for (
      const unmet of [
        { "if-match": own, "if-none-match": own },
        { "if-match": own, "if-none-match": "*" },
        { "if-match": '"0123"', "if-none-match": '"4567"' },
        { "if-match": "*", "if-none-match": own },
      ]
    ) {
      assert.is((await send(`${method} ${path}`, body, unmet)).status, 412, JSON.stringify(unmet));
    }
    assert.equal((await send(`GET ${path}`)).body, foo.body, "Nothing was written");
    assert.is((await send(`${method} ${path}`, body, met)).status, done);
  });

  test(`refuse ${method} on a foo whose bar has changed since it was read`, async () => {
    const { foo, path, barPath } = await made();
    await send(`PATCH ${barPath}`, { name: "Changed" });
    const refused = await send(`${method} ${path}`, body, { "if-match": tag(foo) });
    const now = await send(`GET ${path}`);
    assert.equal([refused.status, refused.body.current], [412, now.body]);
    assert.equal([now.body.bar.name, tag(refused)], ["Changed", tag(now)]);
    assert.is((await send(`${method} ${path}`, body, { "if-match": tag(refused) })).status, done);
  });

  test(`report an absent row to ${method} before its condition, and a bad body before both`, async () => {
    for (const condition of [{ "if-match": '"0123"' }, { "if-none-match": "*" }]) {
      assert.is((await send(`${method} /api/foos/987654/`, body, condition)).status, 404);
      if (!body) continue;
      const bad = { bar: 987654 };
      assert.is((await send(`${method} /api/foos/987654/`, bad, condition)).status, 422);
    }
  });
}

for (
  const [request, name] of [
    ["GET /colere/1/", "If-None-Match"],
    ["DELETE /api/foos/1/", "If-None-Match"],
    ["DELETE /api/foos/1/", "If-Match"],
  ]
) {
  for (const value of ["abc", '"a" "b"', 'w/"a"', "", '*, "a"', '"a",*', ","]) {
    test(`refuse ${request} with ${name}: ${value || "nothing"}`, async () => {
      const { status, body } = await send(request!, undefined, { [name!]: value });
      assert.equal([status, body.type], [400, "/problems/invalid_header"]);
      assert.match(body.detail, name!);
    });
  }
}

test("answer with what was written, even if If-None-Match names its tag", async () => {
  const { foo, path } = await made();
  const there = await send(`PATCH ${path}`, { name: "New" });
  await send(`PATCH ${path}`, { name: "Foo" });
  const again = await send(`PATCH ${path}`, { name: "New" }, { "if-none-match": tag(there) });
  assert.equal([again.status, again.body], [200, { ...foo.body, name: "New" }]);
});

test("let one of many writers through that have all seen the same row", async () => {
  const { foo, path } = await made();
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) => send(`PATCH ${path}`, { name: `Writer ${n}` }, { "if-match": tag(foo) }),
    ),
  );
  const through = answers.filter(({ status }) => status === 200);
  assert.is(through.length, 1);
  assert.is(answers.filter(({ status }) => status === 412).length, 19);
  assert.equal((await send(`GET ${path}`)).body, through[0]!.body);
});

const big = { id: 1, value: "9007199254740993.000000000000000001", raw: [] };

for (
  const [method, body] of [
    ["GET"],
    ["PUT", { value: "1", raw: 1 }],
    ["PATCH", { raw: 1 }],
    ["DELETE"],
  ] as [string, object?][]
) {
  test(`give the row of a refused ${method} with all digits that the database has`, async () => {
    const number = "9007199254740993.10";
    await relata.sql`delete from measurement`;
    await send("POST /measurements/", big);
    await relata.sql`update measurement set raw = ${`[${number}]`}::text::jsonb`;
    const ask = async (method: string, body?: object, headers = {}) => {
      const request = new Request("http://relata.test/measurements/1/", {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      return await (await relata.fetch(request)).text();
    };
    const read = await ask("GET");
    assert.ok(read.includes(big.value) && read.includes(number), read);
    const refused = await ask(method, body, { "if-match": '"other"' });
    assert.is(refused.slice(refused.indexOf(',"current":')), `,"current":${read}}`);
  });
}

for (const [method, body, done] of writes) {
  test(`give the row with what it owns when ${method} is refused`, async () => {
    const sent = { title: "New", lines: [{ product: 1, tags: [2], parts: [{ name: "a" }] }] };
    const { headers, body: invoice } = await send("POST /invoices/", sent);
    const path = `/invoices/${invoice.id}/`;
    const [line] = invoice.lines;
    await send(`PATCH ${path}`, { lines: [{ id: line.id, product: 2, tags: [1] }] });
    const own = body && { title: "New" };
    const stale = { "if-match": headers.get("etag")! };
    const refused = await send(`${method} ${path}`, own, stale);
    const now = await send(`GET ${path}`);
    assert.is(now.body.lines[0].product.id, 2);
    assert.equal([refused.status, refused.body.current], [412, now.body]);
    const again = { "if-match": tag(refused) };
    assert.is((await send(`${method} ${path}`, own, again)).status, done);
  });
}

test("tell that there is no row where PUT would create it, and which is there where it must", async () => {
  const put = (headers: Record<string, string>) =>
    send("PUT /measurements/2/", { value: "1.50", raw: {} }, headers);
  for (const value of ["*", '"other"']) {
    const { status, headers, body } = await put({ "if-match": value });
    assert.equal([status, body.current, headers.get("etag")], [412, null, null]);
  }
  const made = await put({ "if-none-match": "*" });
  assert.is(made.status, 201);
  const again = await put({ "if-none-match": "*" });
  assert.equal([again.status, again.body.current, tag(again)], [412, made.body, tag(made)]);
});

const waiting = onEmbedded ? test.skip : test;
const skipped = onEmbedded ? " (skipped: the embedded database is one session)" : "";

for (const [method, body] of writes) {
  waiting(`tell that the row went once ${method} was refused${skipped}`, async () => {
    const { path } = await made();
    const { sql } = relata;
    const isBlocked = (count: number) => async () => await blocked(sql) === count;
    let refused: Promise<Answer> | undefined;
    let deletion: Promise<void> | undefined;
    await inTransaction(sql, async (other) => {
      await other`lock table bar in access exclusive mode`;
      refused = send(`${method} ${path}`, body, { "if-match": '"other"' });
      await until("the write waits, as it reads the bar", isBlocked(1));
      deletion = inTransaction(sql, async (another) => {
        await another`lock table foo in access exclusive mode`; // the next to have it
        await another`delete from foo`;
      });
      await until("the deletion waits for the write", isBlocked(2));
    });
    await deletion;
    const { status, headers, body: problem } = await refused!;
    assert.equal([status, problem.current, headers.get("etag")], [412, null, null]);
  });
}

waiting(
  `decide on the row as it is after a wait for another writer${skipped}`,
  async () => {
    const { foo, path } = await made();
    let patched: Promise<Answer> | undefined;
    await inTransaction(relata.sql, async (other) => {
      await other`update foo set name = 'Overtaken' where id = ${foo.body.id}`;
      patched = send(`PATCH ${path}`, { name: "Late" }, { "if-match": tag(foo) });
      await until("the change waits", async () => await blocked(relata.sql) > 0);
    });
    assert.is((await patched!).status, 412);
    assert.is((await send(`GET ${path}`)).body.name, "Overtaken");
  },
);

for (const request of ["PATCH", "PUT", "DELETE"]) {
  waiting(`of ${request} count for what the row refers to, after a wait${skipped}`, async () => {
    const { foo, bar, path } = await made();
    const sent = request === "DELETE" ? undefined : { name: "Late", bar: bar.body.id };
    const ask = (headers = {}) => send(`${request} ${path}`, sent, headers);
    const late: Promise<Answer>[] = [];
    await inTransaction(relata.sql, async (other) => {
      await other`select from foo where id = ${foo.body.id} for update`;
      late.push(ask({ "if-match": tag(foo) }));
      if (request !== "DELETE") late.push(ask());
      await until("the writes wait", async () => await blocked(relata.sql) >= late.length);
      await send(`PATCH /api/bars/${bar.body.id}/`, { name: "Renamed" });
    });
    const [conditional, plain] = await Promise.all(late);
    assert.is(conditional!.status, 412);
    const there = await send(`GET ${path}`);
    assert.is(there.body.bar.name, "Renamed");
    if (!plain) return;
    assert.equal([plain.status, plain.body, tag(plain)], [200, there.body, tag(there)]);
  });
}

for (const request of ["PATCH", "PUT", "DELETE"]) {
  waiting(
    `let ${request} through at last, whoever else locks its row each time${skipped}`,
    async () => {
      const { foo, path } = await made();
      const sent = request === "DELETE" ? undefined : { name: "Last", bar: foo.body.bar.id };
      let answer: Promise<Answer> | undefined;
      let isOver = false;
      async function lockInTurn(times: number): Promise<void> {
        let next: Promise<void> | undefined;
        await inTransaction(relata.sql, async (other) => {
          await other`select from foo where id = ${foo.body.id} for no key update`;
          answer ??= send(`${request} ${path}`, sent, { "if-match": tag(foo) });
          answer.finally(() => isOver = true);
          await until("it waits", async () => isOver || await blocked(relata.sql) > 0);
          if (isOver || times === 0) return;
          next = lockInTurn(times - 1);
          await until("so do others", async () => isOver || await blocked(relata.sql) > 1);
        });
        await next;
      }
      await lockInTurn(20);
      assert.is((await answer!).status, request === "DELETE" ? 204 : 200);
    },
  );
}

waiting(`of a change do not wait for rows that come to refer to it${skipped}`, async () => {
  const { bar } = await made();
  await inTransaction(relata.sql, async (other) => {
    await other`insert into foo (name, bar_id) values ('New', ${bar.body.id})`;
    const headers = { "if-match": tag(bar) };
    const { status } = await send(`PATCH /api/bars/${bar.body.id}/`, { name: "Now" }, headers);
    assert.is(status, 200);
  });
});

test("save a client from loading the documentation and the contract again", async () => {
  for (const path of ["/openapi.json", "/docs/", "/docs/docs.css"]) {
    const etags = new Set<string>();
    for (const coding of ["gzip", "identity"]) {
      const headers = { "accept-encoding": coding };
      const first = await relata.fetch(new Request(`http://relata.test${path}`, { headers }));
      const etag = first.headers.get("etag")!;
      await first.body?.cancel();
      const again = await relata.fetch(
        new Request(`http://relata.test${path}`, {
          headers: { ...headers, "if-none-match": etag },
        }),
      );
      assert.equal([again.status, again.headers.get("etag")], [304, etag], `${path} ${coding}`);
      etags.add(etag);
    }
    assert.is(etags.size, 2, "What is packed is told apart");
  }
});

test.run();
