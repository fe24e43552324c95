// One run of the embedded Postgres, in a thread of its own. The main thread stays free, cancels what takes too
// long, and ends the other one if that does not help.
import { clearTimeout, setTimeout } from "node:timers";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { embeddedFile, engine } from "../assets/files.ts";
import { ENDING, SHARES } from "../time.ts";
import type { Job, Message, Task } from "./engine.ts";
import { withSharedMemory } from "./memory.ts";
import { closingReply, type SessionAnswer } from "./protocol.ts";

/** Postgres limits its own stack to 2 MB; the stack of JavaScript must not overflow first. Deno ignores this. */
const resourceLimits = { stackSizeMb: 64 };

/** Deno says that it has ended a thread, but one that is busy goes on, and would write beside the next one. */
const canEnd = !("Deno" in globalThis);

export type Instance = Awaited<ReturnType<typeof startInstance>>;

let module: Promise<WebAssembly.Module> | undefined;

/** Starts Postgres in a folder; rejects with the reason if it does not start. */
export async function startInstance(home: string, fsync: boolean) {
  module ??= WebAssembly.compile(withSharedMemory(embeddedFile("pglite.wasm")));
  const workerData: Task = { home, fsync, module: await module };
  const worker = new Worker(engine(), { workerData, resourceLimits });
  const waiting: { timeLimit: number | undefined; resolve(answer: SessionAnswer): void }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      fail("The thread of Postgres ended");
      resolve();
    });
  });
  const flags = await new Promise<Int32Array[]>((resolve, reject) => {
    worker.once(
      "message",
      (message) => Array.isArray(message) ? resolve(message) : reject(message),
    );
    worker.once("error", reject);
    ended.then(() => reject("The thread of Postgres ended"));
  });
  worker.on("message", (bytes: Exclude<Message, Int32Array[]>) => {
    if (typeof bytes === "string") return fail(bytes);
    waiting.shift()?.resolve({ bytes, isLast: false });
    watch();
  });

  function send(job: Job, timeLimit?: number): Promise<SessionAnswer> {
    if (isOver) {
      const error = new Error("The embedded database has ended");
      throw Object.assign(error, { code: "CONNECTION_ENDED" });
    }
    return new Promise((resolve) => {
      waiting.push({ timeLimit, resolve });
      worker.postMessage(job);
      if (waiting.length === 1) watch();
    });
  }

  /** Limits the time of the job that is next to its shares of that of a request. */
  function watch(): void {
    clearTimeout(timer);
    const { timeLimit } = waiting[0] ?? {};
    if (timeLimit === undefined) return;
    timer = setTimeout(async () => {
      const [late] = waiting;
      await turn(); // its answer may be there already, and the next one is not late
      if (waiting[0] !== late) return;
      for (const flag of flags) Atomics.store(flag, 0, 1);
      if (!canEnd) return;
      const patience = timeLimit * (SHARES.silence - SHARES.statement);
      timer = setTimeout(end, patience, "The statement could not be cancelled");
    }, timeLimit * SHARES.statement);
  }

  /** Tells those who wait that there is no answer. */
  function fail(reason: string): void {
    isOver = true;
    clearTimeout(timer);
    for (const { resolve } of waiting.splice(0)) {
      resolve({ bytes: closingReply(reason), isLast: true });
    }
  }

  /** Ends it in the middle of its work. Under Deno, a thread that is ending by itself would never end. */
  function end(reason: string): void {
    fail(reason);
    worker.terminate();
  }

  return {
    /** Answers messages, in the order of the calls. */
    answer: (messages: Uint8Array, timeLimit?: number) => send(new Uint8Array(messages), timeLimit),
    /** Has Postgres put the database in order; what may take long only if nobody waits. */
    care: () => isOver || send(waiting.length > 0 ? "checkpoint" : "vacuum"),
    end,
    async close(): Promise<void> {
      if (!isOver) {
        const patience = setTimeout(end, ENDING, "The database is closed");
        await send("checkpoint"); // after what is in flight
        clearTimeout(patience);
        if (!isOver) send("close");
      }
      await ended;
    },
    isOver: () => isOver,
    /** Resolves when the thread has ended: from then on another one may have the folder. */
    ended,
  };
}
