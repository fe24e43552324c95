// Coalescing: requests that arrive while statements are in flight share the next one. Nobody waits for
// company by the clock. A batch that has left takes nobody in, so nobody reads what was true before
// they asked.
import { setImmediate } from "node:timers";
import { ranOut, wasRefused } from "./errors.ts";

export interface Batching<Item, Result> {
  /** The items of a statement at most. */
  size: number;
  /** Statements in flight at most. */
  inFlight: number;
  /** Items in flight from which on no other statement leaves beside theirs. */
  crowd?: number;
  /** Serves one item by itself, where the statement for several failed for what one of them is, or took
   * too long. */
  alone?(item: Item): Promise<Result>;
  /** Is told the size of each statement. */
  observe(size: number): void;
}

/** The items that one statement serves at most, since the first of them waits for the last, and the
 * statements in flight: more of them would take the sessions of others. */
export const SHARED = { size: 128, inFlight: 2 };

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/** Makes of a statement for several items, which gives a result for each in their order, a function
 * for one. What one statement fails with, all its items do, unless they can be served alone. */
export function batched<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
  { size, inFlight, crowd = Infinity, alone, observe }: Batching<Item, Result>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let statements = 0;
  let items = 0;
  /** How many the last statement served. */
  let company = 1;
  let isDue = false;

  async function leave(): Promise<void> {
    isDue = false;
    while (waiting.length > 0 && statements < inFlight && items < crowd) {
      const batch = waiting.splice(0, size);
      company = batch.length;
      statements++;
      items += batch.length;
      await serve(batch);
      statements--;
      items -= batch.length;
    }
  }

  async function serve(batch: Waiting<Item, Result>[]): Promise<void> {
    const began = performance.now();
    observe(batch.length);
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, place) => resolve(results[place]!));
    } catch (error) {
      const isLate = ranOut(error);
      if (!alone || batch.length === 1 || !isLate && !wasRefused(error)) {
        return batch.forEach(({ reject }) => reject(error));
      }
      const now = performance.now();
      // Others have gathered meanwhile, and are to be answered in time too
      await serveEach(batch, error, isLate ? now + (now - began) / 2 : Infinity);
    }
  }

  /** Serves items one by one, two at a time, so that one which is slow holds up no other. From a
   * moment on, what is left fails as all of them did. */
  async function serveEach(
    batch: Waiting<Item, Result>[],
    error: unknown,
    until: number,
  ): Promise<void> {
    const rest = batch.values();
    async function lane(): Promise<void> {
      for (const { item, resolve, reject } of rest) {
        if (performance.now() > until) {
          reject(error);
        } else {
          observe(1);
          await alone!(item).then(resolve, reject);
        }
      }
    }
    await Promise.race([lane(), lane()]);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isDue || statements >= inFlight || items >= crowd) return;
      if (statements === 0 && company === 1) return void leave();
      // Others arrive in the same turn of the event loop, and leave with it
      isDue = true;
      setImmediate(leave);
    });
}
