// The orders of lists: by every kind of field, with ties and rows without a value, one page at a time.
// Needs: Deno, the embedded database
import { Buffer } from "node:buffer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { declarationOf, identifier, many, nullable, relation, resource, text } from "../house.ts";
import { onEmbedded, type Service, serviceOn, startService } from "../service.ts";
import { createTables, resources } from "../tracks.ts";

const test = suite("sort");
let relata: Service;

test.before(async () => {
  relata = await startService({ resources });
  const { sql } = relata;
  await createTables(sql);
  await sql`insert into artist (name) values ('Ann'), ('Bob'), ('ann')`;
  await sql`
    insert into album (title, artist_id)
    select (array['one', 'two', 'One'])[1 + i % 3], nullif(i % 4, 0)
    from generate_series(1, 7) as i`;
  // 31 is prime to the number of rows, so no field is in the order of the identifiers. A third of the values
  // is null, and every other one is there several times
  await sql`
    insert into track (
      name, album_id, producer_id, original_id, motto, plays, weight, gain, price, explicit, released,
      played, stage, state, made
    )
    select
      chr(64 + n % 40),
      1 + n % 7,
      nullif(n % 4, 0),
      nullif(n % 9, 0),
      case when n % 3 > 0 then chr(64 + n % 40) end,
      case when n % 3 > 0 then n % 8 - 4 end,
      case when n % 3 > 0 then (n % 8) / 3.0 end,
      case when n % 3 > 0 then (n % 8) / 10.0 end,
      case when n % 3 > 0 then (n % 8) * 9.5 end,
      case when n % 3 > 0 then n % 2 = 0 end,
      case when n % 3 > 0 then date '2026-01-01' + n % 8 end,
      case when n % 3 > 0 then timestamptz '2026-01-01 00:00:00Z' + n % 8 * interval '1 microsecond' end,
      case when n % 3 > 0 then (array['draft', 'final'])[1 + n % 2]::stage end,
      case when n % 3 > 0 then (array['low', 'high'])[1 + n % 2] end,
      '2026-01-01 00:00:00Z'::timestamptz + n % 8 * interval '1 microsecond'
    from (select i * 31 % 60 as n from generate_series(0, 59) as i) as numbers`;
  await sql`update track set weight = 'NaN', price = 'NaN', released = 'infinity' where id % 10 = 1`;
});
test.after(() => relata.stop());

/** What Postgres sorts by, for each sort. */
const sorts: Record<string, string> = {
  id: "id",
  name: `name collate "C"`,
  motto: `motto collate "C"`,
  plays: "plays",
  weight: "weight",
  gain: "gain",
  price: "price",
  explicit: "explicit",
  released: "released",
  played: "played",
  stage: "stage",
  state: "state",
  made: "made",
  album: "album_id",
  producer: "producer_id",
  album__title: `(select title from album where id = album_id) collate "C"`,
  album__artist__name:
    `(select artist.name from album join artist on artist.id = artist_id where album.id = album_id) collate "C"`,
  original__played: "(select played from track as other where other.id = track.original_id)",
};

async function expected(sort: string, where = "true"): Promise<number[]> {
  const key = sorts[sort.replace("-", "")];
  const order = sort.startsWith("-") ? "desc nulls first" : "asc nulls last";
  const rows = await relata.sql.unsafe(
    `select id from track where ${where} order by ${key} ${order}, id ${order}`,
  );
  return rows.map(({ id }) => Number(id));
}

/** All pages of a list. */
async function walk(path: string): Promise<number[]> {
  const found: number[] = [];
  for (let next = path; next !== null;) {
    const { status, body } = await relata.send(`GET ${next}`);
    assert.is(status, 200, `${next}: ${body.detail}`);
    found.push(...body.items.map(({ track }: { track: number }) => track));
    assert.ok(found.length <= 60, "No row is given twice");
    next = body.next;
  }
  return found;
}

for (const name of Object.keys(sorts)) {
  for (const sort of [name, `-${name}`]) {
    for (const limit of [1, 7, 20, 60, 200]) {
      test(`gives each row once in the order of ${sort}, ${limit} at a time`, async () => {
        assert.equal(await walk(`/tracks/?sort=${sort}&limit=${limit}`), await expected(sort));
      });
    }
    test(`gives what a filter finds in the order of ${sort}`, async () => {
      const path = `/tracks/?sort=${sort}&album__in=1,2,3&limit=4&name__gt=D`;
      const where = `album_id in (1, 2, 3) and name collate "C" > 'D'`;
      assert.equal(await walk(path), await expected(sort, where));
    });
  }
}

test("refuses sorts that are not declared, and says which there are", async () => {
  for (
    const sort of ["notes", "tags", "track", "original", "album__id", "-", "--plays", "+plays"]
  ) {
    const { status, body } = await relata.send(`GET /tracks/?sort=${encodeURIComponent(sort)}`);
    assert.is(status, 400, sort);
    assert.match(
      body.detail,
      /^The query parameter "sort" takes one of id, -id, name, -name, motto, -motto, plays, /,
    );
  }
});

// Cursors

async function cursorOf(path: string): Promise<string> {
  const { body } = await relata.send(`GET ${path}&limit=1`);
  return new URL(body.next, "http://relata.test").searchParams.get("cursor")!;
}

for (
  const [from, to] of [
    ["sort=plays", "sort=-plays"],
    ["sort=plays", "sort=name"],
    ["sort=plays", "sort=id"],
    ["sort=plays", "sort=plays&album=1"],
    ["sort=plays&album=1", "sort=plays&album__in=1"],
    ["sort=plays&album__in=1,2", "sort=plays&album__in=2,1"],
    ["sort=plays&plays__isnull=true", "sort=plays&plays__isnull=false"],
    ["sort=released&album__artist=1", "sort=released&album__artist=2"],
  ] as const
) {
  test(`a cursor of ${from} is refused by ${to}`, async () => {
    const cursor = await cursorOf(`/tracks/?${from}`);
    assert.is((await relata.send(`GET /tracks/?${from}&cursor=${cursor}`)).status, 200);
    const { status, body } = await relata.send(`GET /tracks/?${to}&cursor=${cursor}`);
    assert.equal([status, body.detail], [
      400,
      'The query parameter "cursor" does not belong to this list',
    ]);
  });
}

test("a cursor works on with another limit and with a count", async () => {
  const cursor = await cursorOf("/tracks/?sort=plays&album=1");
  const { status, body } = await relata.send(
    `GET /tracks/?sort=plays&album=1&count=true&limit=2&cursor=${cursor}`,
  );
  assert.equal([status, body.items.length, body.count], [200, 2, 9]);
});

for (const name of Object.keys(sorts)) {
  test(`a cursor of ${name} whose value somebody changed is refused, or goes on from there`, async () => {
    const real = await cursorOf(`/tracks/?sort=${name}`);
    const [list, key] = JSON.parse(Buffer.from(real, "base64url").toString());
    const texts = [
      "",
      "x",
      "-1",
      "1e400",
      "9".repeat(40),
      "now",
      "2026-02-30",
      "'",
      "\\",
      "{}",
      "\0",
    ];
    for (const value of [...texts, "\ud800", null, 1, true, [], {}]) {
      const changed = [list, key.toSpliced(0, 1, value)];
      const cursor = Buffer.from(JSON.stringify(changed)).toString("base64url");
      const { status } = await relata.send(`GET /tracks/?sort=${name}&cursor=${cursor}`);
      assert.ok(status === 200 || status === 400, `${status} for ${JSON.stringify(changed)}`);
    }
  });
}

test("the cursor has the column's own value, to the microsecond", async () => {
  const cursor = await cursorOf("/tracks/?sort=made");
  const [, [value]] = JSON.parse(Buffer.from(cursor, "base64url").toString());
  const [row] = await relata.sql`select min(made)::text as first from track`;
  assert.is(value, row!["first"]);
});

// Rows that come and go

test("rows that lose or get a value do not stop a walk, and no other row is left out", async () => {
  const { sql } = relata;
  const before = await expected("plays");
  const changed = new Set<number>();
  const found: number[] = [];
  for (let next = "/tracks/?sort=plays&limit=5"; next !== null;) {
    const { body } = await relata.send(`GET ${next}`);
    found.push(...body.items.map(({ track }: { track: number }) => track));
    next = body.next;
    const { track, plays } = body.items.at(-1);
    changed.add(track);
    await sql`update track set plays = ${plays === null ? 3 : null} where id = ${track}`;
  }
  const stayed = (ids: number[]) => ids.filter((id) => !changed.has(id));
  assert.equal(stayed(found), stayed(before));
});

// Mistakes in a declaration

const track = resources.at(-1)!;
const artist = resources[0]!;
const undeclared: { filter: string[]; sort: string[] } = { filter: [], sort: [] };

for (
  const [what, declared, message] of [
    [
      "a name that is no field",
      { filter: ["nothing"] },
      'The resource "track" filters or sorts by "nothing", but track has no field "nothing"',
    ],
    [
      "a name that every object has",
      { sort: ["constructor"] },
      'The resource "track" filters or sorts by "constructor", but track has no field "constructor"',
    ],
    [
      "a path through a field that is no relation",
      { sort: ["name__title"] },
      'The resource "track" filters or sorts by "name__title", but the field "name" of track is no ' +
      "relation to one row",
    ],
    [
      "a path through a relation to many",
      { filter: ["tags__name"] },
      'The resource "track" filters or sorts by "tags__name", but the field "tags" of track is no ' +
      "relation to one row",
    ],
  ] as [string, Partial<typeof undeclared>, string][]
) {
  test(`a resource is refused for ${what}`, () => {
    const mistaken = { ...declarationOf(track), ...undeclared, ...declared };
    assert.throws(() => resource("track", mistaken), (error: Error) => error.message === message);
  });
}

for (
  const [what, declared, message] of [
    [
      "a path to no field",
      { filter: ["album__nothing"] },
      'The resource "track" filters or sorts by "album__nothing", but album has no field "nothing"',
    ],
    [
      "a path through a relation that is given as a function",
      { sort: ["later__nothing"] },
      'The resource "track" filters or sorts by "later__nothing", but artist has no field "nothing"',
    ],
    [
      "a sort by a relation to many",
      { sort: ["tags"] },
      'The resource "track" sorts by "tags", which refers to many rows',
    ],
    [
      "two meanings of a parameter",
      { filter: ["odd__in", "odd"] },
      'The resource "track" filters by "odd" and "odd__in": "odd__in" would mean either',
    ],
  ] as [string, Partial<typeof undeclared>, string][]
) {
  test(`a server does not start with ${what}`, () => {
    const odd = resource("odd", {
      fields: { id: artist.fields["id"]!, in: artist.fields["name"]! },
      routes: {},
    });
    const mistaken = resource("track", {
      ...declarationOf(track),
      fields: { ...track.fields, later: relation(() => artist), odd: relation(odd) },
      ...undeclared,
      ...declared,
    });
    assert.throws(
      () => serviceOn(relata, { resources: [mistaken] }),
      (error: Error) => error.message === message,
    );
  });
}

/** Letters of which several begin with the same 500 characters. */
const letters = `
  insert into letter (body)
  select repeat('é', 600) || n % 3
  from generate_series(1, 5) as n
  union all select repeat('x', 499) || repeat('😀', 9000) || n from generate_series(1, 3) as n
  union all select null
  union all select 'short';
  update letter set answer_id = id`;

test("sorts by texts that are too long for an address, page by page", async () => {
  await relata.sql.unsafe(`
    create table letter (
      id bigint generated by default as identity primary key,
      body text,
      answer_id bigint references letter
    );
    ${letters}`);
  const letter = resource("letter", {
    path: "/letters/",
    fields: {
      id: identifier(),
      body: nullable(text()),
      answer: relation("self", { read: "identifier" }),
    },
    sort: ["body", "answer__body"],
  });
  const { send } = serviceOn(relata, { resources: [letter] });
  const walk = async (first: string, between = async (_: number) => {}) => {
    const ids: number[] = [];
    for (let path: string | null = first; path !== null;) {
      const { status, body } = await send(`GET ${path}`);
      assert.is(status, 200);
      ids.push(...body.items.map(({ id }: { id: number }) => id));
      path = body.next;
      assert.ok((path?.length ?? 0) < 2_000, `${path?.length} characters`);
      await between(ids.at(-1)!);
    }
    return ids;
  };
  const rows = await relata.sql<{ id: number }[]>`
    select id::int from letter order by body collate "C", id`;
  const ids = rows.map(({ id }) => id);
  for (const sort of ["body", "answer__body"]) {
    assert.equal(await walk(`/letters/?limit=1&sort=${sort}`), ids);
    assert.equal(await walk(`/letters/?limit=1&sort=-${sort}`), ids.toReversed());
  }
  // Where each row goes when it was shown, none is left out
  for (const sort of ["body", "-body"]) {
    await walk(`/letters/?limit=1&sort=${sort}`, async (shown) => {
      await relata.sql`delete from letter where id = ${shown}`;
    });
    assert.equal([...await relata.sql`select id from letter`], []);
    await relata.sql.unsafe(letters);
  }
  if (onEmbedded) return; // it has no citext and no collations of ICU
  await relata.sql.unsafe(`
    create extension citext;
    create collation ignoring (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    insert into letter (body)
    select repeat('a', 600) || word
    from unnest('{b,B,C,c,A,a}'::text[]) as word;
    update letter set answer_id = id`);
  for (const type of ["citext", "text collate ignoring"]) {
    await relata.sql.unsafe(`alter table letter alter body type ${type}`);
    // What a session has prepared keeps the types that its parameters had
    await relata.sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    for (const sort of ["body", "-body"]) {
      const { body: { items } } = await send(`GET /letters/?sort=${sort}`);
      const all = items.map(({ id }: { id: number }) => id);
      assert.equal(await walk(`/letters/?limit=1&sort=${sort}`), all);
    }
  }
});

test("follows a path through a relation that is given as a function", async () => {
  const later = resource("track", {
    ...declarationOf(track),
    fields: {
      ...track.fields,
      producer: relation(() => artist),
      tags: many(() => resources[2]!, { through: "track_tag", read: "identifier" }),
    },
    filter: ["producer__name"],
    sort: ["producer__name"],
  });
  const { send } = serviceOn(relata, { resources: [...resources.slice(0, -1), later] });
  const { body } = await send("GET /tracks/?producer__name=Ann&sort=-producer__name");
  const ids = body.items.map(({ track }: { track: number }) => track);
  assert.equal(ids, await expected("-id", "producer_id = 1"));
});

for (
  const [what, key] of [
    ["that was never validated", "foreign key (shelf_id) references shelf not valid"],
    ["that is not there", "check (shelf_id > 0)"],
  ] as const
) {
  test(`leaves no row out whose key dangles, by a foreign key ${what}`, async () => {
    await relata.sql.unsafe(`
      drop table if exists book, shelf, room;
      create table room (id bigint primary key, name text not null);
      create table shelf (
        id bigint primary key,
        name text not null,
        room_id bigint not null references room
      );
      create table book (id bigint primary key, shelf_id bigint not null);
      insert into room values (1, 'Hall'), (2, 'Attic');
      insert into shelf values (1, 'Low', 1), (2, 'High', 2);
      insert into book values (1, 7), (2, 1), (3, 2), (4, 8), (5, 1);
      alter table book add ${key}`);
    const name = text();
    const room = resource("room", { path: "/rooms/", fields: { id: identifier(), name } });
    const shelf = resource("shelf", {
      path: "/shelves/",
      fields: { id: identifier(), name, room: relation(room) },
    });
    const book = resource("book", {
      path: "/books/",
      sort: ["shelf__name", "shelf__room__name"],
      fields: { id: identifier(), shelf: relation(shelf, { read: "identifier" }) },
    });
    const { send } = serviceOn(relata, { resources: [room, shelf, book] });
    for (
      const [sort, ids] of [
        ["shelf__name", [3, 2, 5, 1, 4]],
        ["-shelf__name", [4, 1, 5, 2, 3]],
        ["shelf__room__name", [3, 2, 5, 1, 4]],
        ["-shelf__room__name", [4, 1, 5, 2, 3]],
      ] as const
    ) {
      for (const limit of [1, 2, 4, 50]) {
        const seen = [];
        for (let next = `/books/?sort=${sort}&limit=${limit}`; next !== null;) {
          const { body } = await send(`GET ${next}`);
          seen.push(...body.items.map(({ id }: { id: number }) => id));
          next = body.next;
        }
        assert.equal(seen, ids, `${sort}, ${limit} at a time`);
      }
    }
  });
}

test.run();
