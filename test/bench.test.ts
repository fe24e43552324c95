// The benchmark, without its peers and without measuring: this server does the work that the peers
// do, on the runtime of this test, and the report compares what it is given.
// Needs: Deno, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { drawn } from "./bench/chart.ts";
import { check, shop } from "./bench/check.ts";
import { limits, ours, shopProject } from "./bench/contenders.ts";
import { fill, fillShop } from "./bench/database.ts";
import { issued } from "./bench/issuer.ts";
import { type Column, report, type Sample } from "./bench/report.ts";
import { type Work, works } from "./bench/settings.ts";
import { afterwards, ask, endAll, relata, serve } from "./program.ts";
import { freshDatabase, freshPostgres, temporaryFolder } from "./service.ts";

/** As few as the questions need. */
const ROWS = {
  products: 100,
  invoices: 120,
  lines: 10,
  tags: 300,
  items: 60,
  callers: 8,
  notes: 80,
  vouchers: 10,
};

const test = suite("bench");
const runtime = "Deno" in globalThis ? "Deno" : "Node";
const [source] = ours.filter((contender) => contender.runtime === runtime);

test("this server answers as its peers must", () => {
  const { command } = source!;
  return serving(command, (url) => check(source!, url));
});

test("this server answers as its peer must, in the shop", async () => {
  const database = await freshDatabase();
  const folder = temporaryFolder();
  try {
    const { settings, headers, stop } = await issued(folder.path);
    afterwards(stop);
    const environment = { DATABASE_URL: database.url, PROJECT_DIR: shopProject, ...settings };
    assert.is((await relata(["migrate", "up"], environment)).status, 0);
    await fillShop(database.sql, ROWS);
    const server = await serve(environment, { command: source!.command });
    await check(source!, server.url, shop, headers);
  } finally {
    await endAll();
    await database.stop();
    folder.remove();
  }
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
    await fill(database.sql, { bars: 60, foos: 60, coleres: 1, bottages: 1 });
    const server = await serve({ DATABASE_URL: database.url }, { command });
    await work(server.url);
  } finally {
    await endAll();
    await database.stop();
  }
}

test("the report compares ours with the better peer on the same runtime, and says what misses its target", () => {
  const near = workOf("read a foo", 32, "next door");
  const away = workOf("read a foo", 32, "1 ms away");
  const column = (
    name: string,
    role: Column["role"],
    rates: number[],
    runtime: Column["runtime"] = "Node",
  ): Column => ({
    name,
    role,
    runtime,
    samples: new Map<Work, Sample[]>([
      [near, rates.map((rate) => ({ rate, requests: 10, failed: 0 }))],
      [away, [{ rate: 700 }]],
    ]),
  });
  const columns = [
    column("Ours", "ours", [100, 3000, 3200]),
    column("Ours, Deno", "ours", [1000], "Deno"),
    column("Slow", "peer", [500]),
    column("Fast", "peer", [900, 1100]),
    column("Other", "peer", [1000], "Deno"),
    column("Django", "origin", [9000]),
    column("Bare", "bare", [2000]),
    column("Ours, no log", "quiet", [5000]),
  ];
  const text = report(columns);
  const [node = [], deno = [], matrix = [], , bare = [], all = []] = text.split("\n\n")
    .map((table) => table.split("\n").map(cells));
  const row = (rows: string[][], title: string) => rows.find(([cell]) => cell === title);
  assert.equal(node[0]!.slice(1), ["Relata", "better peer", "ratio", "target"]);
  assert.equal(row(node, "read a foo, 32")!.slice(1), ["3,000", "1,000", "3.00", "≥ 2.0"]);
  assert.equal(row(node, "read a foo, 32, 1 ms away")!.slice(3), ["1.00", "≥ 1.0"]);
  assert.equal(row(deno, "read a foo, 32")!.slice(1), ["1,000", "1,000", "**1.00**", "≥ 2.0"]);
  const place = matrix[0]!.indexOf("32, next door");
  assert.is(row(matrix, "read a foo")![place], "3.00");
  assert.equal(row(bare, "read a foo, 32"), ["read a foo, 32", "2.50", ""]);
  assert.equal(all[0]!.slice(1), columns.map(({ name }) => name));
  assert.match(text, /^None of 110 requests failed\.$/m);
});

test("the chart has a dot for each ratio, at the place of its value", () => {
  const near = workOf("read a foo", 32, "next door");
  const column = (role: Column["role"], rate: number): Column => ({
    name: role,
    role,
    runtime: "Node",
    samples: new Map<Work, Sample[]>([[near, [{ rate }]]]),
  });
  const dots = (ratio: number) =>
    [
      ...drawn([column("ours", ratio), column("peer", 1)])
        .matchAll(/<title>(read a foo[^<]+)<\/title>\s*<circle cx="(\d+)"/g),
    ]
      .map(([, title, x]) => [title, Number(x)] as const);
  const [[title, one]] = dots(1) as [[string, number]];
  assert.is(title, "read a foo, 32 connections, next door: 1.00");
  const [[, two]] = dots(2) as [[string, number]];
  const [[, half]] = dots(0.5) as [[string, number]];
  assert.ok(two > one && Math.abs(two - one - (one - half)) <= 1, "Twice is as far as half");
});

function workOf(title: string, connections: number, way: Work["way"]): Work {
  return works.find((work) =>
    work.title === title && work.connections === connections && work.way === way
  )!;
}

function cells(row: string): string[] {
  return row.split("|").slice(1, -1).map((cell) => cell.trim());
}

test.run();
