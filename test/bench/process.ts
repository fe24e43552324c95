// What a process has cost so far, as Linux tells it.
import { existsSync, readFileSync } from "node:fs";

/** Clock ticks a second, on every Linux there is. */
const TICKS = 100;

/** Whether this machine tells it. */
const tells = existsSync("/proc/self/stat");

/** Seconds of processor time that all threads of a process have taken. */
export function processorSeconds(pid: number): number {
  if (!tells) return NaN;
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = rest.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / TICKS;
}

/** Resident memory of a process in megabytes: now, and at most so far. */
export function residentMegabytes(pid: number): { now: number; peak: number } {
  if (!tells) return { now: NaN, peak: NaN };
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const figure = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
  return { now: figure("VmRSS") / 1000, peak: figure("VmHWM") / 1000 };
}
