// A standby that every commit waits for, and that is away.
// Needs: Deno, time
import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "../client.ts";
import { openPostgres, statements } from "../house.ts";
import { afterwards, ask, endAll, type Reply, serve, until } from "../program.ts";
import { type Cluster, reason, startCluster } from "./cluster.ts";
import { how, soak } from "./load.ts";

const suiteOf = suite("a standby that is away");
const test = reason ? suiteOf.skip : suiteOf;

let cluster: Cluster;
let sql: postgres.Sql;

suiteOf.before(async () => {
  if (reason) return;
  cluster = await startCluster();
  sql = clientOf(cluster.url, 2);
  await sql`insert into bar (name) select 'Bar ' || i from generate_series(1, 20) as i`;
});
suiteOf.before.each(async () => {
  if (reason) return;
  await waitFor("away");
});
suiteOf.after.each(async () => {
  await endAll();
  if (!reason) await waitFor("");
});
suiteOf.after(async () => {
  if (reason) return;
  await sql.end();
  await cluster.remove();
});

/** Has every commit wait for the standby of this name. */
async function waitFor(standby: string): Promise<void> {
  await sql.unsafe(`alter system set synchronous_standby_names = '${standby}'`);
  await sql`select pg_reload_conf()`;
  await until("the setting is known", async () => {
    const [row] = await sql`show synchronous_standby_names`;
    return row!["synchronous_standby_names"] === standby;
  });
}

interface Session {
  pid: number;
  wait: string | null;
}

/** The sessions of servers. */
function sessions(): Promise<Session[]> {
  return sql<Session[]>`
    select pid, wait_event as wait
    from pg_stat_activity
    where application_name = 'relata'`.then((rows) => [...rows]);
}

/** Cancels the commit that waits. */
async function cancelCommit(): Promise<void> {
  let waiting: Session[] = [];
  await until("a commit waits", async () => {
    waiting = (await sessions()).filter(({ wait }) => wait === "SyncRep");
    return waiting.length > 0;
  });
  for (const { pid } of waiting) await sql`select pg_cancel_backend(${pid})`;
}

function unavailable({ status, headers }: Reply, what?: string): void {
  assert.is(status, 503, what);
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
}

/** How many sessions the server has, how many seconds a request, and how often clients ask. */
const [SIZE, LIMIT, TURNS] = [4, 4, soak ? 100 : 4];

for (const clients of [1, 8]) {
  const who = clients === 1 ? "one client" : `${clients} clients`;
  test(`is waited for no longer than the time limit (${who}): reads go on, no session is left behind${reason}`, async () => {
    const server = await serve({
      DATABASE_URL: cluster.url,
      POOL_SIZE: String(SIZE),
      TIME_LIMIT: String(LIMIT),
      LOG_LEVEL: "warn",
    }, how);
    let isOver = false;
    let most = 0;
    async function watch(): Promise<void> {
      for (let before: number[] = []; !isOver; await delay(50)) {
        const pids = (await sessions()).map(({ pid }) => pid);
        // One that is about to end may be there beside its successor, for a moment
        most = Math.max(most, pids.filter((pid) => before.includes(pid)).length);
        before = pids;
      }
    }
    async function client(): Promise<void> {
      for (let turn = 1; turn <= TURNS; turn++) {
        const reply = await ask(server.url, "POST /api/bars/", { name: "Bar" });
        // One that waited for others before it was sent may be out of time
        if (clients === 1 || reply.status !== 504) unavailable(reply);
        for (const path of [`/api/bars/${turn % 20 + 1}/`, "/api/bars/?limit=5"]) {
          const { status } = await ask(server.url, `GET ${path}`);
          assert.is(status, 200, path);
        }
      }
    }
    const watching = watch();
    await Promise.all(Array.from({ length: clients }, client)).finally(() => isOver = true);
    await watching;
    assert.ok(most <= SIZE, `There were ${most} sessions`);
    await until("none waits any more", async () => {
      return (await sessions()).every(({ wait }) => wait !== "SyncRep");
    });
    assert.match(server.stderr(), /create bar[^\n]* waits for IPC SyncRep/);
    await waitFor("");
    const made = await ask(server.url, "POST /api/bars/", { name: "Bar" });
    assert.is(made.status, 201, "It goes on when the standby is there, or is waited for no more");
    assert.is((await server.kill("SIGTERM")).status, 0);
    await until("all sessions are gone", async () => (await sessions()).length === 0);
  });
}

for (const limit of [LIMIT, 30]) {
  test(`is waited for by a server that ends: it leaves no session behind (TIME_LIMIT=${limit})${reason}`, async () => {
    const server = await serve({ DATABASE_URL: cluster.url, TIME_LIMIT: String(limit) });
    // One after the other: three that arrive together may share a statement
    const creates: Promise<unknown>[] = [];
    while (creates.length < 3) {
      creates.push(ask(server.url, "POST /api/bars/", { name: "Bar" }).catch(() => {}));
      await until("a commit waits for each create", async () => {
        const waiting = (await sessions()).filter(({ wait }) => wait === "SyncRep");
        return waiting.length === creates.length;
      });
    }
    await server.kill("SIGTERM");
    await Promise.all(creates);
    await until("all sessions are gone", async () => (await sessions()).length === 0);
  });
}

for (
  const [request, body, headers] of [
    ["POST /api/bars/", { name: "Waits" }, {}],
    ["POST /api/bars/", { name: "Waits" }, { "idempotency-key": "one" }],
    ["PATCH /api/bars/1/", { name: "Waits" }, {}],
    ["DELETE /api/bars/2/", undefined, {}],
  ] as const
) {
  const keyed = "idempotency-key" in headers ? " under a key" : "";
  test(`cannot confirm ${request}${keyed} whose commit is cancelled: that is 503, and is sent once${reason}`, async () => {
    await sql`set synchronous_commit = off`;
    await sql`delete from bar where name = 'Waits'`;
    const server = await serve({ DATABASE_URL: cluster.url, TIME_LIMIT: "20" });
    const answer = ask(server.url, request, body, headers);
    let isAnswered = false;
    answer.finally(() => isAnswered = true);
    await cancelCommit();
    // A key that is forgotten before, and the like, commits nothing
    while (!isAnswered) {
      await delay(10);
      const waiting = (await sessions()).filter(({ wait }) => wait === "SyncRep");
      for (const { pid } of waiting) await sql`select pg_cancel_backend(${pid})`;
    }
    unavailable(await answer);
    const rows = await sql`select from bar where name = 'Waits'`;
    assert.is(rows.length, request.startsWith("DELETE") ? 0 : 1, "It is kept, and once");
    assert.is((await sql`select from bar where id = 2`).length, body ? 1 : 0);
    await waitFor("");
    const again = await ask(server.url, "GET /api/bars/3/");
    assert.is(again.status, 200, "The session has nothing left of it");
    if (!keyed) return;
    const repeated = await ask(server.url, request, body, headers);
    assert.is(repeated.status, 201);
    assert.is((await sql`select from bar where name = 'Waits'`).length, 1);
  });
}

test(`cannot confirm a script whose commit is cancelled, but confirms the statements after it${reason}`, async () => {
  const { client, close } = openPostgres(cluster.url, { sessions: 1 });
  afterwards(close);
  const script = client.script("insert into bar (name) values ('Script')")
    .then(() => "confirmed", (error) => error.code);
  await cancelCommit();
  assert.is(await script, "08007");
  const one = statements.reads<object, { one: number }>("read", statements.sql`select 1 as one`);
  assert.is((await client.run(one, {}))[0]!.one, 1);
});

suiteOf.run();
