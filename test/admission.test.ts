// How long a request may take, and how many may use the database at once. Here their work waits for the
// test instead.
// Needs: Deno
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bar, create, declarationOf, last, read, resource, type Verb } from "./house.ts";
import { until } from "./program.ts";
import { type Answer, type Fresh, freshPostgres, type Options, serviceOn } from "./service.ts";

const test = suite("admission");
let database: Fresh;
let awake: ReturnType<typeof setInterval>;
test.before(async () => {
  database = await freshPostgres();
  awake = setInterval(() => {}, 1000); // no socket keeps this process from its end
});
test.after(async () => {
  clearInterval(awake);
  await database.stop();
});

/** A service whose requests wait until they are let go, the first that came first. */
function holding(options: Options) {
  const held: ((status: "ends" | "fails") => void)[] = [];
  const prepare: Verb["prepare"] = () => () =>
    new Promise((resolve, reject) => {
      held.push((how) => {
        if (how === "ends") resolve({ status: 200, body: '{"id":1,"name":""}', tag: "1" });
        else reject(new Error("It failed late"));
      });
    });
  const verbs = [last, create].map((verb) => ({ ...verb, prepare }));
  const routes = { "/held/": verbs, "/held/{id}/": [read] };
  const service = serviceOn(database, {
    resources: [resource("bar", { ...declarationOf(bar), routes })],
    ...options,
  });
  return {
    ...service,
    ask: () => service.send("GET /held/"),
    /** How many ask the database now. */
    under: () => held.length,
    release: (how: "ends" | "fails" = "ends") => held.shift()!(how),
  };
}

const status = async (answer: Promise<Answer>) => (await answer).status;

/** The statuses of answers so far, in the order in which they came. */
function collect(answers: Promise<Answer>[]): number[] {
  const statuses: number[] = [];
  for (const answer of answers) answer.then(({ status }) => statuses.push(status));
  return statuses;
}

for (const how of ["ends", "fails"] as const) {
  test(`a seat becomes free when the work ${how}, not when the client gets 504`, async () => {
    const { ask, under, release } = holding({ capacity: 1, timeLimit: 2 });
    assert.is(await status(ask()), 504);
    assert.is(await status(ask()), 503, "The work goes on, so there is no seat");
    assert.is(under(), 1);
    release(how);
    await delay(0);
    const third = ask();
    await until("it has the seat", () => under() === 1);
    release();
    assert.is(await status(third), 200);
  });
}

test("requests that wait for a seat get it in the order of arrival", async () => {
  const { ask, under, release } = holding({ capacity: 2, timeLimit: 60 });
  const statuses = collect(Array.from({ length: 5 }, ask));
  await until("two have seats", () => under() === 2);
  for (const left of [2, 2, 2, 1, 0]) {
    const before = statuses.length;
    release();
    await until(
      "one is answered, and the next has its seat",
      () => statuses.length > before && under() === left,
    );
  }
  assert.equal(statuses, Array(5).fill(200));
});

test("no request waits for a seat longer than a tenth of the time limit", async () => {
  const { ask, under, release } = holding({ capacity: 1, timeLimit: 2 });
  const first = ask();
  await until("it has the seat", () => under() === 1);
  const started = performance.now();
  const refused = await ask();
  const waited = performance.now() - started;
  assert.is(refused.status, 503, "It is told before all of its time is up, which would be 504");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.ok(waited > 190, String(waited));
  release();
  assert.is(await status(first), 200);
});

test("a request whose deadline passes while it waits for a seat leaves the queue", async () => {
  const { fetch, ask, under, release } = holding({ capacity: 1, timeLimit: 4 });
  const almost = delay(3800); // less than the tenth that it may wait is left then
  const body = new ReadableStream({
    async pull(controller) {
      await almost;
      controller.enqueue(new TextEncoder().encode('{"name":"Late"}'));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  const late = fetch(new Request("http://relata.test/held/", init));
  await delay(500);
  const first = ask();
  await until("it has the seat", () => under() === 1);
  assert.is((await late).status, 504);
  await delay(400); // its wait for a seat would be over, too
  const metrics = await fetch(new Request("http://relata.test/metrics"));
  const noneShed = /^relata_database_requests_shed_total 0$/m;
  assert.match(await metrics.text(), noneShed, "It was answered once, and is counted once");
  release();
  assert.is(await status(first), 200);
  await delay(10);
  assert.is(under(), 0, "Its work is never done");
});

test("requests that arrive at the deadline of others have their whole time limit", async () => {
  const { ask, under, release } = holding({ capacity: 100, timeLimit: 4 });
  const early = Array.from({ length: 10 }, ask);
  await delay(2000);
  const later = collect(Array.from({ length: 10 }, ask));
  assert.equal(await Promise.all(early.map(status)), Array(10).fill(504));
  assert.equal(later, [], "Half of their time is left");
  assert.is(under(), 20);
  for (let count = 0; count < 20; count++) release();
  await until("they are answered", () => later.length === 10);
  assert.equal(later, Array(10).fill(200));
});

test("a request that was given up is answered once, and drain does not wait for it", async () => {
  const lines: string[] = [];
  const { app, ask, release } = holding({
    capacity: 1,
    timeLimit: 0.2,
    log: (_level, message) => void lines.push(message),
  });
  assert.is(await status(ask()), 504);
  await app.drain();
  release();
  await delay(10);
  assert.equal(lines.filter((message) => message === "request").length, 1);
});

test("drain waits for every request, and for those that arrive meanwhile", async () => {
  const { app, ask, under, release } = holding({ capacity: 10, timeLimit: 60 });
  const answers = [ask()];
  let isDrained = false;
  const drained = app.drain().then(() => isDrained = true);
  answers.push(ask());
  await until("both have seats", () => under() === 2);
  release();
  await answers[0];
  assert.not.ok(isDrained);
  release();
  await Promise.all([drained, ...answers]);
});

test.run();
