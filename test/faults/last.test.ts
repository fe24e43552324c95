// The newest bottage, which a client flow begins with: two processes on one database answer many writers and
// readers, while their sessions are ended.
// Needs: Deno, time
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ask, endAll, serve, until } from "../program.ts";
import { freshPostgres } from "../service.ts";
import { how, soak } from "./load.ts";

/** That a bottage was written, or read as the last; when it was asked for and answered. */
interface Operation {
  kind: "write" | "read";
  id: number;
  began: number;
  ended: number;
}

const test = suite("the last bottage");
test.after.each(endAll);

const ROUNDS = soak ? 400 : 10;

/** Clients of each kind at each process. */
const CLIENTS = 6;

/** Finds the reads that show an older record than a write or read that had ended when they began. */
function stale(history: Operation[]): Operation[] {
  const ended = history.toSorted((one, other) => one.ended - other.ended).values();
  let [newest, next] = [0, ended.next()];
  return history
    .toSorted((one, other) => one.began - other.began)
    .filter(({ kind, id, began }) => {
      for (; !next.done && next.value.ended < began; next = ended.next()) {
        newest = Math.max(newest, next.value.id);
      }
      return kind === "read" && id < newest;
    });
}

const write = (id: number, began: number, ended: number) =>
  ({ kind: "write", id, began, ended }) as const;
const read = (id: number, began: number, ended: number) =>
  ({ kind: "read", id, began, ended }) as const;

for (
  const [what, history, found] of [
    ["a read that misses a write", [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)], 1],
    ["a read that is older than another", [read(2, 0, 1), read(1, 2, 3), read(2, 4, 5)], 1],
    ["a read of what is being written", [write(2, 0, 9), read(2, 1, 2), read(1, 3, 4)], 1],
    ["a read that began before the write ended", [write(2, 0, 3), read(1, 2, 5)], 0],
    ["reads that overlap", [read(2, 0, 3), read(1, 1, 4), read(2, 5, 6)], 0],
    ["a read of a newer record", [write(1, 0, 1), read(7, 2, 3)], 0],
    ["writes that end in another order", [write(2, 0, 1), write(1, 0, 3), read(2, 4, 5)], 0],
  ] as [string, Operation[], number][]
) {
  test(`is checked: ${what} is ${found ? "an error" : "right"}`, () => {
    assert.is(stale(history).length, found);
    assert.is(stale(history.toReversed()).length, found);
  });
}

test("is never older than an earlier answer of any process", async () => {
  const { sql, url, stop } = await freshPostgres();
  await sql`insert into bottage (cul, colere_id) values ('First', 1)`;
  const servers = [
    await serve({ DATABASE_URL: url }, how),
    await serve({ DATABASE_URL: url }, how),
  ];
  const history: Operation[] = [];
  const refused = { write: 0, read: 0 };
  let goes = true;

  async function client(server: string, kind: Operation["kind"]): Promise<void> {
    while (goes) {
      const began = performance.now();
      const { status, body } = await (kind === "write"
        ? ask(server, "POST /bottage/", { cul: "Cul", colere: 1 })
        : ask(server, "GET /bottage/last"));
      const ended = performance.now();
      if (status === (kind === "write" ? 201 : 200)) {
        history.push({ kind, id: body.bottage, began, ended });
      } else {
        assert.is(status, 503);
        refused[kind]++;
        await delay(10);
      }
    }
  }

  const clients = servers.flatMap(({ url }) =>
    (["write", "read"] as const).flatMap((kind) =>
      Array.from({ length: CLIENTS }, () => client(url, kind))
    )
  );
  for (let round = 0; round < ROUNDS; round++) {
    const goal = history.length + 200;
    await until("200 requests more are answered", () => history.length >= goal);
    await sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  }
  goes = false;
  await Promise.all(clients);
  assert.equal(stale(history), []);
  assert.ok(refused.write > 0, "Some writes met the end of their session");
  const ids = history.filter(({ kind }) => kind === "write").map(({ id }) => id);
  const stored = new Set((await sql<{ id: number }[]>`select id from bottage`).map(({ id }) => id));
  assert.is(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => stored.has(id)), "Every write that was answered is there");
  assert.ok(stored.size <= ids.length + refused.write + 1, "No write was made twice");
  for (const server of servers) assert.is(server.stderr(), "");
  await endAll();
  await stop();
});

test.run();
