// The benchmark, without measuring: its peers, on the runtime of this test, do the work that ours
// does, and its report compares what it is given.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { check } from "./bench/check.ts";
import { ours, peers } from "./bench/contenders.ts";
import { fill } from "./bench/database.ts";
import { type Column, report } from "./bench/report.ts";
import { works } from "./bench/settings.ts";
import { endAll, serve } from "./program.ts";
import { freshPostgres } from "./service.ts";

const test = suite("bench");
const runtime = "Deno" in globalThis ? "Deno" : "Node";
const [source] = ours.filter((contender) => contender.runtime === runtime);

for (const { name, command } of [source!, ...peers.filter((peer) => peer.runtime === runtime)]) {
  test(`${name} answers as it has to`, async () => {
    const database = await freshPostgres();
    try {
      await fill(database.sql, { bars: 10, foos: 10, coleres: 1, bottages: 1 });
      const server = await serve({ DATABASE_URL: database.url }, { command });
      await check(name, server.url);
    } finally {
      await endAll();
      await database.stop();
    }
  });
}

test("the report compares the medians of ours with those of the better peer", () => {
  const column = (name: string, role: Column["role"], ...rates: number[]): Column => ({
    name,
    role,
    runtime: "Node",
    samples: new Map([[works[0]!, rates.map((rate) => ({ rate, requests: 10, failed: 0 }))]]),
  });
  const text = report([
    column("Ours", "ours", 100, 3000, 3200),
    column("Slow", "rival", 500),
    column("Fast", "rival", 900, 1100),
    column("Other", "other", 9000),
  ]);
  const [head = "", , row = ""] = text.split("\n").map(cells);
  assert.equal(head.slice(1), ["Ours", "Slow", "Fast", "Other", "Node ÷ better peer"]);
  assert.equal(row.slice(1), ["3,000", "500", "1,000", "9,000", "3.00"]);
  assert.match(text, /^None of 70 requests failed\.$/m);
});

function cells(row: string): string[] {
  return row.split("|").slice(1, -1).map((cell) => cell.trim());
}

test.run();
