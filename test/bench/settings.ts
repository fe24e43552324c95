// How the benchmark measures, and on what.
import { totalmem } from "node:os";
import type { Load } from "./measurement.ts";
import type { statements } from "./peers/statements.ts";

/** Milliseconds that no section takes. */
export const DAY = 24 * 60 * 60 * 1000;

/** How often everything is measured, in turn; of the figures, the median counts. */
export const ROUNDS = 4;

/** Seconds of one measurement. */
export const SECONDS = 2;

/** Seconds for which a new process does a work, unmeasured, before it is measured at it. */
export const WARM_UP = 2;

/** The rows that a round begins with. */
export const ROWS = { bars: 1_000, foos: 100_000, coleres: 100, bottages: 100_000 };

/** Durable, as Postgres is by default, and with a quarter of the memory, as its documentation advises
 * (20.4). What it does now and then would fall on whoever is measured just then, so a round begins
 * with a vacuum and a checkpoint instead. */
export const POSTGRES = {
  fsync: "on",
  synchronous_commit: "on",
  autovacuum: "off",
  checkpoint_timeout: "1h",
  max_wal_size: "16GB",
  shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
};

/** How many clients Postgres alone has: the best of these, or those of a server that has fewer. */
export const PGBENCH_CLIENTS = [8, 32];

export interface Work extends Load {
  title: string;
  /** The same without HTTP. */
  statement: keyof typeof statements;
  /** The largest of the numbers that are its parameters; the smallest is 1. */
  ranges: readonly number[];
  /** Whether the cost of the log is measured at it. */
  logging?: boolean;
  targets?: Targets;
}

/** What our figure divided by that of the better peer, and of Postgres alone, is to be: at least where
 * it is a rate, at most where it is the latency of one connection. */
export interface Targets {
  peer: number;
  pgbench?: number;
}

const readFoo = {
  title: "read a foo",
  request: "GET /api/foos/$/",
  upTo: ROWS.foos,
  statement: "readFoo",
  ranges: [ROWS.foos],
} as const;

const createFoo = {
  title: "create a foo",
  request: "POST /api/foos/",
  body: '{"name":"Foo one","bar":$}',
  upTo: ROWS.bars,
  statement: "createFoo",
  ranges: [ROWS.foos, ROWS.bars],
} as const;

/** What every contender does, the reading first, which leaves the rows as they are. */
export const works: Work[] = [
  { ...readFoo, connections: 32, logging: true, targets: { peer: 3, pgbench: 1.3 } },
  { ...readFoo, connections: 256, targets: { peer: 3, pgbench: 1.3 } },
  { ...readFoo, connections: 4 },
  { ...readFoo, connections: 1, targets: { peer: 1.05 } },
  {
    title: "last bottage",
    connections: 32,
    request: "GET /bottage/last",
    statement: "lastBottage",
    ranges: [],
    targets: { peer: 3.5 },
  },
  { ...createFoo, connections: 32, logging: true, targets: { peer: 3, pgbench: 1.4 } },
  { ...createFoo, connections: 4 },
  { ...createFoo, connections: 1, targets: { peer: 1.05 } },
  {
    title: "create a bottage",
    connections: 32,
    request: "POST /bottage/",
    body: '{"cul":"Hello","colere":$}',
    upTo: ROWS.coleres,
    statement: "createBottage",
    ranges: [ROWS.foos, ROWS.coleres],
    targets: { peer: 3, pgbench: 1.4 },
  },
];
