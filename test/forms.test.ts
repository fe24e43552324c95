// The forms of lists: however many clients ask for, what is kept of them is bounded.
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askAsServer, type Database, openPostgres } from "./house.ts";
import { afterwards, endAll } from "./program.ts";
import { freshEmbedded, freshPostgres, serviceOn } from "./service.ts";
import { createTables, resources } from "./tracks.ts";

const test = suite("forms of lists");
test.after.each(endAll);

const FORMS = 2_500;

/** Filters of which each may be asked for or not: more than that many forms. */
const filters = [
  ...["name__gt=", "name__lt=z", "motto__gte=", "plays__gt=0", "plays__lt=9", "weight__gt=0"],
  ...[
    "price__gt=0",
    "explicit=true",
    "released__gt=2000-01-01",
    "played__isnull=true",
    "stage=draft",
  ],
  ...["album__artist=1", "album__title=x", "made__gt=2000-01-01+00:00:00"],
];

/** The statements of lists that the session of a database has prepared, the newest last, and how many
 * statements it has prepared in all. */
async function prepared(database: Database): Promise<{ lists: string[]; all: number }> {
  const [row] = await askAsServer<{ lists: string; all: number }>(
    database,
    `select
      coalesce(json_agg(statement order by prepare_time)
        filter (where statement like '%array_agg(text)%'), '[]')::text as lists,
      count(*)::int as all
    from pg_prepared_statements`,
  );
  return { lists: JSON.parse(row!.lists), all: row!.all };
}

/** The path that asks for a form: a number, whose bits say which filters it has. */
function pathOf(form: number): string {
  return `/tracks/?${filters.filter((_, place) => form & (1 << place)).join("&")}`;
}

/** Opens a fresh database with one session, so that a request uses what the one before has prepared. */
const openings: Record<string, () => Promise<Database & { sql: postgres.Sql }>> = {
  async Postgres() {
    const { sql, url, stop } = await freshPostgres();
    afterwards(stop);
    const database = openPostgres(url, { sessions: 1 });
    afterwards(database.close);
    return { ...database, sql };
  },
  async embedded() {
    const database = await freshEmbedded();
    afterwards(database.stop);
    return database;
  },
};

test("a session keeps at most 64 of 2,500 prepared, and the server keeps no more of them", async () => {
  const database = await openings["Postgres"]!();
  await createTables(database.sql);
  const { client } = database;
  const ran: object[] = [];
  const { fetch } = serviceOn({
    client: {
      ...client,
      run(statement, values) {
        ran.push(statement);
        return client.run(statement, values);
      },
    },
  }, { resources });
  for (let form = 0; form < FORMS; form++) {
    const response = await fetch(new Request(`http://relata.test${pathOf(form)}`));
    assert.is(await response.text(), '{"items":[],"next":null}');
  }
  const { lists, all } = await prepared(database);
  assert.ok(lists.length <= 64, `${lists.length} forms are prepared`);
  assert.ok(all < 70, `${all} are prepared`);
  for (const form of [0, 0, FORMS - 1]) {
    await fetch(new Request(`http://relata.test${pathOf(form)}`));
  }
  const [first, last] = [ran[0], ran[FORMS - 1]];
  const [made, kept, latest] = ran.slice(FORMS);
  assert.is.not(made, first, "The first form is made again");
  assert.is(kept, made);
  assert.is(latest, last);
});

for (const [where, opened] of Object.entries(openings)) {
  test(`a form that comes later takes the place of those that nobody asks for any more, ${where}`, async () => {
    const database = await opened();
    await createTables(database.sql);
    const { fetch } = serviceOn(database, { resources });
    const ask = async (form: number) => {
      const response = await fetch(new Request(`http://relata.test${pathOf(form)}`));
      assert.is(await response.text(), '{"items":[],"next":null}');
    };
    for (let form = 0; form < 64; form++) await ask(form);
    const early = await prepared(database);
    assert.is(early.lists.length, 64);
    for (let time = 0; time < 1_100; time++) await ask(64);
    const late = await prepared(database);
    assert.is(late.lists.length, 1);
    assert.not(early.lists.includes(late.lists[0]!));
  });
}

test.run();
