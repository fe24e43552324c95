// How much of what a client sends before it is answered Node reads. That it is served in its order, and
// what becomes of it when the server ends, is shown by the faults.
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connectionsTo } from "./house.ts";
import { head, open } from "./faults/wire.ts";
import { until } from "./program.ts";

const test = suite("connections");
const onDeno = "Deno" in globalThis;

const COUNT = 20_000;

const title = "reads no further while requests wait for their turn, and goes on then";
if (onDeno) test.skip(`${title} (skipped under Deno, which serves them in their order by itself)`);
else {
  test(title, async () => {
    const server = createServer();
    const { inTurn } = connectionsTo(server);
    const order: number[] = [];
    let near: Socket;
    let heard = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => release = resolve);
    server.on("connection", (socket) => near = socket);
    server.on("request", (incoming, outgoing) => {
      const place = heard++;
      inTurn(incoming, outgoing, () => {
        order.push(place);
        held.then(() => outgoing.end());
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const wire = await open((server.address() as AddressInfo).port);
    try {
      wire.send(`${head("GET /")}\r\n\r\n`.repeat(COUNT));
      await until("it reads no further", () => near?.isPaused());
      assert.ok(heard < COUNT, `It has read ${heard} requests`);
      assert.equal(order, [0]);
      release();
      await until("all are answered", () => wire.answers().length === COUNT);
      assert.equal(order, Array.from({ length: COUNT }, (_, place) => place));
      assert.is(near!.isPaused(), false);
    } finally {
      wire.socket.destroy();
      server.close();
    }
  });
}

test.run();
