// Text fields: what fits, what is refused, and that the rest is stored as it was sent.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, failures, type Service, startService } from "../service.ts";

const test = suite("text");
let relata: Service;

test.before(async () => {
  relata = await startService();
  await relata.sql`insert into bar (name) values ('Bar one')`;
  await relata.sql`insert into foo (name, bar_id) values ('Foo one', 1)`;
});
test.after(() => relata.stop());

/** Every text field, and the other fields that its resource requires. */
const fields = [
  { table: "foo", field: "name", path: "/api/foos/", others: { bar: 1 } },
  { table: "bar", field: "name", path: "/api/bars/", others: {} },
  { table: "colere", field: "name", path: "/colere/", others: {} },
  { table: "bottage", field: "cul", path: "/bottage/", others: { colere: 1 } },
];
const names = fields.filter(({ field }) => field === "name");

/** Every request that writes a text field; the row 1 of foo and bar is there for PUT and PATCH. */
const writes = fields.flatMap(({ path, ...rest }) => [
  { ...rest, request: `POST ${path}` },
  ...(path.startsWith("/api/")
    ? ["PUT", "PATCH"].map((method) => ({ ...rest, request: `${method} ${path}1/` }))
    : []),
]);

type Write = (typeof writes)[number];

/** Sends a field as the JSON text that is given. */
async function sendJson({ request, field, others }: Write, json: string): Promise<Answer> {
  const members = Object.entries(others).map(([name, value]) => `,"${name}":${value}`);
  return await relata.send(request, `{"${field}":${json}${members.join("")}}`);
}

/** Every text of the field's table, to see that a refusal wrote none. */
async function stored({ table, field }: { table: string; field: string }): Promise<string[]> {
  const { sql } = relata;
  const rows = await sql`select ${sql(field)} as text from ${sql(table)} order by id`;
  return rows.map(({ text }) => text);
}

async function assertTaken(write: Write, text: string): Promise<void> {
  const { field, others } = write;
  const answer = await relata.send(write.request, { ...others, [field]: text });
  const created = write.request.startsWith("POST");
  assert.is(answer.status, created ? 201 : 200);
  assert.is(answer.body[field], text);
  const path = created ? answer.headers.get("location") : write.request.split(" ")[1];
  assert.is((await relata.send(`GET ${path}`)).body[field], text);
  assert.ok((await stored(write)).includes(text));
}

async function assertRefused(write: Write, json: string, code: string): Promise<void> {
  const before = await stored(write);
  assert.equal(failures(await sendJson(write, json)), { [`/${write.field}`]: code });
  assert.equal(await stored(write), before);
}

// Lengths

const fitting = {
  "64 letters": "x".repeat(64),
  "63 letters": "x".repeat(63),
  "64 emoji": "😀".repeat(64),
  "63 emoji and a letter": "😀".repeat(63) + "x",
  "64 letters of two bytes": "é".repeat(64),
  "64 letters of three bytes": "語".repeat(64),
  "32 letters with a combining accent": "e\u0301".repeat(32),
  "64 blanks": " ".repeat(64),
  "64 times the last code point": "\u{10ffff}".repeat(64),
};
const tooLong = {
  "65 letters": "x".repeat(65),
  "65 emoji": "😀".repeat(65),
  "64 emoji and a letter": "😀".repeat(64) + "x",
  "65 letters of three bytes": "語".repeat(65),
  "32 letters with a combining accent and one without": "e\u0301".repeat(32) + "e",
  "65 letters that normalisation would shorten": "x".repeat(63) + "e\u0301",
  "13 families of five code points": "👨‍👩‍👧".repeat(13),
  "64 letters and a blank": "x".repeat(64) + " ",
  "100,000 letters": "x".repeat(100_000),
};

for (const write of writes.filter(({ field }) => field === "name")) {
  const title = `${write.request}: a name`;
  for (const [length, text] of Object.entries(fitting)) {
    test(`${title} of ${length} fits`, () => assertTaken(write, text));
  }
  for (const [length, text] of Object.entries(tooLong)) {
    test(
      `${title} of ${length} is too long`,
      () => assertRefused(write, JSON.stringify(text), "too_long"),
    );
  }
}

for (
  const [title, text] of [
    ["100 KB of letters", "x".repeat(100 * 1024)],
    ["100 KB of emoji", "😀".repeat(25 * 1024)],
    ["100 KB of quotes, backslashes and newlines", '"\\\n,{}'.repeat(100 * 1024 / 6)],
    ["a million letters", "x".repeat(1_000_000)],
  ] as const
) {
  test(`a cul has no limit of its own: ${title}`, async () => {
    const created = await relata.send("POST /bottage/", { cul: text, colere: 1 });
    assert.is(created.status, 201);
    assert.ok(created.body.cul === text);
    const read = await relata.send(`GET /bottage/${created.body.bottage}`);
    assert.ok(read.body.cul === text);
  });
}

// What cannot be stored

const invalid = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff"',
  '"a\\ud83d"',
  '"\\ud83da"',
  '"\\ude00\\ud83d"',
  '"\\ud83d\\ud83d\\ude00"',
];

for (const write of writes) {
  for (const json of invalid) {
    test(
      `${write.request} refuses ${json} as ${write.field}`,
      () => assertRefused(write, json, "invalid_text"),
    );
  }
}

test("a surrogate pair written as escapes is the character it stands for", async () => {
  for (const write of writes) {
    assert.is((await sendJson(write, '"\\ud83d\\ude00"')).body[write.field], "😀");
  }
});

test("a raw U+0000 is no JSON, and a raw surrogate no UTF-8", async () => {
  const [before, after] = ['{"name":"', '"}'].map((text) => [...new TextEncoder().encode(text)]);
  for (const bytes of [[0x00], [0xed, 0xa0, 0x80], [0xff]]) {
    const answer = await relata.send(
      "POST /api/bars/",
      new Uint8Array([...before!, ...bytes, ...after!]),
    );
    assert.is(answer.status, 400);
  }
});

// What is stored as it was sent

const texts = [
  "",
  " ",
  "  leading blanks",
  "trailing blanks  ",
  "\t\n\r\n\u00a0\u2003",
  "one\ntwo\r\nthree",
  "é",
  "e\u0301",
  "\u212b \u00c5 A\u030a",
  "ﬁ ½ ①",
  '"',
  '""',
  "'",
  "\\",
  "\\\\",
  '\\"',
  "\\n \\u0041 \\x41",
  "{",
  "}",
  "{}",
  "{a,b}",
  "{null}",
  ",",
  "a,b,,c",
  "null",
  "NULL",
  "undefined",
  "true",
  "0",
  "(1,2)",
  "$1 ${x} %s ? :name",
  "'; drop table foo; --",
  "/* */ </script> &amp;",
  "\u0001\u0008\u001f\u007f\u0080",
  "\u2028\u2029\ufeff\ufffd",
  "\ufdd0\uffff\u{10ffff}",
  "العربية \u202eעברית",
  "😀 👨‍👩‍👧 🇫🇷",
];

for (const write of writes) {
  for (const text of texts) {
    test(
      `${write.request} stores ${JSON.stringify(text)} as it is sent`,
      () => assertTaken(write, text),
    );
  }
}

for (const { table, field, path, others } of fields) {
  test(`many texts sent to ${path} at once each get a row of their own`, async () => {
    const answers = await Promise.all(
      texts.map((text) => relata.send(`POST ${path}`, { ...others, [field]: text })),
    );
    assert.equal(answers.map(({ body }) => body[field]), texts);
    const reads = await Promise.all(
      answers.map(({ headers }) => relata.send(`GET ${headers.get("location")}`)),
    );
    assert.equal(reads.map(({ body }) => body[field]), texts, table);
  });
}

// Other types

for (const write of writes) {
  for (const json of ["1", "0", "1.5", "true", "false", "null", "[]", '["x"]', "{}", '{"x":"y"}']) {
    test(
      `${write.request} refuses ${json} as ${write.field}`,
      () => assertRefused(write, json, "incorrect_type"),
    );
  }
}

// Every writer

for (const { table, path } of names) {
  test(`the database holds the names of ${table} to 64 code points for every writer`, async () => {
    const { sql } = relata;
    const { body: { id } } = await relata.send(`POST ${path}`, {
      name: "x",
      ...(table === "foo" ? { bar: 1 } : {}),
    });
    const rename = async (name: string): Promise<string> => {
      const update = sql`update ${sql(table)} set name = ${name} where id = ${id}`;
      return await update.then(() => "done", ({ code }) => code);
    };
    assert.is(await rename("😀".repeat(64)), "done");
    assert.is(await rename("😀".repeat(65)), "23514"); // check_violation
    assert.is(await rename("x".repeat(65)), "23514");
    assert.is((await relata.send(`GET ${path}${id}/`)).body.name, "😀".repeat(64));
  });
}

test.run();
