// Phones that keep a copy and work on it whether there is a net or not, while the net, the phones, the server and its
// database fail: at the end each has what the server has, nothing is lost, and nothing is there twice.
// Needs: Deno, time
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "../client.ts";
import { offlineClient, type Row, type State, type Write } from "../offline-client.ts";
import { readProject } from "../projects.ts";
import { afterwards, endAll, relata, serve, type Server, until } from "../program.ts";
import { freshDatabase } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { reason, startCluster, synchronousStandby, together } from "./cluster.ts";
import { how, soak } from "./load.ts";
import { type Network, networkTo } from "./network.ts";

const test = suite("phones that are offline");
const testOnCluster = reason ? test.skip : test;
test.after.each(endAll);

const project = await readProject(new URL("../offline/", import.meta.url), "offline");
const seed = Number(process.env["TEST_SEED"]);

/** How many phones there are, how often the server or its database fails, and what each phone writes before that. */
const [PHONES, ROUNDS, WRITES] = [4, soak ? 20 : 2, 60];

/** Of so many pieces that pass its net, a phone loses one. */
const ONE_IN = 5;

/** Milliseconds after which a phone gives a request up. */
const PATIENCE = 10_000;

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
function randomFrom(state: number): () => number {
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

/** What all phones did: each change of a row leaves a mark in it, which no other has. */
interface Done {
  /** The row of each mark. */
  marks: Map<string, string>;
  /** The marks of writes that were told as lost, because the row was gone or hidden. */
  lost: Set<string>;
  /** Rows that a phone deleted, and those that it kept after all, because others changed them. */
  deleted: Set<string>;
  kept: Set<string>;
}

interface Phone {
  client: ReturnType<typeof offlineClient>;
  network: Network;
  /** Writes something by chance. */
  work(): void;
  /** Ends at once, and begins anew with what it kept. */
  restart(): Promise<void>;
  /** What it may read, as the server says it without a net between. */
  readable(): Promise<State["copy"]>;
  stop(): Promise<void>;
}

async function startPhone(
  name: string,
  { token, server, random, done }: {
    token: string;
    server: () => Server;
    random: () => number;
    done: Done;
  },
): Promise<Phone> {
  const network = await networkTo(() => server().url, random);
  let saved = JSON.stringify({ copy: {}, outbox: [] } satisfies State);
  let run = begin();
  let marks = 0;

  function begin() {
    const ends = new AbortController();
    const state: State = JSON.parse(saved);
    const client = offlineClient({
      path: "/api/tasks/",
      state,
      fetch(path, init = {}) {
        ends.signal.throwIfAborted();
        saved = JSON.stringify(state);
        const isStream = new Headers(init.headers).has("accept");
        const signals = isStream ? [ends.signal] : [ends.signal, AbortSignal.timeout(PATIENCE)];
        return fetch(network.url + path, {
          ...init,
          headers: { ...init.headers, ...bearer(token) },
          signal: AbortSignal.any(signals),
        });
      },
      merge({ method, id, fields }, current) {
        if (method === "DELETE" && random() < 0.5) {
          done.kept.add(id);
          return undefined;
        }
        const own = markIn({ fields });
        return own ? { ...fields, marks: [...current["marks"] as string[], own] } : fields;
      },
      lost(write) {
        const own = markIn(write);
        if (own) done.lost.add(own);
        if (write.method === "DELETE") done.kept.add(write.id); // hidden, or gone
      },
    });
    const goes = [
      again(client.send),
      again(async () => {
        for await (const _ of client.follow()) ends.signal.throwIfAborted();
      }),
    ];

    async function again(attempt: () => Promise<void>): Promise<void> {
      while (!ends.signal.aborted) {
        await attempt().catch(() => {});
        await delay(10);
      }
    }

    async function end(): Promise<void> {
      ends.abort();
      await Promise.all(goes);
    }

    return { client, end };
  }

  function work(): void {
    const { client } = run;
    const rows = client.rows();
    const row = rows[Math.floor(random() * rows.length)];
    const chance = random();
    const mark = `${name} ${++marks}`;
    if (!row || chance < 0.2) {
      const id = crypto.randomUUID();
      done.marks.set(mark, id);
      client.write("PUT", id, { title: mark, marks: [mark], shared: random() < 0.6 });
    } else if (chance < 0.85) {
      done.marks.set(mark, row.id);
      client.write("PATCH", row.id, { marks: [...row["marks"] as string[], mark] });
    } else if (chance < 0.95) {
      const change = row["owner"] === name ? { shared: !row["shared"] } : { title: mark };
      client.write("PATCH", row.id, change);
    } else {
      done.deleted.add(row.id);
      client.write("DELETE", row.id);
    }
    saved = JSON.stringify(client.state);
  }

  return {
    get client() {
      return run.client;
    },
    network,
    work,
    async restart() {
      await run.end();
      run = begin();
    },
    async readable() {
      const copy: State["copy"] = {};
      let next = "/api/tasks/?etags=true";
      while (next) {
        const answer = await fetch(server().url + next, { headers: bearer(token) });
        const page: { items: Row[]; etags: string[]; next: string } = await answer.json();
        page.items.forEach((row, place) => copy[row.id] = { row, tag: page.etags[place]! });
        next = page.next;
      }
      return copy;
    },
    async stop() {
      await run.end();
      await network.close();
    },
  };
}

/** The mark that a write leaves: the last one. */
function markIn({ fields }: Pick<Write, "fields">): string | undefined {
  return (fields["marks"] as string[] | undefined)?.at(-1);
}

/** Works with a client of its own. */
async function asking<Result>(
  url: string,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  const sql = clientOf(url);
  return await work(sql).finally(() => sql.end({ timeout: 1 }));
}

/** Lets phones work while their nets come and go, and something fails in between, then holds them to what is true. */
async function phonesWork(
  urls: string[],
  faults: ((restart: () => Promise<void>) => Promise<void>)[],
): Promise<void> {
  const environment = {
    DATABASE_URL: together(urls),
    PROJECT_DIR: project.path,
    AUTH: "required",
  };
  assert.is(
    (await relata(["migrate", "up"], { ...environment, DATABASE_URL: urls[0]! })).status,
    0,
  );
  let server = await serve(environment, how);
  const random = randomFrom(seed);
  const done: Done = { marks: new Map(), lost: new Set(), deleted: new Set(), kept: new Set() };
  const phones: Phone[] = [];
  for (let count = 1; count <= PHONES; count++) {
    const name = `phone ${count}`;
    const token = await asking(
      urls[0]!,
      (sql) => grant(sql, { scope: "write", claims: { sub: name } }),
    );
    const phone = await startPhone(name, { token, server: () => server, random, done });
    afterwards(phone.stop);
    phones.push(phone);
  }

  async function restart(): Promise<void> {
    await server.kill("SIGKILL");
    server = await serve(environment, how);
  }

  async function live(phone: Phone): Promise<void> {
    for (let write = 0; write < WRITES; write++) {
      phone.work();
      const chance = random();
      if (chance < 0.15) await phone.network.close();
      else if (chance < 0.5) await phone.network.open(ONE_IN);
      else if (chance < 0.55) await phone.restart();
      await delay(random() * 40);
    }
  }

  /** Lets all come back; resolves when each has sent what it wrote, and has what the server has. */
  async function meet(): Promise<void> {
    for (const { network } of phones) await network.open(Infinity);
    const hasSent = ({ client }: Phone) => client.state.outbox.length === 0;
    await until("all is sent", () => phones.every(hasSent));
    for (const { client, readable } of phones) {
      const expected = await readable();
      const isSame = () => isDeepStrictEqual(client.state.copy, expected);
      await until("a copy is what the server has", isSame)
        .catch(() => assert.equal(client.state.copy, expected));
    }
  }

  for (const fault of faults) {
    await Promise.all([...phones.map(live), delay(300).then(() => fault(restart))]);
    await meet();
  }
  const stored = await asking(
    urls.at(-1)!,
    (sql) => sql<Row[]>`select id, to_json(marks) as marks from task`,
  );
  assert.equal(wrong(done, stored), []);
  assert.is(server.stderr(), "", "No error was logged");
  told(phones, done, stored);
  for (const { stop } of phones) await stop();
}

/** What is wrong with the rows that are there after all that was done. */
function wrong({ marks, lost, deleted, kept }: Done, stored: Row[]): string[] {
  const rows = new Map(stored.map(({ id, marks }) => [id, marks as string[]]));
  const faults = [...marks].flatMap(([mark, id]) => {
    const there = rows.get(id);
    if (!there) return deleted.has(id) || lost.has(mark) ? [] : [`The row of "${mark}" is lost`];
    const times = there.filter((other) => other === mark).length;
    return times === 1 || times === 0 && lost.has(mark)
      ? []
      : [`"${mark}" is there ${times} times`];
  });
  const made = new Set(marks.values());
  return [
    ...faults,
    ...[...rows.keys()].filter((id) => !made.has(id)).map((id) => `Nobody made ${id}`),
    ...[...rows.keys()].filter((id) => deleted.has(id) && !kept.has(id)).map((id) =>
      `The deletion of ${id} is lost`
    ),
  ];
}

for (
  const [what, marks, found] of [
    ["each mark once", ["a", "b"], []],
    ["a mark twice", ["a", "b", "a"], ['"a" is there 2 times']],
    ["a mark that is lost", ["a"], ['"b" is there 0 times']],
  ] as const
) {
  test(`are checked: ${what} is ${found.length > 0 ? "an error" : "right"}`, () => {
    const none = { lost: new Set<string>(), deleted: new Set<string>(), kept: new Set<string>() };
    const done = { marks: new Map([["a", "1"], ["b", "1"]]), ...none };
    assert.equal(wrong(done, [{ id: "1", marks }]), found);
  });
}

/** Says how much went wrong on the way. */
function told(phones: Phone[], { marks, lost }: Done, stored: Row[]): void {
  const cuts = phones.flatMap(({ network }) => Object.values(network.lost));
  const all = cuts.reduce((sum, count) => sum + count);
  console.log(
    `${marks.size} marks on ${stored.length} rows, ${lost.size} told as lost, ${all} connections cut`,
  );
}

test("have what the server has in the end, when nets, phones and the server were cut off and killed", async () => {
  const { url, stop } = await freshDatabase();
  afterwards(stop);
  await phonesWork([url], Array.from({ length: ROUNDS }, () => (restart) => restart()));
});

testOnCluster(
  `have what the server has in the end, when a standby was promoted meanwhile${reason}`,
  async () => {
    const primary = await startCluster();
    afterwards(() => primary.remove());
    await primary.run("create database phones");
    const standby = await synchronousStandby(primary);
    afterwards(() => standby.remove());
    const urls = [primary, standby].map(({ url }) => new URL("/phones", url).href);
    await phonesWork(urls, [async () => {
      await primary.stop("immediate");
      await standby.run("select pg_promote()");
    }]);
  },
);

test.run();
