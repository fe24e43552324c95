// From the embedded Postgres to a real one with many rows.
// Needs: time
import { join } from "node:path";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openEmbedded } from "../house.ts";
import { how, soak } from "../faults/load.ts";
import { embeddedFolder, endAll, source, start } from "../program.ts";
import { psql, withPsql } from "../psql.ts";
import { freshPostgres } from "../service.ts";

const test = suite("a dump of many rows");
test.after.each(endAll);

/** Rows of each table. */
const ROWS = soak ? 500_000 : 10_000;

withPsql(test, `moves ${ROWS} bars, foos and bottages, each as it was`, async () => {
  const { sql, url, stop } = await freshPostgres();
  const folder = embeddedFolder();
  try {
    const embedded = await openEmbedded(folder.path);
    await fill(embedded.sql);
    const before = await digests(embedded.sql);
    await embedded.close();

    const file = join(folder.path, "data.sql");
    const dump = ["sh", "-c", 'exec "$@" > "$0"', file, ...source, "dump"];
    const dumped = await start(dump, { DATA_DIR: folder.path }, how).ended;
    assert.equal([dumped.status, dumped.stderr], [0, ""]);
    const loaded = await psql(url, ["-f", file], how);
    assert.equal([loaded.status, loaded.stderr], [0, ""]);
    assert.equal(await digests(sql), before);
  } finally {
    folder.remove();
    await stop();
  }
});

test.run();

async function fill(sql: postgres.Sql): Promise<void> {
  await sql`insert into bar (name) select 'Bar ' || n from generate_series(1, ${ROWS}::int) as n`;
  await sql`insert into foo (name, bar_id) select E'Foo\t' || id, id from bar order by id desc`;
  await sql`insert into bottage (cul, colere_id) select repeat(E'\n' || id, 8), 1 from bar`;
}

/** How many rows each table has, and what sums up all that is in them. */
async function digests(sql: postgres.Sql) {
  const tables = ["bar", "foo", "bottage"];
  const found = tables.map(async (table) => {
    const [row] = await sql<{ count: number; digest: string }[]>`
      select
        count(*) as count,
        sum(hashtextextended(row::text, 0)::numeric)::text as digest
      from ${sql(table)} as row`;
    assert.is(row!.count, ROWS);
    return [table, row!.digest];
  });
  return Object.fromEntries(await Promise.all(found));
}
