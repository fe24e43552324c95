// The embedded Postgres: PGlite under DATA_DIR, behind the same client as a real one.
import { Buffer } from "node:buffer";
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
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { databaseTemplate, embeddedFile, isBinary } from "../carried/files.ts";
import { type ClientOptions, connectOver } from "./client.ts";
import type { Database } from "./database.ts";
import { lock, watch } from "./lock.ts";
import { endOf, stream } from "./protocol.ts";
import { openingError } from "./unusable.ts";
import { unpack } from "./template.ts";

/** Bytes that must be free before the database is opened again: its recovery writes one or two log
 * files. */
const ROOM = 2 * 16 * 2 ** 20;

/** Milliseconds until the next attempt to open it, after one that failed: each leaks its memory. */
const PAUSE = 60_000;

/** What Postgres is started with. It writes all of its buffers at the start, and by default has 128 MB of them;
 * the system keeps the files in memory, too. */
const PARAMETERS = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

interface Embedded {
  database: Database;
  /** Another way to its one session. */
  stream(): Duplex;
  /** Resolves to an error when the folder is removed or replaced. From then on there is no database,
   * because another process may have one there. */
  lost: Promise<Error>;
  close(): Promise<void>;
}

export interface Listeners extends Pick<ClientOptions, "onNotice"> {
  /** Called before a new database is made, which may take seconds; awaited. */
  onMake?: () => Promise<void>;
}

/** Opens the database in a folder, and creates it the first time. Throws a `UsageError` if the folder
 * cannot be used, and another error if that may pass: another process has it, or its disk is full. */
export async function openEmbedded(
  folder: string,
  { onNotice, onMake }: Listeners = {},
): Promise<Embedded> {
  const unlock = lockFolder(folder);
  try {
    const postgres = reopenable(folder, await open(folder, onMake));
    let unwatch = () => {};
    const lost = new Promise<Error>((resolve) => {
      unwatch = watch([lockIn(folder), homeIn(folder)], (path) => {
        const error = folderLost(path);
        postgres.lose(error);
        resolve(error);
      });
    });
    const session = () => {
      postgres.forget();
      return stream(postgres.answer);
    };
    const database = connectOver(session, onNotice);
    return {
      database,
      stream: () => stream(postgres.answer),
      lost,
      async close() {
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

/** A database that is opened again, when it is next needed, after it ended: it does so on a full disk. */
function reopenable(folder: string, first: PGlite) {
  let database: PGlite | undefined = first;
  let lost: Error | undefined;
  let [failure, failed]: [unknown, number] = [undefined, -Infinity];

  async function reopen(): Promise<PGlite> {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < ROOM) {
      throw Object.assign(new Error("The disk of the embedded database is full"), {
        code: "ENOSPC",
      });
    }
    if (performance.now() - failed < PAUSE) throw failure;
    try {
      return await open(folder);
    } catch (error) {
      [failure, failed] = [error, performance.now()];
      throw error;
    }
  }

  return {
    /** Rejects if there is no database, or if it ended with this answer. */
    async answer(messages: Uint8Array): Promise<Buffer> {
      if (lost) throw lost;
      database ??= await reopen();
      // Copied piece by piece: PGlite would keep every row of answers that it returns whole
      const pieces: Uint8Array[] = [];
      const onRawData = (piece: Uint8Array) => pieces.push(piece.slice());
      await database.execProtocolRawStream(messages, { onRawData });
      const answer = Buffer.concat(pieces);
      const end = endOf(answer);
      if (!end) return answer;
      database = undefined;
      throw end;
    },
    /** Forgets what the session before has prepared, which the next one cannot know. */
    forget(): void {
      database?.exec("deallocate all").catch(() => {});
    },
    /** Closes nothing: even closing a database writes to its folder. */
    lose(error: Error): void {
      [lost, database] = [error, undefined];
    },
    close: async () => await database?.close(),
  };
}

/** A new database gets its name when it is complete, so that a process killed half-way leaves nothing
 * that a later start would take for a database. */
async function open(folder: string, onMake?: Listeners["onMake"]): Promise<PGlite> {
  const home = homeIn(folder);
  if (!existsSync(home)) {
    await onMake?.();
    const unfinished = join(folder, "postgres.unfinished");
    rmSync(unfinished, { recursive: true, force: true });
    try {
      await make(unfinished);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true }); // it may be what fills the disk
      throw error;
    }
    renameSync(unfinished, home);
  }
  return await start(home);
}

/** Makes a database in a folder that is not there: from the template, or where there is none, by Postgres. */
async function make(home: string): Promise<void> {
  const template = databaseTemplate();
  if (template === undefined) return await (await start(home)).close();
  try {
    unpack(template, home);
  } catch (error) {
    throw openingError(`The database in "${home}" cannot be made`, error);
  }
}

/** Starts Postgres in a folder. If it does not start, only the lines that it writes say why. */
async function start(home: string): Promise<PGlite> {
  let lines: string[] | undefined = [];
  function onStderr(line: string): boolean {
    lines?.push(line);
    return false; // nobody else is to have it
  }
  try {
    return await PGlite.create(home, { ...await parts(), startParams: PARAMETERS, onStderr });
  } catch (error) {
    const failure = openingError(`The database in "${home}" does not open`, error, lines);
    throw Object.assign(failure, { code: "CONNECT_FAILED" });
  } finally {
    lines = undefined;
  }
}

/** The single binary carries the files of PGlite; elsewhere PGlite finds them itself. */
async function parts(): Promise<PGliteOptions> {
  if (!isBinary) return {};
  return {
    pgliteWasmModule: await WebAssembly.compile(embeddedFile("pglite.wasm")),
    initdbWasmModule: await WebAssembly.compile(embeddedFile("initdb.wasm")),
    fsBundle: new Blob([embeddedFile("pglite.data")]),
  };
}
