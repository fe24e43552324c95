// Makes the template of the embedded database: `npm ci` runs this, or else a build does. Where it did not run,
// a first start takes longer.
import { Buffer } from "node:buffer";
import {
  type Dirent,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { templateFile } from "../assets/files.ts";
import type { Template } from "../embedded/template.ts";

/** The highest quality takes 50 times as long, and saves a tenth. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 6 };

const home = mkdtempSync(join(tmpdir(), "relata-template-"));
try {
  const database = await PGlite.create(home);
  await database.close();
  writeWhole(fileURLToPath(templateFile()), JSON.stringify(packFolder(home)));
} finally {
  rmSync(home, { recursive: true });
}

function packFolder(home: string): Template {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const nameOf = ({ parentPath, name }: Dirent) =>
    relative(home, join(parentPath, name)).replaceAll(sep, "/");
  const names = entries.filter((entry) => entry.isFile()).map(nameOf).sort();
  const alike = Map.groupBy(names, (name) => readFileSync(join(home, name), "latin1"));
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(nameOf).sort(),
    files: [...alike].map(([text, names]) => ({
      names,
      bytes: brotliCompressSync(Buffer.from(text, "latin1"), { params }).toString("base64"),
    })),
  };
}

/** Writes the file, which gets its name when it is complete: others may read it, or make it, too. */
function writeWhole(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}
