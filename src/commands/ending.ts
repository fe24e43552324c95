// When a process that serves is to end: by a signal, or with the process that keeps it.
import process from "node:process";

/** The events of a process that say it is time to end. */
const endings = ["SIGINT", "SIGTERM", "message", "disconnect"] as const;

/** Resolves when a signal says that it is time to end, or the process that keeps this one does, or is
 * gone. From then on the next signal ends this process at once, unless another keeps it: what a whole
 * group was sent is no second signal, and the end of its keeper ends it. */
export function ending(): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      resolve();
      if (process.connected) process.once("disconnect", () => process.exit(1));
      else for (const name of endings) process.off(name, end);
    }
    for (const name of endings) process.on(name, end);
    if (process.connected === false) end();
  });
}
