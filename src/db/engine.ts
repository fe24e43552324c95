// The embedded Postgres itself: PGlite, in the thread that `instance.ts` starts. It does one job after the
// other.
import { Buffer } from "node:buffer";
import { fdatasyncSync } from "node:fs";
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { embeddedFile } from "../carried/files.ts";
import { type Answer, ending } from "./protocol.ts";
import { PAGES, sharing } from "./shared.ts";
import { reasonOf } from "./unusable.ts";

/** What the thread is started with. */
export interface Task {
  /** The folder of the database. */
  home: string;
  /** Whether what Postgres flushes is to reach the disk. */
  fsync: boolean;
  /** The module of PGlite, whose memory is shared. */
  module: WebAssembly.Module;
}

/** The first message of the thread: the flags that cancel a statement, or why Postgres did not start. */
export type Start = Int32Array[] | string;

/** Messages of the protocol, or a word. */
export type Job = Uint8Array | "checkpoint" | "vacuum" | "close";

/** It writes all of its buffers at the start, and by default has 128 MB of them; the system keeps the files in
 * memory, too. Of its ways to flush the log, PGlite has only this one. */
const SETTINGS = ["shared_buffers=32MB", "max_wal_size=64MB", "wal_sync_method=fsync"];

/** What PGlite calls to have Postgres read messages, and the status of the exception after which it may call it
 * again. It does so after any exception, but then Postgres is in the middle of something, and answers falsely. */
const [RUN, LONG_JUMP] = ["_PostgresMainLoopOnce", 100];

/** What Postgres looks at, in the order in which it is to be set. */
const FLAGS = ["_QueryCancelPending", "_InterruptPending"];

/** Bytes of the log after which there is a checkpoint: alone in its process, Postgres begins none. */
const LOG = 32 * 2 ** 20;

const { home, fsync, module }: Task = workerData;
const memory = new WebAssembly.Memory({ ...PAGES, shared: true });
const lines: string[] = [];

/** The folder on the disk. That of PGlite has no operation to flush a file. */
class Disk extends NodeFS {
  override async init(...[database, options]: Parameters<NodeFS["init"]>) {
    const { emscriptenOpts } = await super.init(database, { ...options, wasmMemory: memory });
    emscriptenOpts.preRun!.push(({ NODEFS }) => {
      const { stream_ops, tryFSOperation } = NODEFS as unknown as NodeDisk;
      stream_ops.fsync = ({ nfd }) => tryFSOperation(() => fdatasyncSync(nfd));
    });
    return { emscriptenOpts };
  }
}

interface NodeDisk {
  stream_ops: { fsync?(stream: { nfd: number }): void };
  tryFSOperation(work: () => void): void;
}

// The libraries that Postgres loads have the same memory
WebAssembly.Module = new Proxy(WebAssembly.Module, {
  construct: (Module, [bytes]) => new Module(sharing(bytes)),
});
const database = await PGlite.create({
  fs: new Disk(home),
  pgliteWasmModule: module,
  initdbWasmModule: await WebAssembly.compile(embeddedFile("initdb.wasm")),
  fsBundle: new Blob([embeddedFile("pglite.data")]),
  startParams: [
    ...PGlite.defaultStartParams.filter((word) => word !== "-F" || !fsync),
    ...SETTINGS.flatMap((setting) => ["-c", setting]),
  ],
  onStderr(line) {
    lines.push(line);
    lines.splice(0, lines.length - 9);
    return false; // nobody else is to have it
  },
}).catch((error) => stop(reasonOf(error, lines)));

const Module = database.Module as PGlite["Module"] & Record<string, number>;
const missing = [RUN, ...FLAGS].filter((name) => Module[name] === undefined);
if (missing.length > 0) stop(`PGlite has no ${missing.join(", ")}`);
const flags = FLAGS.map((name) => new Int32Array(memory.buffer, Module[name], 1));

const run = Module[RUN];
Module[RUN] = () => {
  try {
    run();
  } catch (error) {
    if ((error as { status?: number }).status !== LONG_JUMP) fail(error);
    throw error;
  }
};

parentPort!.on("message", async (job: Job) => {
  for (const flag of flags) flag[0] = 0; // the statement that it was for had just ended
  if (typeof job !== "string") return post(await answer(job).catch(fail));
  if (job === "close") await database.close().finally(process.exit);
  await care(job === "vacuum").catch(() => {}); // there is a next time
  post(new Uint8Array());
});
parentPort!.postMessage(flags satisfies Start);

async function answer(messages: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  // Copied piece by piece: PGlite would keep every row of answers that it returns whole
  const pieces: Uint8Array[] = [];
  const onRawData = (piece: Uint8Array) => pieces.push(piece.slice());
  await database.execProtocolRawStream(messages, { onRawData, syncToFs: false });
  return new Uint8Array(Buffer.concat(pieces));
}

/** Does what the background processes of Postgres would do. */
async function care(vacuums: boolean): Promise<void> {
  const { rows: [log] } = await database.query<{ isLong: boolean }>(`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > ${LOG} as "isLong"
    from pg_control_checkpoint()`);
  if (log!.isLong) await database.exec("checkpoint");
  if (!vacuums) return;
  const { rows: [table] } = await database.query<{ name: string }>(`
    select relid::regclass as name
    from pg_stat_user_tables
    join pg_class on oid = relid
    where n_dead_tup + n_mod_since_analyze > 50 + reltuples / 10
    order by n_dead_tup + n_mod_since_analyze desc
    limit 1`);
  if (table) await database.exec(`vacuum (analyze) ${table.name}`);
}

function post(bytes: Uint8Array<ArrayBuffer>, isLast = false): void {
  parentPort!.postMessage({ bytes, isLast } satisfies Answer, [bytes.buffer]);
}

function fail(error: unknown): never {
  post(ending(reasonOf(error, lines)), true);
  process.exit();
}

function stop(reason: string): never {
  parentPort!.postMessage(reason satisfies Start);
  process.exit();
}
