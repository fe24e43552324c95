// How far the generated tests go: as many cases as a run has time for, or minutes of them on demand,
// from a seed that a failure tells and that TEST_SEED sets.
import process from "node:process";
import { randomInt } from "node:crypto";
import fc from "fast-check";

/** Milliseconds that a property is tried for with TEST_SOAK. */
const SOAK = 120_000;

/** Milliseconds after which a property has been tried enough, or shrunk enough, on a slow machine. */
const ENOUGH = 60_000;

/** Seconds that an answer may take: a machine that is busy with something else is no defect. */
export const PATIENCE = 120;

const soak = process.env["TEST_SOAK"] === "on";
const seed = Number(process.env["TEST_SEED"] ?? randomInt(2 ** 31));
let properties = 0;
console.log(`Every case follows from TEST_SEED=${seed}`);

/** Tries a property for so many cases, or for as many as its time has; throws what it fails for, as
 * small as it was found. */
export async function explore<Cases>(
  property: fc.IAsyncProperty<Cases>,
  { cases }: { cases: number },
): Promise<void> {
  await fc.assert(property, {
    seed: seed + properties++, // so that each has cases of its own
    numRuns: soak ? Number.MAX_SAFE_INTEGER : cases,
    includeErrorInReport: true,
    interruptAfterTimeLimit: soak ? SOAK : ENOUGH,
  });
}
