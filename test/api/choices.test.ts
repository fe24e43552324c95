// The candidate lists of both relations: identifier → display text, in pages.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  choices,
  declarationOf,
  foo,
  identifier,
  relation,
  resource,
  text,
} from "../house.ts";
import { type Answer, type Service, serviceOn, startService } from "../service.ts";

const test = suite("choices");
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.after(() => relata.stop());

const lists = [
  { path: "/api/foos/choices/bar/", table: "bar" },
  { path: "/bottage/choices/colere/", table: "colere" },
];

/** Makes these the only candidates there are. */
async function candidates(table: string, names: Record<string, string>): Promise<void> {
  const { sql } = relata;
  await sql`delete from ${sql(table)}`;
  for (const [id, name] of Object.entries(names).reverse()) {
    await sql`insert into ${sql(table)} (id, name) values (${id}, ${name})`;
  }
}

async function numbered(table: string, count: number): Promise<void> {
  const { sql } = relata;
  await sql`delete from ${sql(table)}`;
  await sql`
    insert into ${sql(table)} (id, name)
    select number, 'Number ' || number
    from generate_series(1, ${count}::bigint) as number`;
}

/** Asks for a list with a query; follows its pages to the end. */
async function pages(path: string, query = ""): Promise<Answer[]> {
  const found: Answer[] = [];
  let next: string | null = path + query;
  while (next !== null) {
    const answer: Answer = await relata.send(`GET ${next}`);
    assert.is(answer.status, 200);
    assert.equal(Object.keys(answer.body), ["choices", "next"]);
    found.push(answer);
    next = answer.body.next;
    assert.is(answer.headers.get("link"), next === null ? null : `<${next}>; rel="next"`);
  }
  return found;
}

function keys({ body }: Answer): string[] {
  return Object.keys(body.choices);
}

async function search(path: string, q: string): Promise<string[]> {
  return (await pages(path, `?q=${encodeURIComponent(q)}`)).flatMap(({ body }) =>
    Object.values(body.choices) as string[]
  );
}

for (const { path, table } of lists) {
  test(`of ${table} give each identifier its name, or ${table} and its number if it has none`, async () => {
    await candidates(table, { 1: "One", 2: "", 3: "  ", 5: `${table} 1`, 6: '"{}\\\n', 7: "😀" });
    const { status, body, headers } = await relata.send(`GET ${path}`);
    assert.is(status, 200);
    assert.equal(body, {
      choices: {
        1: "One",
        2: `${table} 2`,
        3: "  ",
        5: `${table} 1`,
        6: '"{}\\\n',
        7: "😀",
      },
      next: null,
    });
    assert.is(headers.get("link"), null);
  });

  test(`of ${table} are empty if there is no candidate`, async () => {
    await candidates(table, {});
    assert.equal((await relata.send(`GET ${path}`)).body, { choices: {}, next: null });
  });

  test(`of ${table} follow what is written at once`, async () => {
    await candidates(table, { 1: "Old" });
    await relata.sql`update ${relata.sql(table)} set name = 'New' where id = 1`;
    assert.equal((await relata.send(`GET ${path}`)).body.choices, { 1: "New" });
  });

  test(`of ${table} answer the same in both spellings of the final slash`, async () => {
    await numbered(table, 3);
    const [first, second] = await pages(path.slice(0, -1), "?limit=2");
    assert.equal((await relata.send(`GET ${path}?limit=2`)).body, first!.body);
    assert.equal(keys(second!), ["3"]);
  });

  // Order

  test(`of ${table} come in ascending order of their identifiers, however large`, async () => {
    const names = [
      "2",
      "10",
      "9999",
      "2147483647",
      "2147483648",
      "4294967294",
      "4294967295",
      "4294967296",
      "4294967297",
      "10000000000",
      "9007199254740990",
      "9007199254740991",
    ].map((id) => [id, `Number ${id}`]);
    await candidates(table, Object.fromEntries(names));
    for (const limit of [1, 2, 5, 11, 12, 50]) {
      const found = await pages(path, `?limit=${limit}`);
      assert.equal(found.flatMap(({ body }) => Object.entries(body.choices)), names);
      assert.is(found.length, Math.ceil(12 / limit));
    }
  });

  // Pages

  for (
    const [count, query, sizes] of [
      [7, "?limit=3", [3, 3, 1]],
      [6, "?limit=3", [3, 3]],
      [3, "?limit=3", [3]],
      [3, "?limit=1", [1, 1, 1]],
      [50, "", [50]],
      [51, "", [50, 1]],
      [201, "?limit=200", [200, 1]],
      [120, "?q=number%201&limit=20", [20, 12]], // 1, 10 to 19, 100 to 120
    ] as const
  ) {
    test(`of ${count} ${table}s come in pages of ${sizes} for "${query}"`, async () => {
      await numbered(table, count);
      const found = await pages(path, query);
      assert.equal(found.map((page) => keys(page).length), sizes);
      const all = found.flatMap(keys).map(Number);
      assert.equal(all, [...new Set(all)].sort((one, other) => one - other));
    });
  }

  test(`of ${table} have a next page that is found by key, so that none is lost or doubled`, async () => {
    await numbered(table, 6);
    const { sql } = relata;
    const first = await relata.send(`GET ${path}?limit=3`);
    await sql`delete from ${sql(table)} where id in (1, 3)`;
    await sql`insert into ${sql(table)} (id, name) values (7, 'Number 7')`;
    assert.equal(keys(await relata.send(`GET ${first.body.next}`)), ["4", "5", "6"]);
  });

  test(`of ${table} can continue with another limit`, async () => {
    await numbered(table, 6);
    const { body } = await relata.send(`GET ${path}?limit=1`);
    const next = body.next.replace("limit=1", "limit=4");
    assert.equal(keys(await relata.send(`GET ${next}`)), ["2", "3", "4", "5"]);
  });

  // Search

  const found = {
    "": ["Red", "dark RED", "Reddish", "Green", `${table} 5`],
    "red": ["Red", "dark RED", "Reddish"],
    "RED": ["Red", "dark RED", "Reddish"],
    "k r": ["dark RED"],
    "redd": ["Reddish"],
    "reds": [],
    [table]: [`${table} 5`],
    [table.toUpperCase()]: [`${table} 5`],
    [`${table} 5`]: [`${table} 5`],
    "5": [`${table} 5`],
  };
  for (const [q, expected] of Object.entries(found)) {
    test(`of ${table} are searched for "${q}" in what they display, in any case`, async () => {
      await candidates(table, { 1: "Red", 2: "dark RED", 3: "Reddish", 4: "Green", 5: "" });
      assert.equal(await search(path, q), expected);
    });
  }

  const plain = {
    "%": ["100%", "%_\\"],
    "0%": ["100%"],
    "_": ["a_b", "%_\\"],
    "a_b": ["a_b"],
    "\\": ["a\\b", "%_\\"],
    "a\\b": ["a\\b"],
    "\\\\": [],
    "%_\\": ["%_\\"],
    "\\_": [],
    "*": ["a*b"],
    ".": [],
    "'": ["it's"],
    "a+b": ["a+b"],
    "&": ["a&b"],
    "😀": ["😀"],
  };
  for (const [q, expected] of Object.entries(plain)) {
    test(`of ${table} are searched for "${q}" as plain text`, async () => {
      const names = ["100%", "a_b", "a\\b", "%_\\", "a*b", "it's", "a+b", "a&b", "😀", "axb"];
      await candidates(table, Object.fromEntries(names.map((name, index) => [index + 1, name])));
      assert.equal(await search(path, q), expected);
    });
  }

  // Bad parameters

  for (
    const query of [
      "limit=0",
      "limit=201",
      "limit=1000",
      "limit=-1",
      "limit=01",
      "limit=1.5",
      "limit=1e1",
      "limit=x",
      "limit=",
      "limit",
      "limit=%201",
      "limit=99999999999999999999",
      "limit=1&limit=1",
      "q=a&q=b",
      "q=%00",
      "q=%zz",
      "q=%ff",
      "q=%ed%a0%80",
      "cursor=",
      "cursor=x",
      "cursor=W10",
      "cursor=%F0%9F%98%80",
      "Q=a",
      "page=2",
      "sort=id",
      "name=One",
      "__proto__=1",
      "constructor=1",
    ]
  ) {
    test(`of ${table} refuse the query "${query}"`, async () => {
      assert.is((await relata.send(`GET ${path}?${query}`)).status, 400);
    });
  }

  test(`of ${table} refuse a cursor of another list or search`, async () => {
    await numbered("bar", 3);
    await numbered("colere", 3);
    const cursor = async (path: string) => {
      const { body } = await relata.send(`GET ${path}`);
      return new URL(body.next, "http://relata.test").searchParams.get("cursor");
    };
    const other = lists.find((list) => list.table !== table)!;
    const searched = `${path}?q=number`;
    for (
      const [from, to] of [
        [`${other.path}?limit=1`, `${path}?`],
        ["/api/bars/?limit=1", `${path}?`],
        [`${path}?limit=1`, `${searched}&`],
        [`${searched}&limit=1`, `${path}?`],
        [`${searched}&limit=1`, `${path}?q=NUMBER&`],
        [`${path}?limit=1`, "/api/bars/?"],
      ] as const
    ) {
      const answer = await relata.send(`GET ${to}cursor=${await cursor(from)}`);
      assert.is(answer.status, 400, `${from} → ${to}`);
    }
    const same = await relata.send(`GET ${searched}&cursor=${await cursor(`${searched}&limit=1`)}`);
    assert.equal(keys(same), ["2", "3"]);
  });

  test(`of ${table} answer a cursor with one changed character with a page or with 400`, async () => {
    await candidates(table, { 2147483648: "One", 2147483649: "Two" });
    const { body: { next } } = await relata.send(`GET ${path}?limit=1`);
    const start = next.indexOf("cursor=") + "cursor=".length;
    const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let at = start; at < next.length && next[at] !== "&"; at++) {
      const statuses = await Promise.all(
        [...characters].map(async (character) => {
          const changed = next.slice(0, at) + character + next.slice(at + 1);
          return { changed, status: (await relata.send(`GET ${changed}`)).status };
        }),
      );
      assert.equal(statuses.filter(({ status }) => status !== 200 && status !== 400), []);
    }
  });

  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    test(`of ${table} are not written by ${method}`, async () => {
      const { status, headers } = await relata.send(`${method} ${path}`, {});
      assert.is(status, 405);
      assert.equal(headers.get("allow")?.split(", ").sort(), ["GET", "HEAD", "OPTIONS"]);
    });
  }
}

test("have a next page under the prefix of the service", async () => {
  const prefixed = await startService({ baseUrl: "http://relata.test/relata" });
  try {
    await prefixed.sql`insert into bar (name) values ('One'), ('Two')`;
    const { body, headers } = await prefixed.send("GET /relata/api/foos/choices/bar/?limit=1");
    assert.ok(body.next.startsWith("/relata/api/foos/choices/bar/?"), body.next);
    assert.is(headers.get("link"), `<${body.next}>; rel="next"`);
    assert.equal((await prefixed.send(`GET ${body.next}`)).body, {
      choices: { 2: "Two" },
      next: null,
    });
  } finally {
    await prefixed.stop();
  }
});

test("build no object: they come even where the objects cannot be read", async () => {
  const unreadable = resource("bar", {
    ...declarationOf(bar),
    fields: {
      ...bar.fields,
      name: {
        ...bar.fields["name"]!,
        show() {
          throw new Error("The choices read a bar");
        },
      },
    },
  });
  const bare = resource("foo", {
    ...declarationOf(foo),
    fields: {
      ...foo.fields,
      bar: relation(unreadable, { column: "bar_id", read: "object" }),
    },
    routes: { "/choices/": [choices("bar")] },
  });
  const service = await startService({ resources: [bare] });
  try {
    await service.sql`insert into bar (name) values ('One')`;
    const { body } = await service.send("GET /choices/");
    assert.equal(body, { choices: { 1: "One" }, next: null });
  } finally {
    await service.stop();
  }
});

test("very long texts make pages shorter than the limit", async () => {
  const note = resource("note", {
    path: "/notes/",
    display: "text",
    fields: { id: identifier(), text: text() },
  });
  const reply = resource("reply", {
    path: "/replies/",
    fields: { id: identifier(), note: relation(note) },
  });
  const { send } = serviceOn(relata, { resources: [note, reply] });
  await relata.sql`create table note (id bigint primary key, text text not null)`;
  await relata.sql`
    insert into note
    select i, repeat('x', case when i = 3 then 0 else 400000 end)
    from generate_series(1, 11) as i`;
  for (const query of ["", "?limit=9", "?id__in=1,2,3,4,5,6,7,8,9,10,11"]) {
    const found: string[][] = [];
    for (let next: string | null = `/replies/choices/note/${query}`; next !== null;) {
      const { status, body } = await send(`GET ${next}`);
      assert.is(status, 200);
      found.push(Object.keys(body.choices));
      assert.ok(Object.values(body.choices).every((text) => text));
      next = body.next;
    }
    const pages = [["1", "2", "3", "4"], ["5", "6", "7"], ["8", "9", "10"], ["11"]];
    assert.equal(found, pages, query);
  }
});

test.run();
