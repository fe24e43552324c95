// One owner for a folder. The lock is the operating system's own lock on a file, reached through
// SQLite, which both runtimes carry: the kernel takes it back however its owner ends.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setInterval } from "node:timers";

/** Milliseconds between two looks at what was locked. */
const INTERVAL = 500;

/** Locks a file for this process; returns what unlocks it, or undefined where another owns it. Throws
 * where the file cannot be written: SQLite would open it all the same, and lock nothing. */
export function lock(path: string): (() => void) | undefined {
  accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  const file = new DatabaseSync(path);
  try {
    file.exec("begin exclusive");
    return () => file.close();
  } catch (error) {
    file.close();
    if (error instanceof Error && error.message.includes("database is locked")) return undefined;
    throw error;
  }
}

/** Tells, once, of a file or folder that is no longer the one which was there, since another process
 * would find no lock on what took its place. Returns what ends the watch. */
export function watch(paths: string[], lost: (path: string) => void): () => void {
  const before = paths.map(inode);
  const timer = setInterval(() => {
    const path = paths.find((path, place) => inode(path) !== before[place]);
    if (path === undefined) return;
    clearInterval(timer);
    lost(path);
  }, INTERVAL).unref();
  return () => clearInterval(timer);
}

/** What tells a file from another of its name; undefined where there is none, or none to be seen. */
function inode(path: string): bigint | undefined {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}
