// The template of a database: the folder of a new one, packed into one text. A first start unpacks it,
// because Postgres takes seconds and much memory to make another.
import { Buffer } from "node:buffer";
import { mkdirSync, writeFileSync } from "node:fs";
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
