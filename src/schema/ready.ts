// Whether requests can be served, for `/readyz`. All who ask within a second share an answer, for which Postgres is asked
// one small question as long as the database was found well lately.
import { setTimeout } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { pendingMigrations } from "../migrate/migrations.ts";
import { keyTable } from "../statements/once.ts";
import { type Compared, compareSchema } from "./check/check.ts";

/** What is served, and the database that it needs. */
interface Served extends Compared {
  database: Database;
  authRequired: boolean;
}

/** Milliseconds for which an answer is kept, from one comparison to the next, and by which a kept answer is delayed,
 * so that a client in a loop takes no time from others. */
const [FRESH, LATELY, BRAKE] = [1000, 10_000, 50];

/** Makes the function that tells why requests would fail, if they would; it rejects if the database is away. */
export function readiness(served: Served): () => Promise<string | undefined> {
  const { database, migrations, authRequired } = served;
  const own = authRequired ? undefined : [keyTable];
  /** Until when the last comparison holds; 0 if it found that requests fail. */
  let wellUntil = 0;
  let answer: Promise<string | undefined> | undefined;

  async function look(): Promise<string | undefined> {
    // A question would wait behind statements whose answers tell as much
    if (wellUntil > 0 && database.isBusy()) return undefined;
    const now = performance.now();
    if (now < wellUntil) {
      // If this fails, the comparison tells why
      const pending = await pendingMigrations(database, migrations).catch(() => migrations);
      if (pending.length === 0) return undefined;
    }
    const { findings } = await compareSchema(database, served, own);
    const failing = findings.find(({ fails }) => fails);
    wellUntil = failing ? 0 : now + LATELY;
    return failing?.sentence;
  }

  return async () => {
    if (answer) await delay(BRAKE);
    answer ??= look().finally(() => setTimeout(() => answer = undefined, FRESH).unref());
    return await answer;
  };
}
