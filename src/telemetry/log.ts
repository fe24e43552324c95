// The log, on the standard error stream: one JSON object a line, or text where a person watches.
import process from "node:process";
import { sentenceOf } from "../errors/usage.ts";
import { isReaderSlow, logStderr } from "../terminal/output.ts";

export const levels = ["info", "warn", "error", "silent"] as const;

type Level = (typeof levels)[number];

/** Writes a line if its level is at least that of the log. Never bodies, never secrets. */
export type Log = (level: Exclude<Level, "silent">, message: string, members?: object) => void;

/** Makes a log. If its reader is too slow, or gone, lines are dropped and counted; the server goes on. */
export function log(lowest: Level): Log {
  const shown = process.stderr.isTTY ? readableLine : JSON.stringify;
  let lost = 0;
  const write: Log = (level, message, members) => {
    logStderr(`${shown({ time: new Date().toISOString(), level, message, ...members })}\n`);
  };
  return (level, message, members) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return;
    if (isReaderSlow()) return void lost++;
    if (lost > 0) {
      write("warn", "Log lines were dropped: their reader is too slow", { lines: lost });
    }
    lost = 0;
    write(level, message, members);
  };
}

interface Line {
  time: string;
  level: Level;
  message: string;
  error?: string;
}

/** A line for a person: the time of day in UTC, the message, and below it the stack of an error. */
function readableLine({ time, level, message, error, ...members }: Line): string {
  const pairs = Object.entries<unknown>(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = [time.slice(11, -1), level.padEnd(5), message, ...pairs].join(" ");
  return (error ? `${text}\n${error}` : text).replaceAll(CONTROL, "�");
}

/** Control characters, which could move the cursor of a terminal, or worse. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** The members of an error in the log: its stack, its code, its cause. */
export function errorMembers(error: unknown): object {
  if (!(error instanceof Error)) return { error: sentenceOf(error) };
  const { stack, cause, code, constraint_name: constraint } = error as Error & {
    code?: string;
    constraint_name?: string;
  };
  return { error: stack, code, constraint, cause: cause && errorMembers(cause) };
}
