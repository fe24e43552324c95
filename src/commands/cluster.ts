// Several processes on one port, each running this program. The kernel distributes the connections among
// them; they share nothing else but the database.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { isBinary } from "../assets/files.ts";
import type { Config } from "../config.ts";
import { freePort } from "../serve/listen.ts";
import { errorMembers, log } from "../telemetry/log.ts";
import { RETRY_AFTER } from "../time.ts";

/** The message that tells a process to end. It is no signal: that may reach the whole group at once, and a
 * second one would end the process in the middle of its work. */
const END = "end";

/** Serves until `ended`, or until a process reports that it can never serve; resolves to the exit status.
 * Rejects if the port is not free, unless it may be shared. */
export async function serveTogether(config: Config, ended: Promise<void>): Promise<number> {
  const { host, reusePort } = config;
  const port = config.port !== 0 && reusePort ? config.port : await freePort(host, config.port);
  const environment = { ...process.env, PORT: String(port), PROCESSES: "1", REUSE_PORT: "on" };
  const running = new Set<ChildProcess>();
  const say = log(config.logLevel);
  let [ends, status] = [false, 0];

  function end(): void {
    ends = true;
    for (const child of running) child.send(END, () => {}); // it may have ended already
  }

  async function keep(index: number): Promise<void> {
    while (!ends) {
      try {
        await run(index === 0);
      } catch (error) {
        say("error", "A process cannot be started", errorMembers(error));
      }
      if (!ends) await delay(RETRY_AFTER * 1000);
    }
  }

  /** Runs a process to its end; rejects if it cannot be started. */
  async function run(speaks: boolean): Promise<void> {
    const [file = "", ...args] = command();
    const child = spawn(file, args, {
      env: environment,
      stdio: ["ignore", speaks ? "inherit" : "ignore", "inherit", "ipc"],
    });
    running.add(child);
    const [code, signal] = await once(child, "exit").finally(() => running.delete(child));
    if (code === 2) {
      status = 2;
      end();
    }
    if (ends) return;
    const { pid } = child;
    say("error", "A process ended, and another takes its place", { pid, status: code, signal });
  }

  ended.then(end);
  await Promise.all(Array.from({ length: config.processes }, (_, index) => keep(index)));
  return status;
}

/** The permissions of a process that serves under Deno; its parent may also start Deno. */
const PERMISSIONS = ["net", "env", "read", "write", "sys"].map((name) => `--allow-${name}`);

/** The command line of this program. */
function command(): string[] {
  if (isBinary) return [process.execPath, "serve"];
  const runtime = "Deno" in globalThis
    ? ["run", ...PERMISSIONS, "--unstable-net"]
    : process.execArgv;
  return [process.execPath, ...runtime, process.argv[1]!, "serve"];
}
