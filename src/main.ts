// The entry point: runs the command that was asked for, and sets the exit status.
import * as module from "node:module";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import "./commands/ending.ts"; // before all that takes its time to load
import { isBinary } from "./files.ts";
import { remark } from "./output.ts";
import { ENDING } from "./time.ts";
import { sentenceOf, UsageError } from "./usage.ts";

// Node keeps the compiled source here, so that the next start takes less time. The binary carries its
// own, Deno keeps it by itself, and an early Node has no such cache.
const cache = new URL("../node_modules/.cache/relata", import.meta.url);
if (!isBinary) module.enableCompileCache?.(fileURLToPath(cache));

try {
  const { run } = await import("./commands/index.ts");
  await end(await run(process.argv.slice(2)) ?? 0);
} catch (error) {
  await remark(`relata: ${sentenceOf(error)}\n`);
  await end(error instanceof UsageError ? 2 : 1);
}

/** Ends the program when its log has gone, which a pipe may take its time to carry, or not at all. */
async function end(status: number): Promise<never> {
  await Promise.race([remark(""), delay(ENDING)]);
  process.exit(status);
}
