// Search in large tables: with trigrams if the database has them, otherwise row by row.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askAsServer, migrateUp, openPostgres, pendingMigrations } from "./house.ts";
import { freshDatabase, freshPostgres, serviceOn } from "./service.ts";
import { afterwards, endAll, until } from "./program.ts";

const test = suite("search");
test.after.each(endAll);

test("reads the index of trigrams in lists and choices, and finds what a scan finds", async () => {
  const { client, sql, stop } = await freshPostgres();
  afterwards(stop);
  const { send } = serviceOn({ client });
  for (const table of ["bar", "foo", "colere"]) {
    const relation = table === "foo" ? { column: sql`, bar_id`, value: sql`, 1` } : undefined;
    await sql`
      insert into ${sql(table)} (name ${relation?.column ?? sql``})
      select md5(i::text) ${relation?.value ?? sql``}
      from generate_series(1, 30000) as i`;
    await sql`vacuum analyze ${sql(table)}`;
  }
  const [{ needle }] = await sql<[{ needle: string }]>`
    select upper(substr(name, 9, 8)) as needle from bar where id = 20000`;
  for (
    const [path, index, found] of [
      ["/api/bars/", "bar_text", 1],
      ["/api/foos/", "foo_text", 1],
      ["/api/foos/choices/bar/", "bar_text", 1],
      ["/bottage/choices/colere/", "colere_text", 1],
    ] as const
  ) {
    const scans = async () => {
      // By the server's own client, for a session tells at once of its own reads alone
      await askAsServer({ client }, "select pg_stat_force_next_flush()");
      const [row] = await askAsServer<{ scans: number }>(
        { client },
        `select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = '${index}'`,
      );
      return row!.scans;
    };
    const before = await scans();
    for (let time = 1; time <= 10; time++) {
      const { body } = await send(`GET ${path}?q=${needle}`);
      assert.is((body.items ?? Object.keys(body.choices)).length, found, path);
    }
    await until(`${index} was read ten times`, async () => await scans() >= before + 10);
  }
});

test("works without trigrams if the role of the migrations may not install them", async () => {
  const { url, sql: owner, stop } = await freshDatabase();
  afterwards(stop);
  const role = `limited_${Date.now()}`;
  await owner`create role ${owner(role)} login password 'secret'`;
  await owner`grant create on schema public to ${owner(role)}`;
  const address = Object.assign(new URL(url), { username: role, password: "secret" });
  const database = openPostgres(address.href, { sessions: 1 });
  afterwards(async () => {
    await database.close();
    await owner`drop owned by ${owner(role)}`;
    await owner`drop role ${owner(role)}`;
  });
  await migrateUp(database);
  assert.equal(await pendingMigrations(database), []);
  const indexes = await owner`select from pg_indexes where indexname like '%_text'`;
  assert.is(indexes.length, 0);
  const { send } = serviceOn(database);
  await send("POST /api/bars/", { name: "A long name" });
  assert.is((await send("GET /api/bars/?q=LONG")).body.items.length, 1);
});

test.run();
