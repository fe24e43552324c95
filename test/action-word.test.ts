// What can be told of the declaration of an action without a database, and of the files that have them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  action,
  array,
  bar,
  identifier,
  integer,
  json,
  many,
  nullable,
  openProject,
  readonly,
  relation,
  statements,
  text,
} from "./house.ts";
import { relata } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("action");

const { sql } = statements;
type Slot = statements.Slot;
type Tag = typeof sql;

const right = {
  path: "/bars/{bar}/close/",
  summary: "Close a bar",
  input: { bar: relation(bar) },
  statement: (tag: Tag, { bar }: { bar: Slot }) => tag`delete from bar where id = ${bar}`,
};
const free = { path: "/close/", input: {}, statement: () => sql`delete from bar` };

for (
  const [what, wrong, message] of [
    [
      "an unknown option",
      { parameters: {} },
      'The action "close" takes no option "parameters"; it takes "path", "summary", "access", ' +
      '"input", "fields", "single", "tables", "statement"',
    ],
    [
      "a path without its final slash",
      { path: "/bars/{bar}" },
      'The action "close" needs a path such as "/things/{thing}/approve/", not "/bars/{bar}"',
    ],
    [
      "braces within a segment",
      { path: "/bar-{bar}/" },
      'The action "close" needs a path such as "/things/{thing}/approve/", not "/bar-{bar}/"',
    ],
    [
      "a name in its path that is no input",
      { path: "/bars/{bar}/{foo}/" },
      'The action "close" has "{foo}" in its path, which is no name of its input',
    ],
    [
      "a name twice in its path",
      { path: "/bars/{bar}/{bar}/" },
      'The action "close" has "{bar}" in its path twice',
    ],
    [
      "a nullable name in its path",
      { input: { bar: nullable(relation(bar)) } },
      'The action "close" has "{bar}" in its path, and so it is never null',
    ],
    [
      "an array in its path",
      { input: { bar: array(integer()) } },
      'The action "close" has "{bar}" in its path, which holds array, as no path does',
    ],
    [
      "JSON in its path",
      { input: { bar: json() } },
      'The action "close" has "{bar}" in its path, which holds json, as no path does',
    ],
    [
      "an input that nothing uses",
      { input: { bar: relation(bar), note: text() } },
      'The action "close" has the input "note", which its statement does not use',
    ],
    [
      "an input to many rows",
      { input: { bar: many(bar, { through: "bar_bar" }) } },
      'The input "bar" of the action "close" holds many, which no action takes: write array(integer())',
    ],
    [
      "an identifier",
      { input: { bar: identifier({ type: "text" }) } },
      'The input "bar" of the action "close" holds identifier, which no action takes',
    ],
    [
      "an input that clients do not send",
      { input: { bar: readonly(text()) } },
      'The input "bar" of the action "close" holds text, which no action takes',
    ],
    [
      "an input that is none",
      { input: { bar: 1 } },
      'The input "bar" of the action "close" is 1, not a field such as text()',
    ],
    [
      "an input of a reserved name",
      { input: { relata_bar: text() } },
      'The name "relata_bar" of an input of the action "close" is reserved, as all that begin with ' +
      '"relata_" or have "__"',
    ],
    [
      "a field that no document has",
      { fields: { ["__proto__"]: text() } },
      'The name "__proto__" of a field of the action "close" is reserved, as all that begin with ' +
      '"relata_" or have "__"',
    ],
    [
      "a relation among its fields",
      { fields: { bar: relation(bar) } },
      'The field "bar" of the action "close" is a relation, which no action has',
    ],
    ["no field in its fields", { fields: {} }, 'The action "close" needs a field'],
    [
      "one row, but no fields",
      { single: true },
      'The action "close" is single, but has no fields to answer with',
    ],
    [
      "a statement that is a text",
      { ...free, statement: () => "delete from bar" },
      'The action "close" has a statement that is no SQL: write sql`…`',
    ],
    ...["", "-- delete from bar", "/* delete */ set role none", "SET jit = on", "rollback"].map(
      (text) =>
        [
          `the statement "${text}"`,
          { ...free, statement: (tag: Tag) => tag([text]) },
          'The action "close" has a statement that does not begin with "with", "select", "insert", ' +
          '"update", "delete" or "merge"',
        ] as const,
    ),
    ...["delete from bar;", "delete from bar; rollback"].map((text) =>
      [
        `the statement "${text}"`,
        { ...free, statement: (tag: Tag) => tag([text]) },
        "sql takes no semicolon, not even a last one",
      ] as const
    ),
    [
      "a table that is none",
      { tables: ["a.b.c"] },
      'The action "close" takes as "tables" "table" or "schema.table", not "a.b.c"',
    ],
    [
      "access by a right",
      { access: { create: [] } },
      'The action "close" has access by "create", but all that it takes is to write',
    ],
  ] as const
) {
  test(`with ${what} is refused where it is declared`, () => {
    assert.throws(
      () => action("close", { ...right, ...wrong } as unknown as typeof right),
      (error: Error) => assert.is(error.message, message) === undefined,
    );
  });
}

for (
  const text of [
    "-- ; what goes\n/* ; */ Delete from bar where name in (';', $$;$$, e'\\';') or \";\" > 1",
    "with gone as (delete from bar) select",
  ]
) {
  test(`takes the statement ${JSON.stringify(text)}`, () => {
    const made = action("close", { ...free, summary: "", statement: (tag: Tag) => tag([text]) });
    assert.equal(made.statement.texts, [text]);
  });
}

for (
  const [how, statement] of [
    [
      "by a condition",
      (tag: Tag, { note }: { note: Slot }) =>
        tag`delete from bar ${note ? tag`where name = ${note}` : tag``}`,
    ],
    [
      "by a look into it",
      (tag: Tag, { note }: { note: Slot }) => tag`delete from bar where ${note.slot} = ${note}`,
    ],
  ] as const
) {
  test(`whose statement tests a placeholder ${how} is refused`, () => {
    assert.throws(
      () => action("close", { ...free, summary: "", input: { note: text() }, statement }),
      /a statement that depends on whether an input is there: ask in SQL/,
    );
  });
}

const file = (body: string) => `
  import { action, claim, identifier, relation, resource, text } from "relata";
  import other from "./other.ts";
  export default action("close", { summary: "Close", ${body} });`;

const other = `
  import { identifier, resource, text } from "relata";
  export default resource("other", {
    path: "/others/",
    fields: { id: identifier({ type: "text" }), name: text() },
  });`;

/** What is done with a project of these files. */
async function project<Result>(
  files: Record<string, string>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, "resources"));
  for (const [name, source] of Object.entries(files)) {
    writeFileSync(join(folder.path, "resources", name), source);
  }
  return await work(folder.path).finally(folder.remove);
}

for (
  const [what, body, message] of [
    [
      "a relation to itself",
      'path: "/x/{a}/", input: { a: relation("self") }, statement: (sql, { a }) => sql`select ${a}`',
      'The input "a" of the action "close" refers to no resource',
    ],
    [
      "a default by a claim",
      'path: "/x/", input: { a: relation(() => other, { default: claim("sub") }) }, ' +
      "statement: (sql, { a }) => sql`select ${a}`",
      'The input "a" of the action "close" has a default in SQL or by a claim: name a value',
    ],
    [
      "the path of a resource",
      'path: "/others/", statement: (sql) => sql`select`',
      'has the path "/others/", too',
    ],
  ] as const
) {
  test(`in a file with ${what} is refused at the start`, async () => {
    const refusal = await project(
      { "other.ts": other, "close.ts": file(body) },
      (folder) => openProject({ projectDir: folder }).then(() => "", ({ message }) => message),
    );
    assert.ok(refusal.includes(message), refusal);
  });
}

test("in a file of a project is printed, with the types that its input has", async () => {
  const body =
    'path: "/others/{other}/close/", input: { other: relation(() => other), at: text() }, ' +
    "statement: (sql, { other, at }) => sql`update other set name = ${at} where id = ${other}`";
  const { stdout, stderr } = await project(
    { "other.ts": other, "close.ts": file(body) },
    (folder) => relata(["statements", "close"], { PROJECT_DIR: folder }),
  );
  assert.is(stderr, "");
  assert.match(stdout, "-- check close: POST /others/{other}/close/");
  assert.match(
    stdout,
    "-- action close: POST /others/{other}/close/\n" +
      "update other set name = :'at'::text where id = :'other'::text;",
  );
});

test.run();
