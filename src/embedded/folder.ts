// The embedded Postgres under DATA_DIR, behind the same client as a real one: its folder, which one process owns,
// and how it is opened again after it ended.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Duplex } from "node:stream";
import { setInterval } from "node:timers";
import { databaseTemplate } from "../assets/files.ts";
import { type ClientOptions, connectOver } from "../db/client.ts";
import type { Database } from "../db/database.ts";
import { openingError } from "./failure.ts";
import { type Instance, startInstance } from "./instance.ts";
import { lock, watch } from "./lock.ts";
import { stream } from "./protocol.ts";
import { flush, unpack } from "./template.ts";

/** Bytes that must be free before the database is opened again: its recovery writes one or two log
 * files. */
const ROOM = 2 * 16 * 2 ** 20;

/** Milliseconds between two looks whether the database needs care. */
const INTERVAL = 1000;

interface Embedded {
  database: Database;
  /** Another way to its one session. */
  stream(): Duplex;
  /** Resolves to an error when the folder is removed or replaced. From then on there is no database,
   * because another process may have one there. */
  lost: Promise<Error>;
  /** From now on, statements have their share of the time limit, and the database is taken care of. */
  serve(): void;
  close(): Promise<void>;
}

export interface Listeners extends Pick<ClientOptions, "onNotice"> {
  /** Called before a new database is made, which may take seconds; awaited. */
  onMake?: () => Promise<void>;
}

interface FolderOptions extends Listeners {
  /** Whether writes are on the disk when they are answered. */
  fsync?: boolean;
  /** Seconds that a request has. */
  timeLimit?: number;
}

/** Opens the database in a folder, and creates it the first time. Throws a `UsageError` if the folder
 * cannot be used, and another error if that may pass: another process has it, or its disk is full. */
export async function openEmbedded(
  folder: string,
  { fsync = true, timeLimit = Infinity, onNotice, onMake }: FolderOptions = {},
): Promise<Embedded> {
  const unlock = lockFolder(folder);
  try {
    if (!holdsDatabase(folder)) await createDatabase(folder, fsync, onMake);
    const postgres = reopenable(folder, fsync, await startIn(folder, fsync));
    const lost = Promise.withResolvers<Error>();
    const unwatch = watch([lockIn(folder), homeIn(folder)], (path) => {
      const error = folderLost(path);
      postgres.lose(error);
      lost.resolve(error);
    });
    const database = connectOver(postgres.session, { timeLimit, onNotice });
    let care: ReturnType<typeof setInterval> | undefined;
    return {
      database,
      stream: postgres.session,
      lost: lost.promise,
      serve() {
        postgres.limit(timeLimit * 1000);
        care = setInterval(postgres.care, INTERVAL).unref();
      },
      async close() {
        clearInterval(care);
        await database.close();
        unwatch();
        await postgres.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

export function holdsDatabase(folder: string): boolean {
  return existsSync(homeIn(folder));
}

function homeIn(folder: string): string {
  return join(folder, "postgres");
}

function lockIn(folder: string): string {
  return join(folder, "lock");
}

function lockFolder(folder: string): () => void {
  let unlock;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    refuseRoot(folder);
    unlock = lock(lockIn(folder));
    // In a folder that it may not write, Postgres would complain that a file exists
    if (unlock && holdsDatabase(folder)) accessSync(homeIn(folder), constants.W_OK);
  } catch (error) {
    unlock?.();
    throw openingError(`DATA_DIR "${folder}" cannot be used`, error);
  }
  if (unlock) return unlock;
  throw new Error(`DATA_DIR "${folder}" is in use by another process of relata`);
}

function folderLost(path: string): Error {
  const error = new Error(
    `"${path}" was removed or replaced, so another process may own DATA_DIR: nothing more is read or ` +
      "written there; look after the folder, then start relata again",
  );
  return Object.assign(error, { code: "CONNECT_FAILED" });
}

/** Root must not write into the folder of another user: that user could not read the files, and its
 * server would not start any more. */
function refuseRoot(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const home = homeIn(folder);
  if (statSync(existsSync(home) ? home : folder).uid === 0) return;
  throw new Error("it belongs to another user, who could not open what root writes there");
}

/** An instance that is followed by another one, when that is needed, after it ended: it does so on a full disk. */
function reopenable(folder: string, fsync: boolean, first: Instance) {
  let instance = first;
  let next: Promise<Instance> | undefined;
  let timeLimit: number | undefined;
  let lost: Error | undefined;

  async function current(): Promise<Instance> {
    if (lost) throw lost;
    if (instance.isOver()) instance = await (next ??= reopen().finally(() => next = undefined));
    return instance;
  }

  async function reopen(): Promise<Instance> {
    await instance.ended;
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < ROOM) {
      throw Object.assign(new Error("The disk of the embedded database is full"), {
        code: "ENOSPC",
      });
    }
    const opened = await startIn(folder, fsync);
    if (!lost) return opened;
    opened.end(lost.message);
    throw lost;
  }

  return {
    /** A session ends with the instance that it began with. */
    session(): Duplex {
      let own: Instance | undefined;
      return stream(async (messages) => (own ??= await current()).answer(messages, timeLimit));
    },
    care: () => instance.care(),
    limit(milliseconds: number): void {
      timeLimit = milliseconds;
    },
    lose(error: Error): void {
      lost = error;
      instance.end(error.message);
    },
    async close(): Promise<void> {
      await next?.catch(() => {});
      await instance.close();
    },
  };
}

async function startIn(folder: string, fsync: boolean): Promise<Instance> {
  const home = homeIn(folder);
  try {
    return await startInstance(home, fsync);
  } catch (error) {
    const failure = openingError(`The database in "${home}" does not open`, error);
    throw Object.assign(failure, { code: "CONNECT_FAILED" });
  }
}

/** A new database gets its name when it is complete, so that a process killed half-way leaves nothing
 * that a later start would take for a database. */
async function createDatabase(
  folder: string,
  fsync: boolean,
  onMake?: Listeners["onMake"],
): Promise<void> {
  await onMake?.();
  const unfinished = join(folder, "postgres.unfinished");
  rmSync(unfinished, { recursive: true, force: true });
  const template = databaseTemplate();
  try {
    if (template) unpack(template, unfinished);
    else await make(unfinished);
    if (fsync) await flush(unfinished);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true }); // it may be what fills the disk
    throw openingError(`The database in "${unfinished}" cannot be made`, error);
  }
  renameSync(unfinished, homeIn(folder));
}

/** Has Postgres make it. */
async function make(home: string): Promise<void> {
  const { PGlite } = await import("@electric-sql/pglite"); // large, and seldom needed
  await (await PGlite.create(home)).close();
}
