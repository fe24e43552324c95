// The suite: starts a Postgres, prepares what databases are copied from, and runs the test files, some of them in
// one process.
//   npm test                                  under Node on Postgres, what takes little time and no browser
//   npm run test:all                          everything, under each runtime and on each database that it needs
//   npm test -- PART-OF-A-NAME …              these files, likewise
//   npm run test:soak [-- PART-OF-A-NAME …]   the faults and rules, for longer (TEST_SOAK is "on")
//   npm run test:ops [-- PART-OF-A-NAME …]    what operators do, likewise
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { cpus, freemem, tmpdir } from "node:os";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clientOf } from "./client.ts";
import { migrateUp, openEmbedded } from "./house.ts";
import { startPostgres } from "./postgres.ts";

/** Files that run in one process. */
interface Run {
  files: string[];
  /** The runtime, and the database where files run on several. */
  under: string;
  command: string[];
  environment: Record<string, string>;
}

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const { values: { all, long }, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, long: { type: "string" } },
});

const root = fileURLToPath(new URL("..", import.meta.url));

/** What there is a long run of, by the files that it has. */
const longRuns: Record<string, string[]> = {
  soak: ["/faults/", "/rules/"],
  ops: ["/operations/", "/faults/failover"],
};
const among = long === undefined ? ["/"] : longRuns[long]!;

/** What a file may need besides Node and a Postgres, in a line `// Needs: …` at its top. */
const needs = [
  "Deno",
  "the embedded database",
  "a browser",
  "time",
  "a process of its own",
] as const;
type Need = (typeof needs)[number];

/** What `npm test` leaves out; it is for a newcomer, and for every commit. */
const leftOut: Need[] = ["a browser", "time"];

/** Whether files run with all that they need: those that are asked for by name do. */
const isWhole = all || long !== undefined || wanted.length > 0;

/** Who needs one of these has a process of its own. */
const alone: Need[] = ["a process of its own", "a browser", "time"];

/** Files that run in one process, one after the other. */
const TOGETHER = 5;

/** Processes at once for each processor, because many of them mostly wait. */
const AT_ONCE = 2;

/** Milliseconds after which a file that has not ended is ended. */
const PATIENCE = long ? 3_600_000 : 600_000;

/** Linux's folder in memory, and the bytes that are to be free there: four times what a run was seen to
 * have written and not yet removed. */
const [MEMORY, ROOM] = ["/dev/shm", 2 ** 31];

/** The embedded Postgres is WebAssembly. To compile it a second time, for speed, takes longer than most of the
 * processes live. */
const ONCE_COMPILED = "--liftoff-only";

const bin = join(root, "node_modules", ".bin");
const runtimes = {
  node: [join(bin, "node"), ONCE_COMPILED],
  deno: [join(bin, "deno"), "run", "--allow-all", "--no-lock"],
};

// Databases are made of files, and a run makes and removes some hundreds. On a disk that takes a quarter
// of its processor time. A long run writes more than memory should hold.
const isInMemory = !long && process.env["TMPDIR"] === undefined && hasRoom(MEMORY);
const folder = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), "relata-test-"));
chmodSync(folder, 0o755); // Postgres refuses to run as root, so it is another user then
process.env["TMPDIR"] = folder;
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const postgres = await startPostgres();
try {
  const environment = {
    TEST_DATABASE_URL: postgres.url,
    TEST_TEMPLATE: await postgresTemplate(postgres.url),
    TEST_EMBEDDED_TEMPLATE: await embeddedTemplate(join(folder, "embedded")),
    TEST_SEED: process.env["TEST_SEED"] ?? String(randomInt(2 ** 31)),
    // What Node makes of a source is made once, not for each of some hundred processes
    NODE_COMPILE_CACHE: join(folder, "compiled"),
    DENO_V8_FLAGS: ONCE_COMPILED,
    ...(long && { TEST_SOAK: "on" }),
  };
  console.log(`TEST_SEED=${environment.TEST_SEED}`);
  // The longest first, so that none of them begins last
  const folders = ["faults", "operations", "rules", "", "store", "scheduling", "api"];
  const runs = folders.flatMap((folder) =>
    together(files(join("test", folder)).flatMap((file) => runsOf(file, environment)))
  );
  const counts = await inParallel(runs, AT_ONCE * cpus().length);
  const total = (member: keyof Count) => counts.reduce((sum, count) => sum + count[member], 0);
  console.log(
    `\n${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped`,
  );
  process.exitCode = total("failed") > 0 || total("passed") === 0 ? 1 : 0;
} finally {
  await postgres.stop();
}
process.exit();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.min(bavail * bsize, freemem()) > ROOM;
  } catch {
    return false;
  }
}

function files(directory: string): string[] {
  return readdirSync(join(root, directory))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${directory}/${name}`)
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .filter((file) => among.some((part) => file.includes(part)));
}

function needsOf(file: string): Need[] {
  const [, words = ""] = /^\/\/ Needs: (.+)$/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
  return words.split(", ").filter(Boolean).map((word) => {
    const need = needs.find((each) => each === word);
    if (!need) throw new Error(`${file}: "${word}" is none of ${needs.join(", ")}`);
    return need;
  });
}

/** The runs of a file. The tests of the API run on Postgres under Node, and on the embedded database under Deno if
 * they need it: what depends on one of the two shows. */
function runsOf(file: string, environment: Run["environment"]): Run[] {
  const needed = needsOf(file);
  if (needed.includes("the embedded database") && !needed.includes("Deno")) {
    throw new Error(`${file}: "the embedded database" needs "Deno", under which it is used`);
  }
  if (!isWhole && needed.some((need) => leftOut.includes(need))) return [];
  const under = (Object.keys(runtimes) as (keyof typeof runtimes)[])
    .filter((runtime) => runtime === "node" || isWhole && needed.includes("Deno"));
  return under.map((runtime) => {
    const command = runtimes[runtime];
    if (!/^test\/(api|rules|scheduling|store)\//.test(file)) {
      return { files: [file], under: runtime, command, environment };
    }
    const isEmbedded = runtime === "deno" && needed.includes("the embedded database");
    const database = isEmbedded ? "embedded" : "postgres";
    return {
      files: [file],
      under: `${runtime} · ${database}`,
      command,
      environment: { ...environment, TEST_DATABASE: database },
    };
  });
}

/** The same runs, with those of a kind together. */
function together(runs: Run[]): Run[] {
  const processes: Run[] = [];
  const last: Record<string, Run> = {};
  for (const run of runs) {
    const mates = last[run.under];
    if (run.files.flatMap(needsOf).some((need) => alone.includes(need))) {
      processes.push(run);
    } else if (mates && mates.files.length < TOGETHER) {
      mates.files.push(...run.files);
    } else {
      processes.push(run);
      last[run.under] = run;
    }
  }
  return processes;
}

async function inParallel(runs: Run[], width: number): Promise<Count[]> {
  const rest = [...runs];
  const counts: Count[] = [];
  async function work() {
    for (let next = rest.shift(); next; next = rest.shift()) counts.push(...await countsOf(next));
  }
  await Promise.all(Array.from({ length: width }, work));
  return counts;
}

/** Runs the files of a process, and says how each went. Where it ends before the last of them, the rest have another. */
async function countsOf(run: Run): Promise<Count[]> {
  const { files, command: [program = "", ...options], environment } = run;
  const child = spawn(program, [...options, "test/files.ts", ...files], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const counts: Count[] = [];
  let started = performance.now();
  let output = "";
  function end(status: number | null): void {
    const seconds = (performance.now() - started) / 1000;
    counts.push(count(`${files[counts.length]} · ${run.under}`, output, status, seconds));
    started = performance.now();
    output = "";
    timer.refresh();
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      const [rest = "", ...others] = text.split("\f");
      output += rest;
      for (const other of others) {
        end(0);
        output = other;
      }
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  end(status);
  clearTimeout(timer);
  const rest = files.slice(counts.length);
  return rest.length === 0 ? counts : [...counts, ...await countsOf({ ...run, files: rest })];
}

/** Reads the figures that uvu ends with; a file without them has failed. */
function count(title: string, output: string, status: number | null, seconds: number): Count {
  const figure = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(output)?.[1] ?? 0);
  const [all, passed, skipped] = [figure("Total"), figure("Passed"), figure("Skipped")];
  const failed = Math.max(all - passed, status === 0 ? 0 : 1);
  console.log(
    `${
      failed ? "FAIL" : "ok  "
    } ${title}: ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds.toFixed(1)} s)`,
  );
  if (failed || long) console.log(output);
  return { passed, failed, skipped };
}

/** A migrated database that others are copied from. */
async function postgresTemplate(url: string): Promise<string> {
  const name = `relata_template_${process.pid}`;
  const server = clientOf(url);
  await server`create database ${server(name)}`;
  await server.end();
  await migrateUp(new URL(`/${name}`, url).href);
  return name;
}

async function embeddedTemplate(folder: string): Promise<string> {
  const embedded = await openEmbedded(folder);
  await migrateUp(embedded);
  await embedded.close();
  return folder;
}
