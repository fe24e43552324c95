// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  boolean,
  choice,
  created,
  date,
  decimal,
  deprecated,
  identifier,
  integer,
  nullable,
  number,
  optional,
  type Report,
  report,
  text,
  timestamp,
} from "../house.ts";
import { type Service, startService } from "../service.ts";

const test = suite("report");

const counted = report("counted", {
  path: "/reports/counted/",
  summary: "The integers up to a limit",
  parameters: { limit: integer({ minimum: 0, maximum: 5000, default: 3 }) },
  fields: { n: integer() },
  rows: (sql, { limit }) => sql`select n from generate_series(1, ${limit}) as n order by -n`,
});

/** Shows what was sent for each kind of parameter; all of them may be left out. */
const echo = report("echo", {
  path: "/reports/echo/",
  summary: "What was sent",
  parameters: {
    text: optional(text({ minimum: 2, maximum: 20 })),
    code: optional(text({ pattern: "^[a-z]+$", example: "abc" })),
    kind: optional(choice(["LP", "EP"])),
    count: optional(integer({ minimum: -5, maximum: 5 })),
    ratio: optional(number({ maximum: 1 })),
    amount: optional(decimal({ digits: 4, places: 2 })),
    is: optional(boolean()),
    day: optional(date()),
    at: optional(timestamp()),
    made: optional(created()),
    row: optional(identifier()),
  },
  fields: {
    text: nullable(text()),
    code: nullable(text()),
    kind: nullable(choice(["LP", "EP"])),
    count: nullable(integer()),
    ratio: nullable(number()),
    amount: nullable(decimal({ digits: 4, places: 1 })),
    is: nullable(boolean()),
    day: nullable(date({ column: "the day" })),
    at: nullable(timestamp()),
    made: nullable(created()),
    row: nullable(integer({ column: "id" })),
  },
  rows: (sql, { text, code, kind, count, ratio, amount, is, day, at, made, row }) =>
    sql`
      select
        ${text} as text,
        ${code} as code,
        ${kind} as kind,
        ${count} as count,
        ${ratio} as ratio,
        ${amount} as amount,
        ${is} as is,
        ${day} as "the day",
        ${at} as at,
        ${made} as made,
        ${row} as id`,
});

const barsNamed = report("bars_named", {
  path: "/reports/bars/",
  summary: "The bars of a name",
  parameters: { name: text() },
  fields: { name: deprecated(text(), { since: "2026-11-21" }), bars: integer() },
  rows: (sql, { name }) =>
    sql`
      select bar.name, count(*) as bars
      from bar
      where bar.name = ${name}
      group by bar.name`,
});

/** A report without parameters. */
function plain(name: string, fields: Report["fields"] | object, rows: string): Report {
  return report(name, {
    path: `/reports/${name}/`,
    summary: name,
    fields: fields as Report["fields"],
    rows: (sql) => sql([rows]),
  });
}

const plains = [
  plain("empty", { n: integer() }, "select 1 as n where false"),
  plain("nothing", { a: integer(), b: integer() }, "select 1 as a, null::integer as b"),
  plain("endless", { ratio: number() }, "select 'NaN'::float8 as ratio"),
  plain("lacking", { other: integer() }, "select 1 as n"),
  plain("broken", { n: integer() }, "select 1 / 0 as n"),
  plain(
    "typed",
    {
      ...{ day: date(), month: date(), n: integer(), ratio: number(), is: boolean() },
      ...{ half: integer(), single: number(), beyond: nullable(integer()) },
      amount: decimal({ digits: 9, places: 2 }),
    },
    `select
      '2026-11-21 09:30:00+00'::timestamptz as day,
      date_trunc('month', '2026-11-21'::date) as month,
      sum(n::bigint) as n,
      '1.5' as ratio,
      2.5 as half,
      0.1::real as single,
      'NaN'::float8 as beyond,
      'yes'::text as is,
      avg(n) as amount
    from generate_series(1, 2) as n`,
  ),
  plain("written", { n: integer() }, "select written() as n"),
  plain("inserted", { id: integer() }, "insert into bar (name) values ('x') returning id"),
  plain(
    "hidden",
    { id: integer() },
    `
    with made as (insert into bar (name) values ('x') returning id)
    select id from made`,
  ),
  plain("many", { n: integer() }, "select n from generate_series(1, 1001) as n -- a comment"),
];

let relata: Service;
const log: { level: string; message: string; members: Record<string, unknown> }[] = [];

test.before(async () => {
  relata = await startService({
    reports: [counted, echo, barsNamed, ...plains],
    log: (level, message, members = {}) =>
      void log.push({ level, message, members: { ...members } }),
  });
  await relata.sql`insert into bar (name) values ('Bar'), ('Bar'), (${"'; drop table foo; --"})`;
  await relata.sql.unsafe(`
    create function written() returns integer language plpgsql as $$
    begin
      insert into bar (name) values ('Written');
      return 1;
    end $$`);
});
test.after(() => relata.stop());
test.before.each(() => void log.splice(0));

test("answers with the rows of its SQL, in their order", async () => {
  const { status, headers, body } = await relata.send("GET /reports/counted/?limit=2");
  assert.equal([status, body], [200, { items: [{ n: 2 }, { n: 1 }] }]);
  assert.is(headers.get("etag"), null);
  assert.is((await relata.send("HEAD /reports/counted?limit=2")).status, 200);
  const other = await relata.send("POST /reports/counted/", {});
  assert.equal([other.status, other.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  assert.equal((await relata.send("GET /reports/empty/")).body, { items: [] });
});

test("gives each field its type, whatever the SQL gives", async () => {
  const { body } = await relata.send("GET /reports/typed/");
  const day = { day: "2026-11-21", month: "2026-11-01" };
  const numbers = { n: 3, ratio: 1.5, half: 3, single: 0.1, beyond: null, amount: "1.50" };
  assert.equal(body.items, [{ ...day, ...numbers, is: true }]);
});

test("takes the default of a parameter that is left out", async () => {
  assert.is((await relata.send("GET /reports/counted/")).body.items.length, 3);
});

test("gives 1,000 rows, and none of more", async () => {
  const { body } = await relata.send("GET /reports/counted/?limit=1000");
  assert.equal([body.items.length, body.items[0], body.items[999]], [1000, { n: 1000 }, { n: 1 }]);
  const { status, body: problem } = await relata.send("GET /reports/counted/?limit=1001");
  assert.equal(
    [status, problem.type, problem.detail],
    [400, "/problems/invalid_parameter", 'There are more than 1000 rows: narrow it by "limit"'],
  );
  const many = await relata.send("GET /reports/many/");
  assert.equal([many.status, many.body.detail], [400, "There are more than 1000 rows"]);
});

const nothing = {
  ...{ text: null, code: null, kind: null, count: null, ratio: null, amount: null },
  ...{ is: null, day: null, at: null, made: null, row: null },
};

test("gets null for an optional parameter that is left out", async () => {
  assert.equal((await relata.send("GET /reports/echo/")).body, { items: [nothing] });
});

for (
  const [query, shown] of [
    ["text=a%27b%22%3B--", { text: `a'b";--` }],
    ["code=abc", { code: "abc" }],
    ["kind=EP", { kind: "EP" }],
    ["count=-5", { count: -5 }],
    ["ratio=1e-3", { ratio: 0.001 }],
    ["amount=1.25", { amount: "1.3" }],
    ["amount=-0.04", { amount: "0.0" }],
    ["is=false", { is: false }],
    ["day=2026-11-21", { day: "2026-11-21" }],
    ["at=2026-11-21T01:00:00.5%2B02:00", { at: "2026-11-20T23:00:00.500Z" }],
    ["made=2026-11-21%2009:30:00", { made: "2026-11-21 09:30:00" }],
    ["row=7", { row: 7 }],
  ] as const
) {
  test(`takes ${query} as a parameter, and shows it as a list does`, async () => {
    const { body } = await relata.send(`GET /reports/echo/?${query}`);
    assert.equal(body, { items: [{ ...nothing, ...shown }] });
  });
}

for (
  const [query, detail] of [
    ["text=a", 'The query parameter "text" takes at least 2 characters'],
    ["text=aaaaaaaaaaaaaaaaaaaaa", 'The query parameter "text" takes at most 20 characters'],
    ["code=ABC", 'The query parameter "code" takes text that matches "^[a-z]+$"'],
    ["kind=lp", 'The query parameter "kind" takes one of LP, EP'],
    ["count=6", 'The query parameter "count" takes an integer of at most 5'],
    ["count=-99999999999999999999", 'The query parameter "count" takes an integer of at least -5'],
    ["count=1.0", 'The query parameter "count" takes an integer'],
    ["ratio=2", 'The query parameter "ratio" takes a number of at most 1'],
    ["amount=100", "takes a number with at most 2 digits before the point"],
    ["is=1", 'The query parameter "is" takes true or false'],
    ["day=2026-02-30", 'The query parameter "day" takes a day of the calendar as YYYY-MM-DD'],
    ["day=2026-01-01&day=2026-01-01", 'The query repeats "day"'],
    ["row=00", 'The query parameter "row" takes an integer'],
    ["limit=1", 'No query parameter is named "limit" here'],
  ] as const
) {
  test(`refuses ${query}, and says what to send`, async () => {
    const { status, body } = await relata.send(`GET /reports/echo/?${query}`);
    assert.equal([status, body.type], [400, "/problems/invalid_parameter"]);
    assert.ok(body.detail.includes(detail), body.detail);
  });
}

test("refuses a request without a parameter that it needs", async () => {
  const { status, body } = await relata.send("GET /reports/bars/");
  assert.equal([status, body.detail], [400, 'The query parameter "name" is required']);
});

test("takes the value of a parameter as a value, whatever SQL it looks like", async () => {
  for (const [name, bars] of [["Bar", 2], ["'; drop table foo; --", 1], ["' or true --", 0]]) {
    const { body } = await relata.send(`GET /reports/bars/?name=${encodeURIComponent(name!)}`);
    assert.equal(body.items, bars === 0 ? [] : [{ name, bars }]);
  }
  assert.is((await relata.send("GET /api/foos/")).status, 200);
});

test("announces that a field goes away", async () => {
  const { headers } = await relata.send("GET /reports/bars/?name=Bar");
  assert.is(headers.get("deprecation"), "@1795219200");
});

for (
  const [what, name, status, cause] of [
    ["null in a field that is not nullable", "nothing", 500, 'gives null as "b"'],
    ["a value that JSON cannot have", "endless", 500, 'gives null as "ratio"'],
    ["SQL that fails", "broken", 500, "division by zero"],
    ["a function that writes", "written", 500, "cannot execute INSERT in a read-only transaction"],
    ["an insert in the place of a select", "inserted", 500, "syntax error"],
    ["an insert before its select", "hidden", 500, "must be at the top level"],
    ["a field that is no column", "lacking", 503, "other"],
  ] as const
) {
  test(`with ${what} is a defect, which the log explains and the client does not see`, async () => {
    const answer = await relata.send(`GET /reports/${name}/`);
    assert.is(answer.status, status);
    assert.not.match(JSON.stringify(answer.body), cause);
    const [failure] = log.filter(({ level }) => level !== "info");
    assert.ok(JSON.stringify(failure!.members).includes(JSON.stringify(cause).slice(1, -1)));
    const [{ count }] = await relata.sql`select count(*) from bar` as unknown as [
      { count: number },
    ];
    assert.is(Number(count), 3, "Nothing was written");
  });
}

test("leaves the session able to write", async () => {
  await relata.send("GET /reports/written/");
  const { status, body } = await relata.send("POST /api/bars/", { name: "Later" });
  assert.is(status, 201);
  await relata.send(`DELETE /api/bars/${body.id}/`);
});

test("is among the links, and described with its parameters and the schema of a row", async () => {
  const { links } = (await relata.send("GET /")).body;
  assert.equal([links.counted, links.bars_named], ["/reports/counted/", "/reports/bars/"]);
  const { paths, components } = (await relata.send("GET /openapi.json")).body;
  const { operationId, summary, parameters } = paths["/reports/bars/"].get;
  assert.equal(
    { operationId, summary, parameters },
    {
      operationId: "reportBarsNamed",
      summary: "The bars of a name",
      parameters: [{
        ...{ name: "name", in: "query", required: true },
        schema: { type: "string", examples: ["Text"] },
        "x-relata": { kind: "text" },
      }],
    },
  );
  assert.equal(paths["/reports/counted/"].get.parameters[0].schema, {
    ...{ type: "integer", format: "int64", minimum: 0, maximum: 5000, default: 3, examples: [1] },
  });
  assert.equal(components.schemas.BarsNamed.required, ["name", "bars"]);
});

test("is counted by its route", async () => {
  await relata.send("GET /reports/counted/?limit=1");
  const { body } = await relata.send("GET /metrics");
  assert.match(body, /route="\/reports\/counted\/",method="GET",status="200"/);
});

test.run();
