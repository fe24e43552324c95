// The log: one JSON object a line, on the standard error stream.
import process from "node:process";

export const levels = ["debug", "info", "warn", "error", "silent"] as const;

export type Level = (typeof levels)[number];

/** Writes a line where its level is at least that of the log. Never bodies, never secrets. */
export type Log = (level: Exclude<Level, "silent">, message: string, members?: object) => void;

export function log(lowest: Level): Log {
  process.stderr.on("error", () => {}); // who reads the log may go away, the service stays
  return (level, message, members) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    const line = { time: new Date().toISOString(), level, message, ...members };
    process.stderr.write(`${JSON.stringify(line)}\n`);
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
