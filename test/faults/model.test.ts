// Clients at work in random order, against a model in memory: every answer is the one that follows
// from what was done before.
// Needs: Deno, time
import fc from "fast-check";
import { suite } from "uvu";
import { pathOf } from "../house.ts";
import { serviceOn } from "../service.ts";
import { type Api, conference, specification, store } from "./apis.ts";
import { commands, createRows, type Real } from "./commands.ts";
import { databases } from "./databases.ts";
import { explore, PATIENCE } from "./explore.ts";
import { Model } from "./model.ts";

const test = suite("model");

/** For each API, histories of one database, and commands of one at most. */
const subjects: [api: Api, name: string, cases: number, commands: number][] = [
  [specification, "the specification", 25, 120],
  [store, "a music store", 8, 300],
  [conference, "a conference", 8, 200],
];

for (const [where, fresh] of Object.entries(databases)) {
  for (const [api, name, cases, maxCommands] of subjects) {
    test(`${where}, ${name}: every history agrees with the model`, async () => {
      const { client, sql, stop } = await fresh(api);
      const { resources } = api;
      const tables = resources.flatMap(({ table, relations }) => [
        table,
        ...Object.values(relations).flatMap(({ through }) => through ?? []),
      ]);
      const serve = () => serviceOn({ client }, { resources, timeLimit: PATIENCE }).send;

      async function begin(): Promise<{ model: Model; real: Real }> {
        await sql`truncate relata_idempotency, ${sql(tables)} restart identity`;
        let send = serve();
        const real: Real = {
          send: (...request) => send(...request),
          restart: () => void (send = serve()),
        };
        const model = new Model(api);
        for (const [path, bodies] of Object.entries(api.rows)) {
          const resource = resources.find((each) => pathOf(each, "create") === path)!;
          for (const body of bodies) await createRows(model, real, resource, [body]);
        }
        return { model, real };
      }

      try {
        await explore(
          fc.asyncProperty(
            fc.commands(commands(api), { maxCommands, size: "max" }),
            (commands) => fc.asyncModelRun(begin, commands),
          ),
          { cases },
        );
      } finally {
        await stop();
      }
    });
  }
}

test.run();
