// Those who follow the records, while everything that may lose one of them happens: transactions that commit
// late, connections that are cut, processes that are killed, databases that restart, fail over and move.
// Needs: Deno, time
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "../client.ts";
import { following } from "../follow.ts";
import { openEmbedded } from "../house.ts";
import { password, user } from "../postgres.ts";
import {
  afterwards,
  ask,
  embeddedFolder,
  endAll,
  relata,
  serve,
  type Server,
  until,
  untilReady,
} from "../program.ts";
import { psqlOn, withPsql } from "../psql.ts";
import { freshPostgres } from "../service.ts";
import { type Cluster, reason, startCluster } from "./cluster.ts";
import { how, soak } from "./load.ts";

const tests = suite("those who follow");
const testOnCluster = reason ? tests.skip : tests;
tests.after.each(endAll);

const ROUNDS = soak ? 60 : 3;

// The checker

/** What is wrong with what some followers saw of the records that are there. */
function wrong(seen: number[][], stored: number[]): string[] {
  const [first = []] = seen;
  return seen.flatMap((ids, follower) => {
    const once = new Set(ids);
    const missed = stored.filter((id) => !once.has(id));
    return [
      ...once.size < ids.length ? [`${follower} saw a record twice`] : [],
      ...missed.length > 0 ? [`${follower} missed ${missed}`] : [],
      ...ids.some((id) => !stored.includes(id)) ? [`${follower} saw what is not there`] : [],
      ...ids.join() === first.join() ? [] : [`${follower} saw another order than the first`],
    ];
  });
}

for (
  const [what, seen, found] of [
    ["each record once, in one order", [[2, 1, 3], [2, 1, 3]], []],
    ["a record twice", [[1, 2, 2, 3]], ["0 saw a record twice"]],
    ["a gap", [[1, 3]], ["0 missed 2"]],
    ["a record that was taken back", [[1, 2, 3, 4]], ["0 saw what is not there"]],
    ["two orders", [[1, 2, 3], [2, 1, 3]], ["1 saw another order than the first"]],
  ] as [string, number[][], string[]][]
) {
  tests(`are checked: ${what} is ${found.length > 0 ? "an error" : "right"}`, () => {
    assert.equal(wrong(seen, [1, 2, 3]), found);
  });
}

// The followers

interface Follower {
  seen: number[];
  /** Resolves when it has seen so many; rejects with what it did last. */
  sees(count: number): Promise<void>;
  /** Cuts its connection, if it has one. */
  cut(): void;
  /** How often it was told to begin anew. */
  refused(): number;
  stop(): void;
}

/** Follows the first of these servers that answers, and goes on at any of them where it was cut off. */
function stubborn(servers: () => Pick<Server, "url">[], from?: string): Follower {
  const seen: number[] = [];
  let [position, refused, goes] = [from, 0, true];
  let [connection, last] = [new AbortController(), ""];

  async function attempt({ url }: Pick<Server, "url">): Promise<void> {
    const { signal } = connection = new AbortController();
    last = `asked ${url}`;
    const response = await fetch(`${url}/bottage/`, {
      headers: {
        accept: "text/event-stream",
        ...(position !== undefined && { "last-event-id": position }),
      },
      signal,
    });
    last = `was answered ${response.status} by ${url}`;
    if (response.status !== 200) {
      await response.body?.cancel();
      if (response.status === 400) [position, refused] = [undefined, refused + 1];
      return;
    }
    const stream = following(response);
    // Deno forgets to abort a body whose response was collected as garbage (as of 2.9)
    signal.addEventListener("abort", () => void stream.close().catch(() => {}));
    for (let event = await stream.next(); event; event = await stream.next()) {
      seen.push(event.data.bottage);
      position = event.id;
    }
    position = stream.position() || position;
  }

  async function follow(): Promise<void> {
    for (let turn = 0; goes; turn++) {
      const some = servers();
      await attempt(some[turn % some.length]!).catch((error) => last += `: ${error}`);
      await delay(10);
    }
  }

  async function sees(count: number): Promise<void> {
    await until(`${count} were seen`, () => seen.length >= count).catch((error) => {
      const message = `${error.message}: it saw ${seen}, was refused ${refused} times, and ${last}`;
      throw new Error(message, { cause: error });
    });
  }

  function stop(): void {
    goes = false;
    connection.abort();
  }

  follow();
  afterwards(stop);
  return { seen, sees, cut: () => connection.abort(), refused: () => refused, stop };
}

/** Reads as a feed would that trusts identifiers: it asks for those above the last one. */
function trusting(sql: postgres.Sql): Pick<Follower, "seen" | "stop"> {
  const seen: number[] = [];
  let goes = true;
  async function look(): Promise<void> {
    while (goes) {
      const rows = await sql<{ id: number }[]>`
        select id from bottage where id > ${seen.at(-1) ?? 0} order by id`.catch(() => []);
      seen.push(...rows.map(({ id }) => id));
      await delay(5);
    }
  }
  const stop = () => void (goes = false);
  look();
  afterwards(stop);
  return { seen, stop };
}

const idsIn = async (sql: postgres.Sql): Promise<number[]> =>
  (await sql<{ id: number }[]>`select id from bottage order by id`).map(({ id }) => id);

async function say({ url }: Pick<Server, "url">, cul = "Cul"): Promise<number> {
  const { status, body } = await ask(url, "POST /bottage/", { cul, colere: 1 });
  assert.is(status, 201);
  return body.bottage;
}

/** The position of a server's newest record. */
async function positionAt({ url }: Pick<Server, "url">, id: number): Promise<string> {
  for (;;) {
    const stream = following(
      await fetch(`${url}/bottage/`, { headers: { accept: "text/event-stream" } }),
    );
    const [event] = await stream.take(1);
    await stream.close();
    if (event!.data.bottage === id) return event!.id;
  }
}

// Many writers

tests(
  "see every record once in one order, whatever is cut, ended or killed",
  async () => {
    const { sql, url, stop } = await freshPostgres();
    const first = await serve({ DATABASE_URL: url }, how);
    const servers = [first, await serve({ DATABASE_URL: url }, how)];
    const others = clientOf(url, 4);
    const root = await positionAt(first, await say(first));
    const [oldest] = await idsIn(sql);
    const followers = Array.from({ length: 8 }, () => stubborn(() => servers, root));
    const planted = trusting(sql);
    let [goes, created, held] = [true, 0, 0];

    async function writes(): Promise<void> {
      while (goes) {
        const { url } = servers[created % servers.length]!;
        const answer = await ask(url, "POST /bottage/", { cul: "Cul", colere: 1 }).catch(() => {});
        if (answer?.status === 201) created++;
        else await delay(10);
      }
    }

    /** Holds a transaction open that has its identifier and its number, then commits it or takes it back. */
    async function holds(commits: boolean): Promise<void> {
      while (goes) {
        await others.begin(async (transaction) => {
          await transaction`insert into bottage (cul, colere_id) values ('Held', 1)`;
          const goal = created + 20;
          await until("others have committed", () => !goes || created >= goal);
          if (!commits) throw new Error("Taken back");
          held++;
        }).catch(() => {});
      }
    }

    const work = [...Array.from({ length: 6 }, writes), holds(true), holds(true), holds(false)];
    const passes = async (count: number) => {
      const goal = [created + count, held + 1] as const;
      await until("others are created", () => created >= goal[0] && held >= goal[1]);
    };
    for (let round = 0; round < ROUNDS; round++) {
      await passes(100);
      for (const { cut } of followers.slice(0, 4)) cut();
      await passes(100);
      await sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and application_name = 'relata'`;
      await passes(100);
      await servers.pop()!.kill("SIGKILL");
      await passes(100);
      servers.push(await serve({ DATABASE_URL: url }, how));
    }
    goes = false;
    await Promise.all(work);
    const stored = (await idsIn(sql)).filter((id) => id !== oldest);
    await until(
      "everybody has seen them all",
      () => followers.every(({ seen }) => new Set(seen).size >= stored.length),
    );
    for (const { stop } of [...followers, planted]) {
      stop();
    }
    assert.equal(wrong(followers.map(({ seen }) => seen), stored), []);
    assert.is(followers.reduce((sum, { refused }) => sum + refused(), 0), 0);
    assert.match(
      wrong([planted.seen.filter((id) => id !== oldest)], stored).join(),
      /missed/,
      "The checker finds what is missing",
    );
    await others.end();
    await endAll();
    await stop();
  },
);

tests(
  "hear at one instance of what another creates, without waiting for the next look",
  async () => {
    const { sql, url, stop } = await freshPostgres();
    const [one, other] = [
      await serve({ DATABASE_URL: url }, how),
      await serve({ DATABASE_URL: url }, how),
    ] as const;
    const follower = stubborn(() => [other], await positionAt(one, await say(one)));
    async function each(count: number): Promise<number> {
      const began = performance.now();
      for (let record = 0; record < count; record++) {
        const id = await say(one);
        await until("it was seen", () => follower.seen.at(-1) === id);
      }
      return performance.now() - began;
    }
    await until("the other listens", async () => {
      const rows = await sql`
      select from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'`;
      return rows.length > 0;
    });
    // Each look is a second after the one before, so 50 records take looks alone 50 seconds
    assert.ok(await each(50) < 45_000, "They were seen by the looks");
    await sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'`;
    await each(2);
    follower.stop();
    await endAll();
    await stop();
  },
);

// A database that restarts, fails over and moves

async function cluster(settings?: Record<string, string>): Promise<Cluster> {
  const one = await startCluster(settings);
  afterwards(() => one.remove());
  return one;
}

/** Works with a client of its own. */
async function asking<Result>(
  url: string,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  const sql = clientOf(url);
  return await work(sql).finally(() => sql.end({ timeout: 1 }));
}

for (const mode of ["fast", "immediate"] as const) {
  testOnCluster(`go on when Postgres was stopped in the mode "${mode}"${reason}`, async () => {
    const database = await cluster();
    const server = await serve({ DATABASE_URL: database.url }, how);
    const follower = stubborn(() => [server], await positionAt(server, await say(server)));
    const before = [await say(server), await say(server)];
    await follower.sees(2);
    await database.stop(mode);
    await database.start();
    await untilReady(server);
    const after = [await say(server), await say(server)];
    await follower.sees(4);
    assert.equal(follower.seen, [...before, ...after]);
    assert.is(follower.refused(), 0);
    follower.stop();
  });
}

testOnCluster(`wait for a prepared transaction that outlives a restart${reason}`, async () => {
  const database = await cluster({ max_prepared_transactions: "2" });
  const server = await serve({ DATABASE_URL: database.url }, how);
  const position = await positionAt(server, await say(server));
  const follower = stubborn(() => [server], position);
  await database.run(`
    begin;
    insert into bottage (id, cul, colere_id) values (1000, 'Prepared', 1);
    prepare transaction 'one'`);
  const behind = await say(server);
  await database.stop("fast");
  await database.start();
  await untilReady(server);
  const after = await say(server);
  await until("the metrics tell that records wait", async () => {
    const response = await fetch(`${server.url}/metrics`);
    return /^relata_follow_delay_seconds{.*} [^0]/m.test(await response.text());
  });
  const headers = { accept: "text/event-stream", "last-event-id": position };
  const other = following(await fetch(`${server.url}/bottage/`, { headers })); // has read before it
  assert.equal(follower.seen, []);
  await database.run("commit prepared 'one'");
  await follower.sees(3);
  assert.equal(follower.seen, [1000, behind, after]);
  const seen = await other.take(3);
  assert.equal(seen.map(({ data }) => data.bottage), follower.seen);
  await other.close();
  follower.stop();
});

tests("wait for a transaction that ends while they look who is under way", async () => {
  const { sql, url, stop } = await freshPostgres();
  // Whoever looks has taken its snapshot, and then waits here
  await sql.unsafe(`
    create function look() returns setof pg_catalog.pg_stat_activity language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(1);
      return query select * from pg_catalog.pg_stat_activity;
    end
    $$;
    create view pg_stat_activity as select * from look()`);
  const looks = `${url}?options=${encodeURIComponent("-c search_path=public,pg_catalog")}`;
  const server = await serve({ DATABASE_URL: looks }, how);
  const follower = stubborn(() => [server], await positionAt(server, await say(server)));
  await until("it follows", () => hasFollowers(server, 1));
  const [writer, gate] = [clientOf(url), clientOf(url)];
  await writer.unsafe("begin");
  const [held] = await writer`
    insert into bottage (cul, colere_id) values ('Held', 1) returning id`;
  await gate`select pg_advisory_lock(1)`;
  const after = await say(server);
  await until("the reader looks", async () => {
    const rows = await sql`select from pg_locks where locktype = 'advisory' and not granted`;
    return rows.length > 0;
  });
  await writer.unsafe("commit");
  await gate`select pg_advisory_unlock(1)`;
  await follower.sees(2);
  assert.equal(follower.seen, [held!["id"], after]);
  follower.stop();
  for (const client of [writer, gate]) await client.end();
  await endAll();
  await stop();
});

testOnCluster(
  `wait for no other database, and see every record once, whatever is prepared${reason}`,
  async () => {
    const database = await cluster({ max_prepared_transactions: "16" });
    const server = await serve({ DATABASE_URL: database.url }, how);
    const root = await positionAt(server, await say(server));
    await database.run("create database other");
    const other = clientOf(new URL("/other", database.url).href);
    await other.unsafe("create table thing (id integer)");
    for (const last of ["prepare transaction 'other'", "select"]) {
      await other.unsafe("begin");
      await other.unsafe("insert into thing values (1)");
      await other.unsafe(last);
    }
    const followers = Array.from({ length: 4 }, () => stubborn(() => [server], root));

    async function writes(writer: number): Promise<void> {
      await asking(database.url, async (sql) => {
        for (let turn = 0; turn < ROUNDS * 20; turn++) {
          const name = `'${writer} ${turn}'`;
          const ends = [
            ["commit"],
            [`prepare transaction ${name}`, `commit prepared ${name}`],
            [`prepare transaction ${name}`, `rollback prepared ${name}`],
            ["rollback"],
          ][(turn + writer) % 4]!;
          await sql.unsafe("begin");
          await sql`insert into bottage (cul, colere_id) values ('By SQL', 1)`;
          for (const [index, end] of ends.entries()) {
            await delay((turn * 7 + writer * 13 + index * 5) % 20);
            await sql.unsafe(end);
          }
          if (turn % 2 === 0) await say(server);
        }
      });
    }

    await Promise.all([0, 1, 2, 3, 4, 5].map(writes));
    const [, ...stored] = await asking(database.url, idsIn);
    for (const { sees } of followers) await sees(stored.length);
    assert.equal(wrong(followers.map(({ seen }) => seen), stored), []);
    for (const { stop } of followers) stop();
    await other.unsafe("commit");
    await other.unsafe("rollback prepared 'other'");
    await other.end();
  },
);

testOnCluster(
  `see what a session creates after it began the epoch in vain, in a prepared transaction${reason}`,
  async () => {
    const database = await cluster({ max_prepared_transactions: "2" });
    const server = await serve({ DATABASE_URL: database.url }, how);
    await asking(database.url, async (sql) => {
      const inserts = (id: number) =>
        sql`insert into bottage (id, cul, colere_id) values (${id}, 'Cul', 1)`;
      await sql.unsafe("begin");
      await inserts(1000);
      await sql.unsafe("prepare transaction 'one'");
      await sql.unsafe("rollback prepared 'one'");
      const follower = stubborn(() => [server], await positionAt(server, await say(server)));
      await inserts(1001);
      const after = await say(server);
      await follower.sees(2);
      assert.equal(follower.seen, [1001, after]);
      follower.stop();
    });
  },
);

testOnCluster(
  `see what others saw before a restart, while nothing can be read yet after it${reason}`,
  async () => {
    const database = await cluster();
    const server = await serve({ DATABASE_URL: database.url }, how);
    const early = await positionAt(server, await say(server));
    const missed = [await say(server), await say(server)];
    const late = await positionAt(server, missed[1]!);
    await database.stop("fast");
    await database.start();
    await asking(database.url, async (sql) => {
      await untilReady(server);
      await sql.unsafe("begin");
      await sql`insert into bar (name) values ('Older than the epoch')`;
      const after = await say(server);
      const ahead = stubborn(() => [server], late);
      await until("the feed has begun", () => hasFollowers(server, 1));
      const behind = stubborn(() => [server], early);
      await until("the other follows", () => hasFollowers(server, 2));
      await delay(500); // for the one behind to read again, with nothing to be read
      await sql.unsafe("commit");
      await ahead.sees(1);
      await behind.sees(3);
      assert.equal([ahead.seen, behind.seen], [[after], [...missed, after]]);
      for (const { stop } of [ahead, behind]) stop();
    });
  },
);

async function hasFollowers({ url }: Server, count: number): Promise<boolean> {
  const response = await fetch(`${url}/metrics`);
  return (await response.text()).includes(`relata_followers{resource="bottage"} ${count}\n`);
}

testOnCluster(
  `go on at a promoted standby, which lacks what it was not given${reason}`,
  async () => {
    const primary = await cluster();
    const standby = await primary.standby();
    afterwards(() => standby.remove());
    await standby.start();
    const old = await serve({ DATABASE_URL: primary.url }, how);
    const servers = [old];
    const follower = stubborn(() => servers, await positionAt(old, await say(old)));
    const kept = await say(old);
    await until(
      "the standby has it",
      () => asking(standby.url, async (sql) => (await idsIn(sql)).includes(kept)),
    );
    // What the standby is not given is lost with the primary, but was seen
    await standby.stop("fast");
    const lost = [await say(old), await say(old)];
    await follower.sees(3);
    await primary.stop("immediate");
    await standby.start();
    await standby.run("select pg_promote()");
    const successor = await serve({ DATABASE_URL: standby.url }, how);
    servers[0] = successor;
    follower.cut(); // a server that has lost its database keeps its streams
    const after = [await say(successor), await say(successor), await say(successor)];
    await follower.sees(6);
    assert.equal(follower.seen, [kept, ...lost, ...after]);
    follower.stop();
  },
);

/** Resolves when a server makes rows: what it said of itself may be a second old. */
async function untilServing({ url }: Server): Promise<void> {
  const makes = async () => (await ask(url, "POST /api/bars/", { name: "Bar" })).status === 201;
  await until("it makes rows", makes);
}

testOnCluster(
  `go on after a restore, and begin anew after a history that is lost${reason}`,
  async () => {
    const database = await cluster();
    const servers = [await serve({ DATABASE_URL: database.url }, how)];
    const [server] = servers as [Server];
    const early = await say(server);
    const position = await positionAt(server, early);
    await database.stop("fast");
    const copy = `${database.folder}-copy`;
    afterwards(() => rmSync(copy, { recursive: true, force: true }));
    execFileSync("cp", ["-a", database.folder, copy]);
    await database.start();
    await untilServing(server);
    const lost = await positionAt(server, await say(server, "Lost"));
    await database.stop("fast");
    rmSync(database.folder, { recursive: true });
    execFileSync("mv", [copy, database.folder]);
    await database.start();
    await untilServing(server);
    // More transactions than were lost, so that their numbers have come again
    const after = [await say(server), await say(server), await say(server)];
    const [goesOn, beginsAnew] = [
      stubborn(() => servers, position),
      stubborn(() => servers, lost),
    ];
    after.push(await say(server));
    await goesOn.sees(4);
    await until("the other saw the last", () => beginsAnew.seen.at(-1) === after[3]);
    assert.equal(goesOn.seen, after);
    assert.equal([goesOn.refused(), beginsAnew.refused()], [0, 1]);
    for (const { stop } of [goesOn, beginsAnew]) stop();
  },
);

testOnCluster(
  `go on in a copy in the same Postgres, and miss none that it has${reason}`,
  async () => {
    const database = await cluster();
    const before = await serve({ DATABASE_URL: database.url }, how);
    await say(before);
    await before.kill("SIGTERM");
    const { pathname } = new URL(database.url);
    await database.run(`create database moved template "${pathname.slice(1)}"`);
    const url = new URL("/moved", database.url).href;
    const [old, moved] = [
      await serve({ DATABASE_URL: database.url }, how),
      await serve({ DATABASE_URL: url }, how),
    ];
    const unseen = await say(moved);
    const follower = stubborn(() => [moved], await positionAt(old, await say(old)));
    const after = await say(moved);
    await follower.sees(2);
    assert.equal(follower.seen, [unseen, after]);
    assert.is(follower.refused(), 0);
    follower.stop();
  },
);

function testWithPsql(title: string, handler: () => Promise<void>): void {
  if (reason) tests.skip(title + reason);
  else withPsql(tests, title, handler);
}

/** Has a database number so many transactions that those of another one come after them. */
const numbers = `do $$
  begin
    for count in 1 .. 5000 loop
      perform pg_current_xact_id();
      commit;
    end loop;
  end $$`;

/** Whether the transactions of some records have greater numbers than those of now. */
const areAhead = (url: string, ids: number[]) =>
  asking(url, async (sql) => {
    const rows = await sql`
      select
      from bottage
      where id = any(${ids}::bigint[])
        and relata_transaction > pg_current_xact_id()`;
    return rows.length === ids.length;
  });

testWithPsql("go on in a database that a dump was loaded into", async () => {
  const { path: DATA_DIR, remove } = embeddedFolder();
  afterwards(remove);
  const { sql, close } = await openEmbedded(DATA_DIR);
  await sql.unsafe(numbers);
  await close();
  const embedded = await serve({ DATA_DIR }, how);
  const position = await positionAt(embedded, await say(embedded));
  const missed = await say(embedded);
  assert.is((await embedded.kill("SIGTERM")).status, 0);
  const dumped = await relata(["dump"], { DATA_DIR }, how);
  assert.is(dumped.stderr, "");

  const { url } = await cluster();
  const loaded = await psqlOn(url, dumped.stdout);
  assert.equal([loaded.status, loaded.stderr], [0, ""]);
  assert.ok(await areAhead(url, [missed]));
  const server = await serve({ DATABASE_URL: url }, how);
  const follower = stubborn(() => [server], position);
  const after = [await say(server), await say(server)];
  await follower.sees(3);
  assert.equal(follower.seen, [missed, ...after]);
  assert.is(follower.refused(), 0);
});

/** Moves the records to another server by replication of some tables, while somebody follows them. Gives the
 * follower, the records that it saw before, and the new server. */
async function replicated(tables: string) {
  const [old, next] = [await cluster({ wal_level: "logical" }), await cluster()];
  await old.run(numbers);
  await old.run(`create publication moved for table ${tables}`);
  const servers = [await serve({ DATABASE_URL: old.url }, how)];
  const [first] = servers as [Server];
  const follower = stubborn(() => servers, await positionAt(first, await say(first)));
  await next.run("delete from colere");
  await next.run(`
    create subscription moved
    connection 'host=127.0.0.1 port=${old.port} user=${user} password=${password}'
    publication moved`);
  const before = [await say(first), await say(first)];
  await follower.sees(2);
  await until(
    "all was replicated",
    async () => await areCopied(next.url) && await areAhead(next.url, before),
  );

  await first.kill("SIGTERM");
  await next.run("drop subscription moved");
  await next.run("select setval('bottage_id_seq', (select max(id) from bottage))");
  servers[0] = await serve({ DATABASE_URL: next.url }, how);
  return { follower, before, server: servers[0] };
}

/** Whether replication has copied what its tables had when it began. */
const areCopied = (url: string) =>
  asking(url, async (sql) => {
    const rows = await sql`select from pg_subscription_rel where srsubstate <> 'r'`;
    return rows.length === 0;
  });

testOnCluster(`go on in a database that replication has filled${reason}`, async () => {
  const { follower, before, server } = await replicated("colere, bottage, relata_epoch");
  const after = [await say(server), await say(server)];
  await follower.sees(4);
  assert.equal(follower.seen, [...before, ...after]);
  assert.is(follower.refused(), 0);
});

testOnCluster(`begin anew where replication left out the epochs${reason}`, async () => {
  const { follower, before, server } = await replicated("colere, bottage");
  await follower.sees(3);
  const after = [await say(server), await say(server)];
  await follower.sees(5);
  assert.equal(follower.seen, [...before, before[1], ...after]);
  assert.is(follower.refused(), 1);
});

tests(
  "go on when a server with an embedded database comes back, which ends its streams",
  async () => {
    const { path: DATA_DIR, remove } = embeddedFolder();
    afterwards(remove);
    const servers = [await serve({ DATA_DIR }, how)];
    const [first] = servers as [Server];
    const follower = stubborn(() => servers, await positionAt(first, await say(first)));
    const before = await say(first);
    await follower.sees(1);
    const { status, stderr } = await first.kill("SIGTERM");
    assert.equal([status, stderr], [0, ""]);
    servers[0] = await serve({ DATA_DIR }, how);
    const after = await say(servers[0]);
    await follower.sees(2);
    assert.equal(follower.seen, [before, after]);
    follower.stop();
  },
);

tests.run();
