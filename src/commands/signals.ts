// Ends the program on a signal, or with its parent process. It listens from the very beginning: the kernel
// drops signals to process 1 that it does not listen for.
import { constants } from "node:os";
import process from "node:process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type EndingEvent = (typeof signals)[number] | "message" | "disconnect";

/** The events before a command has decided how to react. */
const early: EndingEvent[] = [];

let react: (event: EndingEvent) => void = (event) => void early.push(event);

for (const signal of signals) process.on(signal, () => react(signal));
if (process.connected !== undefined) {
  for (const event of ["message", "disconnect"] as const) process.on(event, () => react(event));
}

/** From now on a signal ends this process at once, as if nobody listened. */
export function endAtOnce(): void {
  reactWith((event) => {
    if (event === "message" || event === "disconnect") return;
    const status = 128 + constants.signals[event];
    if (process.pid === 1) process.exit(status); // a signal does not end process 1
    process.removeAllListeners(event);
    try {
      process.kill(process.pid, event);
    } catch {
      process.exit(status); // under Deno this may need a permission
    }
  });
}

/** Resolves on a signal, or when the parent process says so or is gone. After that, a second signal ends this
 * process at once, unless it has such a parent: a signal to the whole process group is no second one. */
export function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      resolve();
      if (!process.connected) return endAtOnce();
      process.once("disconnect", () => process.exit(1));
      reactWith(() => {});
    }
    reactWith(end);
    if (process.connected === false) end();
  });
}

function reactWith(next: typeof react): void {
  react = next;
  for (const event of early.splice(0)) react(event);
}
