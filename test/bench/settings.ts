// How the benchmark measures, and what.
import { totalmem } from "node:os";
import type { Load } from "./measurement.ts";
import type { statements } from "./peers/statements.ts";

/** Milliseconds that no section takes. */
export const DAY = 24 * 60 * 60 * 1000;

/** How often everything is measured, in turn; of the figures, the median counts. */
export const ROUNDS = 1;

/** Seconds of one measurement. */
export const SECONDS = 1;

/** Seconds for which a new process does a kind of work, unmeasured, before it is measured at it. */
export const WARM_UP = 1;

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

/** How many clients Postgres alone has where there are many: the best of these. */
export const PGBENCH_CLIENTS = [8, 32];

/** How many connections there are at once. */
export const CONNECTIONS = [1, 4, 32, 256] as const;

/** Where Postgres is: on the same host, or half a millisecond away in each direction. */
export const WAYS = ["next door", "1 ms away"] as const;

/** What is measured, with so many connections, and with Postgres at the end of such a way. */
export interface Work extends Kind {
  connections: number;
  way: (typeof WAYS)[number];
  /** The least that our rate is to be of that of the better peer. */
  target: number;
}

export interface Kind extends Pick<Load, "request" | "body" | "upTo"> {
  title: string;
  /** The same without HTTP. */
  statement: keyof typeof statements;
  /** The largest of the numbers that are its parameters; the smallest is 1. Without them, the peers'
   * statement is not one that a number can be drawn for. */
  ranges?: readonly number[];
  /** Whether it shows many rows: from a page of the list, another one each time, where there is no number. */
  isList?: boolean;
  /** For each of the numbers of connections, with Postgres next door. */
  targets: readonly number[];
}

const [one, list, create] = [[1, 1, 2, 3], [1.1, 1.2, 1.3, 1.3], [1, 1, 2, 2.5]];

/** The reading first, which leaves the rows as they are. */
export const kinds: Kind[] = [
  {
    title: "read a foo",
    request: "GET /api/foos/$/",
    upTo: ROWS.foos,
    statement: "readFoo",
    ranges: [ROWS.foos],
    targets: one,
  },
  {
    title: "last bottage",
    request: "GET /bottage/last",
    statement: "lastBottage",
    ranges: [],
    targets: one,
  },
  {
    title: "list 50 foos",
    request: "GET /api/foos/",
    statement: "listFoos",
    isList: true,
    targets: list,
  },
  {
    title: "those of a bar",
    request: "GET /api/foos/?bar=$",
    upTo: ROWS.bars,
    statement: "listFoosOfBar",
    isList: true,
    targets: [1, 1, 1, 1],
  },
  {
    title: "choices by text",
    request: "GET /api/foos/choices/bar/?q=$",
    upTo: ROWS.bars,
    statement: "findBars",
    isList: true,
    targets: list,
  },
  {
    title: "create a foo",
    request: "POST /api/foos/",
    body: '{"name":"Foo one","bar":$}',
    upTo: ROWS.bars,
    statement: "createFoo",
    ranges: [ROWS.foos, ROWS.bars],
    targets: create,
  },
  {
    title: "create a bottage",
    request: "POST /bottage/",
    body: '{"cul":"Hello","colere":$}',
    upTo: ROWS.coleres,
    statement: "createBottage",
    ranges: [ROWS.foos, ROWS.coleres],
    targets: create,
  },
];

/** What every contender does, in this order. */
export const works: Work[] = WAYS.flatMap((way) =>
  kinds.flatMap((kind) =>
    CONNECTIONS.map((connections, place) => ({
      ...kind,
      connections,
      way,
      target: way === "next door" ? kind.targets[place]! : 1,
    }))
  )
);
