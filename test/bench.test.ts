// The benchmark, without its peers and without measuring: this server does the work that the peers
// do, on the runtime of this test, and the report compares what it is given.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { check } from "./bench/check.ts";
import { limits, ours } from "./bench/contenders.ts";
import { fill } from "./bench/database.ts";
import type { Measurement } from "./bench/measurement.ts";
import { type Column, report, type Sample } from "./bench/report.ts";
import { type Work, works } from "./bench/settings.ts";
import { ask, endAll, serve } from "./program.ts";
import { freshPostgres } from "./service.ts";

const test = suite("bench");
const runtime = "Deno" in globalThis ? "Deno" : "Node";
const [source] = ours.filter((contender) => contender.runtime === runtime);

test("this server answers as its peers must", () => {
  const { name, command } = source!;
  return serving(command, (url) => check(name, url));
});

for (const { name, command } of limits.filter((limit) => limit.runtime === runtime)) {
  test(`${name} answers at the address that it prints`, () =>
    serving(command, async (url) => {
      assert.is((await ask(url, "GET /api/foos/1/")).status, 200);
    }));
}

/** Lets a contender serve a few rows while something is asked of it. */
async function serving(command: string[], work: (url: string) => Promise<void>): Promise<void> {
  const database = await freshPostgres();
  try {
    await fill(database.sql, { bars: 10, foos: 10, coleres: 1, bottages: 1 });
    const server = await serve({ DATABASE_URL: database.url }, { command });
    await work(server.url);
  } finally {
    await endAll();
    await database.stop();
  }
}

test("the report compares ours with the better peer, and says what meets its target", () => {
  const read = works.find(({ connections }) => connections === 32);
  const few = works.find(({ targets }) => !targets);
  const alone = works.find(({ connections }) => connections === 1);
  const column = (
    name: string,
    role: Column["role"],
    rates: number[],
    late?: Latencies,
  ): Column => ({
    name,
    role,
    runtime: "Node",
    samples: new Map<Work, Sample[]>([
      [read!, rates.map((rate) => ({ rate, requests: 10, failed: 0 }))],
      [few!, rates.map((rate) => ({ rate: rate / 2 }))],
      [alone!, late ? [{ rate: NaN, ...late }] : []],
    ]),
  });
  const text = report([
    column("Ours", "ours", [100, 3000, 3200], { p50: 0.2, p99: 4 }),
    column("Slow", "rival", [500], { p50: 0.5, p99: 5 }),
    column("Fast", "rival", [900, 1100], { p50: 0.2, p99: 2 }),
    column("Other", "other", [9000]),
    column("Limit", "limit", [2500]),
  ]);
  const [rates = [], ratios = []] = text.split("\n\n").map((table) => table.split("\n").map(cells));
  assert.equal(rates[0]!.slice(1), ["Ours", "Slow", "Fast", "Other", "Limit"]);
  assert.equal(rates[2]!.slice(1), ["3,000", "500", "1,000", "9,000", "2,500"]);
  assert.equal(ratios[0]!.slice(1), ["Ours ÷ better peer", "target", "Limit ÷ better peer"]);
  assert.equal(ratios[2]!.slice(1), ["**3.00**", "≥ 3.00", "2.50"]);
  assert.equal(ratios[4]!.slice(1), ["3.00", "", "2.50"]);
  assert.equal(ratios[5]!.slice(1), ["**1.00** / 2.00", "≤ 1.05", ""]);
  assert.match(text, /^None of 80 requests failed\.$/m);
});

type Latencies = Pick<Measurement, "p50" | "p99">;

function cells(row: string): string[] {
  return row.split("|").slice(1, -1).map((cell) => cell.trim());
}

test.run();
