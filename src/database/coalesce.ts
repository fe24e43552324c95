// Coalescing: while statements are under way, what arrives gathers, and the next statement serves it
// all. There is no timer: what comes alone leaves at once, and what has left takes no newcomers, so
// nobody reads what was true before they asked.
import { wasUndone } from "./sql.ts";

/** How much is taken at once. */
export interface Bounds {
  /** What one statement serves at most. */
  size: number;
  /** Statements under way at most. */
  underWay: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Makes of a statement for many items, which gives a result for each in their order, a function for
 * one. A statement that failed and was undone runs again in halves, in order, down to the item that
 * it fails for; any other failure is that of all its items, and they are never sent again. */
export function coalesce<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { size, underWay }: Bounds,
): (item: Item) => Promise<Result> {
  const gathered: Waiting<Item, Result>[] = [];
  let statements = 0;

  function depart(): void {
    while (gathered.length > 0 && statements < underWay) {
      statements++;
      serve(gathered.splice(0, size)).then(() => {
        statements--;
        depart();
      });
    }
  }

  async function serve(waiting: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(waiting.map(({ item }) => item));
      waiting.forEach(({ resolve }, place) => resolve(results[place] as Result));
    } catch (error) {
      if (waiting.length === 1 || !wasUndone(error)) {
        return waiting.forEach(({ reject }) => reject(error));
      }
      const half = Math.ceil(waiting.length / 2);
      await serve(waiting.slice(0, half));
      await serve(waiting.slice(half));
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      depart();
    });
}
