// Coalescing: while a statement is under way, what arrives gathers, and the next one serves it all.
// There is no timer: what comes alone leaves at once, and what has left takes no newcomers, so nobody
// reads what was true before they asked. (More statements under way at once were tried: they serve
// fewer each, and all of them less.)
import { wasRefused } from "./sql.ts";

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Makes of a statement for up to `size` items, which gives a result for each in their order, a
 * function for one. A statement that Postgres refused runs again in halves, in order, down to the
 * item that it fails for; any other failure is that of all its items, never sent again. Whoever
 * observes it is told the size of each statement. */
export function coalesce<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  size: number,
  observe?: (size: number) => void,
): (item: Item) => Promise<Result> {
  const gathered: Waiting<Item, Result>[] = [];
  let underWay = false;

  async function depart(): Promise<void> {
    underWay = true;
    while (gathered.length > 0) await serve(gathered.splice(0, size));
    underWay = false;
  }

  async function serve(waiting: Waiting<Item, Result>[]): Promise<void> {
    observe?.(waiting.length);
    try {
      const results = await run(waiting.map(({ item }) => item));
      waiting.forEach(({ resolve }, place) => resolve(results[place] as Result));
    } catch (error) {
      if (waiting.length === 1 || !wasRefused(error)) {
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
      if (!underWay) depart();
    });
}
