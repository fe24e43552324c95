// What lists narrow by: every kind of field with every parameter that it takes, and paths through relations.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askAsServer, identifier, resource, text } from "../house.ts";
import { until } from "../program.ts";
import { onEmbedded, type Service, serviceOn, startService } from "../service.ts";
import { createTables, resources } from "../tracks.ts";

const test = suite("filter");
/** The embedded database has no citext, and one session, in which nothing comes between two statements of a
 * request. */
const testOnPostgres = onEmbedded ? test.skip : test;
let relata: Service;

test.before(async () => {
  relata = await startService({ resources });
  const { sql } = relata;
  await createTables(sql);
  await sql`insert into artist (name) values ('Ann'), ('Bob'), ('')`;
  await sql`
    insert into album (title, artist_id, released)
    values ('First', 1, '2026-01-01'), ('Second', 2, null), ('Third', null, null)`;
  await sql`
    insert into track (
      name, album_id, producer_id, original_id, motto, notes, plays, weight, price, explicit, released,
      played, stage, state, made
    )
    values
      (
        'a', 1, 1, null, 'a,b\\c', '', 1, 0.5, 1.00, true, '2026-01-01',
        '2026-01-01T10:00:00.123456Z', 'draft', 'low', '2026-01-01T10:00:00.123456Z'
      ),
      (
        'b', 1, 2, 1, 'B', 'x', 2, 1.5, 2.50, false, '2026-01-02',
        '2026-01-01T10:00:00.123999Z', 'final', 'high', '2026-01-01T10:00:00.999999Z'
      ),
      (
        'c', 2, 1, 2, '', null, 3, 1e300, 10.00, false, '9999-12-31',
        '2026-01-01T10:00:00.124Z', 'final', 'high', '2026-01-01T10:00:01Z'
      ),
      (
        'd', 3, null, null, null, null, null, null, null, null, null,
        null, null, null, '2026-01-02T00:00:00Z'
      )`;
  await sql`insert into tag (name) values ('loud'), ('slow'), ('new')`;
  await sql`insert into track_tag (track_id, tag_id) values (1, 1), (1, 2), (2, 2), (3, 3)`;
});
test.after(() => relata.stop());

/** The names of the tracks that a query finds, one after the other. */
async function found(query: string): Promise<string> {
  const { status, body } = await relata.send(`GET /tracks/?${query}`);
  assert.is(status, 200, `${query}: ${body.detail}`);
  assert.is(body.next, null);
  return body.items.map(({ name }: { name: string }) => name).join("");
}

const queries: Record<string, Record<string, string>> = {
  text: {
    "name=a": "a",
    "name=A": "",
    "name=": "",
    "name__in=a,c,x": "ac",
    "name__gte=b": "bcd",
    "name__gt=b": "cd",
    "name__lte=b": "ab",
    "name__lt=b": "a",
    "name__gt=B": "abcd",
    "motto=": "c",
    "motto=a,b%5Cc": "a",
    "motto__in=a%5C,b%5C%5Cc,B": "ab",
    "motto__in=a,b%5C%5Cc,B": "b",
    "motto__in=,": "c",
    "motto__in=,B": "bc",
    "motto__in=%22a%22,%7B%7D,NULL,'": "",
    "motto__lt=a": "bc",
    "motto__isnull=true": "d",
    "motto__isnull=false": "abc",
  },
  integer: {
    "plays=2": "b",
    "plays=-0": "",
    "plays__in=3,1,7": "ac",
    "plays__gte=2": "bc",
    "plays__gt=2": "c",
    "plays__lte=2": "ab",
    "plays__lt=2": "a",
    "plays__isnull=true": "d",
    "plays__isnull=false": "abc",
    [`plays=${"9".repeat(30)}`]: "",
    [`plays__in=1,${"9".repeat(30)}`]: "a",
    [`plays__lt=${"9".repeat(30)}`]: "abc",
    [`plays__gt=-${"9".repeat(30)}`]: "abc",
    [`plays__gt=${2 ** 53}`]: "",
  },
  number: {
    "weight=0.5": "a",
    "weight=5e-1": "a",
    "weight=1e300": "c",
    "weight__in=0.5,15e-1": "ab",
    "weight__gte=1.5": "bc",
    "weight__gt=1.5": "c",
    "weight__lte=1.5": "ab",
    "weight__lt=1.5": "a",
    "weight__lt=1e999": "abc",
    "weight__gt=-1e999": "abc",
    "weight=1e999": "",
    "weight__isnull=true": "d",
  },
  decimal: {
    "price=2.5": "b",
    "price=2.50": "b",
    "price=2.505": "",
    "price__in=1,10.000": "ac",
    "price__gte=2.5": "bc",
    "price__gt=2.5": "c",
    "price__lte=2.5": "ab",
    "price__lt=2.5": "a",
    [`price__lt=${"9".repeat(900)}`]: "abc",
    "price__isnull=true": "d",
  },
  boolean: {
    "explicit=true": "a",
    "explicit=false": "bc",
    "explicit__in=true,false": "abc",
    "explicit__isnull=true": "d",
  },
  date: {
    "released=2026-01-02": "b",
    "released=2000-01-01": "",
    "released__in=2026-01-01,9999-12-31": "ac",
    "released__gte=2026-01-02": "bc",
    "released__gt=2026-01-02": "c",
    "released__lte=2026-01-02": "ab",
    "released__lt=2026-01-02": "a",
    "released__isnull=true": "d",
  },
  "timestamp, to the microsecond": {
    "played=2026-01-01T10:00:00.123456Z": "a",
    "played=2026-01-01T12:00:00.123456%2B02:00": "a",
    "played=2026-01-01T10:00:00.123Z": "",
    "played=2026-01-01T10:00:00.124Z": "c",
    "played__in=2026-01-01T10:00:00.123999Z,2026-01-01T10:00:00.1240Z": "bc",
    "played__gte=2026-01-01T10:00:00.123456Z": "abc",
    "played__gt=2026-01-01T10:00:00.123456Z": "bc",
    "played__lte=2026-01-01T10:00:00.123998Z": "a",
    "played__lt=2026-01-01T10:00:00.123456Z": "",
    "played__lt=9999-12-31T23:59:59.999Z": "abc",
    "played__isnull=true": "d",
  },
  "created, as it is read, to the second": {
    "made=2026-01-01%2010:00:00": "ab",
    "made=2026-01-01+10:00:00": "ab",
    "made__in=2026-01-01+10:00:00,2026-01-02+00:00:00": "abd",
    "made__gte=2026-01-01+10:00:01": "cd",
    "made__gt=2026-01-01+10:00:00": "cd",
    "made__lte=2026-01-01+10:00:00": "ab",
    "made__lt=2026-01-01+10:00:01": "ab",
  },
  "choice, in an enum and in text": {
    "stage=final": "bc",
    "stage__in=draft,final": "abc",
    "stage__isnull=true": "d",
    "state=low": "a",
    "state__in=low,high": "abc",
    "state__isnull=false": "abc",
  },
  "relation, listed or not": {
    "album=1": "ab",
    "album=9": "",
    "album__in=2,3,9": "cd",
    "producer=1": "ac",
    "producer__in=1,2": "abc",
    "producer__isnull=true": "d",
    "producer__isnull=false": "abc",
    "original=1": "b",
    "original__isnull=true": "ad",
  },
  "relation to many": {
    "tags=2": "ab",
    "tags=9": "",
    "tags__in=1,2": "ab",
    "tags__in=3,9": "c",
    "tags=2&tags__in=1": "a",
    "original__tags=1": "b",
    "original__tags__in=1,2": "bc",
  },
  "identifier, by the name of its field": {
    "track__in=1,3,99": "ac",
    "track__in=4": "d",
  },
  "path": {
    "album__artist=1": "ab",
    "album__artist__in=1,2": "abc",
    "album__artist__isnull=true": "d",
    "album__artist__isnull=false": "abc",
    "album__title=Second": "c",
    "album__title__in=First,Third": "abd",
    "album__title__gt=First": "cd",
    "album__released=2026-01-01": "ab",
    "album__released__lte=2026-01-01": "ab",
    "album__released__isnull=true": "cd",
    "album__artist__name=Bob": "c",
    "album__artist__name__in=Ann,Bob": "abc",
    "original__name=a": "b",
    "original__name__in=a,b": "bc",
  },
  "several at once": {
    "plays__gte=2&plays__lt=3": "b",
    "plays__gte=2&album=1&explicit=false&album__artist=1": "b",
    "name=a&name__in=b": "",
    "stage=final&album__title=Second&sort=-id&count=false": "c",
  },
};

for (const [kind, each] of Object.entries(queries)) {
  for (const [query, names] of Object.entries(each)) {
    test(`by ${kind}: ${query.slice(0, 60)} finds "${names}"`, async () => {
      assert.is(await found(query), names);
    });
  }
}

// What is malformed

const refused: Record<string, string[]> = {
  "text without U+0000": ["motto=%00", "motto__gt=a%00"],
  "an integer": ["plays=", "plays=1.0", "plays=01", "plays=+1", "plays=x", "plays__lt=1e1"].concat(
    ["album=-0", "album=x", "tags=01", "producer=", "album__artist=+1"],
  ),
  "a number": ["weight=", "weight=NaN", "weight=Infinity", "weight=.5", "weight__gte=0x1"],
  "a decimal number, such as 12.50": [
    ...["price=", "price=1,5", "price=.5", "price=1e1", "price=NaN", "price__gt=x"],
    `price=${"9".repeat(2000)}`,
  ],
  "true or false": ["explicit=1", "explicit=TRUE", "motto__isnull=1", "plays__isnull=", "count=1"],
  "a day of the calendar as YYYY-MM-DD": [
    ...["released=", "released=2026-02-30", "released=2026-1-1", "released__lt=0000-01-01"],
    ...["released=infinity", "released=today"],
  ],
  "a time as YYYY-MM-DDTHH:MM:SSZ, with at most six decimals, or with an offset such as %2B02:00: a query has %2B for a plus":
    [
      ...["played=2026-01-01T10:00:00+02:00", "played=2026-01-01T10:00:00", "played__gt=now"],
      ...["played=2026-01-01T10:00:00.1234567Z", "played=2026-01-01"],
    ],
  "a time in UTC as YYYY-MM-DD HH:MM:SS": [
    ...["made=2026-01-01T10:00:00Z", "made=2026-01-01+24:00:00", "made=2026-02-30+10:00:00"],
    ...["made=2026-01-01+10:00:00.5", "made__lt="],
  ],
  "one of draft, final": ["stage=", "stage=Draft", "stage=lost"],
  "at least one value": ["track__in=", "album__in=", "plays__in=", "motto__in=", "stage__in="],
  "values separated by commas, each one of draft, final": ["stage__in=draft,lost"],
  "values separated by commas, each an integer": [
    ...["plays__in=1,2.5", "track__in=1,", "track__in=1,,2", "track__in=1,x", "album__in=-0"],
    "tags__in=%20",
  ],
  "a comma in a value as \\, and a backslash as \\\\": ["motto__in=a%5Cb", "motto__in=%5C"],
  "up to 100 values, not 101": [`plays__in=${Array(101).fill("1")}`],
};

for (const [told, each] of Object.entries(refused)) {
  for (const query of each) {
    test(`refuses ${query.slice(0, 60)} and says what to send`, async () => {
      const { status, body } = await relata.send(`GET /tracks/?${query}`);
      assert.is(status, 400);
      const [parameter] = query.split("=");
      assert.is(body.detail, `The query parameter "${parameter}" takes ${told}`);
    });
  }
}

for (
  const parameter of [
    ...["track", "gain", "notes", "notes__isnull", "album__isnull", "name__isnull", "made__isnull"],
    ...["explicit__gt", "stage__lt", "album__gt", "track__gte", "tags__isnull", "q", "id__in"],
    ...["album__title__isnull", "album__id", "album__artist__in__in", "tags__name", "name__q"],
  ]
) {
  test(`has no parameter "${parameter}", which nothing declares`, async () => {
    const { status, body } = await relata.send(`GET /tracks/?${parameter}=1`);
    assert.is(status, 400);
    assert.is(body.detail, `No query parameter is named "${parameter}" here`);
  });
}

test("takes a hundred values", async () => {
  assert.is(await found(`plays__in=${Array(100).fill("1")}`), "a");
});

test("adds what is declared to what a display field has anyway", async () => {
  for (
    const [query, names] of [
      ["name=Ann", ["Ann"]],
      ["q=B", ["Bob"]],
      ["name__in=Ann,Bob", ["Ann", "Bob"]],
      ["name__lt=Ann", [""]],
      ["id__in=2,3&sort=-name", ["Bob", ""]],
    ] as const
  ) {
    const { body } = await relata.send(`GET /artists/?${query}`);
    assert.equal(body.items.map(({ name }: { name: string }) => name), names, query);
  }
});

test("says in the document what a filter of each kind takes", async () => {
  const { body } = await relata.send("GET /openapi.json");
  const { parameters } = body.paths["/tracks/"].get;
  for (
    const [filter, schema] of [
      ["plays__gt", { type: "integer", format: "int64" }],
      ["weight__gt", { type: "number" }],
      ["price__gt", { type: "string", pattern: "^-?(0|[1-9][0-9]{0,999})(\\.[0-9]{1,1000})?$" }],
      ["explicit", { type: "boolean" }],
      ["released__gt", { type: "string", format: "date" }],
      ["played__gt", {
        type: "string",
        format: "date-time",
        pattern: "^[^.]+(\\.[0-9]{1,6}([Zz]|[+-][0-9:]+))?$",
      }],
      ["stage", { type: "string", enum: ["draft", "final"] }],
      ["made__gt", {
        type: "string",
        pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$",
        examples: ["2026-11-21 09:30:00"],
      }],
      ["released__isnull", { type: "boolean" }],
    ] as const
  ) {
    const found = parameters.find(({ name }: { name: string }) => name === filter);
    assert.equal(found.schema, schema, filter);
  }
});

// Pages keep their filters

test("gives the filters again in the path of the next page", async () => {
  const query =
    "motto__in=a%5C,b%5C%5Cc,B,&played__gte=2026-01-01T12:00:00%2B02:00&explicit__in=true,false";
  const names: string[] = [];
  let next = `/tracks/?${query}&limit=1&count=true`;
  const counts = [];
  while (next) {
    const { status, body } = await relata.send(`GET ${next}`);
    assert.is(status, 200, next);
    names.push(body.items[0].name);
    counts.push(body.count);
    next = body.next;
  }
  assert.equal(names, ["a", "b", "c"]);
  assert.equal(counts, [3, undefined, undefined], "The next page does not count again");
});

// Totals

test("counts the rows that match, whatever the page and the limit, if it is asked to", async () => {
  for (
    const [query, count] of [
      ["", 4],
      ["&limit=1", 4],
      ["&stage=final&limit=1&sort=-played", 2],
      ["&album__artist=1&tags=2", 2],
      ["&plays=99", 0],
    ] as const
  ) {
    const { body } = await relata.send(`GET /tracks/?count=true${query}`);
    assert.equal(Object.keys(body), ["items", "next", "count"]);
    assert.is(body.count, count, query);
    if (!body.next) continue;
    const second = await relata.send(`GET ${body.next}&count=true`);
    assert.is(second.body.count, count, "The count does not depend on the cursor");
  }
  for (const query of ["", "?count=false"]) {
    const { body } = await relata.send(`GET /tracks/${query}`);
    assert.equal(Object.keys(body), ["items", "next"]);
  }
});

testOnPostgres("counts at the moment of the page, while rows come and go", async () => {
  let isOver = false;
  const comingAndGoing = (async () => {
    while (!isOver) {
      await relata.sql`insert into artist (name) values ('Comes'), ('Goes')`;
      await relata.sql`delete from artist where id > 3`;
    }
  })();
  try {
    const seen = new Set<number>();
    for (let time = 0; time < 200 || seen.size < 2; time++) {
      const { body } = await relata.send("GET /artists/?count=true");
      assert.is(body.count, body.items.length);
      seen.add(body.count);
    }
  } finally {
    isOver = true;
    await comingAndGoing;
  }
});

testOnPostgres("compares citext as the database does, by the index that sorts it", async () => {
  const person = resource("person", {
    path: "/people/",
    filter: ["email"],
    sort: ["email"],
    fields: { id: identifier(), email: text() },
  });
  const { sql } = relata;
  await sql.unsafe(`
    create extension citext;
    create table person (id bigserial primary key, email citext not null unique);
    insert into person (email)
    select case when n % 2 = 0 then 'Person' else 'person' end || n from generate_series(1, 2000) as n;
    create index on person (email collate "C", id);
    analyze person`);
  const { send } = serviceOn(relata, { resources: [person] });
  const found = async (query: string) => {
    const { body } = await send(`GET /people/?sort=email&${query}`);
    return body.items.map(({ id }: { id: number }) => id);
  };
  assert.equal(await found("email=PERSON7"), [7]);
  assert.equal(await found("email__in=PERSON7,PERSON8,x"), [7, 8]);
  assert.equal(await found("email__gte=PERSON998"), [998, 999]);
  assert.equal(await found("email__gt=PERSON998"), [999]);
  assert.equal(await found("email__lt=PERSON10&limit=3"), [1]);
  assert.equal(await found("email__lte=PERSON10"), [1, 10]);
  await until("the index is read", async () => {
    await found("email=person7");
    await askAsServer(relata, "select pg_stat_force_next_flush()");
    const [index] = await sql`
      select idx_scan > 0 as is_read
      from pg_stat_user_indexes
      where indexrelname = 'person_email_id_idx'`;
    return index!["is_read"];
  });
});

// Choices

test("finds the choices with some identifiers, by the name of the field that identifies them", async () => {
  for (
    const [path, choices] of [
      ["/tracks/choices/producer/?id__in=3,1", { 1: "Ann", 3: "artist 3" }],
      ["/tracks/choices/producer/?id__in=99", {}],
      ["/tracks/choices/producer/?id__in=1,2&q=b", { 2: "Bob" }],
      ["/tracks/choices/producer/?id__in=1,3&q=b", {}],
      ["/tracks/choices/original/?track__in=4", { 4: "track 4" }],
    ] as const
  ) {
    const { body } = await relata.send(`GET ${path}`);
    assert.equal(body, { choices, next: null }, path);
  }
  const first = await relata.send("GET /tracks/choices/producer/?id__in=1,2&limit=1");
  const second = await relata.send(`GET ${first.body.next}`);
  assert.equal([first.body.choices, second.body], [{ 1: "Ann" }, {
    choices: { 2: "Bob" },
    next: null,
  }]);
  for (const query of ["id__in=x", "id__in=", "track__in=1"]) {
    assert.is((await relata.send(`GET /tracks/choices/producer/?${query}`)).status, 400, query);
  }
});

test.run();
