// This server and its peers under load, in turn, and the limits of both sides: Postgres without
// HTTP, and HTTP without Postgres.
import { join } from "node:path";
import process from "node:process";
import { endAll, serve, type Server } from "../program.ts";
import { check } from "./check.ts";
import { type Contender, limits, logging, peers } from "./contenders.ts";
import { fill } from "./database.ts";
import { generate } from "./generator.ts";
import { statements } from "./peers/statements.ts";
import { pgbench, version } from "./pgbench.ts";
import { processorSeconds, residentMegabytes } from "./process.ts";
import { type Column, failuresOf, report, type Sample } from "./report.ts";
import type { Bench, Section } from "./section.ts";
import { DAY, PGBENCH_CLIENTS, ROWS, WARM_UP, type Work, works } from "./settings.ts";

interface Entrant {
  column: Column;
  /** Prepares a round. */
  begin?(): Promise<void>;
  measure(work: Work): Promise<Sample>;
}

export const load: Section = {
  meaning: "this server and its peers under load",
  async run(bench) {
    const contenders = [...bench.forms, ...peers, logging, ...limits];
    const entrants: Entrant[] = contenders.map((contender) => server(contender, bench));
    if (version) entrants.push(postgresAlone(bench));
    for (let round = 0; round < bench.rounds; round++) {
      await fill(bench.sql, ROWS);
      for (const { begin } of entrants) await begin?.();
      for (const work of works) {
        bench.progress(`round ${round + 1} of ${bench.rounds}: ${work.title}, ${work.connections}`);
        for (const { column: { works, samples }, measure } of turned(entrants, round)) {
          if (works && !works.includes(work)) continue;
          samples.set(work, [...samples.get(work) ?? [], await measure(work)]);
        }
      }
      await endAll();
    }
    const columns = entrants.map(({ column }) => column);
    if (failuresOf(columns).some(({ failed }) => failed > 0)) process.exitCode = 1;
    return report(columns);
  },
};

/** In another order each round, so that nobody always follows the same one. */
function turned<Item>(items: Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** A server: in each round a new process, for those of the same program differ in speed as long as they
 * live, which has done the work once, and rightly. */
function server(contender: Contender, { url, folder, seconds }: Bench): Entrant {
  const { name, command, environment } = contender;
  const settings = { DATABASE_URL: url, LOG: join(folder, "log"), ...environment };
  const memory = { idle: 0, peak: 0 };
  let running: Server;
  return {
    column: { ...contender, samples: new Map(), memory },
    async begin() {
      running = await serve(settings, { command, lifetime: DAY });
      if (!limits.includes(contender)) await check(name, running.url);
      memory.idle = Math.max(memory.idle, residentMegabytes(running.pid).now);
    },
    async measure(work) {
      const { url, pid } = running;
      await generate(url, work, WARM_UP);
      const before = processorSeconds(pid);
      const measurement = await generate(url, work, seconds);
      const processor = processorSeconds(pid) - before;
      memory.peak = Math.max(memory.peak, residentMegabytes(pid).peak);
      return { ...measurement, processor: processor / measurement.requests * 1000 };
    },
  };
}

function postgresAlone({ url, folder, seconds }: Bench): Entrant {
  return {
    column: { name: "pgbench", role: "other", samples: new Map() },
    async measure({ statement, ranges, connections }) {
      const rates = [];
      const isFew = connections < Math.min(...PGBENCH_CLIENTS);
      for (const clients of isFew ? [connections] : PGBENCH_CLIENTS) {
        const transactions = { statement: statements[statement], ranges, clients, seconds };
        rates.push(await pgbench(url, folder, transactions));
      }
      return { rate: Math.max(...rates) };
    },
  };
}
