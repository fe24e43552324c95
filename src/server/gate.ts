// How many requests may wait for the database at once.
import { line } from "./line.ts";
import type { Load } from "./metrics.ts";
import { Problem } from "../problem.ts";

/** What work passes on its way to the database. */
export interface Gate {
  /** Lets one in, at once where there is room; rejects with a problem where there was none for long. */
  enter(): Promise<void> | undefined;
  /** Tells that one that was let in has come out. */
  leave(): void;
}

interface Waiting {
  enter(): void;
  refuse(problem: Problem): void;
}

/** Lets so many through at once. Others wait until one comes out, in their order, for some seconds at
 * most, and are then told to come back: a refusal costs as much as an answer, so those who come back
 * at once, against all advice, would leave no time to serve the others if they did not wait first. */
export function gate(capacity: number, seconds: number, load: Load): Gate {
  const waiting = line<Waiting>(seconds, ({ refuse }) => {
    load.refused++;
    refuse(new Problem("unavailable", "Too many requests are under way"));
  });

  return {
    enter() {
      if (load.inside === capacity) {
        return new Promise((enter, refuse) => waiting.join({ enter, refuse }));
      }
      load.inside++;
      return undefined;
    },

    leave() {
      // The place goes to who has waited for longest
      const next = waiting.shift();
      if (next) next.enter();
      else load.inside--;
    },
  };
}
