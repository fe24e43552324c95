// The forms of lists: however many clients ask for, what is kept of them is bounded.
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askAsServer, openPostgres } from "./house.ts";
import { afterwards, endAll } from "./program.ts";
import { freshPostgres, serviceOn } from "./service.ts";
import { createTables, resources } from "./tracks.ts";

const test = suite("forms of lists");
test.after.each(endAll);

const FORMS = 10_000;

/** Filters of which each may be asked for or not: more than 10,000 forms. */
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

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** The bytes that are in use after a garbage collection. */
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test("a session keeps at most 64 of 10,000 prepared, and the server keeps no more of them", async () => {
  const { sql, url, stop } = await freshPostgres();
  afterwards(stop);
  const database = openPostgres(url, { sessions: 1 });
  afterwards(database.close);
  await createTables(sql);
  const { fetch } = serviceOn(database, { resources });
  let early = 0;
  for (let form = 0; form < FORMS; form++) {
    const asked = filters.filter((_, place) => form & (1 << place));
    const response = await fetch(new Request(`http://relata.test/tracks/?${asked.join("&")}`));
    assert.is(await response.text(), '{"items":[],"next":null}');
    if (form === FORMS / 10) early = heap();
  }
  const [prepared] = await askAsServer<{ lists: number; all: number }>(
    database,
    `select
      count(*) filter (where statement like '%array_agg(text)%')::int as lists,
      count(*)::int as all
    from pg_prepared_statements`,
  );
  assert.is(prepared!.lists, 64);
  assert.ok(prepared!.all < 70, `${prepared!.all} are prepared`);
  const megabytes = (heap() - early) / 1e6;
  assert.ok(megabytes < 5, `${megabytes} MB more than after the first tenth`);
  // A server that is not used any more would be collected with all that it keeps
  assert.is((await fetch(new Request("http://relata.test/tracks/"))).status, 200);
});

test.run();
