// Runs test files one after the other in this process, with a form feed between what they print: to load the
// server takes as much processor time as many of them.
import process from "node:process";
import { pathToFileURL } from "node:url";

/** What uvu reads: that files wait for `exec`, and the suites that they hand in. */
const uvu = globalThis as unknown as { UVU_DEFER: boolean; UVU_QUEUE: unknown[][] };
uvu.UVU_DEFER = true;
const { exec } = await import("uvu");

for (const [index, file] of process.argv.slice(2).entries()) {
  if (index > 0) process.stdout.write("\f");
  uvu.UVU_QUEUE.splice(0, Infinity, [null]);
  await import(pathToFileURL(file).href);
  await exec();
}
