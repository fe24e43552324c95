// The server on PgBouncer, with `deploy/pgbouncer.ini`: in transaction mode, where clients share the sessions
// of Postgres.
// Needs: time
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { how, soak } from "../faults/load.ts";
import { following } from "../follow.ts";
import { ask, endAll, relata, serve, until } from "../program.ts";
import { serverRole } from "../roles.ts";
import { freshDatabase, freshPostgres } from "../service.ts";
import { assertServed, patient, seed, startClients } from "./clients.ts";
import { deployed, lacking, startPooler } from "./program.ts";
import { blocked, inTransaction } from "../transaction.ts";

const reason = lacking("pgbouncer");
const suiteOf = suite("the server on PgBouncer");
const test = reason ? suiteOf.skip : suiteOf;
suiteOf.after.each(endAll);

/** How often so many requests more are answered. */
const [ROUNDS, ENOUGH] = [soak ? 100 : 5, 200];

const off = { PREPARED_STATEMENTS: "off" };

/** Works on PgBouncer before a database, as a role that has what `pgbouncer.ini` says it is to have. */
async function pooled(
  work: (place: { url: string; sql: postgres.Sql }) => Promise<void>,
  replacements: Record<string, string> = {},
): Promise<void> {
  const { sql, url, stop } = await freshPostgres();
  await seed(sql);
  const role = await serverRole({ sql, url });
  const limits = [...deployed("pgbouncer.ini").matchAll(/^; +(alter role .*;)$/gm)];
  assert.is(limits.length, 3);
  for (const [, statement = ""] of limits) {
    await sql.unsafe(statement.replace("relata_server", role.name));
  }
  const pooler = await startPooler(role.url, how, replacements);
  try {
    await work({ url: pooler.url, sql });
  } finally {
    await endAll();
    await pooler.stop();
    await role.stop();
    await stop();
  }
}

test(`every request is answered right, of more sessions than there are connections${reason}`, async () => {
  await pooled(async ({ url, sql }) => {
    const environment = { DATABASE_URL: url, ...off, ...patient };
    const servers = [await serve(environment, how), await serve(environment, how)];
    const clients = servers.map((server) => startClients(server.url));
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(clients.map(({ pass }) => pass(ENOUGH)));
      }
    } finally {
      await Promise.all(clients.map(({ stop }) => stop()));
    }
    const outcomes = clients.map(({ outcome }) => outcome);
    await assertServed({
      answered: outcomes.reduce((sum, { answered }) => sum + answered, 0),
      repeats: 0,
      faults: outcomes.flatMap(({ faults }) => faults),
      made: new Map(outcomes.flatMap(({ made }) => [...made])),
    }, sql);
    for (const server of servers) assert.is(server.stderr(), "");
  }, { "query_wait_timeout = 3": "query_wait_timeout = 60" });
});

test(`a statement that waits for a lock is cancelled by Postgres, as the role says${reason}`, async () => {
  await pooled(async ({ url, sql }) => {
    const server = await serve({ DATABASE_URL: url, LOG_LEVEL: "silent", ...off });
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = inTransaction(sql, async (held) => {
      await held`select from bar where id = 1 for update`;
      locked.resolve();
      await release.promise;
    });
    try {
      await locked.promise;
      const { status } = await ask(server.url, "PATCH /api/bars/1/", { name: "Changed" });
      assert.is(status, 503);
      assert.is(await blocked(sql), 0);
    } finally {
      release.resolve();
      await holding;
    }
  });
});

test(`who follows one server gets what another one creates, of which it hears nothing${reason}`, async () => {
  await pooled(async ({ url }) => {
    const environment = { DATABASE_URL: url, ...off };
    const [one, other] = [await serve(environment, how), await serve(environment, how)];
    const headers = { accept: "text/event-stream" };
    const stream = following(await fetch(`${one.url}/bottage/`, { headers }));
    for (const cul of ["One", "Two", "Three"]) {
      const { status, body } = await ask(other.url, "POST /bottage/", { cul, colere: 1 });
      assert.is(status, 201);
      assert.equal((await stream.next())!.data, body);
    }
    await stream.close();
    for (const server of [one, other]) assert.is(server.stderr(), "");
  });
});

test(`migrations are applied through it, by two at once too, and reverted${reason}`, async () => {
  const { url, stop } = await freshDatabase();
  const pooler = await startPooler(url, how);
  const migrate = (...words: string[]) =>
    relata(["migrate", ...words], { DATABASE_URL: pooler.url, ...off });
  const [one, other] = await Promise.all([migrate("up"), migrate("up")]);
  assert.equal([one.status, other.status], [0, 0], one.stderr + other.stderr);
  assert.is((await migrate("status")).status, 0);
  assert.is((await migrate("down", "--to", "1")).status, 0);
  assert.is((await migrate("up")).status, 0);
  assert.is((await migrate("verify")).status, 0);
  await pooler.stop();
  await stop();
});

test(`with prepared statements it refuses the server, whose log says why${reason}`, async () => {
  await pooled(async ({ url }) => {
    const server = await serve({ DATABASE_URL: url, LOG_LEVEL: "warn" });
    assert.is((await ask(server.url, "GET /api/bars/1/")).status, 503);
    await until("it says why", () => server.stderr().includes("unsupported startup parameter"));
  });
});

test(`with prepared statements that it does not refuse, answers are wrong${reason}`, async () => {
  await pooled(async ({ url }) => {
    const environment = { DATABASE_URL: url, LOG_LEVEL: "silent" };
    // Sessions mix up what they prepare; when that is done they seldom do, so others begin
    await until("an answer is wrong", async () => {
      const start = () => serve(environment, how);
      const servers = await Promise.all(Array.from({ length: 4 }, start));
      const clients = servers.map((server) => startClients(server.url));
      await Promise.allSettled(clients.map(({ pass }) => pass(ENOUGH)));
      const outcomes = await Promise.all(clients.map(({ stop }) => stop()));
      await Promise.all(servers.map(({ kill }) => kill()));
      return outcomes.some(({ faults }) => faults.length > 0);
    });
  }, {
    "pool_mode = transaction":
      "pool_mode = transaction\nignore_startup_parameters = lock_timeout,statement_timeout",
    "default_pool_size = 10": "default_pool_size = 2", // so that sessions share them at once
  });
});

suiteOf.run();
