// The files of the program: migrations, the documentation, what `relata init` writes, and the embedded
// Postgres. They are beside the source, or inside the single binary.
import { Buffer, isUtf8 } from "node:buffer";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { UsageError } from "../errors/usage.ts";
import { licenses } from "./licenses.ts";

/** The files of the embedded Postgres that the single binary carries. */
export const embeddedFiles = ["pglite.wasm", "initdb.wasm", "pglite.data"] as const;

/** The part of `node:sea` that this file uses; Deno has no such module. */
interface SingleExecutable {
  isSea(): boolean;
  getAssetKeys(): string[];
  getAsset(name: string, encoding: "utf8"): string;
  getRawAsset(name: string): ArrayBuffer;
}

/** Reads the files inside the single binary; undefined if they are beside the source. */
const binary = (() => {
  const sea = process.getBuiltinModule?.("node:sea") as SingleExecutable | undefined;
  return sea?.isSea() ? sea : undefined;
})();

export const isBinary = binary !== undefined;

/** The folders of texts that the program carries. */
export const carriedFolders = ["sql", "src/page", "src/init", "src/types"];

/** The texts in a folder and in the folders there, by their names, which have "/" between folders. */
export interface TextFolder {
  /** In order. */
  names(): string[];
  text(name: string): string;
}

/** A folder of the program, by its path from the root. */
export function folderOf(path: string): TextFolder {
  if (!binary) return folderAt(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
  const keys = binary.getAssetKeys().filter((key) => key.startsWith(`${path}/`)).sort();
  return {
    names: () => keys.map((key) => key.slice(path.length + 1)),
    text: (name) => binary.getAsset(`${path}/${name}`, "utf8"),
  };
}

/** A folder on the disk. */
export function folderAt(path: string): TextFolder {
  return {
    names: () =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => relative(path, join(parentPath, name)).replaceAll(sep, "/"))
        .sort(),
    text: (name) => textAt(join(path, name)),
  };
}

/** The text of a file on the disk, without a byte order mark. Throws a `UsageError` if it is not UTF-8. */
export function textAt(path: string): string {
  const bytes = readFileSync(path);
  const line = bytes.toString("latin1").split("\n").findIndex((line) =>
    line.includes("\0") || !isUtf8(Buffer.from(line, "latin1"))
  );
  if (line < 0) return new TextDecoder().decode(bytes);
  throw new UsageError(`The file "${basename(path)}" is not UTF-8 text: see its line ${line + 1}`);
}

/** A file of the embedded Postgres: in the package of PGlite, or inside the single binary. */
export function embeddedFile(name: (typeof embeddedFiles)[number]): Uint8Array<ArrayBuffer> {
  if (binary) return new Uint8Array(binary.getRawAsset(name));
  return readFileSync(new URL(name, import.meta.resolve("@electric-sql/pglite")));
}

/** The program of the thread that the embedded Postgres runs in. */
export function engine(): URL {
  if (!binary) return new URL(`../embedded/engine${extname(import.meta.url)}`, import.meta.url);
  return new URL(`data:text/javascript,${encodeURIComponent(binary.getAsset("engine", "utf8"))}`);
}

/** The template of the embedded database; undefined if there is none that this version of PGlite made. */
export function databaseTemplate(): string | undefined {
  if (binary) return binary.getAsset("template", "utf8");
  const file = templateFile();
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Where the template is that the installed version of PGlite makes: another may not read it. */
export function templateFile(): URL {
  const manifest = new URL("../package.json", import.meta.resolve("@electric-sql/pglite"));
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return new URL(`../../template/pglite-${version}.json`, import.meta.url);
}

/** In the npm package, whose dependencies lie elsewhere. */
const packedLicenses = new URL("../../licenses.txt", import.meta.url);

/** The licences of everything in the program; the single binary includes Node. */
export function licenseText(): string {
  if (binary) return binary.getAsset("licenses", "utf8");
  return existsSync(packedLicenses) ? readFileSync(packedLicenses, "utf8") : licenses();
}

let documentation: Map<string, string> | undefined;

/** The text of every file of the documentation, read when it is first needed. */
export function documentationTexts(): Map<string, string> {
  try {
    return documentation ??= textsIn(folderOf("src/page"));
  } catch (cause) {
    throw new Error("The files of the documentation cannot be read", { cause });
  }
}

function textsIn({ names, text }: TextFolder): Map<string, string> {
  return new Map(names().map((name) => [name, text(name)]));
}
