// What can be told of the declaration of a report without a database, and of the file that has it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  boolean,
  date,
  integer,
  nullable,
  openProject,
  optional,
  relation,
  report,
  statements,
  text,
} from "./house.ts";
import { type Ended, refusalOf, relata } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("report");

const { raw, sql } = statements;
const right = {
  path: "/reports/days/",
  summary: "Each day",
  fields: { day: date() },
  rows: () => sql`select current_date as day`,
};
const low = integer({ minimum: 5, default: 0 });
const { filter: _, ...incomparable } = boolean();
const parameters = { from: date(), to: optional(date()) };

for (
  const [what, wrong, message] of [
    [
      "an unknown option",
      { sumary: "Each day" },
      'The report "days" takes no option "sumary"; it takes "path", "summary", "access", ' +
      '"parameters", "fields", "rows"',
    ],
    ["no path", { path: undefined }, 'The report "days" takes as "path" a string, not undefined'],
    [
      "a path without its final slash",
      { path: "/days" },
      'The report "days" needs a path such as "/things/", not "/days"',
    ],
    [
      "a path with braces",
      { path: "/days/{id}/" },
      'The report "days" needs a path such as "/things/", not "/days/{id}/"',
    ],
    [
      "a summary that is no text",
      { summary: 1 },
      'The report "days" takes as "summary" a string, not 1',
    ],
    ["no fields", { fields: {} }, 'The report "days" needs a field'],
    [
      "rows that are no function",
      { rows: "select 1" },
      'The report "days" takes as "rows" a function that gives SQL, not "select 1"',
    ],
    [
      "a word that was not called",
      { fields: { day: date } },
      'The field "day" of the report "days" is a function, not a field such as text()',
    ],
    [
      "a word that was given a wrong option",
      { parameters: { to: optional(integer({ minimum: 0.5 })) } },
      'The parameter "to" of the report "days": integer takes as "minimum" an integer, not 0.5',
    ],
    [
      "a field that no document has",
      { fields: { ["__proto__"]: date() } },
      'The name "__proto__" of a field of the report "days" is reserved, as all that begin with ' +
      '"relata_" or have "__"',
    ],
    [
      "a parameter that no document has",
      { parameters: { ["__proto__"]: date() } },
      'The name "__proto__" of a parameter of the report "days" is reserved, as all that begin ' +
      'with "relata_" or have "__"',
    ],
    [
      "a relation among its fields",
      { fields: { bar: relation(bar) } },
      'The field "bar" of the report "days" is a relation, which no report has',
    ],
    [
      "a relation among its parameters",
      { parameters: { bar: optional(relation(bar)) } },
      'The parameter "bar" of the report "days" is a relation, which no report has',
    ],
    [
      "a nullable parameter",
      { parameters: { to: nullable(date()) } },
      'The parameter "to" of the report "days" is nullable: declare it optional',
    ],
    [
      "a parameter that no query has",
      { parameters: { to: incomparable } },
      'The parameter "to" of the report "days" holds boolean, which no query has',
    ],
    [
      "a parameter that is none",
      { parameters: { to: undefined } },
      'The parameter "to" of the report "days" is undefined, not a field such as text()',
    ],
    [
      "a default that it does not take",
      { parameters: { n: low } },
      'The parameter "n" of the report "days" has a default that is not a value that it takes',
    ],
    [
      "a default in SQL",
      { parameters: { to: date({ default: (sql) => sql`current_date` }) } },
      'The parameter "to" of the report "days" has a default in SQL or by a claim: name a value',
    ],
    [
      "a pattern alone",
      { fields: { day: text({ pattern: "^\\d+$" }) } },
      'The field "day" of the report "days" needs an example, because of its pattern',
    ],
    [
      "rows that are a text",
      { rows: () => "select 1" },
      'The report "days" has rows that are no SQL: write sql`…`',
    ],
    [
      "a parameter that is not used",
      { parameters },
      'The report "days" has the parameter "from", which its rows do not use',
    ],
  ] as const
) {
  test(`with ${what} is refused where it is declared`, () => {
    assert.throws(
      () => report("days", { ...right, ...wrong } as unknown as typeof right),
      (error: Error) => error.message === message,
    );
  });
}

test("has a name that a path and a program can have", () => {
  assert.throws(
    () => report("Each day", right),
    'The name "Each day" of a report must be a letter, then up to 55 letters, digits and "_"',
  );
});

test("has a name before its options", () => {
  const nameless = report as unknown as (options: typeof right) => unknown;
  assert.throws(() => nameless(right), "report takes a name, then options in braces");
});

const until = { parameters: { to: optional(date()) } };
for (
  const [how, rows] of [
    [
      "by a condition",
      (tag: typeof sql, { to }: { to: Slot }) =>
        tag`select day from days ${to ? tag`where day <= ${to}` : raw("")} order by day < ${to}`,
    ],
    [
      "by a default",
      (tag: typeof sql, { to }: { to: Slot | null }) =>
        tag`select day from days where day <= ${to ?? raw("current_date")}`,
    ],
    [
      "by a look into it",
      (tag: typeof sql, { to }: { to: Slot }) =>
        tag`select day from days where day <= ${to} and ${to.slot} <> ''`,
    ],
  ] as const
) {
  test(`whose rows test a placeholder ${how} is refused`, () => {
    assert.throws(
      () => report("days", { ...right, ...until, rows: rows as () => ReturnType<typeof sql> }),
      /rows that depend on whether a parameter is there: compare it in SQL/,
    );
  });
}

type Slot = statements.Slot;

const declared = (name: string, path: string, rows = "select 1 as one") => `
  import { integer, report } from "relata";
  export default report("${name}", {
    path: "${path}",
    summary: "One",
    fields: { one: integer() },
    rows: (sql) => sql\`${rows}\`,
  });
`;

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

test("in a file of a project is served, and its statement printed", async () => {
  const files = { "one.ts": declared("one", "/reports/one/"), "two.ts": declared("two", "/two/") };
  const [contract, { stdout }] = await project(
    files,
    (folder) =>
      Promise.all(
        [["openapi"], ["statements", "two"]].map((words) => relata(words, { PROJECT_DIR: folder })),
      ) as Promise<[Ended, Ended]>,
  );
  assert.equal([contract.status, contract.stderr], [0, ""]);
  const { paths } = JSON.parse(contract.stdout);
  assert.is(paths["/reports/one/"].get.operationId, "reportOne");
  assert.match(stdout, /^-- report two: GET \/two\/\nselect\n/);
  assert.not.match(stdout, "report one");
});

for (
  const [what, source, message] of [
    ["the name of another", declared("one", "/two/"), '"one.ts" declares the name "one", too'],
    ["the path of another", declared("two", "/one/"), '"one.ts" has the path "/one/", too'],
    ["the path of a page", declared("two", "/livez/"), 'The server has the path "/livez/", too'],
    ["a mistake", declared("two", "two"), 'The report "two" needs a path such as "/things/"'],
  ] as const
) {
  test(`with ${what} is told in one sentence, with its file`, async () => {
    const files = { "one.ts": declared("one", "/one/"), "two.ts": source };
    const told = await project(
      files,
      (projectDir) => refusalOf(openProject({ projectDir })),
    );
    assert.match(told, /^resources[/]two\.ts(:\d+)?: /);
    assert.ok(told.includes(message), told);
  });
}

test.run();
