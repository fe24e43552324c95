// What makes the load: wrk where it is installed, else autocannon, which cannot make as much.
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import autocannon from "autocannon";
import type { Load, Measurement } from "./measurement.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("wrk.lua", import.meta.url));
const installed = spawnSync("wrk", ["--version"]).error === undefined;

export const generator = installed ? "wrk" : "autocannon, for wrk is not installed";

/** Loads a server for some seconds. */
export const generate: (url: string, load: Load, seconds: number) => Promise<Measurement> =
  installed ? generateByWrk : generateByAutocannon;

async function generateByWrk(
  url: string,
  { request, body = "", headers = {}, upTo = 1, paths = "", connections }: Load,
  seconds: number,
): Promise<Measurement> {
  const { stdout } = await run(
    "wrk",
    [
      ["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`],
      ["--latency", "--script", script, url, "--", ...request.split(" "), body, String(upTo)],
      [paths, ...Object.entries(headers).flat()],
    ].flat(),
  );
  const { requests, microseconds, p50, p99, failed } = JSON.parse(
    stdout.trimEnd().split("\n").at(-1)!,
  );
  return {
    requests,
    rate: requests / microseconds * 1e6,
    p50: p50 / 1000,
    p99: p99 / 1000,
    failed,
  };
}

async function generateByAutocannon(
  url: string,
  { request, body, headers = {}, upTo = 1, paths, connections }: Load,
  seconds: number,
): Promise<Measurement> {
  const [method, path = ""] = request.split(" ");
  const random = (below: number) => Math.floor(Math.random() * below);
  const fill = (template: string) => template.replaceAll("$", () => String(1 + random(upTo)));
  const lines = paths === undefined ? [path] : readFileSync(paths, "utf8").trimEnd().split("\n");
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [{
      method: method as "GET" | "POST",
      setupRequest: (request) => ({
        ...request,
        path: fill(lines[random(lines.length)]!),
        headers: {
          ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(text)])),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: fill(body) }),
      }),
    }],
  });
  const { requests: { total }, latency: { p50, p99 }, duration, errors, timeouts, non2xx } = result;
  return { requests: total, rate: total / duration, p50, p99, failed: errors + timeouts + non2xx };
}
