// The log, on the standard error stream: one JSON object a line, or text where a person watches.
import process from "node:process";
import { setImmediate } from "node:timers";
import { remark } from "./output.ts";

export const levels = ["debug", "info", "warn", "error", "silent"] as const;

export type Level = (typeof levels)[number];

/** Writes a line where its level is at least that of the log. Never bodies, never secrets. */
export type Log = (level: Exclude<Level, "silent">, message: string, members?: object) => void;

export function log(lowest: Level): Log {
  const write = together(remark); // who reads the log may go away, the service stays
  const shown = process.stderr.isTTY ? readable : JSON.stringify;
  return (level, message, members) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    const line = { time: new Date().toISOString(), level, message, ...members };
    write(`${shown(line)}\n`);
  };
}

interface Line {
  time: string;
  level: Level;
  message: string;
  error?: string;
}

/** A line for a person: the time of day in UTC, what is told, and below it the stack of an error. */
function readable({ time, level, message, error, ...members }: Line): string {
  const told = Object.entries<unknown>(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = [time.slice(11, -1), level.padEnd(5), message, ...told].join(" ");
  return (error ? `${text}\n${error}` : text).replaceAll(CONTROL, "�");
}

/** What would move the cursor of a terminal, or worse, if a message from elsewhere had it. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** Writes what one turn of the event loop has to say at its end, and the rest when the process ends:
 * a write costs more than what it writes. */
function together(write: (text: string) => void): (text: string) => void {
  let gathered = "";
  function flush(): void {
    if (gathered !== "") write(gathered);
    gathered = "";
  }
  process.on("exit", flush);
  return (text) => {
    if (gathered === "") setImmediate(flush);
    gathered += text;
  };
}

/** What a log line keeps of an error: its stack, its code, what caused it. */
export function errorMembers(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) };
  const { stack, cause, code, constraint_name: constraint } = error as Error & {
    code?: string;
    constraint_name?: string;
  };
  return { error: stack, code, constraint, cause: cause && errorMembers(cause) };
}
