// Coalescing: requests that arrive while statements are in flight share the next one. No timer holds a
// request back. A batch that has been sent takes no more requests, so no request reads data that is
// older than itself.
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import type { Database } from "./database.ts";
import { isRaised, isTimeout } from "./errors.ts";
import type { Statement } from "./sql.ts";
import { HOLD } from "../time.ts";

export interface BatchOptions<Item, Result> {
  /** The most items in one statement. */
  size: number;
  /** The most statements in flight, unless there is room for more. */
  inFlight: number;
  /** The most milliseconds for which statements hold up others while none of them ends. */
  hold?: number;
  /** While fewer items than this are in flight, the next ones need not wait for a statement to end. */
  room?(): number;
  /** Serves one item by itself, after the statement for a batch took too long. */
  alone?(item: Item): Promise<Result>;
  /** Called with the number of items of each statement. */
  observe(size: number): void;
}

/** How requests share the statements of a database. At most 128 share one, because the first of them waits for
 * the last. Two reads in flight are cheapest: Postgres starts the second while the answers of the first are
 * written. Of writes it is one (bottages with 32 clients: a tenth cheaper than two). */
export function sharing(database: Pick<Database, "room">, effect: Statement["effect"]) {
  return {
    size: 128,
    inFlight: effect === "reads" ? 2 : 1,
    hold: HOLD,
    room: () => database.room(effect),
  };
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/** Turns a function for several items, which gives their results in the same order, into a function for
 * one item. If a statement fails, all its items fail, unless they can be served alone. */
export function batched<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
  { size, inFlight, hold = Infinity, room = () => 0, alone, observe }: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  /** Those in flight. */
  const batches = new Set<Waiting<Item, Result>[]>();
  let items = 0;
  /** The number of items of the last statement. */
  let lastSize = 1;
  let isDue = false;
  let patience: ReturnType<typeof setTimeout> | undefined;

  function mayLeave(): boolean {
    return batches.size < inFlight || items < room();
  }

  function sendWaiting(): void {
    isDue = false;
    while (waiting.length > 0 && mayLeave()) {
      const batch = waiting.splice(0, size);
      lastSize = batch.length;
      items += batch.length;
      batches.add(batch);
      serve(batch).then(() => goOn([batch]));
    }
    if (waiting.length > 0 && hold < Infinity) {
      patience ??= setTimeout(() => goOn(batches), hold);
    }
  }

  /** Goes on after batches that have ended, or have held up others for long enough. */
  function goOn(after: Iterable<Waiting<Item, Result>[]>): void {
    clearTimeout(patience);
    patience = undefined;
    for (const batch of after) if (batches.delete(batch)) items -= batch.length;
    sendWaiting();
  }

  async function serve(batch: Waiting<Item, Result>[]): Promise<void> {
    const began = performance.now();
    observe(batch.length);
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (!alone || batch.length === 1 || !isTimeout(error)) {
        return batch.forEach(({ reject }) => reject(error));
      }
      await serveEach(batch, error, performance.now() - began);
    }
  }

  /** Serves items one by one in two lanes, so that a slow one does not hold up the others. Their statement took
   * so many milliseconds, so the rest soon fail with its error: they have to be answered in time. */
  async function serveEach(
    batch: Waiting<Item, Result>[],
    error: unknown,
    tooLong: number,
  ): Promise<void> {
    // A function may raise it at once
    const until = isRaised(error) ? Infinity : performance.now() + tooLong / 2;
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
    await Promise.all([lane(), lane()]);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isDue) return;
      if (!mayLeave() || batches.size === 0 && lastSize === 1) return sendWaiting();
      // Others arrive in the same turn of the event loop, and are sent with it
      isDue = true;
      setImmediate(sendWaiting);
    });
}
