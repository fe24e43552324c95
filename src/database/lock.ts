// One owner for a folder. The lock is the operating system's own lock on a file, reached through
// SQLite, which both runtimes carry: the kernel takes it back however its owner ends.
import { DatabaseSync } from "node:sqlite";

/** Locks a file for this process; returns what unlocks it, or undefined where another owns it. */
export function lock(path: string): (() => void) | undefined {
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
