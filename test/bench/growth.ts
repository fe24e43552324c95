// What more rows cost: an identifier among many, a page far behind, a search in many names. One
// request after another, over one connection to each server.
import { Agent, get } from "node:http";
import { json } from "node:stream/consumers";
import { clientOf } from "../client.ts";
import { migrateUp } from "../house.ts";
import { serve, type Server } from "../program.ts";
import { type Contender, ours } from "./contenders.ts";
import { fill, type Rows } from "./database.ts";
import { generate } from "./generator.ts";
import type { Bench, Section } from "./section.ts";
import { DAY, ROWS, WARM_UP } from "./settings.ts";
import { figure, median, table } from "./table.ts";

const MANY: Rows = { bars: 1_000_000, foos: 1_000_000, coleres: 100, bottages: 10_000_000 };

/** What is read by identifier, which stands for `$`. */
const READS = [
  { path: "/api/foos/$/", of: "foos" },
  { path: "/bottage/$", of: "bottages" },
] as const;

/** The clients that read at once before a read is measured. */
const READERS = 32;

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

/** Asks for an address and resolves to the parsed answer. */
type Ask = (url: string) => Promise<{ next?: string | null }>;

/** Asks for some addresses again and again, and resolves to the median of the milliseconds that each
 * takes. */
type Time = (...urls: (() => string)[]) => Promise<number[]>;

/** The database that has few rows, beside the one that has many. */
const FEW = "relata_bench_few";

export const growth: Section = {
  meaning: "what more rows cost; takes minutes and gigabytes",
  async run(bench) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask: Ask = (url) =>
      new Promise((resolve, reject) => {
        get(url, { agent }, (response) => {
          if (response.statusCode === 200) resolve(json(response) as ReturnType<Ask>);
          else reject(new Error(`GET ${url} is answered with ${response.statusCode}`));
        }).once("error", reject);
      });
    const time: Time = (...urls) => timesOf(ask, urls, bench.seconds);

    bench.progress(`${figure(MANY.foos)} foos, ${figure(MANY.bottages)} bottages`);
    await fill(bench.sql, MANY);
    await bench.sql`create database ${bench.sql(FEW)}`;
    const reads = await readsOf(await fewRows(bench), bench, time);
    await bench.sql`drop database ${bench.sql(FEW)}`;
    const many = await serverOn(bench.url);
    const pages = await pagesOf(many.url, ask, time, bench);
    const searches = await searchesOf(many.url, time, bench);
    await many.kill();
    const found = NEEDLES.map(({ found }) => `${found} found`);
    return [
      table(["Milliseconds", "one", "other", "other ÷ one"], [...reads, ...pages]),
      table([`Search of ${figure(MANY.bars)} bars, ms`, ...found], searches),
    ].join("\n\n");
  },
};

/** Fills the database that has few rows and gives its address. */
async function fewRows({ url, progress }: Bench): Promise<string> {
  progress(`${figure(ROWS.foos)} foos, ${figure(ROWS.bottages)} bottages`);
  const address = new URL(`/${FEW}`, url).href;
  await migrateUp(address);
  const sql = clientOf(address);
  await fill(sql, ROWS);
  await sql.end();
  return address;
}

async function serverOn(url: string): Promise<Server> {
  const [{ command }] = ours as [Contender];
  return await serve({ DATABASE_URL: url, TIME_LIMIT }, { command, lifetime: DAY });
}

/** Reads by identifier of few rows and of many; and of few by two servers, which shows how far such
 * figures can be trusted. In each round all are new processes, for those of the same program differ in
 * speed as long as they live. */
async function readsOf(few: string, bench: Bench, time: Time): Promise<string[][]> {
  const figures = READS.map((): number[][] => []);
  for (let round = 0; round < bench.rounds; round++) {
    const servers: Server[] = [];
    for (const url of [few, few, bench.url]) servers.push(await serverOn(url));
    for (const [index, { path, of }] of READS.entries()) {
      bench.progress(`round ${round + 1} of ${bench.rounds}: ${path} of few and of many`);
      const counts = [ROWS[of], ROWS[of], MANY[of]];
      for (const [place, { url }] of servers.entries()) {
        const load = { request: `GET ${path}`, upTo: counts[place]!, connections: READERS };
        await generate(url, load, WARM_UP);
      }
      const urls = servers.map(({ url }, place) => () =>
        url + path.replace("$", anyOf(counts[place]!))
      );
      figures[index]!.push(await time(...urls));
    }
    for (const server of servers) await server.kill();
  }
  return READS.flatMap(({ path, of }, index) => {
    const [one, twin, other] = [0, 1, 2].map((place) =>
      median(figures[index]!.map((milliseconds) => milliseconds[place]!))
    ) as [number, number, number];
    const title = `${path.replace("$", "{id}")}, of ${figure(ROWS[of])} and of`;
    return [
      [`${title} as many ${of}`, ...compared(one, twin)],
      [`${title} ${figure(MANY[of])} ${of}`, ...compared(one, other)],
    ];
  });
}

async function pagesOf(
  url: string,
  ask: Ask,
  time: Time,
  { progress }: Bench,
): Promise<string[][]> {
  const rows = [];
  for (const list of LISTS) {
    progress(`page ${figure(PAGE)} of ${list}`);
    const [first, far] = [url + and(list, "limit=50"), await pageOf(url, list, ask)];
    const [one, other] = await time(() => first, () => far) as [number, number];
    rows.push([`${list}, page 1 and page ${figure(PAGE)}`, ...compared(one, other)]);
  }
  return rows;
}

async function searchesOf(url: string, time: Time, { progress }: Bench): Promise<string[][]> {
  const rows = [];
  for (const search of SEARCHES) {
    progress(`searches in ${search}`);
    const times = await time(...NEEDLES.map(({ text }) => () => url + and(search, `q=${text}`)));
    rows.push([search, ...times.map((milliseconds) => figure(milliseconds, 2))]);
  }
  return rows;
}

/** Asks for any of the addresses at a time: one that always followed itself, or the same other, would
 * find more or less prepared for it. */
async function timesOf(ask: Ask, urls: (() => string)[], seconds: number): Promise<number[]> {
  const times = urls.map((): number[] => []);
  const end = performance.now() + seconds * 1000 * urls.length;
  while (performance.now() < end || times.some(({ length }) => length < LEAST)) {
    const index = Math.floor(Math.random() * urls.length);
    const began = performance.now();
    await ask(urls[index]!());
    times[index]!.push(performance.now() - began);
  }
  return times.map(median);
}

/** Follows a list to the page, three pages at a time, and gives its address. */
async function pageOf(url: string, list: string, ask: Ask): Promise<string> {
  let path = and(list, "limit=150");
  for (let page = 1; page < PAGE; page += 3) path = (await ask(url + path)).next!;
  return url + path.replace("limit=150", "limit=50");
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
