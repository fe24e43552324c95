// The client of Postgres: how it sends what it is given.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect } from "../src/database/sql.ts";
import { gateTo } from "./faults/gate.ts";
import { until } from "./program.ts";
import { freshPostgres } from "./service.ts";

const test = suite("the client of Postgres");

/** Milliseconds that a statement which waits for nothing is on its way at most, once of several times;
 * one that waits for the acknowledgement of another is for 40, each time. */
const AT_ONCE = 20;

test("sends a statement while another is under way, before that is answered or acknowledged", async () => {
  const database = await freshPostgres();
  const gate = await gateTo(database.url);
  await gate.open();
  const sql = connect(gate.url, { connections: 1, timeLimit: 10 });
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
  await database.stop();
  assert.ok(Math.min(...waits) < AT_ONCE, `${waits} ms`);
});

test.run();
