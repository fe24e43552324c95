// The log: one JSON object a line, on the standard error stream.
import process from "node:process";
import { setImmediate } from "node:timers";

export const levels = ["debug", "info", "warn", "error", "silent"] as const;

export type Level = (typeof levels)[number];

/** Writes a line where its level is at least that of the log. Never bodies, never secrets. */
export type Log = (level: Exclude<Level, "silent">, message: string, members?: object) => void;

export function log(lowest: Level): Log {
  process.stderr.on("error", () => {}); // who reads the log may go away, the service stays
  const write = together((text) => process.stderr.write(text));
  return (level, message, members) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    const line = { time: new Date().toISOString(), level, message, ...members };
    write(`${JSON.stringify(line)}\n`);
  };
}

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
export function describe(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) };
  const { stack, cause, code, constraint_name: constraint } = error as Error & {
    code?: string;
    constraint_name?: string;
  };
  return { error: stack, code, constraint, cause: cause && describe(cause) };
}
