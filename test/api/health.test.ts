// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Database, migrateDown, migrateUp, openPostgres } from "../house.ts";
import { freePort } from "../port.ts";
import { until } from "../program.ts";
import {
  type Answer,
  freshDatabase,
  onEmbedded,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";

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

/** An answer of `/readyz` is kept for a second. */
function untilReady({ send }: Pick<Service, "send">): Promise<void> {
  return until("it is ready", async () => (await send("GET /readyz")).status === 200);
}

/** A service on the database of another one, which counts the statements that it runs. */
function counted({ client }: Database) {
  const counts: Record<string, number> = {};
  const { send } = serviceOn({
    client: {
      ...client,
      run(statement, values) {
        counts[statement.name] = (counts[statement.name] ?? 0) + 1;
        return client.run(statement, values);
      },
    },
  });
  return { counts, send };
}

test("many who ask cost few comparisons, and most answers no more than a small question", async () => {
  const relata = await startService();
  stop = relata.stop;
  const { counts, send } = counted(relata);
  const ready = async () => assert.is((await send("GET /readyz")).status, 200);
  await Promise.all(Array.from({ length: 100 }, ready));
  assert.ok(counts["read the catalogue"]! < 5, JSON.stringify(counts));
  // A comparison reads the history once
  await until("only that is read", async () => {
    await ready();
    return counts["read the history"]! > counts["read the catalogue"]!;
  });
});

test("a migration that is taken back is noticed", async () => {
  const relata = await startService();
  stop = relata.stop;
  await untilReady(relata);
  await migrateDown(relata);
  await until("it is not ready", async () => (await relata.send("GET /readyz")).status === 503);
});

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
  await untilReady(relata);
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
  await untilReady(relata);
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
