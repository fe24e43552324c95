// Who is measured: this server in its three forms, its peers, and the limits of them all.
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import deno from "../../deno.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import type { Work } from "./settings.ts";

export interface Contender {
  name: string;
  runtime?: keyof typeof runtimes;
  role:
    | "ours"
    /** Ours without its log, to be compared with the bare. */
    | "quiet"
    /** What ours is compared with: it has a request log, metrics, tags and the identifiers of requests. */
    | "peer"
    /** A peer without any of them, tuned as far as it goes. */
    | "bare"
    /** What most users come from. */
    | "origin"
    /** No peer, for it does none of the work. */
    | "limit";
  command: string[];
  /** Whether it is measured at a work, if not at everything. */
  does?(work: Work): boolean;
}

export const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "node_modules", ".bin");

/** The folder of the project of the shop. */
export const shopProject = join(root, "test/bench/shop");

export const runtimes = {
  Node: [join(bin, "node")],
  Deno: [join(bin, "deno"), "run", "--allow-all", "--no-lock"],
};

export const binary = join(root, "dist", "relata");

/** Next door, with some of the numbers of connections. */
const only = (...numbers: Work["connections"][]) => ({ way, connections }: Work) =>
  way === "next door" && numbers.includes(connections);

const isAmongMany = only(32, 256);
const isRecordAmongMany = (work: Work) => isAmongMany(work) && !work.isList;

/** The first two are what `npm start` and `deno task start` run. */
export const ours: Contender[] = [
  { name: "Relata, Node", runtime: "Node", role: "ours", command: started(manifest.scripts.start) },
  { name: "Relata, Deno", runtime: "Deno", role: "ours", command: started(deno.tasks.start) },
  { name: "Relata, binary", role: "ours", command: [binary], does: only(32) },
];

/** The same of the source, for the control. */
export const quiet: Contender[] = ours.slice(0, 2).map((contender) => ({
  ...contender,
  name: `${contender.name}, no log`,
  role: "quiet",
  does: isRecordAmongMany,
}));

const fastify = under("Node", "test/bench/peers/fastify.ts");
const hono = under("Node", "test/bench/peers/hono.ts");
const honoDeno = under("Deno", "test/bench/peers/hono.ts");
const asBare = { role: "bare", does: isRecordAmongMany } as const;

export const peers: Contender[] = [
  { name: "Fastify, Node", runtime: "Node", role: "peer", command: fastify },
  { name: "Hono, Node", runtime: "Node", role: "peer", command: hono },
  { name: "Hono, Deno", runtime: "Deno", role: "peer", command: honoDeno },
  ...django(),
  { ...asBare, name: "bare Fastify, Node", runtime: "Node", command: fastify },
  { ...asBare, name: "bare Hono, Node", runtime: "Node", command: hono },
  { ...asBare, name: "bare Hono, Deno", runtime: "Deno", command: honoDeno },
  { ...asBare, name: "node:http", command: under("Node", "test/bench/peers/http.ts") },
];

/** Of any server under Node or Deno, and of what makes the load. */
export const limits: Contender[] = (["Node", "Deno"] as const).map((runtime) => ({
  name: `constant answer, ${runtime}`,
  runtime,
  role: "limit",
  command: under(runtime, "test/bench/peers/constant.ts"),
  does: (work) => isAmongMany(work) && work.statement === "readFoo",
}));

/** Django REST Framework, where Debian's packages of it are there. */
function django(): Contender[] {
  const python = "/usr/bin/python3";
  const isThere =
    spawnSync(python, ["-c", "import rest_framework, gunicorn, psycopg2"]).status === 0;
  const configuration = join(root, "test/bench/peers/gunicorn.py");
  const command = [python, "-m", "gunicorn", "--config", configuration];
  return isThere
    ? [{ name: "Django REST Framework", role: "origin", command, does: only(1, 32) }]
    : [];
}

/** What a line of a shell starts, of the programs that this project installs. */
function started(line: string): string[] {
  const [file = "", ...args] = line.replace(/^exec /, "").split(" ");
  return [join(bin, basename(file)), ...args];
}

function under(runtime: keyof typeof runtimes, file: string): string[] {
  return [...runtimes[runtime], join(root, file)];
}
