// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failures, type Service, startService } from "../service.ts";

const test = suite("bar");
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.after(() => relata.stop());

async function addBar(name: string): Promise<number> {
  return (await relata.send("POST /api/bars/", { name })).body.id;
}

/** What becomes of a statement that an operator writes: `done`, or the code of the refusal. */
async function operate(statement: string): Promise<string> {
  return await relata.sql.unsafe(statement).then(() => "done", ({ code }) => code);
}

test("is created, and read at its Location as it was answered", async () => {
  const created = await relata.send("POST /api/bars/", { name: "Bar one" });
  assert.is(created.status, 201);
  const { id } = created.body;
  assert.ok(Number.isSafeInteger(id) && id >= 1);
  assert.equal(created.body, { id, name: "Bar one" });
  assert.is(created.headers.get("location"), `/api/bars/${id}/`);

  const read = await relata.send(`GET /api/bars/${id}/`);
  assert.is(read.status, 200);
  assert.equal(read.body, created.body);
});

for (
  const [title, body, expected] of [
    ["without a name", {}, { "/name": "required" }],
    ["with an identifier", { id: 7, name: "Bar" }, { "/id": "read_only" }],
    ["with a field it lacks", { name: "Bar", foo: 1 }, { "/foo": "unknown_field" }],
  ] as const
) {
  test(`is not created ${title}`, async () => {
    const before = await relata.sql`select id from bar`;
    assert.equal(failures(await relata.send("POST /api/bars/", body)), expected);
    assert.equal(await relata.sql`select id from bar`, before);
  });
}

test("is replaced by PUT, and only with its name", async () => {
  const id = await addBar("Old");
  const replaced = await relata.send(`PUT /api/bars/${id}/`, { name: "New" });
  assert.is(replaced.status, 200);
  assert.equal(replaced.body, { id, name: "New" });
  assert.equal(failures(await relata.send(`PUT /api/bars/${id}/`, {})), { "/name": "required" });
  assert.equal((await relata.send(`GET /api/bars/${id}/`)).body, { id, name: "New" });
});

for (const [patch, name] of [[{ name: "New" }, "New"], [{}, "Old"]] as const) {
  for (const type of ["application/merge-patch+json", "application/json"]) {
    test(`is called ${name} after a patch ${JSON.stringify(patch)} sent as ${type}`, async () => {
      const id = await addBar("Old");
      const patched = await relata.send(`PATCH /api/bars/${id}/`, patch, { "content-type": type });
      assert.is(patched.status, 200);
      assert.equal(patched.body, { id, name });
      assert.equal((await relata.send(`GET /api/bars/${id}/`)).body, { id, name });
    });
  }
}

test("is deleted, once", async () => {
  const id = await addBar("Gone");
  assert.is((await relata.send(`DELETE /api/bars/${id}/`)).status, 204);
  assert.is((await relata.send(`GET /api/bars/${id}/`)).status, 404);
  assert.is((await relata.send(`DELETE /api/bars/${id}/`)).status, 404);
});

for (
  const [method, body] of [["GET"], ["PUT", { name: "x" }], ["PATCH", {}], ["DELETE"]] as const
) {
  test(`is not found by ${method} where there is none, and none is made`, async () => {
    assert.is((await relata.send(`${method} /api/bars/987654/`, body)).status, 404);
    assert.is((await relata.send("GET /api/bars/987654/")).status, 404);
  });
}

for (const method of ["PUT", "PATCH"]) {
  test(`is shown by its foos under its new name after ${method}`, async () => {
    const id = await addBar("Old");
    const foo = await relata.send("POST /api/foos/", { name: "Foo", bar: id });
    assert.equal(foo.body.bar, { id, name: "Old" });
    await relata.send(`${method} /api/bars/${id}/`, { name: "New" });
    const read = await relata.send(`GET /api/foos/${foo.body.id}/`);
    assert.equal(read.body, { ...foo.body, bar: { id, name: "New" } });
    const list = await relata.send(`GET /api/foos/?bar=${id}`);
    assert.equal(list.body.items, [read.body]);
  });
}

test("is shown by its foos under the name that an operator gave it", async () => {
  const id = await addBar("Old");
  const foo = await relata.send("POST /api/foos/", { name: "Foo", bar: id });
  await relata.sql`update bar set name = 'By hand' where id = ${id}`;
  const read = await relata.send(`GET /api/foos/${foo.body.id}/`);
  assert.equal(read.body.bar, { id, name: "By hand" });
});

test("and a foo can be inserted by an operator, with an identifier or without", async () => {
  const { sql, send } = relata;
  const bars = await sql`
    insert into bar (name) values ('By hand') returning id`;
  await sql`insert into bar (id, name) values (7001, 'Seven thousand')`;
  const bar = { id: bars[0]!["id"], name: "By hand" };
  assert.equal((await send(`GET /api/bars/${bar.id}/`)).body, bar);
  assert.equal((await send("GET /api/bars/7001/")).body, { id: 7001, name: "Seven thousand" });

  const foos = await sql`
    insert into foo (name, bar_id) values ('By hand', ${bar.id}) returning id`;
  await sql`insert into foo (id, name, bar_id) values (7002, 'Foo', 7001)`;
  const foo = { id: foos[0]!["id"], name: "By hand", bar };
  assert.equal((await send(`GET /api/foos/${foo.id}/`)).body, foo);
  assert.equal((await send("GET /api/foos/7002/")).body, {
    id: 7002,
    name: "Foo",
    bar: { id: 7001, name: "Seven thousand" },
  });
});

test("is created even if an operator took an identifier near the end of the range", async () => {
  const create = async () => (await relata.send("POST /api/bars/", { name: "New" })).body.id;
  const before = await create();
  await relata.sql`insert into bar (id, name) values (9007199254740990, 'Near the end')`;
  assert.equal([await create(), await create()], [before + 1, before + 2]);
});

for (
  const [statement, outcome] of [
    ["insert into bar (id, name) values (9007199254740991, 'The last')", "done"],
    ["insert into bar (id, name) values (9007199254740992, 'Beyond')", "23514"],
    ["insert into bar (id, name) values (0, 'Zero')", "23514"],
    ["insert into bar (id, name) values (-1, 'Negative')", "23514"],
    ["insert into bar (name) values (repeat('😀', 64))", "done"],
    ["insert into bar (name) values (repeat('😀', 65))", "23514"],
    ["insert into bar (name) values (null)", "23502"],
    ["insert into foo (id, name, bar_id) values (9007199254740991, 'The last', 1)", "done"],
    ["insert into foo (id, name, bar_id) values (9007199254740992, 'Beyond', 1)", "23514"],
    ["insert into foo (id, name, bar_id) values (0, 'Zero', 1)", "23514"],
    ["insert into foo (id, name, bar_id) values (-1, 'Negative', 1)", "23514"],
    ["insert into foo (name, bar_id) values (repeat('😀', 64), 1)", "done"],
    ["insert into foo (name, bar_id) values (repeat('😀', 65), 1)", "23514"],
    ["insert into foo (name, bar_id) values ('Of no bar', 999999)", "23503"],
  ] as const
) {
  // 23502: not_null_violation, 23503: foreign_key_violation, 23514: check_violation
  test(`the database answers an operator's "${statement}" with ${outcome}`, async () => {
    assert.is(await operate(statement), outcome);
  });
}

test.run();
