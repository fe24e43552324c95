// What the program writes to its standard streams: each text is waited for, so that what cannot be
// written is not taken for done.
import { fstatSync, writeSync } from "node:fs";
import process from "node:process";
import { setImmediate as turn } from "node:timers/promises";

type Stream = typeof process.stdout | typeof process.stderr;

const streams: Stream[] = [process.stdout, process.stderr];

/** Those that go to a file or a device. What a full disk takes a part of, Node's stream takes for
 * written, and Deno's stream writes nothing more once a write has failed, so files are written here. */
const files = new Set(streams.filter(isFile));

/** The standard error stream of Deno. With its stream of Node's kind the whole program would wait for
 * who reads it. */
const { stderr } = (globalThis as { Deno?: { stderr?: DenoWriter } }).Deno ?? {};

interface DenoWriter {
  /** Resolves to the number of bytes that it has written. */
  write(bytes: Uint8Array): Promise<number>;
}

/** Characters that wait to be written to the standard error stream from which on it is behind. */
const BACKLOG = 2 ** 20;

/** What is still to be written there. */
let remarks = "";
/** Resolves when all of that has gone; undefined where there is nothing. */
let going: Promise<void> | undefined;
let isWriting = false;

// Who writes is told of what fails; unheard, the event of the stream would end the program besides.
for (const stream of streams) stream.on("error", () => {});

/** Prints a text and ends its line. Resolves when it has gone, or its reader has read enough, as
 * `head` has; rejects where it cannot be written. */
export async function print(text: string): Promise<void> {
  try {
    await write(`${text}\n`);
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/** Writes to the standard output; resolves when it has gone, and rejects where it cannot be written. */
export async function write(text: string): Promise<void> {
  try {
    await written(process.stdout, text);
  } catch (error) {
    throw new Error(`Cannot write the output: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes to the standard error stream at the end of the event loop's turn, with all that is said there
 * until then and, later, while that leaves: a write costs more than what it writes. Resolves when
 * it has gone; where it cannot be written, nobody can be told. */
export function remark(text: string): Promise<void> {
  remarks += text;
  return going ??= leave();
}

/** Whether who reads the standard error stream is so far behind that it is told nothing more for now. */
export function isBehind(): boolean {
  return remarks.length >= BACKLOG;
}

async function leave(): Promise<void> {
  await turn();
  while (remarks !== "") {
    const text = remarks;
    [remarks, isWriting] = ["", true];
    await written(process.stderr, text).catch(() => {});
    isWriting = false;
  }
  going = undefined;
}

process.on("exit", () => {
  if (files.has(process.stderr)) written(process.stderr, remarks).catch(() => {});
  // Under Deno it may be the reader that is waited for, and this would wait for ever
  else if (!(stderr && isWriting)) process.stderr.write(remarks);
});

async function written(stream: Stream, text: string): Promise<void> {
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
