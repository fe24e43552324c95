// What more rows cost: an identifier among many, a page far behind, a search in many names. One
// request after another, over one connection.
import { Agent, get } from "node:http";
import { json } from "node:stream/consumers";
import { serve } from "../program.ts";
import { type Contender, ours } from "./contenders.ts";
import { fill, type Rows } from "./database.ts";
import type { Bench, Section } from "./section.ts";
import { DAY, ROWS } from "./settings.ts";
import { figure, median, table } from "./table.ts";

const MANY: Rows = { bars: 1_000_000, foos: 1_000_000, coleres: 100, bottages: 10_000_000 };

/** What is read by identifier, which stands for `$`. */
const READS = [
  { path: "/api/foos/$/", of: "foos" },
  { path: "/bottage/$", of: "bottages" },
] as const;

/** The page, of 50 items, that is compared with the first, and lists that have so many. */
const PAGE = 10_000;
const LISTS = [
  "/api/foos/",
  "/api/foos/?sort=-id",
  "/api/foos/?sort=name",
  "/api/foos/?sort=-name",
  "/bottage/",
  "/api/foos/choices/bar/",
];

/** Texts to search for, and how many of a million names have them. */
const NEEDLES = [
  { text: "zzz", found: "none" },
  { text: "999999", found: "1" },
  { text: "9999", found: "280" },
  { text: "bar", found: "all" },
];
const SEARCHES = ["/api/bars/", "/api/bars/?sort=name", "/api/foos/choices/bar/"];

/** How often something is asked at least, however long it takes. */
const LEAST = 5;

/** Seconds that the slowest search has. */
const TIME_LIMIT = "600";

/** Asks for a path and resolves to the parsed answer. */
type Ask = (path: string) => Promise<{ next?: string | null }>;

/** Asks for some paths in turn and resolves to the median of the milliseconds that each takes. */
type Time = (...paths: (() => string)[]) => Promise<number[]>;

export const growth: Section = {
  meaning: "what more rows cost; takes minutes and gigabytes",
  async run(bench) {
    const [{ command }] = ours as [Contender];
    const settings = { DATABASE_URL: bench.url, TIME_LIMIT };
    const { url, kill } = await serve(settings, { command, lifetime: DAY });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask: Ask = (path) =>
      new Promise((resolve, reject) => {
        get(url + path, { agent }, (response) => {
          if (response.statusCode === 200) resolve(json(response) as ReturnType<Ask>);
          else reject(new Error(`GET ${path} is answered with ${response.statusCode}`));
        }).once("error", reject);
      });
    const time: Time = (...paths) => timesOf(ask, paths, bench.seconds);

    bench.progress(`${figure(ROWS.foos)} foos, ${figure(ROWS.bottages)} bottages`);
    await fill(bench.sql, ROWS);
    const few = await readsOf(ROWS, time);
    bench.progress(`${figure(MANY.foos)} foos, ${figure(MANY.bottages)} bottages`);
    await fill(bench.sql, MANY);
    const many = await readsOf(MANY, time);

    const reads = READS.map(({ path, of }, row) => [
      `${path.replace("$", "{id}")}, of ${figure(ROWS[of])} and of ${figure(MANY[of])} ${of}`,
      ...compared(few[row]!, many[row]!),
    ]);
    const pages = await pagesOf(ask, time, bench);
    const searches = await searchesOf(time, bench);
    await kill();
    const found = NEEDLES.map(({ found }) => `${found} found`);
    return [
      table(["Milliseconds", "one", "other", "other ÷ one"], [...reads, ...pages]),
      table([`Search of ${figure(MANY.bars)} bars, ms`, ...found], searches),
    ].join("\n\n");
  },
};

function readsOf(rows: Rows, time: Time): Promise<number[]> {
  return time(...READS.map(({ path, of }) => () => path.replace("$", anyOf(rows[of]))));
}

async function pagesOf(ask: Ask, time: Time, { progress }: Bench): Promise<string[][]> {
  const rows = [];
  for (const list of LISTS) {
    progress(`page ${figure(PAGE)} of ${list}`);
    const [first, far] = [and(list, "limit=50"), await pathOfPage(ask, list)];
    const [one, other] = await time(() => first, () => far) as [number, number];
    rows.push([`${list}, page 1 and page ${figure(PAGE)}`, ...compared(one, other)]);
  }
  return rows;
}

async function searchesOf(time: Time, { progress }: Bench): Promise<string[][]> {
  const rows = [];
  for (const search of SEARCHES) {
    progress(`searches in ${search}`);
    const times = await time(...NEEDLES.map(({ text }) => () => and(search, `q=${text}`)));
    rows.push([search, ...times.map((milliseconds) => figure(milliseconds, 2))]);
  }
  return rows;
}

async function timesOf(ask: Ask, paths: (() => string)[], seconds: number): Promise<number[]> {
  const times = paths.map((): number[] => []);
  const end = performance.now() + seconds * 1000 * paths.length;
  for (let turn = 0; turn < LEAST || performance.now() < end; turn++) {
    for (const [index, path] of paths.entries()) {
      const began = performance.now();
      await ask(path());
      times[index]!.push(performance.now() - began);
    }
  }
  return times.map(median);
}

/** Follows a list to the page, three pages at a time. */
async function pathOfPage(ask: Ask, list: string): Promise<string> {
  let path = and(list, "limit=150");
  for (let page = 1; page < PAGE; page += 3) path = (await ask(path)).next!;
  return path.replace("limit=150", "limit=50");
}

/** The path with one more query parameter. */
function and(path: string, parameter: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${parameter}`;
}

/** Any of so many identifiers. */
function anyOf(count: number): string {
  return String(1 + Math.floor(Math.random() * count));
}

function compared(one: number, other: number): string[] {
  return [figure(one, 2), figure(other, 2), figure(other / one, 2)];
}
