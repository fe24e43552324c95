// The entry point: runs a command and sets the exit status.
import * as module from "node:module";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import "./commands/signals.ts"; // first, because the rest takes long to load
import { isBinary } from "./assets/files.ts";
import { writeStderr } from "./terminal/output.ts";
import { ENDING } from "./time.ts";
import { sentenceOf, UsageError } from "./errors/usage.ts";

// Node keeps compiled code here, which makes the next start faster. The binary carries its own, Deno has
// its own cache, and early versions of Node have none.
const cache = new URL("../node_modules/.cache/relata", import.meta.url);
if (!isBinary) module.enableCompileCache?.(fileURLToPath(cache));

try {
  const { run } = await import("./commands/index.ts");
  await end(await run(process.argv.slice(2)) ?? 0);
} catch (error) {
  await writeStderr(`relata: ${sentenceOf(error)}\n`);
  await end(error instanceof UsageError ? 2 : 1);
}

/** Ends the program when its log is written; a pipe may take long, or never take it. */
async function end(status: number): Promise<never> {
  await Promise.race([writeStderr(""), delay(ENDING)]);
  process.exit(status);
}
