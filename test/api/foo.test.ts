// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failures, type Service, startService } from "../service.ts";

const test = suite("foo");
let relata: Service;

test.before(async () => {
  relata = await startService();
  await relata.sql`insert into bar (name) values ('Bar one'), ('Bar two')`;
});
test.after(() => relata.stop());

test("is written with the identifier of its bar and read with the whole bar", async () => {
  const created = await relata.send("POST /api/foos/", { name: "Foo", bar: 2 });
  assert.is(created.status, 201);
  const id = created.body.id;
  assert.equal(created.body, { id, name: "Foo", bar: { id: 2, name: "Bar two" } });
  assert.is(created.headers.get("location"), `/api/foos/${id}/`);

  const read = await relata.send(`GET /api/foos/${id}/`);
  assert.is(read.status, 200);
  assert.equal(read.body, created.body);
});

test("answers the same in both spellings of the final slash", async () => {
  const { body } = await relata.send("POST /api/foos", { name: "Slash", bar: 1 });
  const [with_, without] = [
    await relata.send(`GET /api/foos/${body.id}/`),
    await relata.send(`GET /api/foos/${body.id}`),
  ];
  assert.equal([with_.status, without.status], [200, 200]);
  assert.equal(with_.body, without.body);
});

test("is replaced whole by PUT, and only with every field", async () => {
  const { body: { id } } = await relata.send("POST /api/foos/", { name: "Old", bar: 1 });
  const replaced = await relata.send(`PUT /api/foos/${id}/`, { name: "New", bar: 2 });
  assert.is(replaced.status, 200);
  assert.equal(replaced.body, { id, name: "New", bar: { id: 2, name: "Bar two" } });
  assert.equal((await relata.send(`GET /api/foos/${id}/`)).body, replaced.body);

  const partial = await relata.send(`PUT /api/foos/${id}/`, { name: "Newer" });
  assert.equal(failures(partial), { "/bar": "required" });
  assert.equal((await relata.send(`GET /api/foos/${id}/`)).body, replaced.body);
});

for (
  const [title, patch, expected] of [
    ["its name", { name: "New" }, { name: "New", bar: { id: 1, name: "Bar one" } }],
    ["its bar", { bar: 2 }, { name: "Old", bar: { id: 2, name: "Bar two" } }],
    ["both", { name: "New", bar: 2 }, { name: "New", bar: { id: 2, name: "Bar two" } }],
    ["nothing", {}, { name: "Old", bar: { id: 1, name: "Bar one" } }],
  ] as const
) {
  for (const type of ["application/merge-patch+json", "application/json"]) {
    test(`is patched in ${title}, sent as ${type}`, async () => {
      const { body: { id } } = await relata.send("POST /api/foos/", { name: "Old", bar: 1 });
      const patched = await relata.send(`PATCH /api/foos/${id}/`, patch, { "content-type": type });
      assert.is(patched.status, 200);
      assert.equal(patched.body, { id, ...expected });
      assert.equal((await relata.send(`GET /api/foos/${id}/`)).body, patched.body);
    });
  }
}

test("keeps both of two simultaneous patches of different fields", async () => {
  const { body: { id } } = await relata.send("POST /api/foos/", { name: "Old", bar: 1 });
  await Promise.all([
    relata.send(`PATCH /api/foos/${id}/`, { name: "New" }),
    relata.send(`PATCH /api/foos/${id}/`, { bar: 2 }),
  ]);
  const { body } = await relata.send(`GET /api/foos/${id}/`);
  assert.equal(body, { id, name: "New", bar: { id: 2, name: "Bar two" } });
});

test("is deleted", async () => {
  const { body: { id } } = await relata.send("POST /api/foos/", { name: "Gone", bar: 1 });
  assert.is((await relata.send(`DELETE /api/foos/${id}/`)).status, 204);
  assert.is((await relata.send(`GET /api/foos/${id}/`)).status, 404);
});

for (
  const [method, body] of [["GET"], ["PUT", { name: "x", bar: 1 }], ["PATCH", {}], [
    "DELETE",
  ]] as const
) {
  test(`is not found by ${method} where there is none, and none is made`, async () => {
    const answer = await relata.send(`${method} /api/foos/987654/`, body);
    assert.is(answer.status, 404);
    assert.is(answer.body.detail, "No foo has the identifier 987654");
    assert.is((await relata.send("GET /api/foos/987654/")).status, 404);
  });
}

test("gets identifiers in the order of creation, and passes those that were inserted by hand", async () => {
  const create = (name: string) => relata.send("POST /api/foos/", { name, bar: 1 });
  let { body: { id: last } } = await create("Before");
  for (const together of [1, 2, 20]) {
    await relata.sql`
      insert into foo (id, name, bar_id)
      select id, 'By hand', 1 from generate_series(${last + 1}::bigint, ${last + 40}) as id`;
    const created = await Promise.all(Array.from({ length: together }, () => create("After")));
    assert.ok(created.every(({ status, body }) => status === 201 && body.id > last + 40));
    const identifiers = new Set(created.map(({ body }) => body.id));
    assert.is(identifiers.size, together);
    last = Math.max(...identifiers);
  }
});

test.run();
