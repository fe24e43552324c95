// Many rows with one request: all of them, in the order sent, or none.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failures, type Service, startService } from "../service.ts";

const test = suite("batches");
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.before.each(async () => {
  await relata.sql`truncate bar, foo, relata_idempotency restart identity`;
  await relata.sql`insert into bar (name) values ('Bar one'), ('Bar two')`;
});
test.after(() => relata.stop());

const foos = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ name: `Foo ${n}`, bar: 1 + n % 2, ...more }));

const count = async () => Number((await relata.sql`select count(*) from foo`)[0]!["count"]);

for (const headers of [{}, { "idempotency-key": "key" }] as Record<string, string>[]) {
  const how = headers["idempotency-key"] ? "with a key" : "without a key";
  test(`creates rows in the order sent, ${how}, and answers with each as it is read`, async () => {
    const answer = await relata.send("POST /api/foos/batch/", foos(3), headers);
    const { status, body } = answer;
    assert.is(status, 201);
    const bars = [{ id: 1, name: "Bar one" }, { id: 2, name: "Bar two" }, {
      id: 1,
      name: "Bar one",
    }];
    assert.equal(body, bars.map((bar, n) => ({ id: n + 1, name: `Foo ${n}`, bar })));
    assert.equal([answer.headers.get("location"), answer.headers.get("etag")], [null, null]);
    assert.equal((await relata.send("GET /api/foos/")).body.items, body);
  });
}

test("takes a thousand, whose identifiers ascend in the order sent", async () => {
  const { body } = await relata.send("POST /api/foos/batch/", foos(1000));
  assert.equal(body.map(({ name }: { name: string }) => name), foos(1000).map(({ name }) => name));
  body.forEach(({ id }: { id: number }, n: number) => assert.ok(n === 0 || id > body[n - 1].id));
});

test("formats the dates of records", async () => {
  const [{ id }] = await relata.sql`select id from colere` as unknown as [{ id: number }];
  const sent = [{ cul: "one", colere: id }, { cul: "two", colere: id }];
  const { body } = await relata.send("POST /bottage/batch/", sent);
  for (const { date } of body) assert.match(date, /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
});

for (
  const [title, sent, expected] of [
    ["an object", { name: "Foo", bar: 1 }, { "": "incorrect_type" }],
    ["null", "null", { "": "incorrect_type" }],
    ["no element", [], { "": "too_few" }],
    ["1,001 elements", foos(1001), { "": "too_many" }],
    ["elements that are no objects", [1, null, [], ...foos(1)], {
      "/0": "incorrect_type",
      "/1": "incorrect_type",
      "/2": "incorrect_type",
    }],
    [
      "elements with fields that fail, relations included",
      [...foos(1), { name: 7, bar: 99 }, { bar: "1" }, { name: "Foo", bar: 98 }, { id: 1, x: 1 }],
      {
        "/1/name": "incorrect_type",
        "/1/bar": "does_not_exist",
        "/2/name": "required",
        "/2/bar": "incorrect_type",
        "/3/bar": "does_not_exist",
        "/4/name": "required",
        "/4/bar": "required",
        "/4/id": "read_only",
        "/4/x": "unknown_field",
      },
    ],
    ["relations that refer to nothing", [...foos(2), { name: "Foo", bar: 99 }, ...foos(1)], {
      "/2/bar": "does_not_exist",
    }],
  ] as const
) {
  for (const headers of [{}, { "idempotency-key": "key" }] as Record<string, string>[]) {
    const how = headers["idempotency-key"] ? "with a key" : "without a key";
    test(`refuses ${title}, ${how}, and creates nothing`, async () => {
      const answer = await relata.send("POST /api/foos/batch/", sent, headers);
      assert.equal(failures(answer), expected);
      assert.is(await count(), 0);
    });
  }
}

test("tells the first hundred of the fields that fail", async () => {
  const { body } = await relata.send("POST /api/foos/batch/", foos(300, { bar: 99 }));
  assert.is(body.errors.length, 100);
  assert.is(body.errors[99].pointer, "/99/bar");
  assert.is(body.detail, "More than 100 fields fail; the first 100 are listed");
  for (const [count, detail] of [[100, "100 fields fail"], [101, body.detail]] as const) {
    const { body: shapes } = await relata.send("POST /api/foos/batch/", foos(count, { name: 1 }));
    assert.equal([shapes.errors.length, shapes.detail], [100, detail]);
  }
});

test("with a key is made once, and the same bytes get the first answer again", async () => {
  const key = { "idempotency-key": "key" };
  const first = await relata.send("POST /api/foos/batch/", foos(3), key);
  assert.is(first.status, 201);
  await relata.send("PATCH /api/foos/1/", { name: "New" });
  const second = await relata.send("POST /api/foos/batch/", foos(3), key);
  assert.equal(second.body, first.body);
  assert.is(await count(), 3);
  const other = await relata.send("POST /api/foos/batch/", foos(2), key);
  assert.equal(failures(other), { "": "reused_key" });
});

test("many at once create each its own rows", async () => {
  const answers = await Promise.all(
    Array.from(
      { length: 8 },
      (_, n) => relata.send("POST /api/foos/batch/", foos(20, { name: `Batch ${n}` })),
    ),
  );
  answers.forEach(({ body }, n) => {
    assert.is(body.length, 20);
    assert.ok(body.every(({ name }: { name: string }) => name === `Batch ${n}`));
  });
  assert.is(await count(), 160);
});

test("moves on a sequence that is behind", async () => {
  await relata.sql`insert into foo (id, name, bar_id) values (2, 'Mine', 1)`;
  const { status, body } = await relata.send("POST /api/foos/batch/", foos(3));
  assert.is(status, 201);
  assert.ok(body.every(({ id }: { id: number }) => id > 2));
});

test.run();
