// What a service has beside its routes, where LOG names a file: a request log, and metrics.
import process from "node:process";
import { pino } from "pino";
import { Histogram, register } from "prom-client";

const file = process.env["LOG"];

/** The log; none where a peer is to be bare. */
export const log = file === undefined ? undefined : pino(pino.destination(file));

const seconds = new Histogram({
  name: "http_request_duration_seconds",
  help: "Seconds from a request to its answer",
  labelNames: ["method", "route", "status"],
});

export function observe(method: string, route: string, status: number, elapsed: number): void {
  seconds.observe({ method, route, status }, elapsed);
}

export function metrics(): Promise<string> {
  return register.metrics();
}
