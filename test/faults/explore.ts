// How far the generated tests go: a number of cases, or on demand as many as fit into some minutes. They
// start from the seed of the run, TEST_SEED, which a failure prints.
import process from "node:process";
import fc from "fast-check";

/** Milliseconds that a property is tried for with TEST_SOAK. */
const SOAK = 120_000;

/** Milliseconds after which a property has been tried enough, or shrunk enough, on a slow machine. */
const ENOUGH = 120_000;

/** Seconds that an answer may take: a machine that is busy with something else is no defect. */
export const PATIENCE = 120;

const soak = process.env["TEST_SOAK"] === "on";
const seed = Number(process.env["TEST_SEED"]);
/** What each property, under each runtime, adds to it, so as to have cases of its own. */
let offset = "Deno" in globalThis ? 1000 : 0;

/** Tries a property for so many cases, or for as many as its time has; throws what it fails for, as
 * small as it was found. */
export async function explore<Cases>(
  property: fc.IAsyncProperty<Cases>,
  { cases }: { cases: number },
): Promise<void> {
  const run = await fc.check(property, {
    seed: seed + offset++,
    numRuns: soak ? Number.MAX_SAFE_INTEGER : cases,
    includeErrorInReport: true,
    interruptAfterTimeLimit: soak ? SOAK : ENOUGH,
  });
  const failure = await fc.asyncDefaultReportMessage(run);
  if (failure) throw new Error(`With TEST_SEED=${seed}: ${failure}`);
}
