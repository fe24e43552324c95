// A release whose migration changes large tables, behind HAProxy: the migration first, then one
// instance after the other, and all the way back, while clients send requests.
// Needs: time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrationNames } from "../house.ts";
import { copyWith, migrationFiles } from "../copy.ts";
import { how, soak } from "../faults/load.ts";
import { endAll, type How, relata } from "../program.ts";
import { assertServed } from "./clients.ts";
import { names, withFleet } from "./fleet.ts";
import { lacking } from "./program.ts";

const reason = lacking("haproxy");
const suiteOf = suite("an upgrade under load");
const test = reason ? suiteOf.skip : suiteOf;
suiteOf.after.each(endAll);

const [ROUNDS, ROWS] = soak ? [2, 500_000] : [1, 20_000];

/** Requests that are answered between two steps. */
const ENOUGH = 100;

/** The migration of the release. */
const later = `${String(migrationNames.length + 1).padStart(4, "0")}_later`;

test(`to a release with a migration of ${ROWS} rows, and back, fails no request${reason}`, async () => {
  const release = copyWith(
    migrationFiles(
      later,
      "alter table bar add column note text not null default ''; create index foo_later on foo (name, bar_id);",
      "drop index foo_later; alter table bar drop column note;",
    ),
  );
  await withFleet(async ({ clients, sql, url, end, start }) => {
    await sql`insert into bar (name) select 'Old ' || n from generate_series(1, ${ROWS}::int) as n`;
    await sql`insert into foo (name, bar_id) select name, id from bar where name like 'Old %'`;

    async function migrate(direction: "up" | "down"): Promise<void> {
      await clients.pass(ENOUGH);
      const version = { ...release.how, ...how };
      const { status, stderr } = await relata(
        ["migrate", direction],
        { DATABASE_URL: url },
        version,
      );
      assert.equal([status, stderr], [0, ""]);
    }
    async function replaceAll(version?: How): Promise<void> {
      for (const name of names) {
        await clients.pass(ENOUGH);
        await end(name, "SIGTERM");
        await start(name, version);
      }
    }

    for (let round = 0; round < ROUNDS; round++) {
      await migrate("up");
      await replaceAll(release.how);
      await replaceAll();
      await migrate("down");
    }
    await clients.pass(ENOUGH);
  }, assertServed);
  release.remove();
});

suiteOf.run();
