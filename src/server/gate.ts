// How many requests may wait for the database at once.
import { line } from "./line.ts";
import type { Load } from "./metrics.ts";
import { Problem } from "../problem.ts";

/** Has work done that asks the database, at once where there is room; rejects with a problem where
 * there was none for long. */
export type Gate = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

interface Waiting {
  enter(): void;
  refuse(problem: Problem): void;
}

/** Has `capacity` pieces of work done at once. The rest wait in their order, for so many seconds at most,
 * and are then refused. They wait first since a refusal costs as much as an answer: clients that ask
 * again at once would leave no time to serve the others. */
export function gate(capacity: number, seconds: number, load: Load): Gate {
  const waiting = line<Waiting>(seconds, ({ refuse }) => {
    load.refused++;
    refuse(new Problem("unavailable", "Too many requests are under way"));
  });

  return async (work) => {
    if (load.inside < capacity) load.inside++;
    else await new Promise<void>((enter, refuse) => waiting.join({ enter, refuse }));
    try {
      return await work();
    } finally {
      // The place goes to who has waited for longest
      const next = waiting.shift();
      if (next) next.enter();
      else load.inside--;
    }
  };
}
