// Clients that send requests all the time: reads, which must succeed at once, and creates with a key, which
// they repeat until they know the outcome.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type postgres from "postgres";
import * as assert from "uvu/assert";
import { ask, type Reply, until } from "../program.ts";

/** What clients were answered. */
export interface Outcome {
  /** Requests that had the answer they should. */
  answered: number;
  /** How often a create was sent again. */
  repeats: number;
  /** What was wrong with the others. */
  faults: string[];
  /** The identifiers of what was created, by name. */
  made: Map<string, number>;
}

export interface Clients {
  readonly outcome: Readonly<Outcome>;
  /** Waits until so many requests more have been answered. */
  pass(requests: number): Promise<void>;
  /** Lets every client end its request. */
  stop(): Promise<Outcome>;
}

/** The rows that are there before: bars and foos, each with the identifier of the other. */
const ROWS = 20;

/** What lets a busy machine take its time: a server that refuses what it cannot serve soon is right,
 * and not what these clients are to find. */
export const patient = { TIME_LIMIT: "60" };

/** Clients of each kind. */
const CLIENTS = 4;

/** What a create may be answered that has to be sent again: nothing, or that it cannot be made now,
 * or that it is being made. */
const REPEATED = [0, 409, 502, 503, 504];

/** How often it is sent at most, and the milliseconds between. */
const [SENDINGS, PAUSE] = [200, 50];

/** Makes the rows that clients read. */
export async function seed(sql: postgres.Sql): Promise<void> {
  await sql`insert into bar (name) select 'Bar ' || n from generate_series(1, ${ROWS}::int) as n`;
  await sql`insert into foo (name, bar_id) select 'Foo ' || id, id from bar order by id`;
}

/** Lets clients ask the service at an address. */
export function startClients(url: string): Clients {
  const outcome: Outcome = { answered: 0, repeats: 0, faults: [], made: new Map() };
  const run = randomUUID().slice(0, 8);
  let [goes, names] = [true, 0];

  function judge(request: string, { status, body }: Answered, expected: Answered): void {
    if (isDeepStrictEqual({ status, body }, expected)) outcome.answered++;
    else outcome.faults.push(`${request}: ${status} ${JSON.stringify(body)}`);
  }

  async function read(path: string, body: unknown): Promise<void> {
    const request = `GET ${path}`;
    judge(request, await sent(url, request), { status: 200, body });
  }

  async function create(path: string, body: object, key: string): Promise<Answered> {
    for (let sendings = 1;; sendings++) {
      const reply = await sent(url, `POST ${path}`, body, { "idempotency-key": key });
      if (!REPEATED.includes(reply.status) || sendings === SENDINGS) return reply;
      outcome.repeats++;
      await delay(PAUSE);
    }
  }

  const bar = (id: number) => ({ id, name: `Bar ${id}` });
  const foo = (id: number) => ({ id, name: `Foo ${id}`, bar: bar(id) });
  const kinds: ((n: number) => Promise<void>)[] = [
    (n) => read(`/api/foos/${n}/`, foo(n)),
    (n) => read(`/api/foos/?bar=${n}&limit=1`, { items: [foo(n)], next: null }),
    async (n) => {
      const name = `Made-${run}-${++names}`;
      for (let times = 0; times < 2; times++) {
        const reply = await create("/api/bars/", { name }, name);
        const id = outcome.made.get(name) ?? reply.body?.id;
        judge("POST /api/bars/", reply, { status: 201, body: { id, name } });
        if (reply.status === 201) outcome.made.set(name, id);
        if (n % 4 > 0) return; // one of four is sent once more
      }
    },
    async (n) => {
      const reply = await create(
        "/api/foos/",
        { name: "x".repeat(65), bar: 10 ** 9 + n },
        randomUUID(),
      );
      const codes = reply.body?.errors?.map(({ code }: { code: string }) => code);
      const expected = { status: 422, body: ["too_long", "does_not_exist"] };
      judge("POST /api/foos/", { status: reply.status, body: codes }, expected);
    },
  ];
  const clients = kinds.flatMap((kind, place) =>
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = client + place; goes; turn++) await kind(1 + turn % ROWS);
    })
  );

  return {
    outcome,
    async pass(requests) {
      const goal = outcome.answered + requests;
      await until(`${requests} requests are answered`, () => {
        assert.equal(outcome.faults, []);
        return outcome.answered >= goal;
      });
    },
    async stop() {
      goes = false;
      await Promise.all(clients);
      return outcome;
    },
  };
}

/** Holds to it that every request had its answer, and that each create was made once. */
export async function assertServed({ faults, made }: Outcome, sql: postgres.Sql): Promise<void> {
  assert.equal(faults.slice(0, 5), []);
  const rows = await sql<{ id: number; name: string }[]>`
    select id, name from bar where name like 'Made-%'`;
  assert.is(rows.length, made.size, "Each was made once, and none besides");
  for (const { id, name } of rows) assert.is(made.get(name), id, `${name} was answered`);
}

type Answered = Pick<Reply, "status" | "body">;

/** The answer to a request; of status 0 where there was none, or one that is no JSON. */
async function sent(...request: Parameters<typeof ask>): Promise<Answered> {
  try {
    const { status, body } = await ask(...request);
    return { status, body };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}
