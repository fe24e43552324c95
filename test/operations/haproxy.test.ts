// Instances behind HAProxy, with `deploy/haproxy.cfg`, that are killed or told to end, and replaced, while
// clients send requests or follow records.
// Needs: Deno, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { soak } from "../faults/load.ts";
import { head, open } from "../faults/wire.ts";
import { type Following, following } from "../follow.ts";
import { ask, endAll, until } from "../program.ts";
import { assertServed } from "./clients.ts";
import { type Name, withFleet } from "./fleet.ts";
import { lacking } from "./program.ts";

const reason = lacking("haproxy");
const suiteOf = suite("instances behind HAProxy");
const test = reason ? suiteOf.skip : suiteOf;
suiteOf.after.each(endAll);

const ROUNDS = soak ? 20 : 2;

/** Requests that are answered between two ends. */
const ENOUGH = 200;

test(`one is killed, the other told to end, and no request fails${reason}`, async () => {
  await withFleet(async ({ proxy, clients, end, start }) => {
    const askedAgain = async (name: Name) => Number((await proxy.figures(name))["wretr"]);
    for (let round = 0; round < ROUNDS; round++) {
      const [killed, told] = round % 2 ? ["two", "one"] as const : ["one", "two"] as const;
      await clients.pass(ENOUGH);
      await end(killed, "SIGKILL");
      await clients.pass(ENOUGH);
      await start(killed);
      await end(told, "SIGTERM");
      await clients.pass(ENOUGH);
      await start(told);
    }
    await clients.pass(ENOUGH);
    const cutOff = await askedAgain("one") + await askedAgain("two");
    assert.ok(cutOff > 0, "Requests were cut off, which the proxy sent to the other");
    console.log(`${clients.outcome.answered} requests, of which ${cutOff} were sent again`);
  }, assertServed);
});

test(`without a proxy that repeats requests, some fail when one is killed${reason}`, async () => {
  await withFleet(
    async ({ clients: { outcome, pass }, end, start }) => {
      await pass(ENOUGH);
      while (outcome.faults.length === 0) {
        await end("one", "SIGKILL");
        await start("one");
      }
    },
    ({ faults }) => assert.match(faults[0]!, /^GET \S+: (502|0) /),
    { "retry-on conn-failure empty-response": "retry-on none" },
  );
});

test(`takes a body that comes with an offer to change the protocol${reason}`, async () => {
  await withFleet(async ({ proxy }) => {
    for (const protocol of ["h2c", "TLS/1.3"]) {
      const wire = await open(Number(new URL(proxy.url).port));
      const offer = ["Connection: Upgrade", `Upgrade: ${protocol}`];
      const json = ["Content-Type: application/json", "Content-Length: 2"];
      wire.send(`${head("POST /colere/", ...offer, ...json)}\r\n\r\n{}`);
      await until("it is answered", () => wire.answers().length === 1);
      wire.socket.destroy();
      assert.is(wire.answers()[0]!.status, 201, protocol);
    }
  }, assertServed);
});

test(`who follows records stays while there are none, and misses none when an instance ends${reason}`, async () => {
  await withFleet(async ({ proxy, clients, end, start }) => {
    await clients.stop(); // for half a minute, nothing but the stream
    const open = async (position?: string): Promise<Following> => {
      const headers = {
        accept: "text/event-stream",
        ...position && { "last-event-id": position },
      };
      return following(await fetch(`${proxy.url}/bottage/`, { headers }));
    };
    const say = async (cul: string) => {
      const { status, body } = await ask(proxy.url, "POST /bottage/", { cul, colere: 1 });
      assert.is(status, 201);
      return body;
    };
    await end("two", "SIGTERM");
    const stream = await open(); // so that it is at the first
    await start("two");

    const next = stream.next();
    let isOver = false;
    next.then(() => isOver = true, () => isOver = true);
    await until("two comments have come, with 15 seconds before each", () => {
      assert.not(isOver, "Nothing but comments comes");
      return stream.comments() > 1;
    });
    const created = await say("After the comments");
    assert.equal((await next)!.data, created);

    const last = stream.next();
    await end("one", "SIGTERM");
    assert.is(await last, undefined);
    const missed = [await say("Between two streams"), await say("The newest")];
    const again = await open(stream.position());
    for (const record of missed) assert.equal((await again.next())!.data, record);
    await again.close();
  }, assertServed);
});

suiteOf.run();
