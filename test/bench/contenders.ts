// Who is measured: this server in its three forms, and its peers.
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import deno from "../../deno.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import type { Environment } from "../program.ts";
import { type Work, works } from "./settings.ts";

export interface Contender {
  name: string;
  runtime: keyof typeof runtimes;
  /** Ours, and the limits of any server, are compared with the better of the rivals on the same
   * runtime. */
  role: "ours" | "rival" | "limit" | "other";
  command: string[];
  environment?: Environment;
  /** What it is measured at, if not at everything. */
  works?: Work[];
}

export const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "node_modules", ".bin");

export const runtimes = {
  Node: [join(bin, "node")],
  Deno: [join(bin, "deno"), "run", "--allow-all", "--no-lock"],
};

export const binary = join(root, "dist", "relata");

/** What `npm start` and `deno task start` run. */
const starts = {
  Node: started(manifest.scripts.start),
  Deno: started(deno.tasks.start),
};

export const ours: Contender[] = [
  { name: "Relata, Node", runtime: "Node", role: "ours", command: starts.Node },
  { name: "Relata, Deno", runtime: "Deno", role: "ours", command: starts.Deno },
  { name: "Relata, binary", runtime: "Node", role: "ours", command: [binary] },
];

export const peers: Contender[] = [
  {
    name: "Fastify + pg, Node",
    runtime: "Node",
    role: "rival",
    command: under("Node", "test/bench/peers/fastify.ts"),
  },
  {
    name: "Hono + postgres.js, Node",
    runtime: "Node",
    role: "rival",
    command: under("Node", "test/bench/peers/hono.ts"),
  },
  {
    name: "Hono + postgres.js, Deno",
    runtime: "Deno",
    role: "rival",
    command: under("Deno", "test/bench/peers/hono.ts"),
  },
  {
    name: "node:http + postgres.js",
    runtime: "Node",
    role: "other",
    command: under("Node", "test/bench/peers/http.ts"),
  },
];

/** Ours with the log it writes by default, into the file that LOG names. */
export const logging: Contender = {
  name: "Relata, Node, LOG_LEVEL=info",
  runtime: "Node",
  role: "other",
  command: ["sh", "-c", 'exec "$@" 2>"$LOG"', "sh", ...starts.Node],
  environment: { LOG_LEVEL: "info" },
  works: works.filter(({ logging }) => logging),
};

/** No peers, for they do not do the work, but limits: of what coalescing can give under Node, and of
 * any server under Node or Deno and of what makes the load. */
export const limits: Contender[] = [
  {
    name: "coalescing alone, Node",
    runtime: "Node",
    role: "other",
    command: under("Node", "test/bench/peers/coalescing.ts"),
    works: works.filter(({ statement, connections }) => statement === "readFoo" && connections > 1),
  },
  {
    name: "constant answer, Node",
    runtime: "Node",
    role: "limit",
    command: under("Node", "test/bench/peers/constant.ts"),
  },
  {
    name: "constant answer, Deno",
    runtime: "Deno",
    role: "limit",
    command: under("Deno", "test/bench/peers/constant.ts"),
  },
];

/** What a line of a shell starts, of the programs that this project installs. */
function started(line: string): string[] {
  const [file = "", ...args] = line.replace(/^exec /, "").split(" ");
  return [join(bin, basename(file)), ...args];
}

function under(runtime: Contender["runtime"], file: string): string[] {
  return [...runtimes[runtime], join(root, file)];
}
