import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrateDown, migrateUp, openPostgres } from "../house.ts";
import { freePort } from "../port.ts";
import { type Answer, freshDatabase, onEmbedded, serviceOn, startService } from "../service.ts";

const test = suite("health");
let stop: () => Promise<void>; // each test has a database of its own
test.after.each(() => stop());

/** Refused because the database lacks the schema or is away: try again later. */
function unavailable({ status, headers }: Answer): void {
  assert.is(status, 503);
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
}

/** A request of every resource and kind. */
const requests: [request: string, body?: object][] = [
  ["GET /api/foos/"],
  ["GET /api/foos/1/"],
  ["POST /api/foos/", { name: "Foo", bar: 1 }],
  ["POST /api/foos/", { bar: 1 }], // its relation is checked as well
  ["PUT /api/foos/1/", { name: "Foo", bar: 1 }],
  ["PATCH /api/foos/1/", { name: "Foo" }],
  ["DELETE /api/foos/1/"],
  ["GET /api/foos/choices/bar/"],
  ["GET /api/bars/?sort=-name"],
  ["POST /api/bars/", { name: "Bar" }],
  ["GET /colere/"],
  ["POST /colere/", {}],
  ["GET /bottage/"],
  ["GET /bottage/last"],
  ["POST /bottage/", { cul: "Cul", colere: 1 }],
  ["GET /bottage/choices/colere/"],
];

test("a process on a migrated database is live and ready", async () => {
  const relata = await startService();
  stop = relata.stop;
  for (const path of ["/livez", "/livez/", "/readyz", "/readyz/"]) {
    assert.is((await relata.send(`GET ${path}`)).status, 200, path);
    assert.is((await relata.send(`HEAD ${path}`)).status, 200, path);
  }
});

test("a database whose schema was reverted is unready until it is migrated again", async () => {
  const relata = await startService();
  stop = relata.stop;
  while ((await migrateDown(relata)).length > 0);
  unavailable(await relata.send("GET /readyz"));
  assert.is((await relata.send("GET /livez")).status, 200);
  for (const [request, body] of requests) unavailable(await relata.send(request, body));

  await migrateUp(relata);
  assert.is((await relata.send("GET /readyz")).status, 200);
  const { status, body } = await relata.send("POST /api/bars/", { name: "Bar" });
  assert.is(status, 201);
  assert.equal((await relata.send(`GET /api/bars/${body.id}/`)).body, body);
});

const onPostgres = onEmbedded ? test.skip : test;
const reason = onEmbedded ? " (skipped: the embedded database is never without its schema)" : "";

onPostgres(`a database without the schema is unready until it is migrated${reason}`, async () => {
  const database = await freshDatabase();
  stop = database.stop;
  const relata = serviceOn(database);
  for (const path of ["/readyz", "/readyz/"]) {
    const unready = await relata.send(`GET ${path}`);
    unavailable(unready);
    assert.match(unready.body.detail, /0001_initial/, "It names what is missing");
    assert.match(unready.body.detail, /relata migrate/, "It names the command that mends it");
  }
  assert.is((await relata.send("GET /livez")).status, 200);
  for (const [request, body] of requests) unavailable(await relata.send(request, body));

  await migrateUp(database);
  assert.is((await relata.send("GET /readyz")).status, 200);
  assert.is((await relata.send("GET /api/foos/")).status, 200);
  assert.is((await relata.send("POST /bottage/", { cul: "Cul", colere: 1 })).status, 201);
});

test("a process whose database is away is live, unready, and answers every request", async () => {
  const address = `postgres://nobody@127.0.0.1:${await freePort()}/nowhere`;
  const database = openPostgres(address, { sessions: 20 });
  stop = database.close;
  const relata = serviceOn(database);
  assert.is((await relata.send("GET /livez")).status, 200);
  const all: typeof requests = [["GET /readyz"], ...requests];
  for (const answer of await Promise.all(all.map((request) => relata.send(...request)))) {
    unavailable(answer);
    assert.not.match(JSON.stringify(answer.body), /127\.0\.0\.1|nobody|nowhere|ECONN/);
  }
  assert.is((await relata.send("GET /livez")).status, 200);
});

test.run();
