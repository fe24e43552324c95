// The embedded Postgres itself: PGlite, in the thread that `instance.ts` starts. It does one job after the
// other.
import { Buffer } from "node:buffer";
import { fdatasyncSync } from "node:fs";
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { embeddedFile } from "../assets/files.ts";
import { reasonOf } from "./failure.ts";
import { PAGES, withSharedMemory } from "./memory.ts";

/** What the thread is started with: the folder of the database, whether what Postgres flushes is to reach the disk,
 * and the module of PGlite, whose memory is shared. */
export type Task = { home: string; fsync: boolean; module: WebAssembly.Module };

/** Messages of the protocol, or a word. */
export type Job = Uint8Array | "checkpoint" | "vacuum" | "close";

/** What the thread sends: first the flags that cancel a statement, then the answer to each job; at last, why it
 * ends. */
export type Message = Int32Array[] | Uint8Array<ArrayBuffer> | string;

/** It writes all of its buffers at the start, and by default has 128 MB of them; the system keeps the files in
 * memory, too. Of its ways to flush the log, PGlite has only this one. */
const SETTINGS = ["shared_buffers=32MB", "max_wal_size=64MB", "wal_sync_method=fsync"];

/** What PGlite calls to have Postgres read messages, and the status of the exception after which it may call it
 * again. It goes on after any exception, but after any other one the state of Postgres is broken. */
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
  construct: (Module, [bytes]) => new Module(withSharedMemory(bytes)),
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
}).catch(endThread);

const Module = database.Module as PGlite["Module"] & Record<string, number>;
const missing = [RUN, ...FLAGS].filter((name) => Module[name] === undefined);
if (missing.length > 0) endThread(new Error(`PGlite has no ${missing.join(", ")}`));
const flags = FLAGS.map((name) => new Int32Array(memory.buffer, Module[name], 1));

const runLoop = Module[RUN];
Module[RUN] = () => {
  try {
    runLoop();
  } catch (error) {
    if ((error as { status?: number }).status !== LONG_JUMP) endThread(error);
    throw error;
  }
};

/** Whether no transaction is open: an answer ends with its state (documentation of Postgres, 54.7). */
let isIdle = true;
const IDLE = "I".charCodeAt(0);

/** The jobs, one after the other: under Deno a message may arrive in the middle of another one's work. */
let jobs = Promise.resolve();
parentPort!.on("message", (job: Job) => jobs = jobs.then(() => work(job)));
post(flags);

async function work(job: Job): Promise<void> {
  for (const flag of flags) flag[0] = 0; // the statement that it was for had just ended
  if (typeof job !== "string") return await answer(job).catch(endThread);
  if (job === "close") await database.close().finally(process.exit);
  if (isIdle) await care(job === "vacuum").catch(() => {}); // there is a next time
  post(new Uint8Array());
}

async function answer(messages: Uint8Array): Promise<void> {
  // Copied piece by piece: PGlite would keep every row of answers that it returns whole
  const pieces: Uint8Array[] = [];
  const onRawData = (piece: Uint8Array) => pieces.push(piece.slice());
  await database.execProtocolRawStream(messages, { onRawData, syncToFs: false });
  const bytes = new Uint8Array(Buffer.concat(pieces));
  isIdle = bytes.at(-1) === IDLE;
  post(bytes, [bytes.buffer]);
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

function post(message: Message, transfer: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transfer);
}

function endThread(error: unknown): never {
  post(reasonOf(error, lines));
  process.exit();
}
