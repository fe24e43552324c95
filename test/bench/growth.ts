// What more rows cost: an identifier among many, a page far behind, a search in many names.
import { Agent, get } from "node:http";
import { json } from "node:stream/consumers";
import { serve } from "../program.ts";
import { type Contender, ours } from "./contenders.ts";
import { fill } from "./database.ts";
import type { Bench, Section } from "./section.ts";
import { DAY, ROWS } from "./settings.ts";
import { figure, median, table } from "./table.ts";

const MANY = { bars: 1_000_000, foos: 10_000_000, coleres: 100, bottages: 1_000_000 };

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

type Ask = (path: string) => Promise<{ next?: string | null }>;

export const growth: Section = {
  meaning: "what more rows cost; takes minutes and gigabytes",
  async run(bench) {
    const [{ command }] = ours as [Contender];
    const settings = { DATABASE_URL: bench.url, TIME_LIMIT };
    const server = await serve(settings, { command, lifetime: DAY });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask: Ask = (path) =>
      new Promise((resolve, reject) => {
        get(server.url + path, { agent }, (response) => {
          const body = json(response) as ReturnType<Ask>;
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`GET ${path} answers with status ${response.statusCode}`));
        }).once("error", reject);
      });
    const time = (path: () => string) => timeOf(ask, path, bench);

    bench.progress(`${figure(ROWS.foos)} foos`);
    await fill(bench.sql, ROWS);
    const few = await time(() => `/api/foos/${anyOf(ROWS.foos)}/`);
    bench.progress(`${figure(MANY.foos)} foos and ${figure(MANY.bars)} bars`);
    await fill(bench.sql, MANY);
    const many = await time(() => `/api/foos/${anyOf(MANY.foos)}/`);
    const heads = ["read a foo, ms", `of ${figure(ROWS.foos)}`, `of ${figure(MANY.foos)}`, "ratio"];
    const reads = table(heads, [["/api/foos/{foo_id}/", ...compared(few, many)]]);

    const pages = [];
    for (const list of LISTS) {
      bench.progress(`page ${figure(PAGE)} of ${list}`);
      const far = await pathOfPage(ask, list);
      const near = and(list, "limit=50");
      pages.push([list, ...compared(await time(() => near), await time(() => far))]);
    }
    const searches = [];
    for (const search of SEARCHES) {
      bench.progress(`searches in ${search}`);
      const row = [search];
      for (const { text } of NEEDLES) {
        row.push(figure(await time(() => and(search, `q=${text}`)), 2));
      }
      searches.push(row);
    }
    await server.kill();
    return [
      reads,
      table(["a list, ms", "page 1", `page ${figure(PAGE)}`, "ratio"], pages),
      table(
        [
          `search of ${figure(MANY.bars)} bars, ms`,
          ...NEEDLES.map(({ found }) => `${found} found`),
        ],
        searches,
      ),
    ].join("\n\n");
  },
};

/** The median of the milliseconds that an answer takes. */
async function timeOf(ask: Ask, path: () => string, { seconds }: Bench): Promise<number> {
  const times = [];
  const end = performance.now() + seconds * 1000;
  while (times.length < LEAST || performance.now() < end) {
    const began = performance.now();
    await ask(path());
    times.push(performance.now() - began);
  }
  return median(times);
}

/** Follows a list until the page before, three pages at a time. */
async function pathOfPage(ask: Ask, list: string): Promise<string> {
  let path = and(list, "limit=150");
  for (let page = 1; page < PAGE; page += 3) path = (await ask(path)).next!;
  return path.replace("limit=150", "limit=50");
}

/** The path with one more query parameter. */
function and(path: string, parameter: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${parameter}`;
}

function anyOf(count: number): number {
  return 1 + Math.floor(Math.random() * count);
}

function compared(one: number, other: number): string[] {
  return [figure(one, 2), figure(other, 2), figure(other / one, 2)];
}
