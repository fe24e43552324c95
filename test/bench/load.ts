// This server and its peers under load, in turn, and the limits of both sides: Postgres without
// HTTP, and HTTP without Postgres.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { endAll, type Program, serve, type Server, start, until } from "../program.ts";
import { drawn } from "./chart.ts";
import { check } from "./check.ts";
import { type Contender, limits, peers, quiet, root } from "./contenders.ts";
import { fill } from "./database.ts";
import { generate } from "./generator.ts";
import { statements } from "./peers/statements.ts";
import { pgbench, version } from "./pgbench.ts";
import { placesOf } from "./places.ts";
import { processorSeconds, residentMegabytes } from "./process.ts";
import { type Column, failuresOf, report, type Sample } from "./report.ts";
import type { Bench, Section } from "./section.ts";
import {
  CONNECTIONS,
  DAY,
  PGBENCH_CLIENTS,
  ROWS,
  WARM_UP,
  WAYS,
  type Work,
  works,
} from "./settings.ts";

interface Entrant {
  column: Column;
  does(work: Work): boolean;
  /** Prepares for works with Postgres at this address. */
  begin?(url: string): Promise<void>;
  measure(work: Work): Promise<Sample>;
}

export const load: Section = {
  meaning: "this server and its peers under load",
  async run(bench) {
    const contenders = [...bench.forms, ...peers, ...quiet, ...limits];
    const entrants: Entrant[] = contenders.map((contender) => server(contender, bench));
    if (version) entrants.push(postgresAlone(bench));
    for (let round = 0; round < bench.rounds; round++) {
      for (const way of WAYS) {
        await fill(bench.sql, ROWS);
        const there = works.filter((work) => work.way === way);
        const taking = turned(entrants.filter(({ does }) => there.some(does)), round);
        const url = way === "next door" ? bench.url : await relayed(bench.url);
        for (const { begin } of taking) await begin?.(url);
        for (const work of there) {
          bench.progress(
            `round ${round + 1} of ${bench.rounds}, ${way}: ${work.title}, ${work.connections}`,
          );
          for (const { column: { samples }, does, measure } of taking) {
            if (does(work)) samples.set(work, [...samples.get(work) ?? [], await measure(work)]);
          }
        }
        await endAll();
      }
    }
    const columns = entrants.map(({ column }) => column);
    if (failuresOf(columns).some(({ failed }) => failed > 0)) process.exitCode = 1;
    writeFileSync(join(root, "test/bench/chart.svg"), drawn(columns));
    return report(columns);
  },
};

/** In another order each round, so that nobody always follows the same one. */
function turned<Item>(items: Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** The address of the same database, half a millisecond away in each direction. */
async function relayed(url: string): Promise<string> {
  const address = new URL(url);
  const relay: Program = start(
    ["python3", join(root, "test/bench/relay.py"), address.hostname, address.port || "5432"],
    {},
    { lifetime: DAY },
  );
  await until("the relay says where it listens", () => relay.stdout().includes("\n"));
  [address.hostname, address.port] = ["127.0.0.1", relay.stdout().trim()];
  return address.href;
}

/** A server: at each of the ways a new process in each round, for those of the same program differ in speed
 * as long as they live, which has done the work once, and rightly. */
function server(contender: Contender, { folder, seconds }: Bench): Entrant {
  const { name, role, command, does = () => true } = contender;
  const log = join(folder, `${name.replace(/\W+/g, "-")}.log`);
  const places = join(folder, `${name.replace(/\W+/g, "-")}.paths`);
  const memory = { idle: 0, peak: 0 };
  let running: Server;
  return {
    column: { ...contender, samples: new Map(), memory },
    does,
    async begin(url) {
      const ofOurs = { command: ["sh", "-c", 'exec "$@" 2>>"$LOG"', "sh", ...command] };
      running = await serve({
        DATABASE_URL: url,
        LOG_LEVEL: role === "quiet" ? "error" : "info",
        ...(role !== "bare" && { LOG: log }),
      }, { lifetime: DAY, ...(role === "ours" ? ofOurs : { command }) });
      if (role === "limit") return;
      await check(contender, running.url);
      if (works.some((work) => work.isList && does(work))) {
        writeFileSync(places, (await placesOf(running.url)).join("\n"));
      }
      memory.idle = Math.max(memory.idle, residentMegabytes(running.pid).now);
    },
    async measure(work) {
      const { url, pid } = running;
      const isOfPlaces = work.isList && work.upTo === undefined;
      const load = { ...work, paths: isOfPlaces ? places : undefined };
      if (isFirst(work)) await generate(url, { ...load, connections: CONNECTIONS[2] }, WARM_UP);
      const before = processorSeconds(pid);
      const measurement = await generate(url, load, seconds);
      const processor = processorSeconds(pid) - before;
      memory.peak = Math.max(memory.peak, residentMegabytes(pid).peak);
      return { ...measurement, processor: processor / measurement.requests * 1000 };
    },
  };

  /** Whether it is the first of its kind that is measured here. */
  function isFirst(work: Work): boolean {
    const isAlike = ({ title, way }: Work) => title === work.title && way === work.way;
    return works.find((other) => isAlike(other) && does(other)) === work;
  }
}

function postgresAlone({ url, folder, seconds }: Bench): Entrant {
  return {
    column: { name: "pgbench", role: "limit", samples: new Map() },
    does: ({ way, connections, ranges }) =>
      way === "next door" && connections === CONNECTIONS[2] && ranges !== undefined,
    async measure({ statement, ranges = [] }) {
      const rates = [];
      for (const clients of PGBENCH_CLIENTS) {
        const transactions = { statement: statements[statement], ranges, clients, seconds };
        rates.push(await pgbench(url, folder, transactions));
      }
      return { rate: Math.max(...rates) };
    },
  };
}
