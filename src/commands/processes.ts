// Several processes on one port, each this program again. The kernel shares the connections out
// among them, and the database is all they share besides.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../config.ts";
import { isBinary } from "../files.ts";
import { errorMembers, log } from "../log.ts";
import { cannotListen, freePort } from "../serve/listen.ts";
import { RETRY_AFTER } from "../time.ts";

/** What a process is told when it is to end: no signal, for one may reach the whole group at once, and
 * a second one would end it in the midst of its work. */
const END = "end";

/** Serves until it is `ended`, or a process says that it cannot serve at all; resolves to the exit
 * status. Rejects where the port cannot be had; whether it can is not asked where others may have it. */
export async function serveTogether(config: Config, ended: Promise<void>): Promise<number> {
  const { host, reusePort } = config;
  const port = config.port !== 0 && reusePort
    ? config.port
    : await freePort(host, config.port).catch((error) => {
      throw cannotListen(host, config.port, error);
    });
  const environment = { ...process.env, PORT: String(port), PROCESSES: "1", REUSE_PORT: "on" };
  const running = new Set<ChildProcess>();
  const say = log(config.logLevel);
  let [ends, status] = [false, 0];

  function end(): void {
    ends = true;
    for (const child of running) child.send(END, () => {}); // it may be gone already
  }

  async function keep(place: number): Promise<void> {
    while (!ends) {
      try {
        await run(place === 0);
      } catch (error) {
        say("error", "A process cannot be started", errorMembers(error));
      }
      if (!ends) await delay(RETRY_AFTER * 1000);
    }
  }

  /** Runs a process to its end; rejects where it cannot be started. */
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
  await Promise.all(Array.from({ length: config.processes }, (_, place) => keep(place)));
  return status;
}

/** What Deno lets a process do that serves; to keep others, this one may start Deno besides. */
const PERMISSIONS = ["net", "env", "read", "write", "sys"].map((name) => `--allow-${name}`);

/** The words that run this program. */
function command(): string[] {
  if (isBinary) return [process.execPath, "serve"];
  const runtime = "Deno" in globalThis
    ? ["run", ...PERMISSIONS, "--unstable-net"]
    : process.execArgv;
  return [process.execPath, ...runtime, process.argv[1]!, "serve"];
}
