// How long a request may take, and how many may wait for the database at once.
import { line } from "./line.ts";
import { Problem } from "../problem.ts";

/** Makes what gives up waiting after some seconds, and says why; what was waited for may still come to
 * its end. */
export function deadline(seconds: number) {
  const waiting = line<() => void>(seconds, (giveUp) => giveUp());
  return <Result>(work: Promise<Result>, why: () => Problem): Promise<Result> =>
    new Promise((resolve, reject) => {
      const place = waiting.join(() => reject(why()));
      const settle = <Value>(end: (value: Value) => void) => (value: Value) => {
        place.leave();
        end(value);
      };
      work.then(settle(resolve), settle(reject));
    });
}

/** Lets work through, or refuses it. */
export type Gate = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

/** What a gate has let through and not seen the end of, and what it has refused so far. */
export interface Load {
  inside: number;
  refused: number;
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

  function turn(): Promise<void> {
    return new Promise((enter, refuse) => waiting.join({ enter, refuse }));
  }

  /** Gives the place to who has waited for longest. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next.enter();
    else load.inside--;
  }

  return async (work) => {
    if (load.inside < capacity) load.inside++;
    else await turn();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
