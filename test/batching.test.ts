// Batches on their own: which items share a statement, when it is sent, and who gets a failure.
import { setImmediate as turn } from "node:timers/promises";
import postgres from "postgres";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { batched, type BatchOptions } from "./house.ts";
import { until } from "./program.ts";

const test = suite("batch");

type Options = Partial<BatchOptions<number, string>>;

/** A function for one item, over a statement that ends when the test says so. */
function statement(options: Options = {}) {
  const runs: { items: number[]; end(error?: unknown): void }[] = [];
  const sizes: number[] = [];
  const run = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: unknown) =>
        error ? reject(error) : resolve(items.map((item) => `result of ${item}`));
      runs.push({ items, end });
    });
  const observe = (size: number) => sizes.push(size);
  return {
    ask: batched(run, { size: 10, inFlight: 1, observe, ...options }),
    /** The items of each statement so far. */
    items: () => runs.map(({ items }) => items),
    /** The sizes that were told. */
    sizes,
    end: (index: number, error?: unknown) => runs[index]!.end(error),
    begun: (count: number) => until(`${count} statements began`, () => runs.length === count),
  };
}

const refusal = (code: string) => Object.assign(new postgres.PostgresError("Refused"), { code });

/** What became of each: its result, or that it failed. */
async function settled(results: Promise<string>[]): Promise<string[]> {
  const all = await Promise.allSettled(results);
  return all.map((one) => one.status === "fulfilled" ? one.value : "failed");
}

test("sends an item that comes alone at once, and so the next one after that", async () => {
  const { ask, items, end } = statement();
  const first = ask(1);
  assert.equal(items(), [[1]]);
  end(0);
  assert.is(await first, "result of 1");
  await turn();
  ask(2);
  assert.equal(items(), [[1], [2]]);
});

test("gathers items while a statement is under way, and serves them with the next", async () => {
  const { ask, items, end, begun, sizes } = statement();
  const results = [ask(1), ask(2), ask(3)];
  await turn();
  assert.equal(items(), [[1]], "A statement that has left takes nobody in");
  end(0);
  await begun(2);
  results.push(ask(4));
  await turn();
  assert.equal(items(), [[1], [2, 3]]);
  end(1);
  await begun(3);
  end(2);
  assert.equal(await settled(results), [1, 2, 3, 4].map((item) => `result of ${item}`));
  assert.equal(sizes, [1, 2, 1], "The size of each statement is told");
});

test("sends no more items in a statement than its size, in the order of arrival", async () => {
  const { ask, items, end, begun } = statement({ size: 2 });
  const results = [1, 2, 3, 4, 5].map(ask);
  for (const index of [0, 1, 2]) {
    await begun(index + 1);
    end(index);
  }
  assert.equal(items(), [[1], [2, 3], [4, 5]]);
  assert.is((await Promise.all(results)).length, 5);
});

test("sends further statements beside the first, each with all items of one turn of the event loop", async () => {
  const { ask, items, end, begun } = statement({ inFlight: 3 });
  const results = [1, 2, 3].map(ask);
  assert.equal(items(), [[1]], "Others wait for the end of the turn");
  await begun(2);
  results.push(...[4, 5].map(ask));
  await begun(3);
  results.push(...[6, 7].map(ask));
  await turn();
  assert.equal(items(), [[1], [2, 3], [4, 5]], "There are no four");
  end(1);
  await begun(4);
  assert.equal(items()[3], [6, 7]);
  for (const index of [0, 2, 3]) end(index);
  assert.equal(
    await settled(results),
    [1, 2, 3, 4, 5, 6, 7].map((item) => `result of ${item}`),
  );
});

test("sends further statements while there is room for more items than are in flight", async () => {
  let room = 3;
  const { ask, items, end, begun } = statement({ room: () => room });
  const results = [1, 2, 3].map(ask);
  await begun(2);
  results.push(...[4, 5].map(ask));
  await turn();
  assert.equal(items(), [[1], [2, 3]], "There is no room for more than three");
  end(0);
  await begun(3);
  assert.equal(items()[2], [4, 5], "There is, beside two");
  room = 0;
  end(1);
  await turn();
  results.push(ask(6));
  await turn();
  assert.is(items().length, 3, "No session is free");
  end(2);
  await begun(4);
  end(3);
  assert.equal(await settled(results), [1, 2, 3, 4, 5, 6].map((item) => `result of ${item}`));
});

test("waits for a result that is still to come, and sends the next statement meanwhile", async () => {
  const late = Promise.withResolvers<string>();
  const run = (items: number[]) =>
    Promise.resolve(items.map((item) => item === 1 ? late.promise : `result of ${item}`));
  const ask = batched(run, { size: 10, inFlight: 1, observe() {} });
  const first = ask(1);
  assert.is(await ask(2), "result of 2");
  late.resolve("late");
  assert.is(await first, "late");
});

test("sends the next statement while one takes long", async () => {
  const { ask, items, end, begun } = statement({ hold: 1 });
  const results = [ask(1)];
  await turn();
  results.push(ask(2));
  await begun(2);
  assert.equal(items(), [[1], [2]]);
  end(1);
  assert.is(await results[1], "result of 2");
  end(0);
  assert.is(await results[0], "result of 1");
});

const late = refusal("57014");

/** Milliseconds of a statement that took too long; half as many are left for its items. */
const SLOW = 1000;

test("sends each item alone, once, after a statement that took too long: no neighbour fails", async () => {
  const alone: number[] = [];
  const { ask, items, end, begun, sizes } = statement({
    async alone(item) {
      alone.push(item);
      if (item === 2) throw late;
      return await Promise.resolve(`${item} alone`);
    },
  });
  const results = [0, 1, 2, 3, 4].map(ask);
  end(0);
  await begun(2);
  await delay(SLOW);
  end(1, late);
  assert.equal(await settled(results), [
    ...["result of 0", "1 alone", "failed"],
    ...["3 alone", "4 alone"],
  ]);
  assert.equal(alone, [1, 2, 3, 4]);
  assert.equal(items(), [[0], [1, 2, 3, 4]]);
  assert.equal(sizes, [1, 4, 1, 1, 1, 1]);
});

test("sends nothing again after a statement that took too long if an item was alone, or cannot be", async () => {
  const alone: number[] = [];
  const single = statement({ alone: (item) => Promise.resolve(String(alone.push(item))) });
  const one = [single.ask(1)];
  single.end(0, late);
  assert.equal(await settled(one), ["failed"]);
  assert.equal(alone, []);

  const shared = statement();
  const several = [1, 2, 3].map(shared.ask);
  shared.end(0);
  await shared.begun(2);
  shared.end(1, late);
  assert.equal(await settled(several), ["result of 1", "failed", "failed"]);
  assert.equal(shared.items(), [[1], [2, 3]]);
});

for (
  const [what, error] of [
    ["a refusal by a trigger", refusal("P0001")],
    ["a lock that another session holds", refusal("55P03")],
    ["Postgres that goes away", refusal("57P01")],
    ["a pooler that lost its connection", refusal("08P01")],
    ["an outcome that nobody knows", refusal("08007")],
    ["a disk that is full", refusal("53100")],
    ["a host that takes no writes", refusal("25006")],
    ["an error of the system", refusal("58030")],
    ["a connection that was lost", Object.assign(new Error("Lost"), { code: "CONNECTION_CLOSED" })],
    ["a defect", new TypeError("Defect")],
  ] as const
) {
  test(`sends nothing again after ${what}, and serves later items`, async () => {
    const alone: number[] = [];
    const { ask, items, end, begun } = statement({
      alone: (item) => Promise.resolve(String(alone.push(item))),
    });
    const results = [1, 2, 3].map(ask);
    end(0);
    await begun(2);
    end(1, error);
    assert.equal(await settled(results), ["result of 1", "failed", "failed"]);
    assert.equal(alone, []);
    ask(4);
    await begun(3);
    assert.equal(items(), [[1], [2, 3], [4]]);
  });
}

test("lets an item that is slow alone hold up neither its neighbours nor later items", async () => {
  const { ask, end, begun } = statement({
    hold: 1,
    alone: (item) => item === 1 ? new Promise(() => {}) : Promise.resolve(`${item} alone`),
  });
  const [first, _slow, ...others] = [0, 1, 2, 3].map(ask);
  end(0);
  await first;
  await begun(2);
  const later = ask(4);
  end(1, late);
  assert.equal(await Promise.all(others), ["2 alone", "3 alone"]);
  await begun(3);
  end(2);
  assert.is(await later, "result of 4");
});

test.run();
