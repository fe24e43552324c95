// When the program is to end: by a signal, or with the process that keeps it. Both are heard from the
// first moment on, for the kernel keeps from process 1 every signal that it does not listen for.
import { constants } from "node:os";
import process from "node:process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Event = (typeof signals)[number] | "message" | "disconnect";

/** What came before a command said what it means to it. */
const early: Event[] = [];

let hear: (event: Event) => void = (event) => void early.push(event);

for (const signal of signals) process.on(signal, () => hear(signal));
if (process.connected !== undefined) {
  for (const event of ["message", "disconnect"] as const) process.on(event, () => hear(event));
}

/** From now on a signal ends this process at once, as it would if nobody heard it. */
export function endAtOnce(): void {
  become((event) => {
    if (event === "message" || event === "disconnect") return;
    const status = 128 + constants.signals[event];
    if (process.pid === 1) process.exit(status); // the kernel would not end it
    process.removeAllListeners(event);
    try {
      process.kill(process.pid, event);
    } catch {
      process.exit(status); // Deno lets it send no signals unless it may run programs
    }
  });
}

/** Resolves when a signal says that it is time to end, or the process that keeps this one does, or is
 * gone. From then on the next signal ends this process at once, unless another keeps it: what a whole
 * group was sent is no second signal, and the end of its keeper ends it. */
export function ending(): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      resolve();
      if (!process.connected) return endAtOnce();
      process.once("disconnect", () => process.exit(1));
      become(() => {});
    }
    become(end);
    if (process.connected === false) end();
  });
}

function become(next: typeof hear): void {
  hear = next;
  for (const event of early.splice(0)) hear(event);
}
