// The metrics of the server. The values of labels come from our tables only, never from a request, so
// their number is limited.
import process from "node:process";
import manifest from "../../package.json" with { type: "json" };
import type { Database } from "../db/database.ts";
import { sqlState } from "../db/errors.ts";
import type { Problem } from "../errors/problem.ts";
import { counter, exposition, type Family, histogram } from "./prometheus.ts";

/** The methods that have a label of their own. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

/** The load at this moment. */
export interface Load {
  /** Requests that are not answered yet. */
  underWay: number;
  /** Seats in use. A request that was answered at its deadline keeps its seat until its work ends. */
  seated: number;
  /** Requests that were refused because no seat became free. */
  refused: number;
}

export interface Metrics {
  /** Counts a response; `route` is undefined if there is no such path. */
  answered(route: string | undefined, method: string, status: number, milliseconds: number): void;
  /** Counts the problem of a request. */
  failed(problem: Problem): void;
  /** Makes the function that records how many requests a statement served. */
  batches(statement: string): (size: number) => void;
  /** Shows how many follow the records of a resource, and for how many seconds records have been there that they
   * cannot be given yet. */
  follows(resource: string, read: () => { followers: number; delay: number }): void;
  /** How many follow records of any resource. */
  followers(): number;
  /** Shows for how many seconds the keys of the issuer have not been read, and how often that failed. */
  issuer(state: () => { age: number; failures: number }): void;
  /** All metrics in the text format of Prometheus. */
  text(): string;
}

/** Makes the metrics of a server whose database may be used by `capacity` requests at once. The
 * admission of requests keeps `load` current. */
export function createMetrics(database: Database, capacity: number, load: Load): Metrics {
  const requests = counter({
    name: "relata_http_requests_total",
    help: "Answered requests; the route is none if the path does not exist",
    labels: ["route", "method", "status"],
  });
  const durations = histogram({
    name: "relata_http_request_duration_seconds",
    help: "Seconds until a request was answered",
    label: "route",
    bounds: SECONDS,
  });
  const errors = counter({
    name: "relata_database_errors_total",
    help:
      "Requests that failed because of the database, by the class of the SQLSTATE; the class is " +
      "connection if there was none",
    labels: ["class"],
  });
  const sizes = histogram({
    name: "relata_batch_size",
    help: "Requests that shared one statement",
    label: "statement",
    bounds: SIZES,
  });
  const followed: [labels: { resource: string }, read: Parameters<Metrics["follows"]>[1]][] = [];
  const families: Family[] = [
    requests,
    durations,
    ...values({
      relata_http_requests_in_flight: ["Requests that are not answered yet", () => load.underWay],
      relata_database_requests: ["Requests that use the database", () => load.seated],
      relata_database_requests_limit: [
        "Requests that may use the database at once",
        () => capacity,
      ],
      relata_database_requests_shed_total: [
        "Requests that were refused because too many used the database",
        () => load.refused,
      ],
      relata_database_connections: [
        "Open connections to the database",
        () => database.sessions().open,
      ],
      relata_database_connections_limit: [
        "The most connections to the database",
        () => database.sessions().most,
      ],
    }),
    errors,
    sizes,
    {
      name: "relata_followers",
      type: "gauge",
      help: "Streams of records",
      samples: () => followed.map(([labels, read]) => ({ labels, value: read().followers })),
    },
    {
      name: "relata_follow_delay_seconds",
      type: "gauge",
      help: "Seconds for which records have waited for an older transaction, or for the database",
      samples: () => followed.map(([labels, read]) => ({ labels, value: read().delay })),
    },
    ...processFamilies,
  ];

  return {
    answered(route = "none", method, status, milliseconds) {
      requests.increment(route, METHODS.includes(method) ? method : "other", String(status));
      durations.observe(route, milliseconds / 1000);
    },
    failed(problem) {
      const errorClass = classOf(problem);
      if (errorClass) errors.increment(errorClass);
    },
    batches: (statement) => (size) => sizes.observe(statement, size),
    follows: (resource, read) => void followed.push([{ resource }, read]),
    followers: () => followed.reduce((sum, [, read]) => sum + read().followers, 0),
    issuer: (state) =>
      void families.push(...values({
        relata_issuer_keys_age_seconds: [
          "Seconds since the keys of the issuer were read, or since the start",
          () => state().age,
        ],
        relata_issuer_failures_total: [
          "Attempts to read the keys of the issuer that failed",
          () => state().failures,
        ],
      })),
    text: () => exposition(families),
  };
}

/** The class of the database's error behind a problem; undefined if there is none. */
function classOf({ code, cause }: Problem): string | undefined {
  const state = sqlState(cause);
  if (state) return state.slice(0, 2);
  return cause instanceof Error && code === "unavailable" ? "connection" : undefined;
}

const { deno, node } = process.versions;

const processFamilies: Family[] = [
  {
    name: "relata_build_info",
    type: "gauge",
    help: "The program that answers; each process counts for itself",
    samples: () => [{
      labels: {
        version: manifest.version,
        runtime: deno ? `deno ${deno}` : `node ${node}`,
        pid: String(process.pid),
      },
      value: 1,
    }],
  },
  ...values({
    process_resident_memory_bytes: ["Resident memory in bytes", () => process.memoryUsage.rss()],
    process_cpu_seconds_total: ["Processor time in seconds", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }],
    process_start_time_seconds: [
      "Start of the process, in seconds since 1970",
      () => performance.timeOrigin / 1000,
    ],
    process_heap_bytes: [
      "Memory of the program's objects, in bytes",
      () => process.memoryUsage().heapUsed,
    ],
  }),
];

/** Metrics with one value each, which is read when it is needed. */
function values(all: Record<string, [help: string, read: () => number]>): Family[] {
  return Object.entries(all).map(([name, [help, read]]) => ({
    name,
    type: name.endsWith("_total") ? "counter" : "gauge",
    help,
    samples: () => [{ value: read() }],
  }));
}
