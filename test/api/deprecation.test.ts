// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  bottage,
  create,
  createBatch,
  declarationOf,
  deprecated,
  follow,
  foo,
  list,
  read,
  remove,
  type Resource,
  resource,
} from "../house.ts";
import { type Answer, type Service, startService } from "../service.ts";

const test = suite("deprecation");
const started: Service[] = [];
test.after(async () => {
  for (const relata of started) await relata.stop();
});

const route = { since: "2026-11-21", sunset: "2027-11-21", link: "https://example.org/bars" };
const field = { since: "2026-01-01", link: "https://example.org/name" };

/** The bar with one route and one field that are on their way out, beside what is not. */
const leaving: Record<string, Resource> = {
  route: resource("bar", {
    ...declarationOf(bar),
    routes: {
      "/api/bars/": [deprecated(list(), route), create],
      "/api/bars/{bar_id}/": [read, remove],
    },
  }),
  field: resource("bar", {
    ...declarationOf(bar),
    routes: { ...bar.routes, "/api/bars/batch/": [createBatch] },
    fields: { ...bar.fields, name: deprecated(bar.fields["name"]!, field) },
  }),
};

async function start(resources: Resource[]): Promise<Service> {
  const relata = await startService({ resources });
  started.push(relata);
  await relata.sql`insert into bar (name) values ('Bar one'), ('Bar two')`;
  return relata;
}

function told({ headers }: Answer): (string | null)[] {
  return ["deprecation", "sunset", "link"].map((name) => headers.get(name));
}

const nothing = [null, null, null];
// 2026-11-21 and 2026-01-01, at midnight in UTC
const ofRoute = [
  "@1795219200",
  "Sun, 21 Nov 2027 00:00:00 GMT",
  '<https://example.org/bars>; rel="deprecation"',
];
const ofField = ["@1767225600", null, '<https://example.org/name>; rel="deprecation"'];

test("of a route is announced by every answer of the route, and by no other", async () => {
  const relata = await start([leaving["route"]!]);
  assert.equal(told(await relata.send("GET /api/bars/")), ofRoute);
  assert.equal(told(await relata.send("HEAD /api/bars/")), ofRoute);
  assert.equal(told(await relata.send("GET /api/bars/?limit=0")), ofRoute);
  assert.equal(told(await relata.send("GET /api/bars/1/")), nothing);
  assert.equal(told(await relata.send("POST /api/bars/", { name: "Bar" })), nothing);
});

test("of a stream is announced by the stream alone, and the list beside it by the list", async () => {
  for (const isStream of [true, false]) {
    const verbs = isStream
      ? [list(), deprecated(follow, route)]
      : [deprecated(list(), route), follow];
    const relata = await start([resource("bottage", {
      ...declarationOf(bottage),
      routes: { "/bottage/": verbs },
    })]);
    const accept = { accept: "text/event-stream" };
    const stream = await relata.fetch(
      new Request("http://relata.test/bottage/", { headers: accept }),
    );
    await stream.body!.cancel();
    assert.is(stream.headers.get("deprecation"), isStream ? ofRoute[0]! : null);
    assert.equal(told(await relata.send("GET /bottage/")), isStream ? nothing : ofRoute);
  }
});

test("stands beside the link of the next page", async () => {
  const relata = await start([leaving["route"]!]);
  const { headers } = await relata.send("GET /api/bars/?limit=1");
  const link = headers.get("link") ?? "";
  assert.match(link, /^<\/api\/bars\/\?limit=1&cursor=\S+>; rel="next", /);
  assert.ok(link.endsWith('<https://example.org/bars>; rel="deprecation"'));
});

test("of a field is announced when the field is written or read", async () => {
  const relata = await start([leaving["field"]!]);
  assert.equal(told(await relata.send("GET /api/bars/")), ofField);
  assert.equal(told(await relata.send("GET /api/bars/1/")), ofField);
  assert.equal(told(await relata.send("POST /api/bars/", { name: "Bar" })), ofField);
  assert.equal(told(await relata.send("POST /api/bars/batch/", [{ name: "Bar" }])), ofField);
  assert.equal(told(await relata.send("DELETE /api/bars/1/")), nothing);
});

test("is in the document, at the operation, at the property and at the parameters that filter by it", async () => {
  const document = async (resource: Resource) =>
    (await (await start([resource])).send("GET /openapi.json")).body;
  const { paths, components } = await document(leaving["route"]!);
  assert.is(paths["/api/bars/"].get.deprecated, true);
  assert.is(paths["/api/bars/"].post.deprecated, undefined);
  const headers = (method: string) => {
    const [response] = Object.values<{ headers: object }>(paths["/api/bars/"][method].responses);
    return Object.keys(response!.headers);
  };
  for (const name of ["Deprecation", "Sunset", "Link"]) {
    assert.ok(headers("get").includes(name), name);
    assert.not(headers("post").includes(name), name);
  }
  assert.is(components.schemas.Bar.properties.name.deprecated, undefined);

  const ofField = await document(leaving["field"]!);
  const { schemas } = ofField.components;
  for (const name of ["Bar", "BarWrite", "BarPatch"]) {
    assert.is(schemas[name].properties.name.deprecated, true, name);
  }
  assert.is(schemas.Bar.properties.id.deprecated, undefined);
  const { parameters } = ofField.paths["/api/bars/"].get;
  const leave = parameters.filter(({ deprecated }: { deprecated?: true }) => deprecated);
  assert.equal(leave.map(({ name }: { name: string }) => name), ["name"]);

  const gone = resource("foo", {
    ...declarationOf(foo),
    filter: ["bar__name"],
    fields: { ...foo.fields, bar: deprecated(foo.fields["bar"]!, field) },
  });
  const behind = (await document(gone)).paths["/api/foos/"].get.parameters;
  const isGone = (wanted: string) =>
    behind.find(({ name }: { name: string }) => name === wanted).deprecated;
  assert.equal(["bar", "bar__name", "name"].map(isGone), [true, true, undefined]);
});

test("is announced by none of the sample resources", async () => {
  const relata = await start([bar, foo]);
  assert.equal(told(await relata.send("GET /api/bars/")), nothing);
  assert.equal(told(await relata.send("POST /api/foos/", { name: "Foo", bar: 1 })), nothing);
});

test("of a route and a field is announced with the earlier of their days", async () => {
  const relata = await start([resource("bar", {
    ...declarationOf(leaving["field"]!),
    routes: { "/api/bars/": [deprecated(list(), route), create], "/api/bars/{bar_id}/": [read] },
  })]);
  assert.equal(told(await relata.send("GET /api/bars/")).slice(0, 2), [ofField[0], ofRoute[1]]);
});

test.run();
