// Case-insensitive search in databases of several locales: the search folds case as its index does, so the
// result does not depend on the plan.
// Needs: time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrateUp, openPostgres } from "./house.ts";
import { afterwards, endAll, until } from "./program.ts";
import { type Answer, freshDatabase, serviceOn } from "./service.ts";

const test = suite("locale");
test.after.each(endAll);

const names = ["IĞDIR", "ığdır", "iğdir", "IRMAK", "İstanbul", "ISTANBUL", "ΟΔΟΣ", "Straße", "bar"];

/** From how a database is made to what is found in it, by what is searched for. */
const locales: [title: string, how: string, found: Record<string, string[]>][] = [
  ["Turkish by ICU", "template template0 locale_provider icu icu_locale 'tr'", {
    "ığdır": ["IĞDIR", "ığdır"],
    "IĞDIR": ["IĞDIR", "ığdır"],
    "iğdir": ["iğdir"],
    "irmak": [],
    "ırmak": ["IRMAK"],
    "istanbul": ["İstanbul"],
    "ıstanbul": ["ISTANBUL"],
  }],
  ["the root locale of ICU", "template template0 locale_provider icu icu_locale 'und'", {
    "ığdır": ["ığdır"],
    "iğdir": ["IĞDIR", "iğdir"],
    "IĞDIR": ["IĞDIR", "iğdir"],
    "irmak": ["IRMAK"],
    "istanbul": ["ISTANBUL"],
    "stanbul": ["İstanbul", "ISTANBUL"],
    "STRASSE": [],
    "STRAß": ["Straße"],
  }],
  ["C.UTF-8 by libc", "template template0 locale_provider libc locale 'C.UTF-8'", {
    "iğdir": ["IĞDIR", "iğdir"],
    "irmak": ["IRMAK"],
    "οδος": [],
    "ΟΔΟ": ["ΟΔΟΣ"],
  }],
  ["C", "template template0 locale_provider libc locale 'C'", {
    "irmak": ["IRMAK"],
    "iğdir": ["iğdir"],
    "οδο": [],
    "ΟΔΟ": ["ΟΔΟΣ"],
  }],
];

/** Where the API searches: the index that is there for it, and the names in what is answered. */
const searches: Record<string, {
  index: string;
  path: string;
  namesIn(body: Answer["body"]): string[];
}> = {
  bars: {
    index: "bar_text",
    path: "/api/bars/?",
    namesIn: ({ items }) => items.map(({ name }: { name: string }) => name),
  },
  foos: {
    index: "foo_text",
    path: "/api/foos/?sort=-name&",
    namesIn: ({ items }) => items.map(({ name }: { name: string }) => name),
  },
  choices: {
    index: "bar_text",
    path: "/api/foos/choices/bar/?",
    namesIn: ({ choices }) => Object.values(choices),
  },
};

/** What is done to a database, one after another, so that Postgres finds in other ways, and whether it
 * reads an index then. */
const ways: [title: string, statement: string, scans: boolean][] = [
  ["as Postgres likes", "select", false],
  [
    "by the index",
    `alter database :name set enable_seqscan = off;
     alter database :name set enable_indexscan = off;
     alter database :name set enable_indexonlyscan = off`,
    true,
  ],
  [
    "as Postgres likes, in many rows",
    `alter database :name reset all;
     insert into bar (name) select 'Bar ' || i from generate_series(1, 2000) as i;
     insert into foo (name, bar_id) select 'Foo ' || i, 1 from generate_series(1, 2000) as i;
     analyze bar, foo`,
    false,
  ],
  [
    "by the index on columns of the collation C",
    `alter database :name set enable_seqscan = off;
     alter database :name set enable_indexscan = off;
     alter database :name set enable_indexonlyscan = off;
     alter table bar alter name type text collate "C";
     alter table foo alter name type text collate "C"`,
    true,
  ],
  [
    "without the index, in columns of a language of their own",
    `alter database :name reset all;
     drop index bar_text;
     drop index foo_text;
     alter table bar alter name type text collate "tr-x-icu";
     alter table foo alter name type text collate "tr-x-icu"`,
    false,
  ],
  [
    "without the index, in columns that fold case themselves",
    `create collation folds (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
     alter table bar alter name type text collate folds;
     alter table foo alter name type text collate folds`,
    false,
  ],
];

for (const [title, how, found] of locales) {
  test(`finds the same with and without an index where the locale is ${title}`, async () => {
    const { url, sql, stop } = await freshDatabase(how);
    afterwards(stop);
    await migrateUp(url);
    await sql`insert into bar (name) select name from unnest(${names}::text[]) as name`;
    await sql`insert into foo (name, bar_id) select name, id from bar`;
    const [{ name } = {}] = await sql`select current_database() as name`;
    const scansOf = async (index: string) => {
      const [row] = await sql<{ scans: number }[]>`
        select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = ${index}`;
      return row?.scans ?? 0;
    };
    for (const [way, statement, scans] of ways) {
      await sql.unsafe(statement.replaceAll(":name", `"${name}"`));
      for (const [what, { index, path, namesIn }] of Object.entries(searches)) {
        const before = await scansOf(index);
        const { client, close } = openPostgres(url, { sessions: 2, timeLimit: 10 });
        const { send } = serviceOn({ client });
        for (const [q, expected] of Object.entries(found)) {
          const { body } = await send(`GET ${path}q=${encodeURIComponent(q)}`);
          assert.equal(namesIn(body).sort(), expected.toSorted(), `${what} ${way}: ${q}`);
        }
        await close(); // then its sessions tell what they have read
        if (scans) await until("the index was read", async () => await scansOf(index) > before);
      }
    }
  });
}

test.run();
