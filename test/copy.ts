// A copy of the program in a folder of its own, as it is, or with the migrations of an earlier or a later
// version.
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type How, paths, source } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface Copy {
  /** How it is run. */
  how: How;
  remove(): void;
}

/** A copy of the program with these files in `sql/`, by name, besides its own or in their place. What
 * it keeps in `node_modules` is its own. */
export function copyWith(files: Record<string, string | Uint8Array> = {}): Copy {
  const { path, remove } = temporaryFolder();
  for (const name of [paths.folder, "sql", "package.json", "deno.json"]) {
    cpSync(join(root, name), join(path, name), { recursive: true });
  }
  mkdirSync(join(path, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === ".cache") continue;
    symlinkSync(join(root, "node_modules", name), join(path, "node_modules", name));
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, "sql", name), text);
  const command = [...source.slice(0, -1), join(path, paths.main)];
  return { how: { command, folder: path }, remove };
}

/** The files of one more migration. */
export function migrationFiles(name: string, up: string, down = ""): Record<string, string> {
  return { [`${name}.up.sql`]: up, [`${name}.down.sql`]: down };
}
