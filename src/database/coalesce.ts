// Coalescing: while statements are under way, what arrives gathers, and the next one serves it all.
// Nobody waits for company by the clock: at most until the end of the event loop's turn. What has left
// takes no newcomers, so nobody reads what was true before they asked.
import { setImmediate } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import { ranOut, wasRefused } from "./state.ts";

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface Coalescing<Item, Result> {
  /** The items of a statement at most. */
  size: number;
  /** What they weigh together at most; an item that weighs more by itself leaves alone. */
  weight?: number;
  weigh?: (item: Item) => number;
  /** Statements under way at most. */
  abreast?: number;
  /** Items under way from which on no other statement leaves beside theirs. */
  crowd?: number;
  /** Serves an item by itself, waiting for no lock for long. */
  alone?: (item: Item) => Promise<Result>;
  /** Is told the size of each statement. */
  observe?: (size: number) => void;
}

/** How long the items of a statement that ran out of time are served one by one, as a part of the time
 * that it took: others have gathered meanwhile, and are to be answered in time too. */
const SEARCH = 1 / 2;

/** Makes of a statement for up to `size` items, which gives a result for each in their order, a
 * function for one. A statement that Postgres refused runs again in halves, in order, down to the
 * item that it fails for. One that ran out of time is followed by `alone` for each item, where there
 * is that. Any other failure is that of all its items, never sent again. */
export function coalesce<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  options: Coalescing<Item, Result>,
): (item: Item) => Promise<Result> {
  const { size, weight = Infinity, weigh = () => 0 } = options;
  const { abreast = 1, crowd = Infinity, alone, observe } = options;
  const gathered: Waiting<Item, Result>[] = [];
  /** Statements under way. */
  let statements = 0;
  /** The items that they serve. */
  let items = 0;
  /** How many the last statement served. */
  let company = 0;
  /** Whether a statement leaves at the end of the event loop's turn. */
  let isDue = false;

  function mayLeave(): boolean {
    return statements < abreast && items < crowd && gathered.length > 0;
  }

  /** How many of those that have gathered leave together. */
  function fitting(): number {
    let left = weight;
    for (let count = 0; count < size && count < gathered.length; count++) {
      left -= weigh(gathered[count]!.item);
      if (left < 0) return Math.max(count, 1);
    }
    return size;
  }

  async function depart(): Promise<void> {
    while (mayLeave()) {
      const leaving = gathered.splice(0, fitting());
      company = leaving.length;
      statements++;
      items += leaving.length;
      await serve(leaving);
      statements--;
      items -= leaving.length;
    }
  }

  /** What comes while others are under way, or after several that were served together, is seldom
   * alone: others arrive in the same turn of the event loop, and leave with it. */
  function arrive(): void {
    if (isDue || !mayLeave()) return;
    if (statements === 0 && company <= 1) return void depart();
    isDue = true;
    setImmediate(() => {
      isDue = false;
      depart();
    });
  }

  async function serve(waiting: Waiting<Item, Result>[]): Promise<void> {
    const began = performance.now();
    observe?.(waiting.length);
    try {
      const results = await run(waiting.map(({ item }) => item));
      waiting.forEach(({ resolve }, place) => resolve(results[place] as Result));
    } catch (error) {
      if (waiting.length > 1 && alone && ranOut(error)) {
        return await serveEach(waiting, error, (performance.now() - began) * SEARCH);
      }
      if (waiting.length === 1 || !wasRefused(error)) {
        return waiting.forEach(({ reject }) => reject(error));
      }
      const half = Math.ceil(waiting.length / 2);
      await serve(waiting.slice(0, half));
      await serve(waiting.slice(half));
    }
  }

  /** Serves items one by one, two at a time, so that one which is slow holds up no other; what has not
   * been sent within some milliseconds fails as all of them did. */
  async function serveEach(
    waiting: Waiting<Item, Result>[],
    error: unknown,
    milliseconds: number,
  ): Promise<void> {
    const rest = new Set(waiting);
    async function lane(): Promise<void> {
      for (const one of rest) {
        rest.delete(one);
        observe?.(1);
        await alone!(one.item).then(one.resolve, one.reject);
      }
    }
    const over = new AbortController();
    const { signal } = over;
    const end = delay(milliseconds, undefined, { signal }).catch(() => {});
    await Promise.race([lane(), lane(), end]);
    over.abort();
    for (const one of rest) {
      rest.delete(one);
      one.reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      arrive();
    });
}
