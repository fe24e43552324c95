// What the program writes to its standard streams: each text is waited for, so that what cannot be
// written is not taken for done.
import { fstatSync, writeSync } from "node:fs";
import process from "node:process";

type Stream = typeof process.stdout | typeof process.stderr;

const streams: Stream[] = [process.stdout, process.stderr];

/** Those that go to a file or a device. What a full disk takes a part of, Node's stream takes for
 * written, and Deno's stream writes nothing more once a write has failed, so files are written here. */
const files = new Set(streams.filter(isFile));

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

/** Writes to the standard error stream, and resolves when it has gone; where it cannot be written,
 * nobody can be told. */
export async function remark(text: string): Promise<void> {
  await written(process.stderr, text).catch(() => {});
}

function written(stream: Stream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!files.has(stream)) {
      stream.write(text, (error) => error ? reject(error) : resolve());
      return;
    }
    const bytes = new TextEncoder().encode(text);
    for (let start = 0; start < bytes.length;) start += writeSync(stream.fd, bytes, start);
    resolve();
  });
}

function isFile({ isTTY, fd }: Stream): boolean {
  if (isTTY) return false;
  const kind = fstatSync(fd);
  return !kind.isFIFO() && !kind.isSocket();
}
