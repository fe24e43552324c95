// Clients that send requests all the time while something goes wrong, and checks of all their answers.
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type postgres from "postgres";
import * as assert from "uvu/assert";
import { ask, type Reply, type Server, until } from "../program.ts";

/** A request, when it was sent and answered, and what the answer was; status 0 is none. */
export interface Exchange extends Pick<Reply, "status" | "body"> {
  request: string;
  began: number;
  ended: number;
  /** What the name of a created bar is. */
  name?: string;
  /** What is wrong with the answer. */
  fault?: string;
}

export interface Load {
  history: Exchange[];
  /** Lets every client end its request. */
  stop(): Promise<Exchange[]>;
}

/** Whether this is a long run. */
export const soak = process.env["TEST_SOAK"] === "on";

/** How long a server of these tests lasts at most: as long as its file has. */
export const how = { lifetime: soak ? 3_600_000 : 600_000 };

/** Clients of each kind. */
const CLIENTS = 4;

/** Milliseconds until a client that was told to come back does so. */
const PAUSE = 20;

/** The rows that the readers of a load ask for. */
export async function seed(sql: postgres.Sql): Promise<void> {
  await sql`insert into bar (id, name) select i, 'Bar ' || i from generate_series(1, 20) as i`;
  await sql`
    insert into foo (id, name, bar_id)
    select i, 'Foo ' || i, i from generate_series(1, 20) as i`;
  await sql`select setval('bar_id_seq', 20), setval('foo_id_seq', 20)`;
}

let names = 0;

/** Lets clients ask a server in turn to create, to change and to read, each anew when answered. */
export function load({ url }: Server): Load {
  const history: Exchange[] = [];
  let goes = true;

  async function exchange(request: string, expected: (body: Reply["body"]) => unknown, body?: {
    name: string;
  }): Promise<void> {
    const began = performance.now();
    const reply = await ask(url, request, body).catch((error) => ({
      status: 0,
      headers: new Headers(),
      body: String(error),
    }));
    const { status } = reply;
    const one: Exchange = { request, began, ended: performance.now(), status, body: reply.body };
    if (request.startsWith("POST")) one.name = body!.name;
    const right = status < 300
      ? isDeepStrictEqual(reply.body, expected(reply.body))
      : status === 503 && /^[1-9]\d*$/.test(reply.headers.get("retry-after") ?? "");
    if (!right) one.fault = `${status} ${JSON.stringify(reply.body)}`;
    history.push(one);
    if (status === 503) await delay(PAUSE);
  }

  const bar = (id: number) => ({ id, name: `Bar ${id}` });
  const kinds: ((n: number) => Promise<void>)[] = [
    () => {
      const name = `Made ${++names}`;
      return exchange("POST /api/bars/", ({ id }) => ({ id, name }), { name });
    },
    (n) => exchange(`GET /api/bars/${n}/`, () => bar(n)),
    (n) => exchange(`GET /api/foos/${n}/`, () => ({ id: n, name: `Foo ${n}`, bar: bar(n) })),
    (n) =>
      exchange(`GET /api/foos/?bar=${n}&limit=1`, () => ({
        items: [{ id: n, name: `Foo ${n}`, bar: bar(n) }],
        next: null,
      })),
    (n) => exchange(`PATCH /api/bars/${n}/`, () => bar(n), { name: `Bar ${n}` }),
  ];
  const clients = kinds.flatMap((kind, place) =>
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = client + place; goes; turn++) await kind(1 + turn % 20);
    })
  );
  return {
    history,
    async stop() {
      goes = false;
      await Promise.all(clients);
      return history;
    },
  };
}

/** Waits until so many requests more have been answered, each time anew. */
export async function passes({ history }: Load, requests: number): Promise<void> {
  const goal = history.length + requests;
  await until(`${requests} requests are answered`, () => history.length >= goal);
}

/** Waits until a server answers each kind of request; returns the milliseconds that it took. */
export async function recovered({ url }: Server): Promise<number> {
  const began = performance.now();
  await until("the server has recovered", async () => {
    const statuses = await Promise.all([
      ask(url, "POST /api/bars/", { name: "Recovered" }),
      ask(url, "GET /api/foos/1/"),
      ask(url, "GET /readyz"),
    ]);
    return statuses.every(({ status }) => status < 300);
  });
  return Math.round(performance.now() - began);
}

/** Holds what a load was answered to what is true in every fault: only right answers and 503, every
 * create that was answered is there, none is there twice, and the process serves on, silently. */
export async function assertSound(
  history: Exchange[],
  server: Server,
  sql: postgres.Sql,
): Promise<void> {
  const wrong = history.filter(({ fault }) => fault);
  assert.equal(wrong.map(({ request, fault }) => `${request}: ${fault}`).slice(0, 5), []);
  const rows = await sql<{ id: number; name: string }[]>`
    select id, name from bar where name like 'Made %'`;
  const stored = new Map(rows.map(({ id, name }) => [name, id]));
  assert.is(stored.size, rows.length, "No create was made twice");
  for (const { status, name, body } of history) {
    if (status === 201) assert.is(stored.get(name!), body.id, `${name} was answered`);
  }
  assert.is((await ask(server.url, "GET /livez")).status, 200);
  assert.is(server.stderr(), "", "No error was logged or uncaught");
}
