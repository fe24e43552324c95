// Clients at work in random order, against a model in memory: every answer is the one that follows
// from what was done before.
import fc from "fast-check";
import { suite } from "uvu";
import { resources } from "../house.ts";
import { serviceOn } from "../service.ts";
import { commands, type Real } from "./commands.ts";
import { databases } from "./databases.ts";
import { explore, PATIENCE } from "./explore.ts";
import { Model } from "./model.ts";

const test = suite("model");

/** Histories of one database, and commands of one at most. */
const [CASES, COMMANDS] = [25, 120];

for (const [where, fresh] of Object.entries(databases)) {
  test(`${where}: every history agrees with the model`, async () => {
    const { client, sql, stop } = await fresh();
    const tables = resources.map(({ name }) => name);

    async function begin(): Promise<{ model: Model; real: Real }> {
      await sql`truncate relata_idempotency, ${sql(tables)}`;
      let { send } = serviceOn({ client }, { timeLimit: PATIENCE });
      const real: Real = {
        send: (...request) => send(...request),
        restart: () => void ({ send } = serviceOn({ client }, { timeLimit: PATIENCE })),
      };
      return { model: new Model(), real };
    }

    try {
      await explore(
        fc.asyncProperty(
          fc.commands(commands(), { maxCommands: COMMANDS, size: "max" }),
          (commands) => fc.asyncModelRun(begin, commands),
        ),
        { cases: CASES },
      );
    } finally {
      await stop();
    }
  });
}

test.run();
