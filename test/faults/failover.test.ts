// A database that restarts or is replaced by another one, while clients send requests all the time.
// Needs: Deno, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "../client.ts";
import { freePort } from "../port.ts";
import { ask, endAll, serve, type Server, until } from "../program.ts";
import { type Cluster, reason, startCluster, synchronousStandby, together } from "./cluster.ts";
import { type Gate, gateTo } from "./gate.ts";
import { assertSound, how, type Load, load, passes, recovered, seed, soak } from "./load.ts";

const suiteOf = suite("a database that restarts or fails over");
const test = reason ? suiteOf.skip : suiteOf;

const made: { remove(): Promise<void> }[] = [];

suiteOf.after.each(async () => {
  await endAll();
  for (const one of made.splice(0)) await one.remove();
});

/** How often 200 requests are answered before and after. */
const TIMES = soak ? 20 : 1;

/** Lets clients ask a server on some clusters while something is done, and the database come back;
 * what they were answered is sound in the last cluster. */
async function underLoad(
  clusters: Cluster[],
  fault: (clients: Load) => Promise<void>,
): Promise<Server> {
  const { url } = clusters.at(-1)!;
  const server = await serve({ DATABASE_URL: together(clusters.map(({ url }) => url)) }, how);
  const clients = load(server);
  for (let times = 0; times < TIMES; times++) await passes(clients, 200);
  await fault(clients);
  console.log(`recovered in ${await recovered(server)} ms`);
  for (let times = 0; times < TIMES; times++) await passes(clients, 200);
  const sql = clientOf(url);
  await assertSound(await clients.stop(), server, sql);
  await sql.end();
  return server;
}

async function cluster(): Promise<Cluster> {
  const one = await startCluster();
  made.push(one);
  const sql = clientOf(one.url);
  await seed(sql);
  await sql.end();
  return one;
}

/** A cluster and its standby, which has whatever the cluster has answered for. */
async function replicated(): Promise<[primary: Cluster, standby: Cluster]> {
  const primary = await cluster();
  const standby = await synchronousStandby(primary);
  made.push(standby);
  return [primary, standby];
}

/** Waits until clients are refused, as they are while there is no database to be had. */
async function refuses({ history }: Load): Promise<void> {
  const from = history.length;
  const refused = () => history.slice(from).filter(({ status }) => status === 503);
  await until("requests are refused", () => refused().length >= 50);
}

for (const mode of ["fast", "immediate"] as const) {
  test(`restarts, stopped in the mode "${mode}"${reason}`, async () => {
    const database = await cluster();
    await underLoad([database], async (clients) => {
      await database.stop(mode);
      await refuses(clients);
      await database.start();
    });
  });
}

test(`is killed, and its standby is promoted${reason}`, async () => {
  const [primary, standby] = await replicated();
  await underLoad([primary, standby], async (clients) => {
    await primary.stop("immediate");
    await refuses(clients);
    await standby.run("select pg_promote()");
  });
});

test(`becomes read-only, and its standby is promoted${reason}`, async () => {
  const [primary, standby] = await replicated();
  await underLoad([primary, standby], async (clients) => {
    await primary.run("alter system set default_transaction_read_only = on");
    await primary.run("select pg_reload_conf()");
    await refuses(clients);
    await standby.run("select pg_promote()");
  });
});

test(`becomes read-only without a standby: reads are served${reason}`, async () => {
  const database = await cluster();
  const server = await serve({ DATABASE_URL: database.url });
  await recovered(server);
  await database.run("alter system set default_transaction_read_only = on");
  await database.run("select pg_reload_conf()");
  await until("writes are refused", async () => {
    const { status } = await ask(server.url, "POST /api/bars/", { name: "Bar" });
    return status === 503;
  });
  assert.is((await ask(server.url, "GET /api/bars/1/")).status, 200);
  await database.run("alter system reset default_transaction_read_only");
  await database.run("select pg_reload_conf()");
  await recovered(server);
});

test(`is read-only for a while, also for the sessions that begin then: writes go on after it${reason}`, async () => {
  const database = await cluster();
  const server = await serve({ DATABASE_URL: database.url, POOL_SIZE: "2" });
  await recovered(server);
  const sql = clientOf(database.url);
  await sql`set default_transaction_read_only = off`; // whatever its database says
  const write = async () => (await ask(server.url, "POST /api/bars/", { name: "Bar" })).status;
  await sql`alter database postgres set default_transaction_read_only = on`;
  await sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where application_name = 'relata'`;
  await until("writes are refused", async () => await write() === 503);
  assert.is((await ask(server.url, "GET /api/bars/1/")).status, 200);
  await sql`alter database postgres reset default_transaction_read_only`;
  await until("writes are accepted", async () => await write() === 201);
  await sql.end();
});

test(`has no host that answers: requests are refused at once, and hosts are tried seldom${reason}`, async () => {
  const nowhere = `postgres://postgres:secret@127.0.0.1:${await freePort()}/postgres`;
  const gates: Gate[] = [await gateTo(nowhere), await gateTo(nowhere)];
  for (const gate of gates) await gate.open();
  const database = await cluster();
  const way = await gateTo(database.url);
  made.push({ remove: () => way.close() }, ...gates.map((gate) => ({ remove: gate.close })));
  const server = await serve({
    DATABASE_URL: together([...gates.map(({ url }) => url), way.url]),
  });
  const requests = 500;
  for (let request = 0; request < requests; request++) {
    assert.is((await ask(server.url, "GET /api/bars/1/")).status, 503);
  }
  for (const gate of gates) {
    assert.ok(gate.taken() > 1, "It is tried again");
    assert.ok(gate.taken() < requests / 10, `It was tried ${gate.taken()} times`);
  }
  await way.open();
  console.log(`recovered in ${await recovered(server)} ms`);
  assert.is(server.stderr(), "");
});

suiteOf.run();
