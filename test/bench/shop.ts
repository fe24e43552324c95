// What users do next, with this server and with Fastify in turn: rows with many of others, a filter with a sort, owned
// rows, a report, creates that may be sent again, rows of the caller, keys that are UUIDs. Each request has a JWT.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../client.ts";
import { endAll, relata, serve, type Server } from "../program.ts";
import { check, shop as cases } from "./check.ts";
import { type Contender, ours, peers, shopProject } from "./contenders.ts";
import { fillShop, type ShopRows, voucherOf } from "./database.ts";
import { generate } from "./generator.ts";
import { issued } from "./issuer.ts";
import type { Load } from "./measurement.ts";
import { placesOf } from "./places.ts";
import { parentOf, processorSeconds } from "./process.ts";
import type { Bench, Section } from "./section.ts";
import { DAY, WARM_UP } from "./settings.ts";
import { figure, median, table } from "./table.ts";

const DATABASE = "relata_bench_shop";

const ROWS: ShopRows = {
  products: 1_000,
  invoices: 10_000,
  lines: 10,
  tags: 300,
  items: 20_000,
  callers: 200,
  notes: 20_000,
  vouchers: 20_000,
};

interface Kind extends Pick<Load, "request" | "body" | "upTo" | "headers"> {
  title: string;
  /** What the paths of its requests are, if no number tells them. */
  paths?: "items" | "vouchers";
  /** The least that our rate is to be of that of Fastify. */
  target: number;
}

const line = '{"product":$,"quantity":2,"price":"4.50"}';

const kinds: Kind[] = [
  { title: "page of 50 items with tags", request: "GET /api/items/", paths: "items", target: 1.1 },
  {
    title: "items from a price, by name",
    request: "GET /api/items/?price__gte=$&sort=name",
    upTo: 500,
    target: 1.1,
  },
  {
    title: "read an invoice with ten lines",
    request: "GET /api/invoices/$/",
    upTo: ROWS.invoices,
    target: 1.1,
  },
  { title: "50 notes of the caller", request: "GET /api/notes/", target: 1.1 },
  {
    title: "read a voucher by UUID",
    request: "GET /api/vouchers/",
    paths: "vouchers",
    target: 1.1,
  },
  {
    title: "report of 100 invoices",
    request: "GET /api/reports/sales/?from=$",
    upTo: ROWS.invoices,
    target: 1.1,
  },
  {
    title: "create an item with three tags",
    request: "POST /api/items/",
    body: '{"name":"New item","price":"4.50","tags":[$,10$,20$]}',
    upTo: 9,
    target: 1,
  },
  {
    title: "create an invoice with ten lines",
    request: "POST /api/invoices/",
    body: `{"title":"Bill","lines":[${Array(ROWS.lines).fill(line).join()}]}`,
    upTo: ROWS.products,
    target: 1,
  },
  {
    title: "create a product under a key",
    request: "POST /api/products/",
    body: '{"name":"Product"}',
    headers: { "Idempotency-Key": '"$-$-$-$"' },
    upTo: 1_000,
    target: 1,
  },
];

const works = kinds.flatMap((kind) => [1, 32].map((connections) => ({ ...kind, connections })));

/** What is compared, the first with the second. */
const contenders = [...ours, ...peers].filter(({ name }) =>
  ["Relata, Node", "Fastify, Node"].includes(name)
);

/** One that serves the shop, and what its paths are. */
interface Serving extends Server {
  paths: Record<NonNullable<Kind["paths"]>, string>;
}

interface Sample {
  /** Requests a second. */
  rate: number;
  /** Milliseconds of processor time that a request took of the server. */
  server: number;
  /** And of Postgres, all of whose processes count; none where this machine does not tell it. */
  postgres: number;
}

export const shop: Section = {
  meaning: "what users do next, by this server and by Fastify",
  async run(bench) {
    const { sql, folder, rounds, seconds, progress } = bench;
    await sql`drop database if exists ${sql(DATABASE)} with (force)`;
    await sql`create database ${sql(DATABASE)}`;
    const address = new URL(`/${DATABASE}`, bench.url).href;
    await relata(["migrate", "up"], { DATABASE_URL: address, PROJECT_DIR: shopProject });
    const own = clientOf(address);
    const [{ pid: session }] = await own<
      [{ pid: number }]
    >`select pg_backend_pid() as pid`;
    const postgres = parentOf(session);
    const { settings, headers, stop } = await issued(folder);
    const samples = works.map(() => contenders.map((): Sample[] => []));
    for (let round = 0; round < rounds; round++) {
      await fillShop(own, ROWS);
      const servers: Serving[] = [];
      for (const contender of contenders) {
        const environment = { DATABASE_URL: address, PROJECT_DIR: shopProject, ...settings };
        servers.push(await begin(contender, environment, headers, bench));
      }
      for (const [place, work] of works.entries()) {
        progress(
          `round ${round + 1} of ${rounds}: ${work.title}, ${work.connections}`,
        );
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const { url, pid, paths } = servers[index]!;
          const load = {
            ...work,
            paths: work.paths && paths[work.paths],
            headers: { ...headers, ...work.headers },
          };
          await generate(url, load, WARM_UP);
          const before = [pid, postgres].map(processorSeconds);
          const { rate, requests, failed } = await generate(url, load, seconds);
          if (failed > 0) {
            throw new Error(
              `${contenders[index]!.name}, ${work.title}: ${failed} requests failed`,
            );
          }
          const [ofServer = NaN, ofPostgres = NaN] = [pid, postgres].map((
            each,
            which,
          ) => (processorSeconds(each) - before[which]!) / requests * 1000);
          samples[place]![index]!.push({ rate, server: ofServer, postgres: ofPostgres });
        }
      }
      await endAll();
    }
    await own.end();
    await stop();
    await sql`drop database ${sql(DATABASE)} with (force)`;
    return reported(samples);
  },
};

/** Starts a server of the shop, which answers rightly. */
async function begin(
  { name, role, command }: Contender,
  environment: Record<string, string>,
  headers: Record<string, string>,
  { folder }: Bench,
): Promise<Serving> {
  const logged = ["sh", "-c", 'exec "$@" 2>>"$LOG"', "sh", ...command];
  const file = (of: string) => join(folder, `${name.replace(/\W+/g, "-")}-shop.${of}`);
  const server = await serve({ ...environment, LOG_LEVEL: "info", LOG: file("log") }, {
    lifetime: DAY,
    command: role === "ours" ? logged : command,
  });
  await check({ name, role }, server.url, cases, headers);
  const paths = { items: file("items"), vouchers: file("vouchers") };
  writeFileSync(paths.items, (await placesOf(server.url, "/api/items/", headers)).join("\n"));
  writeFileSync(
    paths.vouchers,
    Array.from(
      { length: ROWS.vouchers },
      (_, index) => `/api/vouchers/${voucherOf(index + 1)}/`,
    )
      .join("\n"),
  );
  return { ...server, paths };
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
