// The tag for writing SQL: from pieces to the text of a statement and its values.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  choices,
  create,
  identifier,
  merge,
  read,
  relation,
  resource,
  statements,
  text,
} from "./house.ts";
import { freshPostgres, serviceOn } from "./service.ts";

const test = suite("sql");

const { join: listed, name, projectSql, raw, readable, reads, slot, sql, valuesOf, where, writes } =
  statements;
type Piece = ReturnType<typeof raw>;

/** The text of a statement that is this piece, and the values of its parameters. */
function sent(piece: Piece, values: Record<string, unknown> = {}) {
  const statement = reads("any", piece);
  return { text: statement.text, values: valuesOf(statement, values) };
}

// Values

test("writes a constant into the text, escaped", () => {
  for (
    const [constant, text] of [
      ["it's \\", "'it''s \\'"],
      ["", "''"],
      ["$1", "'$1'"],
      [3, "3"],
      [0.5, "0.5"],
      [-5, "(-5)"],
      ["two\n  lines", "'two\n  lines'"],
      [true, "true"],
      [null, "null"],
    ] as const
  ) {
    assert.equal(sent(sql`select ${constant} as it`), { text: `select ${text} as it`, values: [] });
  }
});

test("refuses a constant that Postgres cannot have", () => {
  assert.throws(() => sql`select ${"a\0b"}`, "A text in SQL has the character NUL");
});

test("numbers the slots of nested pieces in their order", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => slot(name, "text"));
  const inner = sql`name <> ${b!} and id > ${7}`;
  const middle = sql`(${inner}) or id = ${c!}`;
  assert.equal(sent(sql`select ${a!} where ${middle} and ${inner}`, { c: 3, b: 2, a: 1 }), {
    text: "select $1::text where (name <> $2::text and id > 7) or id = $3::text " +
      "and name <> $2::text and id > 7",
    values: [1, 2, 3],
  });
});

test("gives a slot one number, however often it occurs, in one piece or several", () => {
  const id = slot("id", "bigint");
  const inner = sql`id = ${id} or parent = ${slot("id", "bigint")}`;
  assert.equal(
    sent(sql`select ${id} where ${inner} limit ${slot("limit", "integer")}`, {
      limit: 5,
      id: 3,
      more: "that no slot takes",
    }),
    {
      text: "select $1::bigint where id = $1::bigint or parent = $1::bigint limit $2::integer",
      values: [3, 5],
    },
  );
});

test("leaves the type of a slot without one to Postgres", () => {
  assert.is(sent(sql`a = ${slot("a")} and b = any(${slot("b")})`).text, "a = $1 and b = any($2)");
});

test("gives every run its own values, null included", () => {
  const statement = writes("any", sql`select ${slot("a", "text")}, ${slot("b", "text")}`);
  assert.equal(valuesOf(statement, { a: "1", b: null }), ["1", null]);
  assert.equal(valuesOf(statement, { b: "2", a: "" }), ["", "2"]);
});

test("is read with its slots by name, whatever its constants look like", () => {
  const statement = reads(
    "any",
    sql`select ${"$9"} = ${slot("id", "text")} or ${slot("id", "text")}`,
  );
  assert.is(readable(statement), "select '$9' = :'id'::text or :'id'::text");
});

test("makes a statement of a piece, with its name and its effect", () => {
  const of = sql`select 1`;
  const { text, slots, piece, ...rest } = reads("read bar", of);
  assert.equal({ text, slots, piece }, { text: "select 1", slots: [], piece: of });
  const unless = { replans: false, isForm: false, isShared: false, isText: false };
  assert.equal(rest, { name: "read bar", effect: "reads", ...unless });
  assert.is(reads("read bar", of, { replans: true }).replans, true);
  assert.is(writes("create bar", of).effect, "writes");
});

// Names, lists

test("quotes and escapes names", () => {
  assert.is(
    sent(sql`select ${name('a"b; drop')} as ${name("order")}`).text,
    'select "a""b; drop" as "order"',
  );
});

test("joins pieces with a text between them; no pieces make an empty one", () => {
  const [one, two] = [slot("one", "text"), slot("two", "text")];
  const pieces = [sql`a = ${one}`, raw("b"), sql`${two} = c`];
  assert.equal(sent(sql`(${listed(pieces)})`, { two: 2, one: 1 }), {
    text: "(a = $1::text, b, $2::text = c)",
    values: [1, 2],
  });
  assert.is(sent(sql`(${listed(pieces, " or ")})`).text, "(a = $1::text or b or $2::text = c)");
  assert.is(sent(sql`(${listed([raw("b")])})`).text, "(b)");
  assert.is(sent(sql`(${listed([])})`).text, "()");
});

test("leaves out the pieces that are not there, with their lines and the blanks before them", () => {
  const [one, two] = [undefined, false as const];
  assert.is(sent(sql`(${listed([one, raw("a"), two, raw("b")])})`).text, "(a, b)");
  assert.is(sent(sql`(${listed([one, two])})`).text, "()");
  const nothing = raw("");
  const piece = sql`
    ${nothing}
    select ${nothing}
      ${nothing} ${nothing}
      a
    ${nothing}
    ${where([one, two])}`;
  assert.is(
    sent(sql`
      with some as (
        ${piece}
      )
      ${piece}
      limit 1`).text,
    "with some as (\n  select\n    a\n)\nselect\n  a\nlimit 1",
  );
});

test("writes a where clause with each condition on its own line, and none without conditions", () => {
  const conditions = [sql`a = ${1}`, undefined, sql`b = ${slot("b", "text")}`];
  assert.is(
    sent(sql`
      select
      from bar
      ${where(conditions)}
      limit 1`).text,
    "select\nfrom bar\nwhere a = 1\n  and b = $1::text\nlimit 1",
  );
  assert.is(sent(sql`select from bar ${where([])}`).text, "select from bar");
  const long = sql`
    exists (
      select
    )`;
  assert.is(
    sent(sql`
      select
      from bar
      ${where([long, long])}`).text,
    "select\nfrom bar\nwhere exists (\n  select\n)\n  and exists (\n    select\n  )",
  );
});

// How a statement reads

test("removes the indentation of the source, and the empty lines around a piece", () => {
  assert.is(
    sent(sql`
      select
        id
      from bar
    `).text,
    "select\n  id\nfrom bar",
  );
  assert.is(sent(sql` select id `).text, "select id");
});

test("leaves the lines of a constant, a name and the SQL of a project as they are", () => {
  for (const piece of [sql`${"one\ntwo"}`, name("one\ntwo"), projectSql`'one\ntwo'`]) {
    const inner = sql`
      (
        ${piece}
      )`;
    assert.is(
      sent(sql`
        select
          ${inner}`).text,
      `select\n  (\n    ${sent(piece).text}\n  )`,
    );
  }
});

test("indents a piece like the line that it is put into, so that the statement reads as if written by hand", () => {
  const columns = listed([raw("id"), raw("name")], ",\n");
  const inner = sql`
    select
      ${columns}
    from bar
    ${where([sql`id > ${0}`, sql`name <> ${"x"}`])}`;
  const composed = sql`
    with some as (
      ${inner}
    )
    select
      some.*,
      (
        ${inner}
        limit 1
      ) as first
    from some`;
  const written = sql`
    with some as (
      select
        id,
        name
      from bar
      where id > ${0}
        and name <> ${"x"}
    )
    select
      some.*,
      (
        select
          id,
          name
        from bar
        where id > ${0}
          and name <> ${"x"}
        limit 1
      ) as first
    from some`;
  assert.is(sent(composed).text, sent(written).text);
});

// In a declaration

const database = await freshPostgres();
test.after(() => database.stop());

/** A resource on the table of foo whose relation is narrowed by values. */
function narrowed(condition: (tag: typeof sql) => Piece) {
  return resource("foo", {
    display: "name",
    fields: {
      id: identifier(),
      name: text({ maximum: 64 }),
      bar: relation(bar, { column: "bar_id", where: condition }),
    },
    routes: {
      "/api/foos/": [create],
      "/api/foos/{foo_id}/": [read, merge],
      "/api/foos/choices/bar/": [choices("bar")],
    },
  });
}

const names = ["two\n  lines", "it's", 'a "quoted" one', "$1", ":x", "100%", "Seen"];
const hidden = names.slice(0, -1);
const SEEN = names.length;

/** Conditions on bars, and the choices that are left. */
const conditions: [what: string, condition: (tag: typeof sql) => Piece, left: string[]][] = [
  ["by a value", (sql) => sql`bar.name <> ${names[0]!}`, names.slice(1)],
  ["by a text in its SQL", (sql) => sql`bar.name <> 'two\n  lines'`, names.slice(1)],
  [
    "by several, one of them twice",
    (sql) =>
      listed([
        ...hidden.map((name) => sql`bar.name <> ${name}`),
        sql`(${hidden[0]!} <> bar.name or bar.id < ${0})`,
      ], " and "),
    ["Seen"],
  ],
];

for (const [what, condition, left] of conditions) {
  test(`a relation is narrowed ${what}: for creates alone and together, changes and choices`, async () => {
    const { sql: client } = database;
    await client`truncate bar, foo restart identity`;
    await client`insert into bar (name) select * from unnest(${names}::text[])`;
    const { send } = serviceOn(database, { resources: [bar, narrowed(condition)] });
    const made = await send("POST /api/foos/", { name: "Foo", bar: SEEN });
    assert.equal([made.status, made.body.bar], [201, { id: SEEN, name: "Seen" }]);
    const ids = [1, SEEN, 1, SEEN, SEEN, 1];
    for (let time = 0; time < 2; time++) {
      const answers = await Promise.all(
        ids.map((bar) => send("POST /api/foos/", { name: "Foo", bar })),
      );
      assert.equal(answers.map(({ status }) => status), ids.map((id) => id === SEEN ? 201 : 422));
    }
    const failed = await send("POST /api/foos/", { bar: 1 });
    assert.equal(failed.body.errors.map(({ code }: { code: string }) => code), [
      "required",
      "does_not_exist",
    ]);
    const path = `/api/foos/${made.body.id}/`;
    assert.is((await send(`PATCH ${path}`, { bar: 1 })).status, 422);
    assert.is((await send(`PATCH ${path}`, { bar: SEEN })).status, 200);
    const chosen = async (query: string) =>
      Object.values((await send(`GET /api/foos/choices/bar/${query}`)).body.choices);
    assert.equal(await chosen(""), left);
    assert.equal(await chosen("?q=E"), left.filter((name) => name.includes("e")));
    const keyed = { "Idempotency-Key": "one" };
    assert.is((await send("POST /api/foos/", { name: "Foo", bar: 1 }, keyed)).status, 422);
    assert.is((await send("POST /api/foos/", { name: "Foo", bar: SEEN }, keyed)).status, 201);
  });
}

test.run();
