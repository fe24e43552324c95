// More clients than the server can serve: it refuses the excess, serves the rest, and recovers when they are
// gone.
// Needs: Deno, time
import { setTimeout as delay } from "node:timers/promises";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ask, endAll, serve, type Server, source, until } from "../program.ts";
import { freshPostgres } from "../service.ts";
import { type Answer, head, open, openFiles, type Wire } from "./wire.ts";

const test = suite("overload");
let database: Awaited<ReturnType<typeof freshPostgres>>;
test.before.each(async () => {
  database = await freshPostgres();
});
test.after.each(async () => {
  await endAll();
  await database.stop();
});

const onDeno = "Deno" in globalThis;
const SOAK = process.env["TEST_SOAK"] === "on";

/** Clients that a server serves as fast as it can; of ten times as many a part may wait for its one
 * connection to the database, and the others wait in vain to be among them. */
const ENOUGH = 200;
/** Milliseconds that the clients ask for. */
const TIME = SOAK ? 20_000 : 3000;

/** A request that takes its time. */
const READ = `${head("GET /bottage/?limit=200")}\r\n\r\n`;
const LIVE = `${head("GET /livez")}\r\n\r\n`;
const RECORD = JSON.stringify({ cul: "Overload", colere: 1 });
const WRITE = `${
  head("POST /bottage/", "Content-Type: application/json", `Content-Length: ${RECORD.length}`)
}\r\n\r\n${RECORD}`;

test("ten times as many clients: each is served or told to come back, and none waits in vain", async () => {
  const server = await serve(
    { DATABASE_URL: database.url, POOL_SIZE: "1", LOG_LEVEL: "silent" },
    { lifetime: 60_000 + 4 * TIME },
  );
  await database.sql`
    insert into bottage (cul, colere_id)
    select 'Overload', 1
    from generate_series(1, 200)`;
  assert.is((await ask(server.url, "GET /bottage/last")).status, 200);
  const peak = SOAK ? await load(server, ENOUGH) : undefined;
  const over = await load(server, 10 * ENOUGH);
  assert.ok(over.refused > 0, "It was too much");
  assert.ok(over.served > 0);
  assert.is((await ask(server.url, "GET /bottage/last")).status, 200, "It is itself again");
  if (peak) console.log(`It served ${over.served / peak.served} of its peak`);
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("thousands of idle connections keep nobody out, and leave nothing behind", async () => {
  const IDLE = 2000;
  const server = await serve({ DATABASE_URL: database.url, TIME_LIMIT: "60", LOG_LEVEL: "silent" });
  assert.is((await ask(server.url, "GET /colere/")).status, 200);
  const files = openFiles(server.pid);
  const idle = await clients(server, IDLE);
  for (const { send } of idle.slice(0, IDLE / 2)) send(head("GET /livez")); // half a head
  await until("all are taken", () => openFiles(server.pid) >= files + IDLE);
  for (const request of ["GET /colere/", "GET /livez", "GET /readyz"]) {
    assert.is((await ask(server.url, request)).status, 200, request);
  }
  assert.ok(idle.every((wire) => !wire.isClosed()), "They are still there");
  for (const { socket } of idle) socket.destroy();
  await until("they are gone", () => openFiles(server.pid) <= files + 10);
  assert.is((await ask(server.url, "GET /colere/")).status, 200);
});

test("more connections than files it may open: Node drops the excess, Deno ends", async () => {
  const FILES = 100;
  const server = await serve(
    { DATABASE_URL: database.url, LOG_LEVEL: "silent" },
    { command: ["sh", "-c", `ulimit -n ${FILES} && exec "$@"`, "sh", ...source] },
  );
  const port = Number(new URL(server.url).port);
  const early = await open(port);
  assert.is((await exchange(early, LIVE)).status, 200);
  const idle: Wire[] = [];
  for (let place = 0; place < 2 * FILES; place++) {
    await open(port).then((wire) => idle.push(wire), () => {}); // it may be refused
  }
  if (onDeno) {
    const { status, stderr } = await server.ended;
    assert.match(stderr, /^relata: Deno closed the port: .+\n$/);
    assert.is(status, 1, "Its supervisor starts it again");
    return;
  }
  assert.is((await exchange(early, LIVE)).status, 200, "Who came early is served");
  for (const { socket } of idle) socket.destroy();
  await until(
    "there is room again",
    () => ask(server.url, "GET /colere/").then(({ status }) => status === 200, () => false),
  );
  assert.is((await exchange(early, LIVE)).status, 200, "Who came early is still there");
  early.socket.destroy();
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test.run();

interface Load {
  served: number;
  refused: number;
}

/** Has many clients ask, each again as soon as it is answered, or as the answer says; every answer is
 * what was asked for, or says that it is too much. */
async function load(server: Server, count: number): Promise<Load> {
  const result = { served: 0, refused: 0 };
  const wires = await clients(server, count);
  let over = false;
  const asking = wires.map(async (wire, place) => {
    const [request, status] = place % 8 ? [READ, 200] : [WRITE, 201];
    while (!over) {
      const answer = await exchange(wire, request);
      if (answer.status === status) result.served++;
      else {
        assert.is(answer.status, 503);
        assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/);
        result.refused++;
        await delay(1000 * Number(answer.headers["retry-after"]));
      }
    }
    wire.socket.destroy();
  });
  await Promise.race([delay(TIME), Promise.all(asking)]);
  over = true;
  await Promise.all(asking);
  return result;
}

/** Opens connections, some at a time. */
async function clients(server: Server, count: number): Promise<Wire[]> {
  const port = Number(new URL(server.url).port);
  const wires: Wire[] = [];
  while (wires.length < count) {
    wires.push(...await Promise.all(Array.from({ length: 100 }, () => open(port))));
  }
  return wires.slice(0, count);
}

/** Sends a request and resolves to its answer; rejects where the connection ends before. */
function exchange(wire: Wire, request: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const place = wire.answers().length;
    function look(): void {
      const answer = wire.answers()[place];
      if (!answer) return;
      wire.socket.off("data", look);
      resolve(answer);
    }
    wire.socket.on("data", look);
    wire.closed.then(() => reject(new Error("The connection was closed before the answer")));
    wire.send(request);
  });
}
