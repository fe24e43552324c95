// The template of a database: the folder of a new one, packed into one text. A first start unpacks it,
// because Postgres takes seconds and much memory to make another.
import { Buffer } from "node:buffer";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

/** A template, parsed. */
export interface Template {
  /** Each before those inside it. */
  folders: string[];
  /** The bytes of files, compressed, in base64. Many files are alike: the catalogue is there three times. */
  files: { names: string[]; bytes: string }[];
}

/** Makes a folder and unpacks a template into it. */
export function unpack(template: string, home: string): void {
  const { folders, files }: Template = JSON.parse(template);
  for (const name of ["", ...folders]) mkdirSync(join(home, name));
  for (const { names, bytes } of files) {
    const content = brotliDecompressSync(Buffer.from(bytes, "base64"));
    for (const name of names) writeFileSync(join(home, name), content);
  }
}

/** Has the disk keep a folder, with all that is in it. To flush many files at once takes much less time. */
export async function flush(folder: string): Promise<void> {
  const rest = ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].values();
  async function lane(): Promise<void> {
    for (const name of rest) {
      const file = await open(join(folder, name));
      await file.sync().finally(() => file.close());
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane));
}
