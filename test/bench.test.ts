// The peers of the benchmark, on the runtime of this test, do the work that ours does. Nothing is
// timed.
import { suite } from "uvu";
import { check } from "./bench/check.ts";
import { ours, peers } from "./bench/contenders.ts";
import { fill } from "./bench/database.ts";
import { endAll, serve } from "./program.ts";
import { freshPostgres } from "./service.ts";

const test = suite("bench");
const runtime = "Deno" in globalThis ? "Deno" : "Node";
const [source] = ours.filter((contender) => contender.runtime === runtime);

for (const { name, command } of [source!, ...peers.filter((peer) => peer.runtime === runtime)]) {
  test(`${name} answers as it has to`, async () => {
    const database = await freshPostgres();
    try {
      await fill(database.sql, { bars: 10, foos: 10, coleres: 1, bottages: 1 });
      const server = await serve({ DATABASE_URL: database.url }, { command });
      await check(name, server.url);
    } finally {
      await endAll();
      await database.stop();
    }
  });
}

test.run();
