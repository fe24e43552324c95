// Lets the main thread write into the memory of the embedded Postgres, as a signal would: the modules of
// WebAssembly that import that memory have to say that it is shared, in their section of imports.
import { Buffer } from "node:buffer";

/** Pages of 64 kB: as many as PGlite begins with, and the most that its module takes. */
export const PAGES = { initial: 2048, maximum: 32_768 };

/** The import of the memory, up to its limits (WebAssembly specification, 5.5.5). */
const MEMORY = Buffer.from("\x03env\x06memory\x02", "latin1");

const [WITHOUT_MAXIMUM, SHARED] = [0, 3];
const IMPORTS = 2;

/** The module with its memory marked as shared; a module without one is returned as it is. */
export function withSharedMemory(module: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(module);
  const limits = bytes.indexOf(MEMORY) + MEMORY.length;
  if (limits < MEMORY.length) return module;
  const hasMaximum = bytes[limits] !== WITHOUT_MAXIMUM;
  bytes[limits] = SHARED;
  if (hasMaximum) return bytes;
  let [section, size, content] = [8, 0, 8]; // after the magic number and the version
  do {
    section = content + size;
    [size, content] = readNumber(bytes, section + 1);
  } while (bytes[section] !== IMPORTS);
  const [, end] = readNumber(bytes, limits + 1);
  const maximum = written(PAGES.maximum);
  const [before, imports] = [bytes.subarray(0, section + 1), bytes.subarray(content, end)];
  const length = Buffer.from(written(size + maximum.length));
  return Buffer.concat([before, length, imports, Buffer.from(maximum), bytes.subarray(end)]);
}

/** A number in LEB128, and where the next byte is. */
function readNumber(bytes: Buffer, start: number): [value: number, next: number] {
  const byte = bytes[start]!;
  if (byte < 0x80) return [byte, start + 1];
  const [rest, next] = readNumber(bytes, start + 1);
  return [(byte & 0x7f) + rest * 0x80, next];
}

function written(value: number): number[] {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...written(value >>> 7)];
}
