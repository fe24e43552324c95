// Processes that are told to end, and processes that are killed.
// Needs: Deno, time
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "../client.ts";
import { openEmbedded } from "../house.ts";
import {
  afterwards,
  ask,
  embeddedFolder,
  endAll,
  type Environment,
  serve,
  type Server,
  until,
} from "../program.ts";
import { freshPostgres } from "../service.ts";
import { head, open } from "./wire.ts";

const test = suite("processes that end");
test.after.each(endAll);

const SOAK = process.env["TEST_SOAK"] === "on";

// Told to end

/** How many processes serve, in words. */
const together = { "one process": "1", "two processes": "2" };

test("the port stays open for SHUTDOWN_DELAY, for balancers that ask whether it is ready", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const server = await serve({ DATABASE_URL: database.url, SHUTDOWN_DELAY: "3600" });
  const ended = server.kill("SIGTERM");
  await isUnready(server);
  const { status, headers } = await ask(server.url, "POST /colere/", {});
  assert.equal([status, headers.get("connection")], [201, "close"]);
  assert.is((await ask(server.url, "GET /readyz")).status, 503);
  process.kill(server.pid, "SIGTERM");
  assert.is((await ended).status, null, "A second signal ends it at once");
});

test("a client that keeps its connection is told to open another when the server ends", async () => {
  await whileOneWaits("1", async ({ server }) => {
    const kept = await open(Number(new URL(server.url).port));
    kept.send(`${head("GET /livez")}\r\n\r\n`);
    await until("a connection is kept", () => kept.answers().length === 1);
    server.kill("SIGTERM");
    await isUnready(server);
    kept.send(`${head("GET /livez")}\r\n\r\n`);
    await until("it is answered once more", () => kept.answers().length === 2);
    const [before, after] = kept.answers().map(({ headers }) => headers["connection"]);
    assert.is.not(before, "close");
    assert.is(after, "close");
  });
});

for (const [who, processes] of Object.entries(together)) {
  test(`${who}: a signal makes it unready, and requests are answered until it ends`, async () => {
    await whileOneWaits(processes, async ({ server, answer, release }) => {
      assert.is((await ask(server.url, "GET /readyz")).status, 200, "It was ready before");
      const ended = server.kill("SIGTERM");
      await isUnready(server);
      const { status, headers, body } = await ask(server.url, "GET /readyz");
      assert.is(status, 503);
      assert.ok(headers.has("retry-after"));
      assert.is(body.detail, "The server is shutting down");
      assert.is((await ask(server.url, "GET /livez")).status, 200);
      assert.is((await ask(server.url, "POST /colere/", { name: "Late" })).status, 201);
      await release();
      assert.is(await answer, 201);
      assert.is((await ended).status, 0);
      assert.equal(descendants(server), []);
    });
  });

  test(`${who}: it ends with status 0, even if connections are kept`, async () => {
    const database = await freshPostgres();
    afterwards(database.stop);
    const server = await serve({ DATABASE_URL: database.url, PROCESSES: processes });
    const port = Number(new URL(server.url).port);
    const kept = await Promise.all(Array.from({ length: 8 }, () => open(port)));
    for (const { send } of kept) send(`${head("GET /colere/")}\r\n\r\n`);
    await until("all are answered", () => kept.every((wire) => wire.answers().length === 1));
    assert.ok(kept.every((wire) => !wire.isClosed()), "They are kept");
    assert.is((await server.kill("SIGTERM")).status, 0);
    await Promise.all(kept.map(({ closed }) => closed));
  });

  test(`${who}: it sends a long answer whole to a client that reads slowly`, async () => {
    const database = await freshPostgres();
    afterwards(database.stop);
    await database.sql`
      insert into bottage (cul, colere_id)
      values (repeat('long ', 1600000), 1)`;
    const environment = { DATABASE_URL: database.url, PROCESSES: processes, TIME_LIMIT: "60" };
    const server = await serve(environment);
    const wire = await open(Number(new URL(server.url).port));
    wire.socket.once("data", () => wire.socket.pause());
    wire.send(`${head("GET /bottage/last")}\r\n\r\n`);
    await until("its answer begins", () => wire.received() !== "");
    const ended = server.kill("SIGTERM");
    await isEnding(server);
    wire.socket.resume();
    await wire.closed;
    assert.is(wire.answers().length, 1);
    assert.is((await ended).status, 0);
  });

  for (const [first, second] of [["SIGTERM", "SIGINT"], ["SIGINT", "SIGINT"]] as const) {
    test(`${who}: a second signal ends it at once: ${first}, then ${second}`, async () => {
      await whileOneWaits(processes, async ({ server, answer }) => {
        const ended = server.kill(first);
        await isUnready(server);
        const all = descendants(server);
        process.kill(server.pid, second);
        assert.is((await ended).status, null, "The signal ended it");
        assert.is(await answer, 0, "What it was doing was cut off");
        await until("its processes are gone", () => all.every(isGone));
      });
    });
  }
}

/** How the guides have it started under this runtime. */
const start = "Deno" in globalThis ? [process.execPath, "task", "start"] : ["npm", "-s", "start"];

test(`a signal to "${start.slice(1).join(" ")}" ends the server that it started`, async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const server = await serve({ DATABASE_URL: database.url }, { command: start });
  assert.is((await ask(server.url, "GET /readyz")).status, 200);
  assert.is((await server.kill("SIGTERM")).status, 0);
  await until(
    "nobody listens",
    () => ask(server.url, "GET /livez").then(() => false, () => true),
  );
});

test("a signal to a whole group of processes cuts no answer off, though each process gets a second one", async () => {
  await whileOneWaits("2", async ({ server, answer, release }) => {
    const ended = server.kill("SIGTERM");
    for (const pid of descendants(server)) process.kill(pid, "SIGTERM");
    await isUnready(server);
    await release();
    assert.is(await answer, 201);
    assert.is((await ended).status, 0);
  });
});

test("ends when its time is up, even if a client has sent half a request", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const environment = { DATABASE_URL: database.url, TIME_LIMIT: "1" };
  const server = await serve(environment);
  const { send, socket } = await open(Number(new URL(server.url).port));
  afterwards(() => socket.destroy());
  send("GET /livez HTTP/1.1\r\n");
  await ask(server.url, "GET /livez"); // said later, so that the half is read by now
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("processes whose parent was killed end by themselves", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const server = await serve({ DATABASE_URL: database.url, PROCESSES: "2" });
  const kept = descendants(server);
  assert.is(kept.length, 2);
  await server.kill("SIGKILL");
  await until("they are gone", () => kept.every(isGone));
});

// Killed

/** What a writer has sent, and what it was told. */
interface Sent {
  path: string;
  /** The text that no other request bears. */
  text: string;
  /** The Idempotency-Key, where one was sent. */
  key: string | undefined;
  /** The identifier it was answered with; undefined where no answer came. */
  identifier?: number;
}

/** How many are killed on each database. */
const ROUNDS = SOAK ? 20 : 3;
const WRITERS = 8;

for (const kind of ["Postgres", "embedded database"] as const) {
  test(`killed while it writes to its ${kind}, ${ROUNDS} times, it has lost nothing`, async () => {
    const { environment, inspect, stop } = await freshDatabase(kind);
    afterwards(stop);
    const sent: Sent[] = [];
    const answered = () => sent.filter(({ identifier }) => identifier !== undefined);
    for (let round = 1; round <= ROUNDS; round++) {
      const server = await serve({ ...environment, LOG_LEVEL: "silent" });
      for (const unanswered of sent.filter(({ key, identifier }) => key && !identifier)) {
        unanswered.identifier = await send(server, unanswered);
      }
      const enough = answered().length + 40 + randomInt(100);
      const writing = Array.from({ length: WRITERS }, (_, writer) => write(server, writer, round));
      await until("enough is written", () => answered().length >= enough);
      await server.kill("SIGKILL");
      const cut = (await Promise.all(writing)).filter(Boolean);
      assert.ok(cut.length > 0, "It was killed while it wrote");
      await inspect((sql) => assertWhole(sql, sent));
    }

    async function write(server: Server, writer: number, round: number): Promise<boolean> {
      for (let count = 1;; count++) {
        const text = `Round ${round}, writer ${writer}, record ${count}, to its very end`;
        const path = writer % 2 ? "/bottage/" : "/api/bars/";
        const one: Sent = { path, text, key: count % 3 ? undefined : `"${text}"` };
        sent.push(one);
        try {
          one.identifier = await send(server, one);
        } catch {
          return true;
        }
      }
    }
  });
}

test.run();

/** Sends what creates a record; resolves to its identifier. */
async function send({ url }: Server, { path, text, key }: Sent): Promise<number> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
    body: JSON.stringify(path === "/bottage/" ? { cul: text, colere: 1 } : { name: text }),
  });
  const body = await response.json();
  assert.is(response.status, 201, JSON.stringify(body));
  return path === "/bottage/" ? body.bottage : body.id;
}

/** Every record that was answered is there, as it was sent; every one that is there was sent, and is
 * there once; and none of those sent with a key is there without it, nor a key without its record. */
async function assertWhole(sql: postgres.Sql, sent: Sent[]): Promise<void> {
  const rows = await sql<{ path: string; id: number; text: string; key: string | null }[]>`
    with written as (
      select '/bottage/' as path, id, cul as text
      from bottage
      union all
      select '/api/bars/', id, name
      from bar
    )
    select
      coalesce(written.path, kept.path) as path,
      coalesce(written.id, kept.identifier::bigint) as id,
      written.text,
      kept.key
    from written
    full join relata_idempotency as kept
      on kept.path = written.path
      and kept.identifier = written.id::text`;
  const stored = new Map(rows.map((row) => [row.text, row]));
  assert.is(stored.size, rows.length, "Nothing was written twice");
  const known = new Map(sent.map((one) => [one.text, one]));
  for (const { path, text, key } of rows) {
    const one = known.get(text);
    assert.equal([path, key ?? undefined], [one?.path, one?.key?.slice(1, -1)], text);
  }
  for (const { text, identifier } of sent.filter(({ identifier }) => identifier !== undefined)) {
    assert.is(stored.get(text)?.id, identifier, `${text} was answered`);
  }
}

/** A database that outlives the servers on it, and what looks into it while none runs. */
async function freshDatabase(kind: "Postgres" | "embedded database") {
  if (kind === "Postgres") {
    const { url, sql, stop } = await freshPostgres();
    const inspect = (look: (sql: postgres.Sql) => Promise<void>) => look(sql);
    return { environment: { DATABASE_URL: url } as Environment, inspect, stop };
  }
  const folder = embeddedFolder();
  return {
    environment: { DATA_DIR: folder.path } as Environment,
    async inspect(look: (sql: postgres.Sql) => Promise<void>) {
      const { sql, close } = await openEmbedded(folder.path);
      await look(sql);
      await close();
    },
    stop: () => Promise.resolve(folder.remove()),
  };
}

interface Waiting {
  server: Server;
  /** The status of the request that waits; 0 where it was cut off. */
  answer: Promise<number>;
  /** Lets it come to its end. */
  release(): Promise<void>;
}

/** Works on a server while one of its requests waits for a lock in the database. */
async function whileOneWaits(
  processes: string,
  work: (waiting: Waiting) => Promise<void>,
): Promise<void> {
  const database = await freshPostgres();
  const locker = clientOf(database.url);
  await locker`begin`;
  await locker`lock table bar`;
  const server = await serve({
    DATABASE_URL: database.url,
    PROCESSES: processes,
    TIME_LIMIT: "30",
    LOG_LEVEL: "silent",
  });
  if (processes !== "1") {
    await until("all are there", () => descendants(server).length === Number(processes));
  }
  const answer = ask(server.url, "POST /api/bars/", { name: "Waiting" })
    .then(({ status }) => status, () => 0);
  await until("the request waits", async () => {
    const waiting = await database.sql`
      select
      from pg_locks
      where not granted
        and database = (select oid from pg_database where datname = current_database())`;
    return waiting.length === 1;
  });
  let held = true;
  async function release(): Promise<void> {
    if (held) await locker`rollback`;
    held = false;
  }
  try {
    await work({ server, answer, release });
  } finally {
    await release();
    await endAll();
    await locker.end({ timeout: 1 });
    await database.stop();
  }
}

/** Waits until the process that has work left says that it is about to end, and the others have ended: a
 * connection that a process has not accepted yet is dropped when it ends. */
function isUnready(server: Server): Promise<void> {
  return saysOfItself(server, [503]);
}

/** The same, or that nobody listens any more. */
function isEnding(server: Server): Promise<void> {
  return saysOfItself(server, [503, 0]);
}

async function saysOfItself(server: Server, statuses: number[]): Promise<void> {
  await until("one process at most is left", () => descendants(server).length <= 1);
  await until("the server says that it is not ready", async () => {
    const { status } = await ask(server.url, "GET /readyz").catch(() => ({ status: 0 }));
    return statuses.includes(status);
  });
}

/** The processes that a server keeps, as Linux lists them. */
function descendants({ pid }: Server): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
