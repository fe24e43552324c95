// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failures, type Service, startService } from "../service.ts";

const test = suite("colere");
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.after(() => relata.stop());

test("is there on a fresh database, without a name", async () => {
  const fresh = await startService();
  try {
    const { status, body } = await fresh.send("GET /colere/");
    assert.is(status, 200);
    assert.ok(Number.isSafeInteger(body.id) && body.id >= 1);
    assert.equal(body, { id: body.id, name: "" });
    assert.equal((await fresh.send(`GET /colere/${body.id}/`)).body, body);
  } finally {
    await fresh.stop();
  }
});

for (
  const [title, body, name] of [
    ["with a name", { name: "Red" }, "Red"],
    ["with an empty name", { name: "" }, ""],
    ["without a name, which is then empty", {}, ""],
  ] as const
) {
  test(`is created ${title}, and is then the current one`, async () => {
    const created = await relata.send("POST /colere/", body);
    assert.is(created.status, 201);
    const { id } = created.body;
    assert.equal(created.body, { id, name });
    assert.is(created.headers.get("location"), `/colere/${id}/`);
    assert.equal((await relata.send(`GET /colere/${id}/`)).body, created.body);
    assert.equal((await relata.send("GET /colere/")).body, created.body);
  });
}

test("is still read by its identifier when a newer one is current", async () => {
  const older = await relata.send("POST /colere/", { name: "Older" });
  const newer = await relata.send("POST /colere/", { name: "Newer" });
  assert.ok(newer.body.id > older.body.id);
  assert.equal((await relata.send(`GET /colere/${older.body.id}/`)).body, older.body);
  assert.equal((await relata.send("GET /colere/")).body, newer.body);
});

for (
  const [body, expected] of [
    [{ name: "x".repeat(65) }, { "/name": "too_long" }],
    [{ name: null }, { "/name": "incorrect_type" }],
    [{ id: 7 }, { "/id": "read_only" }],
    [{ id: 7, name: 7 }, { "/id": "read_only", "/name": "incorrect_type" }],
  ] as const
) {
  test(`is not created from ${JSON.stringify(body).slice(0, 40)}`, async () => {
    const before = await relata.sql`select id from colere`;
    assert.equal(failures(await relata.send("POST /colere/", body)), expected);
    assert.equal(await relata.sql`select id from colere`, before);
  });
}

test("is not found where there is none", async () => {
  assert.is((await relata.send("GET /colere/987654/")).status, 404);
});

for (
  const [path, methods, allow] of [
    ["/colere/", ["PUT", "PATCH", "DELETE"], "GET HEAD OPTIONS POST"],
    ["/colere/1/", ["POST", "PUT", "PATCH", "DELETE"], "GET HEAD OPTIONS"],
  ] as const
) {
  for (const method of methods) {
    test(`is not changed by ${method} ${path}`, async () => {
      const before = await relata.sql`select * from colere order by id`;
      const { status, headers } = await relata.send(`${method} ${path}`, { name: "Changed" });
      assert.is(status, 405);
      assert.is(headers.get("allow")?.split(", ").sort().join(" "), allow);
      assert.equal(await relata.sql`select * from colere order by id`, before);
    });
  }
}

test("is current and can be referred to when an operator inserted it", async () => {
  for (
    const [statement, name] of [
      ["insert into colere (name) values ('By hand') returning id", "By hand"],
      ["insert into colere default values returning id", ""],
      ["insert into colere (id, name) values (7001, 'Far') returning id", "Far"],
    ] as const
  ) {
    const [row] = await relata.sql.unsafe(statement);
    const colere = { id: row!["id"], name };
    assert.equal((await relata.send(`GET /colere/${colere.id}/`)).body, colere);
    assert.equal((await relata.send("GET /colere/")).body, colere);
    const { status } = await relata.send("POST /bottage/", { cul: "Cul", colere: colere.id });
    assert.is(status, 201);
  }
});

test("is the newest one made, also after an operator inserted one and set the sequence", async () => {
  await relata.sql`insert into colere (id, name) values (9001, 'Far ahead')`;
  await relata.sql`select setval('colere_id_seq', 9001)`;
  const created = await relata.send("POST /colere/", { name: "Made after" });
  assert.is(created.status, 201);
  assert.equal((await relata.send("GET /colere/")).body, created.body);
});

for (
  const [statement, outcome] of [
    ["insert into colere (id, name) values (9007199254740991, 'The last')", "done"],
    ["insert into colere (id, name) values (9007199254740992, 'Beyond')", "23514"],
    ["insert into colere (id, name) values (0, 'Zero')", "23514"],
    ["insert into colere (id, name) values (-1, 'Negative')", "23514"],
    ["insert into colere (name) values (repeat('😀', 64))", "done"],
    ["insert into colere (name) values (repeat('😀', 65))", "23514"],
    ["insert into colere (name) values (null)", "23502"],
  ] as const
) {
  // 23502: not_null_violation, 23514: check_violation
  test(`the database answers an operator's "${statement}" with ${outcome}`, async () => {
    const result = relata.sql.unsafe(statement).then(() => "done", ({ code }) => code);
    assert.is(await result, outcome);
  });
}

test.run();
