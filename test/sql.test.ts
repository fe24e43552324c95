// The client of Postgres: how it sends what it is given.
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPostgres, type ServerClient } from "./house.ts";
import { gateTo } from "./faults/gate.ts";
import { until } from "./program.ts";
import { freshPostgres } from "./service.ts";

const test = suite("the client of Postgres");

/** Statements of which something would be left. */
const STATEMENTS = 2000;

const ALONE = { connections: 1, timeLimit: 10 };

let database: Awaited<ReturnType<typeof freshPostgres>>;
let sql: ServerClient;
test.before(async () => void (database = await freshPostgres()));
test.after.each(() => sql.end());
test.after(() => database.stop());

/** Milliseconds that a statement which waits for nothing is on its way at most, once of several times;
 * one that waits for the acknowledgement of another is for 40, each time. */
const AT_ONCE = 20;

test("sends a statement while another is under way, before that is answered or acknowledged", async () => {
  const gate = await gateTo(database.url);
  await gate.open();
  sql = openPostgres(gate.url, ALONE).client;
  const ask = (text: string) => sql.unsafe(text).then((rows) => rows);
  const waits: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    // After some exchanges the system of the other side acknowledges with its answers
    for (let exchange = 0; exchange < 5; exchange++) await ask("select 1");
    const before = gate.heard();
    const slow = ask("select pg_sleep(0.1)");
    await until("a statement is under way", () => gate.heard() > before);
    const asked = performance.now();
    const next = ask("select 2");
    await until("another is", () => gate.heard() > asked);
    waits.push(gate.heard() - asked);
    await Promise.all([slow, next]);
  }
  await sql.end();
  await gate.close();
  assert.ok(Math.min(...waits) < AT_ONCE, `${waits} ms`);
});

test("prepares what runs again and again, also where it has no parameters", async () => {
  sql = openPostgres(database.url, ALONE).client;
  for (
    const [text, values] of [["select 1 as it", []], ["select $1::bigint as it", [1]]] as const
  ) {
    const run = sql.prepared(text);
    for (let turn = 0; turn < 2; turn++) assert.equal([...await run([...values])], [{ it: 1 }]);
    const [kept] = await sql`
      select count(*) as count, sum(generic_plans + custom_plans) as runs
      from pg_prepared_statements
      where statement = ${text}`;
    assert.equal({ ...kept }, { count: 1, runs: "2" });
  }
});

const left = "leaves nothing of a statement to the old generation of the engine";

if ("Deno" in globalThis) {
  test.skip(`${left} (skipped under Deno, whose engine tells nothing of its generations)`);
} else {
  test(left, async () => {
    sql = openPostgres(database.url, ALONE).client;
    const run = sql.prepared("select $1::text as text");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;
    const ask = async (times: number) => {
      for (let time = 0; time < times; time++) await run([`Text ${time}`]);
      collect({ type: "minor" });
      collect({ type: "minor" });
    };
    await ask(500); // what is made once
    collect();
    const before = oldGeneration();
    await ask(STATEMENTS);
    const bytes = (oldGeneration() - before) / STATEMENTS;
    assert.ok(bytes < 100, `${bytes} bytes a statement`);
  });
}

/** Bytes of what the engine takes for old, which only a full collection frees. */
function oldGeneration(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name }) => space_name === "old_space")!.space_used_size;
}

test.run();
