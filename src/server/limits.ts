// How long a request may take, and how many may wait for the database at once.
import { setTimeout } from "node:timers";
import { Problem } from "../problem.ts";

interface Waiting {
  /** When it is given up, as `performance.now()` counts. */
  due: number;
  giveUp(): void;
}

/** Makes what gives up waiting after some seconds, and says why; what was waited for may still come to
 * its end. All that wait do so equally long, so the first in is the first due, and one timer serves
 * them all. */
export function deadline(seconds: number) {
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look(): void {
    timer = undefined;
    for (const one of waiting) {
      const left = one.due - performance.now();
      if (left > 0) return wake(left);
      waiting.delete(one);
      one.giveUp();
    }
  }

  function wake(milliseconds: number): void {
    timer ??= setTimeout(look, milliseconds).unref();
  }

  return <Result>(work: Promise<Result>, why: () => Problem): Promise<Result> =>
    new Promise((resolve, reject) => {
      const one: Waiting = {
        due: performance.now() + seconds * 1000,
        giveUp: () => reject(why()),
      };
      waiting.add(one);
      wake(seconds * 1000);
      const settle = <Value>(end: (value: Value) => void) => (value: Value) => {
        waiting.delete(one);
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

/** Lets so many through at once. Others wait until one comes out, in their order, for some seconds at
 * most, and are then told to come back: a refusal costs as much as an answer, so those who come back
 * at once, against all advice, would leave no time to serve the others if they did not wait first. */
export function gate(capacity: number, seconds: number, load: Load): Gate {
  const within = deadline(seconds);
  const queue = new Set<() => void>();

  async function turn(): Promise<void> {
    let enter!: () => void;
    const entered = new Promise<void>((resolve) => queue.add(enter = resolve));
    await within(entered, () => {
      queue.delete(enter);
      load.refused++;
      return new Problem("unavailable", "Too many requests are under way");
    });
  }

  return async (work) => {
    if (load.inside < capacity) load.inside++;
    else await turn();
    try {
      return await work();
    } finally {
      const [next] = queue;
      if (!next) load.inside--;
      else {
        queue.delete(next);
        next();
      }
    }
  };
}
