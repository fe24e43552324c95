// What a signal means before anything is served, also to process 1, from which the kernel keeps every
// signal that it does not listen for.
// Needs: Deno, time
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  afterwards,
  ask,
  embeddedFolder,
  endAll,
  type Program,
  serve,
  source,
  start,
  until,
} from "../program.ts";
import { temporaryFolder } from "../service.ts";

const test = suite("signals");
test.after.each(endAll);

const alone = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const mayUnshare = spawnSync(alone[0]!, [...alone.slice(1), "true"]).status === 0;

/** A database for a server that is asked nothing of it. */
const UNREACHABLE = "postgres://127.0.0.1:1/none";

const onDeno = "Deno" in globalThis;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

for (
  const [who, command] of [["a process", source], ["process 1", [...alone, ...source]]] as const
) {
  const asProcess1 = who === "process 1";
  const skipped = asProcess1 && !mayUnshare;
  const title = (text: string) =>
    `${who} ${text}${skipped ? " (skipped: this process may not make process 1)" : ""}`;
  const when = skipped ? test.skip as unknown as typeof test : test;

  for (const signal of signals) {
    when(title(`that serves ends with status 0 on ${signal}`), async () => {
      const server = await serve({ DATABASE_URL: UNREACHABLE }, { command: [...command] });
      assert.is((await ask(server.url, "GET /livez")).status, 200);
      process.kill(await itself(server, asProcess1), signal);
      assert.is((await server.ended).status, 0);
    });
  }

  when(title("that opens its database for the first time ends with status 0"), async () => {
    const folder = temporaryFolder();
    afterwards(folder.remove);
    const program = start([...command, "serve"], { DATA_DIR: folder.path, PORT: "0" });
    await until("it is about to make the database", () => existsSync(join(folder.path, "lock")));
    process.kill(await itself(program, asProcess1), "SIGTERM");
    const { status, stdout, stderr } = await program.ended;
    assert.equal([status, stdout, stderr], [0, "", ""]);
    if (asProcess1) return; // what it leaves is what any process leaves
    const next = await serve({ DATA_DIR: folder.path });
    assert.is((await ask(next.url, "GET /readyz")).status, 200);
  });

  when(title("that has not even been loaded ends"), async () => {
    const folder = embeddedFolder();
    afterwards(folder.remove);
    const program = start([...command, "serve"], { DATA_DIR: folder.path, PORT: "0" });
    process.kill(await hearing(program, asProcess1), "SIGTERM");
    const { status, stdout } = await program.ended;
    isEarlyEnd(status, 0, asProcess1);
    assert.is(stdout, "");
  });

  when(title("of several that are not there yet ends with them"), async () => {
    const environment = { DATABASE_URL: UNREACHABLE, PROCESSES: "2", PORT: "0" };
    const program = start([...command, "serve"], environment);
    process.kill(await hearing(program, asProcess1), "SIGHUP");
    isEarlyEnd((await program.ended).status, 0, asProcess1);
  });

  when(title("that runs a command is ended by a signal"), async () => {
    const folder = embeddedFolder();
    afterwards(folder.remove);
    const program = start([...command, "migrate", "status"], { DATA_DIR: folder.path });
    process.kill(await hearing(program, asProcess1), "SIGINT");
    const { status, stdout } = await program.ended;
    isEarlyEnd(status, 130, asProcess1);
    assert.is(stdout, "");
  });
}

test.run();

/** Holds a program that ends while it is loaded to its exit status. It has none where the signal itself
 * ended it, as it may any process but process 1; or where Deno crashed on its way out, as 2.9.5 often
 * does. */
function isEarlyEnd(status: number | null, expected: number, asProcess1: boolean): void {
  const mayHaveNone = onDeno || !asProcess1;
  assert.ok(status === expected || mayHaveNone && status === null, `It ended with ${status}`);
}

/** The process that runs relata, once it listens for signals. */
async function hearing(program: Program, asProcess1: boolean): Promise<number> {
  const pid = await itself(program, asProcess1);
  await until("it hears signals", () => hears(pid));
  return pid;
}

/** The process that runs relata: the child of what makes it process 1, once that has made it. */
async function itself({ pid }: Program, asProcess1: boolean): Promise<number> {
  if (!asProcess1) return pid;
  let child = 0;
  await until("there is a process 1", () => {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    child = Number.parseInt(list, 10);
    return child > 0;
  });
  return child;
}

/** Whether a process listens for signals, by the mask that Linux keeps: for SIGHUP, since Node catches
 * the others from the start, only to raise them again. */
function hears(pid: number): boolean {
  const [, caught] = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
}
