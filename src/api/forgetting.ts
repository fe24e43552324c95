// Deletes what is kept for a time only, some at a time: requests that need the rest gone do it, and are not held up.

import type { Database } from "../db/database.ts";
import type { Statement, Value } from "../db/sql.ts";
import { FORGOTTEN } from "../statements/once.ts";

/** Milliseconds between two requests that delete. */
const PAUSE = 60_000;

/** Makes the function that runs a statement which deletes what is too old, once a minute, or at once if the last time may
 * have left some. */
export function forgetting<Values extends Record<string, Value>>(
  { run }: Pick<Database, "run">,
  statement: Statement<Values, { count: number }>,
  values: Values,
): () => Promise<void> {
  let due = 0;
  return async () => {
    if (performance.now() < due) return;
    due = performance.now() + PAUSE;
    const [forgotten] = await run(statement, values);
    if (forgotten!.count === FORGOTTEN) due = 0;
  };
}
