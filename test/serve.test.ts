// Needs: Deno, time
import { rmSync } from "node:fs";
import { Agent, type IncomingMessage, request, type RequestOptions } from "node:http";
import { connect as dial, type Socket } from "node:net";
import { dirname, join } from "node:path";
import process from "node:process";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "./client.ts";
import { copyWith } from "./copy.ts";
import { freePort } from "./port.ts";
import {
  afterwards,
  ask,
  embeddedFolder,
  endAll,
  type Ended,
  paths,
  relata,
  sentence,
  serve,
  type Server,
  source,
  until,
} from "./program.ts";
import { freshPostgres } from "./service.ts";
import { inTransaction } from "./transaction.ts";

const socket = suite("serve, over a socket");
const test = suite("serve");

test.after.each(endAll);

/** The server of the tests over a socket. */
let server: Server;
let database: Awaited<ReturnType<typeof freshPostgres>>;
const BODY_LIMIT = 100;

/** A database for a server that is asked nothing of it. */
const UNREACHABLE = "postgres://127.0.0.1:1/none";

socket.before(async () => {
  database = await freshPostgres();
  server = await serve({ DATABASE_URL: database.url, BODY_LIMIT: String(BODY_LIMIT) });
});
socket.after(async () => {
  await endAll();
  await database.stop();
});

socket("answers HEAD as GET without the body, and OPTIONS with the methods", async () => {
  const [get, head] = [
    await fetch(`${server.url}/colere/`),
    await fetch(`${server.url}/colere/`, { method: "HEAD" }),
  ];
  assert.is(head.status, 200);
  assert.is(head.headers.get("content-type"), get.headers.get("content-type"));
  assert.is(head.headers.get("content-length"), String((await get.text()).length));
  assert.is(await head.text(), "");

  const options = await ask(server.url, "OPTIONS /colere/");
  assert.is(options.status, 204);
  assert.equal(methods(options.headers), ["GET", "HEAD", "OPTIONS", "POST"]);
  const refused = await ask(server.url, "DELETE /colere/");
  assert.is(refused.status, 405);
  assert.equal(methods(refused.headers), ["GET", "HEAD", "OPTIONS", "POST"]);
});

for (const path of ["/nothing", "/api/foos/01/", "/api/foos/../foos/1", "//", "/%00", "/%zz"]) {
  socket(`answers 404 at ${path}, which is sent unresolved`, async () => {
    const { status, body } = await raw(server, { path });
    assert.is(status, 404);
    assert.match(JSON.parse(body).type, /\/problems\/not_found$/);
  });
}

for (const chunked of [false, true]) {
  socket(
    `refuses a body over BODY_LIMIT ${chunked ? "in chunks" : "of a told length"}`,
    async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const send = (length: number) => {
        const text = JSON.stringify({ name: "" }).padEnd(length);
        const headers = {
          "content-type": "application/json",
          ...(chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(length) }),
        };
        return raw(server, { agent, method: "POST", path: "/colere/", headers }, text);
      };
      for (const length of [BODY_LIMIT + 1, 1_000_000]) {
        const refused = await send(length);
        assert.is(refused.status, 413);
        assert.match(JSON.parse(refused.body).type, /\/problems\/content_too_large$/);
        // On the same connection, where the server has not said that it closes it
        assert.is((await send(BODY_LIMIT)).status, 201);
      }
      agent.destroy();
    },
  );
}

socket("says no length of a stream, not even to HEAD", async () => {
  const headers = { accept: "text/event-stream" };
  const head = await fetch(`${server.url}/bottage/`, { method: "HEAD", headers });
  assert.is(head.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.is(head.headers.get("content-length"), null);
});

socket("keeps a connection for request after request, refused ones included", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const statuses: (number | undefined)[] = [];
  for (
    const [method, path, body] of [
      ["GET", "/colere/"],
      ["HEAD", "/colere/"],
      ["GET", "/nothing"],
      ["POST", "/colere/", "{}"],
      ["POST", "/colere/", '{"name":1}'],
      ["POST", "/colere/", "{"],
      ["GET", "/colere/"],
    ] as const
  ) {
    const headers = { "content-type": "application/json" };
    const { status, port } = await raw(server, { agent, method, path, headers }, body);
    statuses.push(status);
    ports.add(port);
  }
  agent.destroy();
  assert.equal(statuses, [200, 200, 404, 201, 422, 400, 200]);
  assert.is(ports.size, 1);
});

socket.run();

test("serves under the prefix of BASE_URL, and its health at the root as well", async () => {
  const port = await freePort();
  const database = await freshPostgres();
  afterwards(database.stop);
  const environment = { DATABASE_URL: database.url, PORT: String(port) };
  const server = await serve({ ...environment, BASE_URL: "https://api.example.org/relata/" });
  assert.is(server.url, "https://api.example.org/relata");
  const root = `http://127.0.0.1:${port}`;
  for (const path of ["/relata/colere/", "/relata/livez", "/relata/readyz", "/livez", "/readyz"]) {
    assert.is((await ask(root, `GET ${path}`)).status, 200, path);
  }
  for (const path of ["/colere/", "/", "/relatable/colere/", "/relata/relata/colere/"]) {
    assert.is((await ask(root, `GET ${path}`)).status, 404, path);
  }
  for (const path of ["/relata", "/relata/"]) {
    assert.is((await ask(root, `GET ${path}`)).status, 200, path);
  }

  const first = await ask(root, "POST /relata/api/bars/", { name: "One" });
  assert.is(first.headers.get("location"), `/relata/api/bars/${first.body.id}/`);
  await ask(root, "POST /relata/api/bars/", { name: "Two" });
  const list = await ask(root, "GET /relata/api/bars/?limit=1");
  assert.match(list.body.next, /^\/relata\/api\/bars\/\?/);
  assert.is(list.headers.get("link"), `<${list.body.next}>; rel="next"`);
  assert.equal((await ask(root, `GET ${list.body.next}`)).body.items[0].name, "Two");
  const missing = await ask(root, "GET /relata/nothing");
  assert.is((await ask(root, `GET ${missing.body.type}`)).status, 200);
  await server.kill("SIGTERM");
});

test("prints an address that clients can use, whichever port it takes", async () => {
  for (const environment of [{ PORT: "0" }, { PORT: "0", PROCESSES: "2" }]) {
    const server = await serve({ DATABASE_URL: UNREACHABLE, ...environment });
    const document = `${server.url}/openapi.json`;
    const { servers } = (await ask(server.url, "GET /openapi.json")).body;
    assert.is(new URL(servers[0].url, document).href, `${server.url}/`);
    await server.kill("SIGTERM");
  }
});

test("applies CORS_ORIGINS and IDEMPOTENCY_HOURS", async () => {
  const { sql, url, stop } = await freshPostgres();
  afterwards(stop);
  const origin = "https://app.example.org";
  const environment = { DATABASE_URL: url, CORS_ORIGINS: origin, IDEMPOTENCY_HOURS: "1" };
  const post = ({ url }: Server) =>
    ask(url, "POST /api/bars/", { name: "Bar" }, { "idempotency-key": "once", origin });
  const first = await serve(environment);
  const made = await post(first);
  assert.is(made.headers.get("access-control-allow-origin"), origin);
  assert.is((await post(first)).body.id, made.body.id);
  await first.kill("SIGTERM");

  await sql`update relata_idempotency set created_at = now() - interval '2 hours'`;
  const next = await serve(environment);
  assert.is.not((await post(next)).body.id, made.body.id);
});

test("lets the same number of requests wait for each connection of POOL_SIZE", async () => {
  const limit = async (POOL_SIZE: string) => {
    const { url } = await serve({ DATABASE_URL: UNREACHABLE, POOL_SIZE });
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^relata_database_requests_limit (\d+)$/m.exec(text)?.[1]);
  };
  assert.is(await limit("4"), 4 * await limit("1"));
});

test("refuses a port on which another server listens, unless REUSE_PORT is on for both", async () => {
  for (const [REUSE_PORT, shared] of [["off", false], ["on", true]] as const) {
    const { url } = await serve({ DATABASE_URL: UNREACHABLE, REUSE_PORT });
    const { port } = new URL(url);
    const environment = { DATABASE_URL: UNREACHABLE, REUSE_PORT, PORT: port };
    if (shared) assert.is((await serve(environment)).url, url);
    else {
      const refused = await relata(["serve"], environment);
      assert.match(sentence(refused, [1]), `port ${port}`);
    }
  }
});

// Its end

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`ends with status 0 on ${signal}, even with idle connections`, async () => {
    await onPostgres(async (server) => {
      const silent = await connected(server);
      assert.is((await ask(server.url, "GET /livez")).status, 200); // a connection that is kept
      assert.equal(await server.kill(signal), { status: 0, stdout: server.stdout(), stderr: "" });
      silent.destroy();
    });
  });

  test(`answers the request that is running before it ends on ${signal}`, async () => {
    await onPostgres(async (server, sql) => {
      let running: Promise<number>;
      let ended: Promise<Ended>;
      await inTransaction(sql, async (transaction) => {
        await transaction`lock table bar`;
        running = created(server, "Running").catch(() => 0); // 0: it was cut off
        await until("the request waits", async () => await waiting(transaction) === 1);
        ended = server.kill(signal);
        await until(
          "the server says that it is not ready",
          async () => (await ask(server.url, "GET /readyz")).status === 503,
        );
      });
      assert.is(await running!, 201);
      assert.is((await ended!).status, 0);
      assert.equal([...await sql`select name from bar`], [{ name: "Running" }]);
    });
  });
}

test("keeps serving when nobody reads its log any more", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const reader = 'exec "$0" "$@" 2> >(head -n 1 > /dev/null)';
  const server = await serve(
    { DATABASE_URL: database.url, LOG_LEVEL: "info" },
    { command: ["bash", "-c", reader, ...source] },
  );
  for (let turn = 0; turn < 20; turn++) {
    assert.is((await ask(server.url, "GET /colere/")).status, 200);
  }
  assert.is((await server.kill("SIGTERM")).status, 0);
});

test("blames itself, not the database, when the files of the documentation are missing", async () => {
  const { how, remove } = copyWith();
  afterwards(remove);
  rmSync(dirname(join(how.folder!, paths.styles)), { recursive: true });
  const server = await serve({ DATABASE_URL: UNREACHABLE }, how);
  const { status, body } = await ask(server.url, "GET /docs/docs.css");
  assert.is(status, 500);
  assert.match(body.type, /\/problems\/internal$/);
});

if ("Deno" in globalThis) {
  test("is started by deno task start", async () => {
    // Under /dev, where other tests may write, the permissions of the task do not reach
    const folder = embeddedFolder("/var/tmp");
    afterwards(folder.remove);
    const server = await serve(
      { DATA_DIR: folder.path },
      { command: [process.execPath, "task", "start"] },
    );
    assert.is((await ask(server.url, "GET /colere/")).status, 200);
    await server.kill("SIGTERM");
  });
}

test.run();

/** Works on a server of a real Postgres, and on its database over one connection. */
async function onPostgres(
  work: (server: Server, sql: postgres.Sql) => Promise<void>,
): Promise<void> {
  const database = await freshPostgres();
  const sql = clientOf(database.url);
  try {
    await work(
      await serve({ DATABASE_URL: database.url, POOL_SIZE: "4", LOG_LEVEL: "silent" }),
      sql,
    );
  } finally {
    await endAll();
    await sql.end({ timeout: 1 });
    await database.stop();
  }
}

/** How many sessions of a database wait for a lock. */
async function waiting(sql: Pick<postgres.Sql, "unsafe">): Promise<number> {
  const [row] = await sql.unsafe(`
    select count(*)::integer as waiting
    from pg_locks
    join pg_database on pg_database.oid = database
    where datname = current_database() and not granted`);
  return row!["waiting"];
}

async function created(server: Server, name: string): Promise<number> {
  return (await ask(server.url, "POST /api/bars/", { name })).status;
}

interface RawAnswer {
  status: number | undefined;
  body: string;
  /** The port of the connection on this side: one connection, one port. */
  port: number | undefined;
}

/** Sends a request as it stands: its path is not resolved, and its body is one chunk. */
function raw(
  { url }: Server,
  { path, ...options }: RequestOptions & { path: string },
  body = "",
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, ...options }, (answer: IncomingMessage) => {
      const local = answer.socket.localPort;
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => text += chunk);
      answer.on("end", () => resolve({ status: answer.statusCode, body: text, port: local }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Opens a connection and sends nothing. */
function connected({ url }: Server): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = dial(Number(port), hostname, () => resolve(socket));
    socket.on("error", reject);
  });
}

function methods(headers: Headers): string[] {
  return (headers.get("allow") ?? "").split(", ").sort();
}
