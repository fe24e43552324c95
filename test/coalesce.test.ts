// Coalescing by itself: what gathers, what leaves, and who is told of a failure.
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { coalesce } from "./house.ts";
import { until } from "./program.ts";

const test = suite("coalescing");

/** A statement that ends when the test says so, and what it was run for. */
function statement() {
  const runs: { items: number[]; end(error?: unknown): void }[] = [];
  const run = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: unknown) =>
        error ? reject(error) : resolve(items.map((item) => `result of ${item}`));
      runs.push({ items, end });
    });
  return {
    run,
    items: () => runs.map(({ items }) => items),
    end: (place: number, error?: unknown) => runs[place]!.end(error),
    begun: (count: number) => until(`${count} statements began`, () => runs.length === count),
  };
}

const refusal = (code: string) => Object.assign(new postgres.PostgresError("Refused"), { code });

test("sends at once what comes alone", () => {
  const { run, items } = statement();
  coalesce(run, { size: 10 })(1);
  assert.equal(items(), [[1]]);
});

test("gathers what comes while a statement is under way, and serves it with the next", async () => {
  const { run, items, end, begun } = statement();
  const ask = coalesce(run, { size: 10 });
  const results = [ask(1), ask(2), ask(3)];
  assert.equal(items(), [[1]], "A statement that has left takes no newcomers");
  end(0);
  await begun(2);
  results.push(ask(4));
  assert.equal(items(), [[1], [2, 3]]);
  end(1);
  await begun(3);
  end(2);
  assert.equal(await Promise.all(results), [1, 2, 3, 4].map((item) => `result of ${item}`));
});

test("lets all leave together that come in one turn, once several did", async () => {
  const { run, items, end, begun } = statement();
  const ask = coalesce(run, { size: 10 });
  const several = [1, 2, 3].map(ask);
  end(0);
  await begun(2);
  end(1);
  await Promise.all(several);
  const next = [4, 5].map(ask);
  assert.is(items().length, 2, "Nobody left yet");
  await begun(3);
  assert.equal(items()[2], [4, 5]);
  end(2);
  await Promise.all(next);
  const alone = ask(6);
  await begun(4);
  end(3);
  await alone;
  await turn();
  ask(7);
  assert.equal(items()[4], [7], "Who comes after one that was alone leaves at once again");
});

test("serves no more at once than it may, in the order of arrival", async () => {
  const { run, items, end, begun } = statement();
  const ask = coalesce(run, { size: 2 });
  const results = [1, 2, 3, 4, 5].map(ask);
  end(0);
  await begun(2);
  end(1);
  await begun(3);
  end(2);
  assert.equal(items(), [[1], [2, 3], [4, 5]]);
  assert.is((await Promise.all(results)).length, 5);
});

test("serves together no more than weighs as much as it may, in the order of arrival", async () => {
  const { run, items, end, begun } = statement();
  const ask = coalesce(run, { size: 3, weight: 10, weigh: (item) => item });
  const results = [1, 4, 6, 1, 11, 12, 2, 2, 2, 2].map(ask);
  const together = [[1], [4, 6], [1], [11], [12], [2, 2, 2], [2]];
  for (const place of together.keys()) {
    await begun(place + 1);
    end(place);
  }
  assert.equal(items(), together, "What is too heavy for any company leaves alone");
  assert.is((await Promise.all(results)).length, 10);
});

test("sends others beside the one under way, each for all that came in one turn", async () => {
  const { run, items, end, begun } = statement();
  const ask = coalesce(run, { size: 10, abreast: 3 });
  const results = [1, 2, 3].map(ask);
  assert.equal(items(), [[1]], "Who comes while it is under way waits for the end of the turn");
  await begun(2);
  results.push(...[4, 5].map(ask));
  await begun(3);
  results.push(...[6, 7].map(ask));
  await turn();
  assert.equal(items(), [[1], [2, 3], [4, 5]], "There are no four");
  end(1);
  await begun(4);
  assert.equal(items()[3], [6, 7]);
  [0, 2, 3].forEach((place) => end(place));
  assert.equal(
    await Promise.all(results),
    [1, 2, 3, 4, 5, 6, 7].map((item) => `result of ${item}`),
  );
});

test("sends nothing beside a crowd until less of it is under way", async () => {
  const { run, items, end, begun } = statement();
  const ask = coalesce(run, { size: 10, abreast: 3, crowd: 3 });
  const results = [1, 2, 3].map(ask);
  await begun(2);
  results.push(...[4, 5].map(ask));
  await turn();
  assert.equal(items(), [[1], [2, 3]], "Three are a crowd");
  end(0);
  await begun(3);
  assert.equal(items()[2], [4, 5], "Two are none");
  [1, 2].forEach((place) => end(place));
  assert.is((await Promise.all(results)).length, 5);
});

test("finds the item that Postgres refuses, and serves its neighbours in their order", async () => {
  const tried: number[][] = [];
  const run = (items: number[]) => {
    tried.push(items);
    return items.includes(3) ? Promise.reject(refusal("P0001")) : Promise.resolve(items);
  };
  const ask = coalesce(run, { size: 10 });
  const settled = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(ask));
  assert.equal(settled.map(({ status }) => status === "fulfilled"), [
    ...[true, true, true],
    ...[false, true, true],
  ]);
  assert.equal(tried, [[0], [1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [3], [4, 5]]);
});

for (
  const [what, error] of [
    ["Postgres that goes away", refusal("57P01")],
    ["a pooler that lost its connection", refusal("08P01")],
    ["a statement that was cancelled", refusal("57014")],
    ["a lock that another session holds", refusal("55P03")],
    ["a disk that is full", refusal("53100")],
    ["a connection that was lost", Object.assign(new Error("Lost"), { code: "CONNECTION_CLOSED" })],
  ] as const
) {
  test(`never sends again what met ${what}`, async () => {
    const { run, items, end, begun } = statement();
    const ask = coalesce(run, { size: 10 });
    const results = Promise.allSettled([1, 2, 3].map(ask));
    end(0);
    await begun(2);
    end(1, error);
    const settled = await results;
    assert.equal(settled.map(({ status }) => status), ["fulfilled", "rejected", "rejected"]);
    assert.equal(items(), [[1], [2, 3]]);
    ask(4);
    await begun(3);
    assert.equal(items(), [[1], [2, 3], [4]], "What comes later is served");
  });
}

for (const code of ["55P03", "57014"]) {
  test(`runs item by item what ran out of time with ${code}, so that no neighbour fails of it`, async () => {
    const { run, end, begun } = statement();
    const alone: number[] = [];
    const ask = coalesce(run, {
      size: 10,
      alone: async (item) => {
        alone.push(item);
        if (item === 2) throw refusal("55P03");
        return await Promise.resolve(`${item} alone`);
      },
    });
    const results = Promise.allSettled([0, 1, 2, 3, 4].map(ask));
    end(0);
    await begun(2);
    end(1, refusal(code));
    assert.equal((await results).map((one) => one.status === "fulfilled" && one.value), [
      "result of 0",
      ...["1 alone", false, "3 alone", "4 alone"],
    ]);
    assert.equal(alone, [1, 2, 3, 4], "Each is sent once");
  });
}

test("lets one item that is slow hold up neither its neighbours nor those who come later", async () => {
  const { run, end, begun } = statement();
  const ask = coalesce(run, {
    size: 10,
    alone: (item) => item === 1 ? new Promise<string>(() => {}) : Promise.resolve(`${item} alone`),
  });
  const [first, _, ...others] = [0, 1, 2, 3].map(ask);
  end(0);
  await first;
  await begun(2);
  const later = ask(4);
  end(1, refusal("57014"));
  assert.equal(await Promise.all(others), ["2 alone", "3 alone"]);
  await begun(3);
  end(2);
  assert.is(await later, "result of 4");
});

test("gives up items that take too long one by one, with what they failed of together", async () => {
  const { run, end, begun } = statement();
  const sent: number[] = [];
  const ask = coalesce(run, {
    size: 10,
    alone: (item) => {
      sent.push(item);
      return new Promise<string>(() => {});
    },
  });
  const [first, _one, _other, ...rest] = [0, 1, 2, 3, 4].map(ask);
  end(0);
  await first;
  await begun(2);
  const error = refusal("55P03");
  end(1, error);
  const settled = await Promise.allSettled(rest);
  assert.equal(settled.map((one) => one.status === "rejected" && one.reason), [error, error]);
  assert.equal(sent, [1, 2], "What has failed is not sent");
});

test("sends nothing of what it has given up, when what held it up is done after all", async () => {
  const { run, end, begun } = statement();
  const sent: number[] = [];
  const late = Promise.withResolvers<string>();
  const ask = coalesce(run, {
    size: 10,
    alone: (item) => {
      sent.push(item);
      return late.promise;
    },
  });
  const [first, _one, _other, ...rest] = [0, 1, 2, 3, 4].map(ask);
  end(0);
  await first;
  await begun(2);
  end(1, refusal("55P03"));
  await Promise.allSettled(rest);
  late.resolve("late");
  await turn();
  assert.equal(sent, [1, 2]);
});

test("looks for what is slow for half as long as the statement took, and no longer", async () => {
  const { run, end, begun } = statement();
  const ask = coalesce(run, { size: 10, alone: () => new Promise<string>(() => {}) });
  const [first, ...rest] = [0, 1, 2, 3, 4].map(ask);
  const began = performance.now();
  end(0);
  await first;
  await begun(2);
  await delay(400);
  const took = performance.now() - began;
  end(1, refusal("55P03"));
  await Promise.allSettled(rest.slice(2));
  const searched = performance.now() - began - took;
  assert.ok(searched > took / 3 && searched < took * 1.5, `It looked for ${searched} ms`);
});

test.run();
