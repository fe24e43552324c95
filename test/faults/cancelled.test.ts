// Statements that end midway, as an operator, a time limit or a standby in recovery ends them, while
// many clients read: each answer is right, or a 503 or 504.
// Needs: Deno, time
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { afterwards, ask, endAll, serve, until } from "../program.ts";
import { serverRole } from "../roles.ts";
import { freshPostgres } from "../service.ts";
import { how, soak } from "./load.ts";

const test = suite("statements that end midway");
test.after.each(endAll);

/** Clients at once. */
const READERS = 200;

/** How many answers of each kind there are to be. */
const [RIGHT, CANCELLED] = soak ? [100_000, 1000] : [1000, 100];

/** Rows of each table, with texts so long that a list takes more than one packet. */
const ROWS = 200;
const bar = (id: number) => ({ id, name: `Bar ${id} `.padEnd(64, "x") });
const foo = (id: number) => ({ id, name: `Foo ${id} `.padEnd(64, "y"), bar: bar(id) });
const all = Array.from({ length: ROWS }, (_, index) => index + 1);

/** What readers ask for, and the only answer that is right. */
const kinds: ((n: number) => [path: string, expected: unknown])[] = [
  (n) => [`/api/bars/${n}/`, bar(n)],
  (n) => [`/api/foos/${n}/`, foo(n)],
  () => ["/api/foos/?limit=200", { items: all.map(foo), next: null }],
  (n) => [`/api/foos/?bar=${n}`, { items: [foo(n)], next: null }],
  (n) => [`/api/bars/?name=${encodeURIComponent(bar(n).name)}`, { items: [bar(n)], next: null }],
  () => [
    "/api/foos/choices/bar/?limit=200",
    { choices: Object.fromEntries(all.map((id) => [id, bar(id).name])), next: null },
  ],
];

test("every answer is right, or 503 or 504, while their statements are cancelled", async () => {
  const database = await freshPostgres();
  afterwards(database.stop);
  const { sql } = database;
  const role = await serverRole(database);
  afterwards(role.stop);
  for (const id of all) await sql`insert into bar ${sql(bar(id))}`;
  for (const id of all) await sql`insert into foo ${sql({ id, name: foo(id).name, bar_id: id })}`;
  // Rows that take their time, so that a statement is often met when it has given some of its own
  for (const table of ["bar", "foo"]) {
    await sql.unsafe(`
      alter table ${table} enable row level security;
      create policy slow on ${table} using (id % 8 > 0 or pg_sleep(0.001) is not null)`);
  }
  const server = await serve({ DATABASE_URL: role.url, POOL_SIZE: "8" }, how);
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  let isOver = false;

  async function read(_: unknown, reader: number): Promise<void> {
    for (let turn = reader; !isOver; turn++) {
      const [path, expected] = kinds[turn % kinds.length]!(1 + (turn * 7) % ROWS);
      const { status, body } = await ask(server.url, `GET ${path}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isRight = status === 200
        ? isDeepStrictEqual(body, expected)
        : [503, 504].includes(status);
      if (!isRight) wrong.push(`${path}: ${status} ${JSON.stringify(body)}`.slice(0, 300));
    }
  }

  async function cancel(): Promise<void> {
    while (!isOver) {
      await sql`
        select pg_cancel_backend(pid)
        from pg_stat_activity
        where datname = current_database()
          and application_name = 'relata'
          and state = 'active'
        order by random()
        limit 2`;
      await delay(5); // so that others end well
    }
  }

  const clients = [...Array.from({ length: READERS }, read), cancel()];
  const count = (status: number) => statuses.get(status) ?? 0;
  for (let answered = 0; count(504) < CANCELLED || count(200) < RIGHT; answered += 500) {
    await until("more are answered", () => count(200) + count(504) > answered || wrong.length > 0);
    if (wrong.length > 0) break;
  }
  isOver = true;
  await Promise.all(clients);
  assert.equal(wrong.slice(0, 5), []);
  assert.is(server.stderr(), "", "No error was logged");
});

test.run();
