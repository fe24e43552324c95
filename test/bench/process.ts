// What a process and those that it started have cost so far, as Linux tells it.
import { existsSync, readFileSync } from "node:fs";

/** Clock ticks a second, on every Linux there is. */
const TICKS = 100;

/** Whether this machine tells it. */
const tells = existsSync("/proc/self/stat");

/** Seconds of processor time that all threads have taken. */
export function processorSeconds(pid: number): number {
  return sum(pid, (id) => {
    const [, rest = ""] = readFileSync(`/proc/${id}/stat`, "utf8").split(") ");
    // Its own, user and system, then those of children that have ended
    const times = rest.split(" ").slice(11, 15).map(Number);
    return times.reduce((total, time) => total + time, 0) / TICKS;
  });
}

/** The process that started another one; NaN where this machine does not tell it. */
export function parentOf(pid: number): number {
  if (!existsSync(`/proc/${pid}/status`)) return NaN;
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** Resident memory in megabytes: now, and at most so far. */
export function residentMegabytes(pid: number): { now: number; peak: number } {
  const figure = (name: string) =>
    sum(pid, (id) => {
      const status = readFileSync(`/proc/${id}/status`, "utf8");
      return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1000;
    });
  return { now: figure("VmRSS"), peak: figure("VmHWM") };
}

/** What each of the processes has, in all; NaN where this machine does not tell it. */
function sum(pid: number, what: (pid: number) => number): number {
  if (!tells || Number.isNaN(pid)) return NaN;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children
    .split(" ")
    .filter((child) => child !== "")
    .reduce((total, child) => total + sum(Number(child), what), what(pid));
}
