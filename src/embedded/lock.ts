// One owner for a folder. The lock is the operating system's lock on a file, taken through SQLite, which
// both runtimes carry: the kernel releases it however its owner ends.
import { closeSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setInterval } from "node:timers";

/** Milliseconds between two checks that the locked file is still there. */
const WATCH_INTERVAL = 500;

/** The files that this process has locked. Whatever else it opened of one would release the lock when it is closed
 * (POSIX, fcntl). */
const held = new Set<bigint>();

/** Locks a file for this process; returns a function that unlocks it, or undefined if it is locked
 * already. Throws if the file cannot be written: SQLite would open it and lock nothing. */
export function lock(path: string): (() => void) | undefined {
  const there = inode(path);
  if (there !== undefined && held.has(there)) return undefined;
  closeSync(openSync(path, "a"));
  const file = new DatabaseSync(path);
  try {
    file.exec("begin exclusive");
    const locked = inode(path)!;
    held.add(locked);
    return () => {
      held.delete(locked);
      file.close();
    };
  } catch (error) {
    file.close();
    if (error instanceof Error && error.message.includes("database is locked")) return undefined;
    throw error;
  }
}

/** Calls back once if a file or folder is replaced: another process would find no lock on the new one.
 * Returns a function that ends the watch. */
export function watch(paths: string[], lost: (path: string) => void): () => void {
  const before = paths.map(inode);
  const timer = setInterval(() => {
    const path = paths.find((path, index) => inode(path) !== before[index]);
    if (path === undefined) return;
    clearInterval(timer);
    lost(path);
  }, WATCH_INTERVAL).unref();
  return () => clearInterval(timer);
}

/** The number that identifies a file, whatever its name; undefined if there is no readable file. */
function inode(path: string): bigint | undefined {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}
