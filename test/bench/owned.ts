// A row with ten rows of its own, created and read, by this server and by Fastify in turn.
import { join } from "node:path";
import { clientOf } from "../client.ts";
import { endAll, relata, serve, type Server } from "../program.ts";
import { check, invoices } from "./check.ts";
import { type Contender, invoiceProject, ours, peers } from "./contenders.ts";
import { fillInvoices } from "./database.ts";
import { generate } from "./generator.ts";
import { parentOf, processorSeconds } from "./process.ts";
import type { Bench, Section } from "./section.ts";
import { DAY, WARM_UP } from "./settings.ts";
import { figure, median, table } from "./table.ts";

const DATABASE = "relata_bench_invoices";

const ROWS = { products: 1_000, invoices: 10_000, lines: 10 };

const line = '{"product":$,"quantity":2,"price":"4.50"}';

const kinds = [
  {
    title: "read an invoice with ten lines",
    request: "GET /api/invoices/$/",
    upTo: ROWS.invoices,
    /** The least that our rate is to be of that of Fastify. */
    target: 1.1,
  },
  {
    title: "create one",
    request: "POST /api/invoices/",
    body: `{"title":"Bill","lines":[${Array(ROWS.lines).fill(line).join()}]}`,
    upTo: ROWS.products,
    target: 1,
  },
];

const works = kinds.flatMap((kind) => [1, 32].map((connections) => ({ ...kind, connections })));

/** What is compared, the first with the second. */
const contenders = [...ours, ...peers].filter(({ name }) =>
  ["Relata, Node", "Fastify, Node"].includes(name)
);

interface Sample {
  /** Requests a second. */
  rate: number;
  /** Milliseconds of processor time that a request takes the server, and Postgres. */
  server: number;
  postgres: number;
}

export const owned: Section = {
  meaning: "a row with ten rows of its own, by this server and by Fastify",
  async run(bench) {
    const { sql, rounds, seconds, progress } = bench;
    await sql`drop database if exists ${sql(DATABASE)} with (force)`;
    await sql`create database ${sql(DATABASE)}`;
    const address = new URL(`/${DATABASE}`, bench.url).href;
    await relata(["migrate", "up"], { DATABASE_URL: address, PROJECT_DIR: invoiceProject });
    const own = clientOf(address);
    const [{ pid: session }] = await own<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const postgres = parentOf(session);
    const samples = works.map(() => contenders.map((): Sample[] => []));
    for (let round = 0; round < rounds; round++) {
      await fillInvoices(own, ROWS);
      const servers: Server[] = [];
      for (const contender of contenders) servers.push(await begin(contender, address, bench));
      for (const [place, work] of works.entries()) {
        progress(`round ${round + 1} of ${rounds}: ${work.title}, ${work.connections}`);
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const { url, pid } = servers[index]!;
          await generate(url, work, WARM_UP);
          const before = [pid, postgres].map(processorSeconds);
          const { rate, requests, failed } = await generate(url, work, seconds);
          if (failed > 0) throw new Error(`${contenders[index]!.name}: ${failed} requests failed`);
          const [ofServer = NaN, ofPostgres = NaN] = [pid, postgres].map((each, which) =>
            (processorSeconds(each) - before[which]!) / requests * 1000
          );
          samples[place]![index]!.push({ rate, server: ofServer, postgres: ofPostgres });
        }
      }
      await endAll();
    }
    await own.end();
    await sql`drop database ${sql(DATABASE)} with (force)`;
    return reported(samples);
  },
};

/** Starts a server of the invoices, which answers rightly. */
async function begin(
  contender: Contender,
  url: string,
  { folder }: Bench,
): Promise<Server> {
  const { name, role, command } = contender;
  const logged = ["sh", "-c", 'exec "$@" 2>>"$LOG"', "sh", ...command];
  const server = await serve({
    DATABASE_URL: url,
    PROJECT_DIR: invoiceProject,
    LOG_LEVEL: "info",
    LOG: join(folder, `${name.replace(/\W+/g, "-")}-invoices.log`),
  }, { lifetime: DAY, command: role === "ours" ? logged : command });
  await check(contender, server.url, invoices);
  return server;
}

function reported(samples: Sample[][][]): string {
  const head = ["requests a second", "ratio", "target", "CPU of the server, ms", "of Postgres, ms"];
  return table(
    [contenders.map(({ name }) => name).join(" / "), ...head],
    works.map(({ title, connections, target }, place) => {
      const both = (what: keyof Sample) =>
        samples[place]!.map((of) => median(of.map((sample) => sample[what])));
      const shown = (what: keyof Sample, decimals: number) =>
        both(what).map((value) => figure(value, decimals)).join(" / ");
      const [our = NaN, their = NaN] = both("rate");
      const ratio = figure(our / their, 2);
      return [
        `${title}, ${connections}`,
        shown("rate", 0),
        our / their < target ? `**${ratio}**` : ratio,
        `≥ ${figure(target, 1)}`,
        shown("server", 2),
        shown("postgres", 2),
      ];
    }),
  );
}
