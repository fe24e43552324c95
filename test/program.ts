// Relata as a process of its own, under the runtime of the test that starts it. `endAll` ends whatever a
// test leaves running, at the latest when the process of the test ends. It also runs what was given to
// `afterwards`, even if a test fails: an open pool would keep its file from ending.
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as assert from "uvu/assert";
import { settings, UsageError } from "./house.ts";
import { temporaryFolder } from "./service.ts";

export type Environment = Record<string, string>;

export interface Ended {
  /** The exit status; null if a signal ended it. */
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Program {
  /** The identifier of its process. */
  pid: number;
  /** Resolves when the program has ended. */
  ended: Promise<Ended>;
  /** What it has written to its standard output so far. */
  stdout(): string;
  /** What it has written to its standard error so far. */
  stderr(): string;
  /** Sends a signal and resolves when the program has ended. */
  kill(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface Server extends Program {
  /** Where it serves, as its line on the standard output says. */
  url: string;
}

export interface How {
  /** The command that runs the program; without it, its source is run. */
  command?: string[];
  /** The folder it is started in. */
  folder?: string;
  /** Milliseconds after which it is ended, if it has not by then. */
  lifetime?: number;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** The parsed body, in the shape that the test expects; undefined if there is none. */
  // deno-lint-ignore no-explicit-any
  body: any;
}

/** Milliseconds after which most programs are ended. */
const LIFETIME = 180_000;
/** Milliseconds to wait for a condition: many times what it takes on a busy machine. */
const PATIENCE = 90_000;

const root = fileURLToPath(new URL("..", import.meta.url));

/** Files of the program that tests name by their path: what runs it, what builds the single binary, one
 * that it serves, and the words that declare resources. */
export const paths = {
  folder: "src",
  main: "src/main.ts",
  build: "src/bundle/build.ts",
  styles: "src/page/docs.css",
  words: "src/words.ts",
};

const main = join(root, paths.main);

/** The command that runs the program from its source, under the runtime of this process. */
export const source = "Deno" in globalThis
  ? [process.execPath, "run", "-A", "--no-lock", main]
  : [process.execPath, ...process.execArgv, main];

/** The command that runs it in a line of the shell, which has it as "$@". */
export function through(line: string): string[] {
  return ["sh", "-c", line, "sh", ...source];
}

const running = new Set<Program>();
process.once("exit", () => {
  for (const program of running) program.kill("SIGKILL");
});

const undone: (() => unknown)[] = [];

/** Has `endAll` call this when every program has ended; the last one given is called first. */
export function afterwards(undo: () => unknown): void {
  undone.unshift(undo);
}

/** Ends every program that is still running, then calls what was given to `afterwards`. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.kill("SIGKILL")));
  for (const undo of undone.splice(0)) await undo();
}

/** Starts a program with these settings, and none that this process happens to have. */
export function start(
  [file = "", ...args]: string[],
  environment: Environment = {},
  { folder = root, lifetime = LIFETIME }: How = {},
): Program {
  const inherited = Object.entries(process.env).filter(([name]) => !Object.hasOwn(settings, name));
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  const timer = setTimeout(() => child.kill("SIGKILL"), lifetime);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  }).finally(() => {
    clearTimeout(timer);
    running.delete(program);
  });
  const program: Program = {
    pid: child.pid!,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    kill(signal = "SIGKILL") {
      // By its id, since Deno's `child.kill` makes a program that ends well look like one killed.
      try {
        if (running.has(program)) process.kill(child.pid!, signal);
      } catch (error) {
        // It has ended, and what it wrote is still to be read.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
      return ended;
    },
  };
  running.add(program);
  return program;
}

/** Runs a command of relata to its end. */
export async function relata(
  args: string[],
  environment: Environment = {},
  how: How = {},
): Promise<Ended> {
  return await start([...how.command ?? source, ...args], environment, how).ended;
}

/** Starts a server on a free port of the loopback and waits until it says where it serves. */
export async function serve(environment: Environment, how: How = {}): Promise<Server> {
  const settings = { PORT: "0", LOG_LEVEL: "error", ...environment };
  const program = start(how.command ?? source, settings, how);
  let end: Ended | undefined;
  program.ended.then((ended) => end = ended, () => {});
  await until("the server says where it serves", () => {
    if (end) throw new Error(`The server ended with status ${end.status}: ${end.stderr}`);
    return program.stdout().includes("\n");
  });
  return { ...program, url: /https?:\/\/\S+/.exec(program.stdout())?.[0] ?? "" };
}

/** Sends a request, written as `GET /api/foos/`, over a socket; a body goes out as JSON. */
export async function ask(
  url: string,
  request: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(url + path, {
    method,
    ...(body === undefined ? { headers } : {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** The one sentence that a failing command says: one line, no stack trace, nothing on stdout. */
export function sentence({ status, stdout, stderr }: Ended, expected: number[] = [2]): string {
  assert.match(stderr, /^relata: [^\n]+\n$/);
  assert.is(stdout, "");
  assert.ok(expected.includes(status ?? -1), `It ended with status ${status}: ${stderr}`);
  return stderr;
}

/** The sentence with which work is refused; `main.ts` makes exit status 2 of it. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error) => error);
  assert.instance(error, UsageError);
  return error.message;
}

/** A temporary folder for DATA_DIR, with a migrated database in it. */
export function embeddedFolder(parent?: string): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder(parent);
  cpSync(process.env["TEST_EMBEDDED_TEMPLATE"]!, folder.path, { recursive: true });
  return folder;
}

/** Waits for a condition; throws an error that names it if it does not hold in time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!await condition()) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}`);
    await delay(10);
  }
}

/** Resolves when a server says that it is ready. */
export async function untilReady({ url }: Pick<Server, "url">): Promise<void> {
  await until("it is ready", async () => (await ask(url, "GET /readyz")).status === 200);
}
