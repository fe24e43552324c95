// Needs: Deno, the embedded database
import { Buffer } from "node:buffer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  askAsServer,
  bar,
  create,
  decimal,
  declarationOf,
  identifier,
  json,
  list,
  openPostgres,
  read,
  resource,
  resources,
  text,
} from "../house.ts";
import {
  type Answer,
  freshPostgres,
  onEmbedded,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";
import * as invoices from "../invoices.ts";
import * as tracks from "../tracks.ts";

/** A row as a list shows it: a foo, a bar or a bottage. */
interface Item {
  id: number;
  bottage: number;
  name: string;
  cul: string;
  colere: number;
  bar: { id: number; name: string };
}

const test = suite("list");
let relata: Service;

/** Names in the order of their code points, which is neither that of any language nor that of
 * UTF-16, where what is beyond U+FFFF comes before U+E000. */
const ordered = [
  "",
  " ",
  "!",
  "10",
  "9",
  "A",
  "Z",
  "_",
  "a",
  "a ",
  "aa",
  "b",
  "e\u0301",
  "z",
  "É",
  "é",
  "Ω",
  "一",
  "\uE000",
  "\uFFFD",
  "\uFFFF",
  "\u{10000}",
  "😀",
  "\u{10FFFF}",
];

/** More rows than the largest page holds; every name is borne by several rows. */
const ROWS = 220;

test.before(async () => {
  relata = await startService();
  const { sql } = relata;
  // 101 is prime to the number of names, so the names come in no order that a sort could keep.
  const names = Array.from({ length: ROWS }, (_, row) => ordered[(row * 101) % ordered.length]!);
  await sql`insert into bar (name) select unnest(${names}::text[])`;
  await sql`insert into foo (name, bar_id) select name, 1 + id % 3 from bar order by id`;
  await sql`insert into colere (name) values ('Second'), ('Third')`;
  await sql`insert into bottage (cul, colere_id) select name, 1 + id % 3 from bar order by id`;
});
test.after(() => relata.stop());

/** Asks for a list that there is. */
async function page(path: string): Promise<Answer & { body: { items: Item[] } }> {
  const answer = await relata.send(`GET ${path}`);
  assert.is(answer.status, 200, path);
  assert.equal(Object.keys(answer.body), ["items", "next"]);
  const link = answer.headers.get("link");
  assert.is(link, answer.body.next === null ? null : `<${answer.body.next}>; rel="next"`);
  return answer;
}

/** All items from a page on, by following `next`; `between` is done before each further page. */
async function walk(
  path: string,
  between: (items: Item[]) => Promise<unknown> | void = () => {},
): Promise<Item[]> {
  const all: Item[] = [];
  for (let next: string | null = path; next !== null;) {
    const { body }: Answer = await page(next);
    all.push(...body.items);
    assert.is.not(body.next, next, "The next page is another one");
    next = body.next;
    if (next === null) return all;
    assert.ok(body.items.length > 0, "A page that is not the last one gets the walk further");
    await between(body.items);
  }
  return all;
}

const ids = (items: Item[]) => items.map((item) => item.id ?? item.bottage);

async function refused(path: string): Promise<void> {
  assert.is((await relata.send(`GET ${path}`)).status, 400, path);
}

// Sorting and paging

const paths = {
  "/api/foos/": { table: "foo", sorts: ["id", "-id", "name", "-name"] },
  "/api/bars/": { table: "bar", sorts: ["id", "-id", "name", "-name"] },
  "/bottage/": { table: "bottage", sorts: ["id", "-id"] },
};

/** The identifiers of a table's rows in the order that a sort asks for. */
async function expected(table: string, sort: string): Promise<number[]> {
  const { sql } = relata;
  const label = sql(table === "bottage" ? "cul" : "name");
  const rows = await sql<{ id: number; label: string }[]>`
    select id, ${label} as label from ${sql(table)}`;
  const place = (row: { label: string }) => ordered.indexOf(row.label);
  rows.sort((one, other) =>
    (sort.endsWith("name") ? place(one) - place(other) : 0) || one.id - other.id
  );
  return sort.startsWith("-") ? rows.map(({ id }) => id).reverse() : rows.map(({ id }) => id);
}

for (const [path, { table, sorts }] of Object.entries(paths)) {
  for (const sort of sorts) {
    for (const limit of [1, 7, 50, 200]) {
      test(`${path} gives every row once in the order of ${sort}, ${limit} at a time`, async () => {
        const rows = await walk(`${path}?sort=${sort}&limit=${limit}`);
        assert.equal(ids(rows), await expected(table, sort));
      });
    }
  }

  test(`${path} has 50 items on a page unless a limit is given`, async () => {
    assert.is((await page(path)).body.items.length, 50);
    assert.is((await walk(path)).length, ROWS);
  });

  for (const limit of [1, 2, 199, 200]) {
    test(`${path} has as many items on a page as limit=${limit} says`, async () => {
      assert.is((await page(`${path}?limit=${limit}`)).body.items.length, limit);
    });
  }

  for (
    const limit of [
      "0",
      "201",
      "1000",
      "-1",
      "01",
      "+1",
      "1.5",
      "1e1",
      "x",
      "",
      "%20",
      "9".repeat(30),
    ]
  ) {
    test(`${path} refuses limit=${limit}`, () => refused(`${path}?limit=${limit}`));
  }

  for (
    const sort of ["", "ID", "--id", "+id", "id,-id", "-", "date", "cul", "bar", "constructor"]
  ) {
    test(`${path} refuses sort=${sort}`, () => refused(`${path}?sort=${sort}`));
  }

  test(`${path} says that the page with the last row is the last one`, async () => {
    const { body } = await page(`${path}?limit=${ROWS / 2}`);
    assert.is((await page(body.next)).body.next, null);
  });
}

test("items are what a read of each gives", async () => {
  for (const path of ["/api/foos/", "/api/bars/", "/bottage/"]) {
    const { body } = await page(`${path}?limit=5`);
    for (const item of body.items) {
      const { body: read } = await relata.send(`GET ${path}${item.id ?? item.bottage}`);
      assert.equal(item, read);
    }
  }
});

test("bottages are newest first unless a sort is given", async () => {
  assert.equal(ids(await walk("/bottage/?limit=30")), await expected("bottage", "-id"));
});

for (const parameter of ["sort=name", "sort=-name", "name=a", "q=a", "cul=a", "bar=1", "date=x"]) {
  test(`bottages have no name to go by: ${parameter} is refused`, async () => {
    await refused(`/bottage/?${parameter}`);
  });
}

for (const path of ["/api/bars/?bar=1", "/api/bars/?colere=1", "/api/foos/?colere=1"]) {
  test(`a list filters by its own relations alone: ${path} is refused`, () => refused(path));
}

// Filters

const filtered = suite("list filters");
const filteredNames = [
  "100%",
  "100 per cent",
  "a_b",
  "axb",
  "a\\b",
  "a\\\\b",
  "a%b",
  "AxB",
  " axb ",
  "it's",
  'say "x"',
  "",
  "caf\u00e9",
  "cafe\u0301",
  "1",
];
let bars: number[];

filtered.before(async () => {
  relata = await startService();
  const { sql } = relata;
  bars = [];
  for (let count = 0; count < 3; count++) {
    bars.push((await relata.send("POST /api/bars/", { name: `Bar ${count}` })).body.id);
  }
  for (const bar of bars.slice(0, 2)) {
    for (const name of filteredNames) {
      await sql`insert into foo (name, bar_id) values (${name}, ${bar})`;
    }
  }
});
filtered.after(() => relata.stop());

const names = (items: Item[]) => items.map(({ name }) => name).sort();
const twice = (names: string[]) => [...names, ...names].sort();

for (const name of [...filteredNames, "axB", "axb", "%", "a", "nobody", "caf"]) {
  filtered(`name=${name} finds exactly that name`, async () => {
    const found = await walk(`/api/foos/?name=${encodeURIComponent(name)}`);
    assert.equal(names(found), twice(filteredNames.filter((each) => each === name)));
  });
}

for (
  const text of [
    ...["", "%", "%%", "_", "__", "\\", "\\\\", "\\%", "\\_", "a%b", "a_b", "a\\b", "0%", "x", "X"],
    ...[
      "axb",
      "AXB",
      " ",
      "'",
      '"',
      "caf",
      "caf\u00e9",
      "1",
      "nobody",
      ".*",
      "a.b",
      "$1",
      "x".repeat(100),
    ],
  ]
) {
  filtered(`q=${text} finds the names that contain it, without regard to case`, async () => {
    const found = await walk(`/api/foos/?q=${encodeURIComponent(text)}`);
    const holds = (name: string) => name.toLowerCase().includes(text.toLowerCase());
    assert.equal(names(found), twice(filteredNames.filter(holds)));
  });
}

for (const filter of ["name", "q"]) {
  filtered(`${filter} with U+0000 is refused`, () => refused(`/api/foos/?${filter}=a%00b`));
}

filtered("bar=… finds the foos of that bar", async () => {
  for (const bar of bars.slice(0, 2)) {
    const found = await walk(`/api/foos/?bar=${bar}&limit=4`);
    assert.equal(names(found), [...filteredNames].sort());
    assert.ok(found.every((foo) => foo.bar.id === bar));
  }
});

filtered("colere=… finds the bottages of that colere", async () => {
  const { body: { id: colere } } = await relata.send("POST /colere/", {});
  for (const each of [1, colere, colere]) {
    await relata.send("POST /bottage/", { cul: "", colere: each });
  }
  const found = await walk(`/bottage/?colere=${colere}&limit=1`);
  assert.equal(found.map((bottage) => bottage.colere), [colere, colere]);
});

for (const filter of ["/api/foos/?bar", "/bottage/?colere"]) {
  for (
    const value of [
      ...[
        "-0",
        "01",
        "x",
        "1.0",
        "-01",
        "+1",
        "1e0",
        "%2B1",
        "%201",
        "",
        "null",
        "1,2",
        "0x1",
        "٣",
      ],
      ...["9".repeat(30), String(2 ** 53)],
    ]
  ) {
    filtered(
      `${filter}=${value} is not an identifier and refused`,
      () => refused(`${filter}=${value}`),
    );
  }
  for (const unknown of [987654, Number.MAX_SAFE_INTEGER]) {
    filtered(`${filter}=${unknown} finds nothing`, async () => {
      assert.equal((await page(`${filter}=${unknown}`)).body, { items: [], next: null });
    });
  }
}

for (const [value, limit] of [["x", false], ["01", false], [String(2 ** 53), true]] as const) {
  filtered(`the problem of bar=${value} names ${limit ? "the" : "no"} limit`, async () => {
    const { body } = await relata.send(`GET /api/foos/?bar=${value}`);
    const most = 2 ** 53 - 1;
    const told = limit ? `an integer from ${-most} to ${most}` : "an integer";
    assert.is(body.detail, `The query parameter "bar" takes ${told}`);
  });
}

filtered("filters hold together, and next keeps them and the limit", async () => {
  const query = `bar=${bars[0]}&q=A&name=axb&sort=-name`;
  assert.equal(names(await walk(`/api/foos/?${query}`)), ["axb"]);
  const some = `bar=${bars[1]}&q=x&sort=-name&limit=1`;
  const pages: number[] = [];
  const found = await walk(`/api/foos/?${some}`, (items) => void pages.push(items.length));
  assert.equal(found.map(({ name }) => name), ['say "x"', "axb", "AxB", " axb "]);
  assert.ok(found.every((foo) => foo.bar.id === bars[1]));
  assert.equal(pages, [1, 1, 1]);
  assert.equal(names(await walk(`/api/foos/?bar=${bars[2]}&q=x`)), []);
});

filtered("a filter that holds characters of URLs survives in next", async () => {
  const names = ["a&b=c#d?e+f g/é%25😀", "A&B=C#D?E+F G/é%25😀"];
  for (const name of names) await relata.sql`insert into bar (name) values (${name})`;
  const found = await walk(`/api/bars/?q=${encodeURIComponent(names[0]!)}&limit=1`);
  assert.equal(found.map(({ name }) => name), names);
});

// Cursors

const cursors = suite("list cursors");

cursors.before(async () => {
  relata = await startService();
  const { sql } = relata;
  await sql`insert into bar (name) select 'Bar ' || n from generate_series(1, 9) n`;
  await sql`insert into foo (name, bar_id) select name, 1 + id % 2 from bar`;
  await sql`insert into bottage (cul, colere_id) select name, 1 from bar`;
  await sql`insert into colere default values`;
});
cursors.after(() => relata.stop());

async function cursorOf(path: string): Promise<string> {
  const { status, body } = await relata.send(`GET ${path}`);
  assert.is(status, 200, path);
  const cursor = new URL(body.next, "http://relata.test").searchParams.get("cursor");
  assert.ok(cursor);
  return encodeURIComponent(cursor!);
}

for (
  const [from, to] of [
    ["/api/foos/?limit=2", "/api/bars/?limit=2"],
    ["/api/bars/?limit=2", "/api/foos/?limit=2"],
    ["/api/bars/?limit=2", "/bottage/?limit=2"],
    ["/bottage/?limit=2&sort=id", "/api/bars/?limit=2&sort=id"],
    ["/api/foos/choices/bar/?limit=2", "/api/bars/?limit=2"],
    ["/api/bars/?limit=2", "/api/foos/choices/bar/?limit=2"],
    ["/bottage/choices/colere/?limit=1", "/bottage/?limit=1&sort=id"],
    ["/api/foos/?limit=2&sort=id", "/api/foos/?limit=2&sort=-id"],
    ["/api/foos/?limit=2&sort=id", "/api/foos/?limit=2&sort=name"],
    ["/api/foos/?limit=2&sort=name", "/api/foos/?limit=2&sort=-name"],
    ["/bottage/?limit=2", "/bottage/?limit=2&sort=id"],
    ["/api/foos/?limit=2", "/api/foos/?limit=2&bar=1"],
    ["/api/foos/?limit=2&bar=1", "/api/foos/?limit=2&bar=2"],
    ["/api/foos/?limit=2&bar=1", "/api/foos/?limit=2"],
    ["/api/foos/?limit=2&q=bar", "/api/foos/?limit=2&q=ba"],
    ["/api/foos/?limit=2&q=bar", "/api/foos/?limit=2&name=bar"],
    ["/api/foos/?limit=2&q=", "/api/foos/?limit=2&name="],
    ["/bottage/?limit=2&colere=1", "/bottage/?limit=2"],
  ] as const
) {
  cursors(`a cursor of ${from} is refused by ${to}`, async () => {
    const cursor = await cursorOf(from);
    assert.is((await relata.send(`GET ${from}&cursor=${cursor}`)).status, 200);
    await refused(`${to}&cursor=${cursor}`);
  });
}

for (
  const [what, from, to] of [
    ["another limit", "/api/foos/?sort=name&limit=2", "/api/foos/?sort=name&limit=3"],
    ["no limit", "/api/foos/?sort=name&limit=2", "/api/foos/?sort=name"],
    ["another order of the parameters", "/api/foos/?q=b&bar=1&limit=2", "/api/foos/?bar=1&q=b"],
    ["the other spelling of the slash", "/api/foos/?limit=2", "/api/foos?limit=2"],
    ["the same sort said aloud", "/bottage/?limit=2", "/bottage/?sort=-id"],
  ] as const
) {
  cursors(`a cursor works on with ${what}`, async () => {
    const first = await page(from);
    const whole = await walk(from);
    const rest = await walk(`${to}${to.includes("?") ? "&" : "?"}cursor=${await cursorOf(from)}`);
    assert.equal([...first.body.items, ...rest], whole);
  });
}

const base64 = (text: string) => Buffer.from(text).toString("base64url");

for (
  const [what, cursor] of Object.entries({
    "no text": "",
    "no base64": "!!!",
    "one character": "a",
    "a number": "3",
    "not ASCII": "%C3%A9",
    "U+0000": "%00",
    "bytes that are no UTF-8": "gICA_w",
    "a large one": "A".repeat(5000),
    ...Object.fromEntries(
      [
        ...[
          "",
          "nonsense",
          "null",
          "true",
          "1",
          '"x"',
          "{}",
          "[]",
          "[[]]",
          "[null]",
          "[1]",
          "[1,2]",
        ],
        ...['["x",[1]]', '{"id":1}', '["a","b"]', '["\\u0000",1]', "[".repeat(3000)],
      ].map((json) => [`base64 of ${json.slice(0, 20)}`, base64(json)]),
    ),
  })
) {
  for (const list of ["/api/foos/?sort=name", "/api/bars/?sort=-id", "/bottage/?sort=id"]) {
    cursors(`a cursor of garbage is refused by ${list}: ${what}`, async () => {
      await refused(`${list}&cursor=${cursor}`);
    });
  }
}

for (const sort of ["id", "-id", "name", "-name"]) {
  cursors(`a real cursor of ${sort} that somebody tampered with is refused`, async () => {
    const real = await cursorOf(`/api/foos/?sort=${sort}&limit=2`);
    await refused(`/api/foos/?sort=${sort}&cursor=${real}AAAA`);
    await refused(`/api/foos/?sort=${sort}&cursor=${real.slice(0, -4)}`);
    // Clients see no more than opaque text; whoever looks into it finds base64url of JSON.
    const inside = JSON.parse(Buffer.from(real, "base64url").toString());
    const wrong = [null, true, {}, [], 1.5, 1e300, "\0", "\ud800", [1], { id: 1 }];
    for (const tampered of wrong.flatMap((value) => replacements(inside, value))) {
      const cursor = base64(JSON.stringify(tampered));
      const { status } = await relata.send(`GET /api/foos/?sort=${sort}&cursor=${cursor}`);
      assert.is(status, 400, JSON.stringify(tampered));
    }
  });
}

/** Copies of a JSON value, in each of which one leaf is another value. */
function replacements(json: unknown, value: unknown): unknown[] {
  if (!Array.isArray(json)) return [value];
  return json.flatMap((member, index) =>
    replacements(member, value).map((other) => json.with(index, other))
  );
}

// Rows that come and go while somebody walks

const changing = suite("list while rows change");

changing.before(async () => {
  relata = await startService();
});
changing.after(() => relata.stop());

for (const sort of ["id", "-id", "name", "-name"]) {
  changing(
    `rows that stay are given once in the order of ${sort} while others come and go`,
    async () => {
      const { sql } = relata;
      await sql`delete from bar`;
      await sql`
      insert into bar (id, name)
      select 1000 + 10 * n, 'name ' || lpad((n * 7 % 40 / 2)::text, 3, '0')
      from generate_series(1, 40) n`;
      const before = ids(await walk(`/api/bars/?sort=${sort}`));
      const seen = new Set<number>();
      const gone = new Set<number>();
      let come = 0;
      const walked = ids(
        await walk(`/api/bars/?sort=${sort}&limit=3`, async (items) => {
          // The row where the cursor stands goes, and the next one that was there from the start.
          ids(items).forEach((id) => seen.add(id));
          const { id, name } = items.at(-1)!;
          gone.add(id).add(before.find((id) => !seen.has(id) && !gone.has(id)) ?? id);
          await sql`delete from bar where id = any(${[...gone]}::bigint[])`;
          // Others come: at both ends of the list and beside the cursor.
          come += 10;
          await sql`
          insert into bar (id, name)
          values (${500 - come}, ''), (${9000 + come}, 'zzz'), (${id + 1}, ${name})`;
        }),
      );
      assert.ok(gone.size > 10);
      assert.is(new Set(walked).size, walked.length, "No row is given twice");
      const stayed = before.filter((id) => !gone.has(id));
      assert.equal(walked.filter((id) => stayed.includes(id)), stayed);
    },
  );
}

changing("new bottages do not disturb a walk from the newest on", async () => {
  const { sql } = relata;
  await sql`insert into bottage (cul, colere_id) select n, 1 from generate_series(1, 30) n`;
  const before = await walk("/bottage/");
  const walked = await walk("/bottage/?limit=4", async () => {
    await relata.send("POST /bottage/", { cul: "new", colere: 1 });
  });
  assert.equal(walked, before);
});

changing("an empty list is one empty page", async () => {
  await relata.sql`delete from bar`;
  for (const path of ["/api/bars/", "/api/foos/", "/api/foos/?bar=1&q=x&sort=-name"]) {
    assert.equal((await page(path)).body, { items: [], next: null });
  }
});

// Long records

const long = suite("list of long records");

long.before(async () => {
  relata = await startService();
});
long.after(() => relata.stop());

for (const sort of ["id", "-id"]) {
  long(
    `long culs make pages shorter than the limit, complete in the order of ${sort}`,
    async () => {
      const { sql } = relata;
      await sql`delete from bottage`;
      // The third is longer than any body this server takes: somebody has inserted it by SQL.
      for (const length of [10, 400_000, 3_000_000, 400_000, 400_000, 0, 400_000, 400_000, 10]) {
        await sql`insert into bottage (cul, colere_id) values (repeat('é', ${length / 2}), 1)`;
      }
      const pages: number[] = [];
      const found = await walk(
        `/bottage/?limit=200&sort=${sort}`,
        (items) => void pages.push(items.length),
      );
      const rows = await sql`select id, cul from bottage order by id`;
      const all = sort === "id" ? [...rows] : rows.reverse();
      assert.equal(ids(found), all.map(({ id }) => id));
      assert.ok(found.every(({ cul }, index) => cul === all[index]!["cul"]));
      // A page ends with the row that makes it a mebibyte or more; the last page is not among these
      assert.equal(pages, sort === "id" ? [3, 4] : [5, 2]);
    },
  );
}

long("pages are shorter also where a limit of the field allows long texts", async () => {
  const article = resource("article", {
    path: "/articles/",
    fields: { id: identifier(), body: text({ maximum: 1_000_000 }) },
  });
  const { send } = serviceOn(relata, { resources: [article] });
  await relata.sql`create table article (id bigint primary key, body text not null)`;
  await relata
    .sql`insert into article select i, repeat('x', 400000) from generate_series(1, 4) as i`;
  const { body } = await send("GET /articles/");
  assert.equal(body.items.map(({ id }: Item) => id), [1, 2, 3]);
  assert.equal((await send(`GET ${body.next}`)).body.items[0].id, 4);
});

// Tags

const tagged = suite("list tags");

tagged.before(async () => {
  const article = resource("article", {
    path: "/articles/",
    fields: { id: identifier(), body: text({ maximum: 1_000_000 }) },
  });
  const measurement = resource("measurement", {
    path: "/measurements/",
    fields: { id: identifier(), value: decimal(), raw: json() },
  });
  relata = await startService({
    resources: [...resources, ...invoices.invoices, article, measurement],
  });
  const { sql } = relata;
  await sql.unsafe(invoices.up);
  await sql.unsafe(`
    insert into bar (name) select 'Bar ' || n from generate_series(1, 4) n;
    insert into foo (name, bar_id) select name, 1 + id % 2 from bar;
    insert into bottage (cul, colere_id) values ('"é', 1), ('', 1), (repeat('x', 2000000), 1), ('', 1);
    insert into invoice (title) values ('b'), ('a'), ('c'), ('d');
    insert into line (invoice_id, place, product_id, quantity) select id, 1, 1, 2 from invoice;
    insert into part (line_id, name) select id, 'a' from line;
    create table article (id bigint primary key, body text not null);
    insert into article select n, repeat('x', 400000) from generate_series(1, 4) n;
    create table measurement (id bigint primary key, value numeric not null, raw jsonb not null);
    insert into measurement
    select n, 9007199254740993.000000000000000001 + n, '[9007199254740993.10]'
    from generate_series(1, 4) n`);
});
tagged.after(() => relata.stop());

for (
  const [path, query] of [
    ["/api/foos/", ""],
    ["/api/foos/", "limit=3&sort=-name"],
    ["/api/bars/", "limit=3&q=bar&count=true"],
    ["/bottage/", "limit=3"],
    ["/invoices/", "limit=3&sort=title"],
    ["/articles/", ""],
    ["/measurements/", "limit=3"],
  ]
) {
  tagged(`the tags of ${path}?${query} are those of its items, on each page`, async () => {
    let found = 0;
    for (let next: string | null = `${path}?${query}&etags=true`; next !== null;) {
      const { status, body }: Answer = await relata.send(`GET ${next}`);
      assert.is(status, 200, next);
      assert.is(body.etags.length, body.items.length);
      for (const [place, item] of body.items.entries()) {
        const etag = body.etags[place];
        const request = `GET ${path}${item.id ?? item.bottage}`;
        const read = await relata.send(request, undefined, { "if-match": etag });
        assert.equal([read.status, read.headers.get("etag")], [200, etag]);
        found++;
      }
      next = body.next;
    }
    assert.is(found, 4);
  });
}

for (
  const [query, members] of [
    ["etags=false", ["items", "next"]],
    ["etags=true", ["items", "next", "etags"]],
    ["etags=true&count=true", ["items", "next", "count", "etags"]],
  ] as const
) {
  tagged(`a list with ${query} has the members ${members.join(", ")}`, async () => {
    const { body } = await relata.send(`GET /api/bars/?${query}`);
    assert.equal(Object.keys(body), members);
    if (body.etags) assert.is(body.etags.length, body.items.length);
  });
}

tagged("an empty list has no tags", async () => {
  const { body } = await relata.send("GET /api/bars/?name=nobody&etags=true");
  assert.equal(body, { items: [], next: null, etags: [] });
});

for (const query of ["etags=", "etags=1", "etags=true&etags=true"]) {
  tagged(`a list refuses ${query}`, () => refused(`/api/foos/?${query}`));
}

tagged("candidates have no tags", () => refused("/api/foos/choices/bar/?etags=true"));

for (const [from, to] of [["limit=2", "etags=true"], ["limit=2&etags=true", "limit=3"]]) {
  tagged(`a cursor of a list with ${from} works on with ${to}`, async () => {
    const cursor = await cursorOf(`/api/foos/?${from}`);
    const { status, body } = await relata.send(`GET /api/foos/?${to}&cursor=${cursor}`);
    assert.equal([status, ids(body.items)], [200, [3, 4]]);
  });
}

// Depth

const deep = suite("list depth");

const depth = onEmbedded ? deep.skip : deep;
const reason = onEmbedded ? " (skipped: only the real Postgres counts the rows it reads)" : "";

for (
  const path of [
    ...["id", "-id", "name", "-name"].map((sort) => `/api/bars/?sort=${sort}`),
    ...["id", "-id", "name", "-name"].map((sort) => `/api/foos/?sort=${sort}`),
    ...["id", "-name"].map((sort) => `/api/foos/?bar=1&sort=${sort}`),
    ...["id", "-id"].map((sort) => `/bottage/?colere=1&sort=${sort}`),
    ...["plays", "-plays", "name", "-made"].map((sort) => `/tracks/?sort=${sort}`),
    ...["plays", "-plays"].map((sort) => `/tracks/?album=1&sort=${sort}`),
    ...["album__title", "-album__title"].map((sort) => `/tracks/?sort=${sort}`),
  ]
) {
  depth(`the last page of ${path} reads no more rows than the first${reason}`, async () => {
    const first = `${path}&limit=100`;
    let last = first;
    for (let next = first; next !== null; next = (await page(next)).body.next) last = next;
    const [reads, deepReads] = [await rowsRead(first), await rowsRead(last)];
    assert.ok(reads > 0);
    assert.ok(reads < 1000, `${reads} rows for a page of 100`);
    assert.ok(deepReads <= reads, `${deepReads} rows, not ${reads}`);
  });
}

/** The rows and index entries that Postgres reads for a page. */
async function rowsRead(path: string): Promise<number> {
  const before = await rowsReadSoFar();
  await page(path);
  return await rowsReadSoFar() - before;
}

/** By the server's own session, for that tells at once of its own reads alone. */
async function rowsReadSoFar(): Promise<number> {
  await askAsServer(relata, "select pg_stat_force_next_flush()");
  const [row] = await askAsServer<{ count: number }>(
    relata,
    `select (
      (select sum(seq_tup_read) from pg_stat_user_tables)
      + (select sum(idx_tup_read) from pg_stat_user_indexes)
    )::bigint as count`,
  );
  return row!.count;
}

deep.before(async () => {
  if (onEmbedded) return;
  const { sql, url, stop } = await freshPostgres();
  const database = openPostgres(url, { sessions: 1 });
  relata = {
    ...serviceOn(database, { resources: [...resources, ...tracks.resources] }),
    sql,
    async stop() {
      await database.close();
      await stop();
    },
  };
  await sql`insert into bar (name) select md5(n::text) from generate_series(1, 2500) n`;
  await sql`insert into foo (name, bar_id) select name, 1 + id % 2 from bar`;
  await sql`insert into colere default values`;
  await sql`insert into bottage (cul, colere_id) select name, 1 + id % 2 from bar`;
  await tracks.createTables(sql);
  await sql`insert into album (title) select md5(n::text) from generate_series(1, 4000) n`;
  // Every other track is on the first album. A third has no plays, and each number of them is there several
  // times. There are so many that Postgres does not read all of them for the last few
  await sql`
    insert into track (name, album_id, plays, made)
    select
      md5(n::text),
      case when n % 2 = 0 then 1 else 1 + n % 4000 end,
      case when n % 3 > 0 then n % 700 end,
      now() + n % 700 * interval '1 minute'
    from generate_series(1, 20000) n`;
  await sql.unsafe(`
    create index on track (plays, id);
    create index on track (album_id, plays, id);
    create index on track (album_id, id);
    create index on track (made, id);
    create index on track ((name collate "C"), id);
    create index on album ((title collate "C"), id)`);
  await sql`analyze`;
});
deep.after(() => onEmbedded ? undefined : relata.stop());

test("sorts by the display field, whatever its name", async () => {
  const other = await startService({
    resources: [resource("bar", {
      ...declarationOf(bar),
      display: "paid",
      fields: { id: identifier(), paid: text({ example: "Paid", maximum: 64 }) },
      routes: { "/api/bars/": [list(), create], "/api/bars/{bar_id}/": [read] },
    })],
  });
  await other.sql`alter table bar rename column name to paid`;
  for (const paid of ["b", "a"]) await other.send("POST /api/bars/", { paid });
  const { body } = await other.send("GET /api/bars/?sort=paid");
  assert.equal(body.items.map(({ paid }: { paid: string }) => paid), ["a", "b"]);
  await other.stop();
});

test.run();
filtered.run();
cursors.run();
changing.run();
long.run();
tagged.run();
deep.run();
