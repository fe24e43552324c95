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
  met(problem: Problem): void;
  /** Makes the function that records how many requests a statement served. */
  batches(statement: string): (size: number) => void;
  /** All metrics in the text format of Prometheus. */
  text(): string;
}

/** Makes the metrics of a server whose database may be used by `capacity` requests at once. Whoever admits
 * requests keeps `load` current. */
export function createMetrics(database: Database, capacity: number, load: Load): Metrics {
  const requests = counter({
    name: "relata_http_requests_total",
    help: "Requests that were answered; route is none where nothing lives at the path",
    labels: ["route", "method", "status"],
  });
  const durations = histogram({
    name: "relata_http_request_duration_seconds",
    help: "How long it took until a request had its answer",
    label: "route",
    bounds: SECONDS,
  });
  const errors = counter({
    name: "relata_database_errors_total",
    help: "Requests that met an error of the database, by the class of its SQLSTATE, or by " +
      "connection where there was none to tell",
    labels: ["class"],
  });
  const sizes = histogram({
    name: "relata_batch_size",
    help: "How many requests one statement served together",
    label: "statement",
    bounds: SIZES,
  });
  const families = [
    requests,
    durations,
    value(
      "gauge",
      "relata_http_requests_in_flight",
      "Requests not answered yet",
      () => load.underWay,
    ),
    value(
      "gauge",
      "relata_database_requests",
      "Requests that wait for the database",
      () => load.seated,
    ),
    value(
      "gauge",
      "relata_database_requests_limit",
      "Requests that may wait for it",
      () => capacity,
    ),
    value(
      "counter",
      "relata_database_requests_shed_total",
      "Requests that waited in vain to be among those",
      () => load.refused,
    ),
    value(
      "gauge",
      "relata_database_connections",
      "Connections to the database that are open",
      () => database.sessions().open,
    ),
    value(
      "gauge",
      "relata_database_connections_limit",
      "Connections to the database at most",
      () => database.sessions().most,
    ),
    errors,
    sizes,
    ...processFamilies,
  ];

  return {
    answered(route = "none", method, status, milliseconds) {
      requests.increment(route, METHODS.includes(method) ? method : "other", String(status));
      durations.observe(route, milliseconds / 1000);
    },
    met(problem) {
      const errorClass = classOf(problem);
      if (errorClass) errors.increment(errorClass);
    },
    batches: (statement) => (size) => sizes.observe(statement, size),
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
    help: "What answers: each process has figures of its own",
    samples: () => [{
      labels: {
        version: manifest.version,
        runtime: deno ? `deno ${deno}` : `node ${node}`,
        pid: String(process.pid),
      },
      value: 1,
    }],
  },
  value(
    "gauge",
    "process_resident_memory_bytes",
    "Memory that is in use",
    () => process.memoryUsage.rss(),
  ),
  value("counter", "process_cpu_seconds_total", "Processor time that was used", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  value(
    "gauge",
    "process_start_time_seconds",
    "When the process began, since 1970",
    () => performance.timeOrigin / 1000,
  ),
  value(
    "gauge",
    "process_heap_bytes",
    "Memory of the program's objects",
    () => process.memoryUsage().heapUsed,
  ),
];

/** A metric with one value, which is read when it is needed. */
function value(type: Family["type"], name: string, help: string, read: () => number): Family {
  return { name, type, help, samples: () => [{ value: read() }] };
}
