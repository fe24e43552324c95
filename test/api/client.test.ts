// A client whose types are generated from the document, in both directions of a relation. The
// mistakes of each direction are marked: `npm run types`, which makes the types, fails if one of them
// compiles.
// Needs: Deno
import createClient from "openapi-fetch";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { components, paths } from "../contract/client.d.ts";
import { type Service, startService } from "../service.ts";

const test = suite("a typed client");
const baseUrl = "http://127.0.0.1:8000";
let relata: Service;
let client: ReturnType<typeof createClient<paths>>;

test.before(async () => {
  relata = await startService();
  await relata.sql`insert into bar (name) values ('Bar one'), ('Bar two')`;
  client = createClient<paths>({ baseUrl, fetch: relata.fetch });
});
test.after(() => relata.stop());

test("writes a relation as a number and reads it as an object, in the same field", async () => {
  const body = { name: "Foo one", bar: 2 };
  const { data, response } = await client.POST("/api/foos/", { body });
  assert.is(response.status, 201);
  const name: string = data!.bar.name;
  const identifier: number = data!.bar.id;
  assert.equal({ identifier, name }, { identifier: 2, name: "Bar two" });

  const path = { foo_id: data!.id };
  const read = await client.GET("/api/foos/{foo_id}/", { params: { path } });
  assert.equal(read.data, data);
  const patched = await client.PATCH("/api/foos/{foo_id}/", { params: { path }, body: { bar: 1 } });
  assert.is(patched.data!.bar.name, "Bar one");
});

test("knows the other relation as a number in both directions", async () => {
  const colere = (await client.GET("/colere/")).data!.id;
  const { data } = await client.POST("/bottage/", { body: { cul: "Hello", colere } });
  const referred: number = data!.colere;
  assert.is(referred, colere);
  assert.equal((await client.GET("/bottage/last")).data, data);
});

test("knows the problems of each operation", async () => {
  const { error } = await client.POST("/api/foos/", { body: { name: "Foo", bar: 999 } });
  const invalid = error as components["schemas"]["Invalid"];
  assert.equal(invalid.errors.map(({ pointer, code }) => ({ pointer, code })), [
    { pointer: "/bar", code: "does_not_exist" },
  ]);
});

test("finds the mistakes of each direction before they are sent", async () => {
  const madeUp: components["schemas"]["FooWrite"] = {
    name: "Foo",
    bar: 1,
    // @ts-expect-error: a field cannot be made up
    colour: "red",
  };
  const mistakes = [
    // @ts-expect-error: a relation is written as its identifier, not as the object
    await client.POST("/api/foos/", { body: { name: "Foo", bar: { id: 1, name: "Bar one" } } }),
    // @ts-expect-error: an identifier is a number
    await client.POST("/api/foos/", { body: { name: "Foo", bar: "1" } }),
    // @ts-expect-error: a relation that is required cannot be left out
    await client.POST("/api/foos/", { body: { name: "Foo" } }),
    await client.POST("/api/foos/", { body: madeUp }),
    // @ts-expect-error: a record is written with the identifier of its colere
    await client.POST("/bottage/", { body: { cul: "Hello", colere: { id: 1 } } }),
  ];
  for (const { response } of mistakes) assert.is(response.status, 422);

  const { data } = await client.GET("/api/foos/{foo_id}/", { params: { path: { foo_id: 1 } } });
  // @ts-expect-error: a relation is read as the object, not as its identifier
  const number: number = data!.bar;
  assert.type(number, "object");
});

test.run();
