// Writes to the standard streams. Each write is awaited, so that a failure is noticed.
import { fstatSync, writeSync } from "node:fs";
import process from "node:process";
import { setImmediate } from "node:timers/promises";

type Stream = typeof process.stdout | typeof process.stderr;

const streams: Stream[] = [process.stdout, process.stderr];

/** The streams that go to a file or a device, which this file writes itself. On a full disk Node's stream
 * reports success for half a text, and Deno's stream never writes again. */
const files = new Set(streams.filter(isFile));

/** The standard error stream of Deno. Its Node stream would block the whole program while the reader is
 * slow. */
const { stderr } = (globalThis as { Deno?: { stderr?: DenoWriter } }).Deno ?? {};

interface DenoWriter {
  /** Resolves to the number of bytes written. */
  write(bytes: Uint8Array): Promise<number>;
}

/** The reader of standard error is too slow when this many characters wait for it. */
const MOST_WAITING = 2 ** 20;

/** A log is gathered until it has this many characters, or for so many milliseconds, because each write is
 * expensive. */
const GATHERED = 16 * 1024;
const GATHERING = 50;

let unwritten = "";
/** Resolves when the text that waited is written. */
let writing: Promise<void> | undefined;
let isWriting = false;
let gathering: ReturnType<typeof setTimeout> | undefined;

// Each writer gets its errors from its own call; without a listener, the event would end the program.
for (const stream of streams) stream.on("error", () => {});

/** Prints a line. Resolves when it is written, or when the reader has closed the pipe, as `head` does;
 * rejects if it cannot be written. */
export async function print(text: string): Promise<void> {
  try {
    await write(`${text}\n`);
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/** Writes to the standard output; rejects if that fails. */
export async function write(text: string): Promise<void> {
  try {
    await writeTo(process.stdout, text);
  } catch (error) {
    throw new Error(`Cannot write the output: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes to the standard error stream at the end of the event loop's turn, with all that waits. Resolves
 * when it is written, or cannot be. */
export async function writeStderr(text: string): Promise<void> {
  unwritten += text;
  await writing; // which may have begun without this text
  await flushOutput();
}

/** Writes to the standard error stream soon; at once if a person watches it. */
export function logStderr(text: string): void {
  unwritten += text;
  if (process.stderr.isTTY || unwritten.length >= GATHERED) flushOutput();
  else if (!writing) gathering ??= setTimeout(flushOutput, GATHERING);
}

/** Whether the reader of standard error is too slow, so that further lines have to be dropped. */
export function isReaderSlow(): boolean {
  return unwritten.length >= MOST_WAITING;
}

function flushOutput(): Promise<void> {
  clearTimeout(gathering);
  gathering = undefined;
  return writing ??= writeAll();
}

async function writeAll(): Promise<void> {
  await setImmediate();
  const text = unwritten;
  [unwritten, isWriting] = ["", true];
  await writeTo(process.stderr, text).catch(() => {});
  [writing, isWriting] = [undefined, false];
  if (unwritten !== "") logStderr("");
}

process.on("exit", () => {
  if (files.has(process.stderr)) writeTo(process.stderr, unwritten).catch(() => {});
  // Under Deno a blocked write would block here for ever
  else if (!(stderr && isWriting)) process.stderr.write(unwritten);
});

async function writeTo(stream: Stream, text: string): Promise<void> {
  if (files.has(stream)) return writeFile(stream, text);
  if (stream === process.stderr && stderr) {
    const bytes = new TextEncoder().encode(text);
    for (let start = 0; start < bytes.length;) start += await stderr.write(bytes.subarray(start));
    return;
  }
  await new Promise<void>((resolve, reject) =>
    stream.write(text, (error) => error ? reject(error) : resolve())
  );
}

function writeFile({ fd }: Stream, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length;) start += writeSync(fd, bytes, start);
}

function isFile({ isTTY, fd }: Stream): boolean {
  if (isTTY) return false;
  const kind = fstatSync(fd);
  return !kind.isFIFO() && !kind.isSocket();
}
