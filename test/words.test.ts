// The words of a declaration: what each takes, and what a project is told that gives it something else.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as words from "./house.ts";
import type { Resource } from "./house.ts";

const {
  array,
  bar,
  boolean,
  bytes,
  checkWithOthers,
  choice,
  choices,
  create,
  createBatch,
  created,
  date,
  decimal,
  deprecated,
  identifier,
  integer,
  json,
  list,
  many,
  merge,
  nullable,
  number,
  owned,
  pgType,
  read,
  readonly,
  relation,
  resource,
  text,
  time,
  timestamp,
  uuid,
} = words;

const test = suite("words");

/** What a project, whose types are not checked, can give. */
// deno-lint-ignore no-explicit-any
const wrong = <Given>(given: Given) => given as any;

/** A field that lists cannot compare. */
const { filter: _, ...incomparable } = boolean();

function declared(declaration: object): Resource {
  const fields = { id: identifier(), name: text() };
  const made = resource("track", wrong({ path: "/tracks/", fields, ...declaration }));
  checkWithOthers(made);
  return made;
}

function message(declare: () => unknown): string {
  try {
    declare();
  } catch (error) {
    return (error as Error).message;
  }
  return "It was declared";
}

for (
  const [field, sentence] of [
    [
      text(wrong({ maximun: 200 })),
      'text takes no option "maximun"; it takes "minimum", "maximum", "pattern", "column", ' +
      '"label", "description", "default", "example"',
    ],
    [
      relation(bar, wrong({ nested: true })),
      'relation takes no option "nested"; it takes "read", "where", "column", "label", "description", "default"',
    ],
    [
      many(bar, wrong({ through: "bars", trough: "bars" })),
      'many takes no option "trough"; it takes "through", "from", "to", "order", "read", "where", ' +
      '"label", "description"',
    ],
    [
      identifier(wrong({ key: "number" })),
      'identifier takes no option "key"; it takes "type", "generated", "default", "maximum", ' +
      '"pattern", "column", "label", "description", "example"',
    ],
    [
      identifier({ type: "uuid", maximum: 7 }),
      'identifier takes no option "maximum" for identifiers of the type "uuid"',
    ],
    [
      identifier({ generated: false, default: "database" }),
      'identifier takes no option "default" for identifiers of the type "integer"',
    ],
    [
      identifier({ type: "text", generated: false }),
      'identifier takes no option "generated" for identifiers of the type "text"',
    ],
    [
      identifier(wrong({ type: "bytes" })),
      'identifier takes as "type" "integer", "uuid" or "text", not "bytes"',
    ],
    [
      identifier(wrong({ type: "uuid", default: "client" })),
      'identifier takes as "default" "database", not "client"',
    ],
    [
      created(wrong({ default: "now" })),
      'created takes no option "default"; it takes "column", "label", "description", "example"',
    ],
    [
      deprecated(text(), wrong({ since: "2026-11-21", sunst: "2027-11-21" })),
      'deprecated takes no option "sunst"; it takes "since", "sunset", "link"',
    ],
    [many(bar, wrong({})), 'many needs the option "through"'],
    [many(bar, wrong(undefined)), 'many needs the option "through"'],
    [many(bar, wrong(null)), "many takes options in braces, not null"],
    [owned(bar, wrong({ order: "place" })), 'owned needs the option "parent"'],
    [
      owned(bar, wrong({ parent: "track", through: "bars" })),
      'owned takes no option "through"; it takes "parent", "order", "label", "description"',
    ],
    [decimal(wrong({ digits: 5 })), 'decimal takes both "digits" and "places", or neither'],
    [json(wrong({ only: "text" })), 'json takes as "only" "object" or "array", not "text"'],
    [
      array(text(), { minimum: 2, maximum: 1 }),
      'array takes a "minimum" that is not above its "maximum"',
    ],
    [array(text(), wrong({ default: "a" })), 'array takes as "default" an array, not "a"'],
    ...([
      [nullable(text()), "one that is nullable"],
      [array(text()), "array"],
      [json(), "json"],
      [identifier(), "identifier"],
      [created(), "created"],
      [bytes(), "bytes"],
      [pgType("inet"), "pgType"],
      [relation(bar), "relation"],
      [wrong(text), "a function"],
      [wrong(undefined), "undefined"],
    ] as const).map(([element, what]) =>
      [
        array(element),
        `array takes a field that is compared and not null, such as text(), not ${what}`,
      ] as const
    ),
    [
      uuid(wrong({ version: 7 })),
      'uuid takes no option "version"; it takes "column", "label", "description", "default", "example"',
    ],
    [
      time(wrong({ zone: 1 })),
      'time takes no option "zone"; it takes "column", "label", "description", "default", "example"',
    ],
    [bytes({ maximum: -1 }), 'bytes takes as "maximum" an integer of at least 0, not -1'],
    ...[
      "INET",
      "inet; drop table x",
      "inet default 1",
      "a.b.c",
      'b"',
      "text -- x",
      "",
      "varbit( 5)",
    ].map((type) =>
      [
        pgType(type),
        'pgType takes a type as Postgres writes it, such as "inet", "bit varying(5)" or ' +
        `'music."Key"[]', not "${type}"`,
      ] as const
    ),
    [pgType("jsonb"), 'pgType takes no "jsonb", which is json()'],
    [
      pgType("inet", wrong({ maximum: 3 })),
      'pgType takes no option "maximum"; it takes "column", "label", "description", "default", "example"',
    ],
    [deprecated(text(), wrong({})), 'deprecated needs the option "since"'],
    [text(wrong("name")), 'text takes options in braces, not "name"'],
    [text(wrong({ maximum: "200" })), 'text takes as "maximum" an integer, not "200"'],
    [text({ minimum: -1 }), 'text takes as "minimum" an integer of at least 0, not -1'],
    [text({ minimum: 3, maximum: 2 }), 'text takes a "minimum" that is not above its "maximum"'],
    [text({ pattern: "[" }), 'text takes as "pattern" a regular expression, not "["'],
    [text(wrong({ pattern: /a/ })), 'text takes as "pattern" a string, not an object'],
    [text(wrong({ column: undefined })), 'text takes as "column" a string, not undefined'],
    [text({ column: "" }), 'text takes as "column" a name, not ""'],
    [
      text({ column: "relata_place" }),
      'text takes as "column" a name that does not begin with "relata_", not "relata_place"',
    ],
    [
      text({ column: "ø".repeat(32) }),
      `text takes as "column" a name of at most 63 bytes, not "${"ø".repeat(32)}"`,
    ],
    [integer({ minimum: 0.5 }), 'integer takes as "minimum" an integer, not 0.5'],
    [
      integer({ minimum: 2, maximum: 1 }),
      'integer takes a "minimum" that is not above its "maximum"',
    ],
    [number({ maximum: NaN }), 'number takes as "maximum" a number, not NaN'],
    [
      number({ minimum: 2, maximum: 1 }),
      'number takes a "minimum" that is not above its "maximum"',
    ],
    [
      decimal({ digits: 2, places: 3 }),
      'decimal takes "places" that are not above its "digits"',
    ],
    [
      decimal({ digits: 0, places: 0 }),
      'decimal takes as "digits" an integer of at least 1, not 0',
    ],
    [
      decimal(wrong({ digits: 9, places: 2, default: 1 })),
      'decimal takes as "default" a string, not 1',
    ],
    [
      boolean(wrong({ default: "true" })),
      'boolean takes as "default" true or false, not "true"',
    ],
    [
      date(wrong({ default: new Date() })),
      'date takes as "default" a string, not an object',
    ],
    [
      text(wrong({ default: () => "now()" })),
      'text takes as "default" SQL, as in (sql) => sql`now()`, not "now()"',
    ],
    [
      nullable(date({ default: (sql) => sql`(select max(day) from ${sql`sale`})` })),
      'date takes as "default" SQL without a subquery, not sql`(select max(day) from sale)`',
    ],
    [
      relation(bar, { default: (sql) => sql`(table bar)` }),
      'relation takes as "default" SQL without a subquery, not sql`(table bar)`',
    ],
    [
      integer({ default: (sql) => sql`1 + ${wrong({ slot: "row" })}` }),
      'integer takes as "default" SQL without a placeholder, not sql`1 + ${…}`',
    ],
    [
      integer({ default: (sql) => sql`1 + $1` }),
      'integer takes as "default" SQL without a placeholder, not sql`1 + $1`',
    ],
    [
      timestamp({ default: (sql) => sql`${wrong([])}` }),
      "sql takes strings, numbers, true, false, null, and pieces of SQL",
    ],
    [
      timestamp(wrong({ description: 1 })),
      'timestamp takes as "description" a string, not 1',
    ],
    [choice([]), "choice takes an array of strings, at least one and each different"],
    [choice(["a\0"]), "choice takes an array of strings, at least one and each different"],
    [choice(["one", "one"]), "choice takes an array of strings, at least one and each different"],
    [choice(wrong("draft")), "choice takes an array of strings, at least one and each different"],
    [
      relation(bar, wrong({ read: "whole" })),
      'relation takes as "read" "object" or "identifier", not "whole"',
    ],
    [
      relation(bar, wrong({ where: "bar.active" })),
      'relation takes as "where" a function, which gets the tag, not "bar.active"',
    ],
    [
      relation(wrong(undefined)),
      'relation takes a resource, a function that gives one, or "self", not undefined',
    ],
    [
      relation(wrong("bar")),
      'relation takes a resource, a function that gives one, or "self", not "bar"',
    ],
    [
      many(wrong("bar"), { through: "bars" }),
      'many takes a resource, a function that gives one, or "self", not "bar"',
    ],
    [nullable(wrong(text)), "nullable takes a field, such as text(), not a function"],
    [readonly(wrong("text")), 'readonly takes a field, such as text(), not "text"'],
    [
      deprecated(wrong(list), { since: "2026-11-21" }),
      "deprecated takes a field or a verb, not a function",
    ],
    [
      nullable(many(bar, { through: "bars" })),
      "nullable takes no to-many, which is empty instead",
    ],
    [
      deprecated(text(), { since: "2026-02-31" }),
      'deprecated takes as "since" a day such as "2026-11-21", not "2026-02-31"',
    ],
    [
      deprecated(text(), { since: "21 November" }),
      'deprecated takes as "since" a day such as "2026-11-21", not "21 November"',
    ],
    [
      deprecated(text(), { since: "2026-11-21", link: "https://example.org/größe" }),
      'deprecated takes as "link" an address such as "https://example.com/news", not "https://example.org/größe"',
    ],
    [
      deprecated(text(), { since: "2026-11-21", sunset: "2026-11-20" }),
      'deprecated takes a "sunset" that is not before its "since"',
    ],
    [
      readonly(nullable(text(wrong({ maximum: "200" })))),
      'text takes as "maximum" an integer, not "200"',
    ],
  ] as const
) {
  test(`a field is refused, because ${sentence}`, () => {
    assert.is(
      message(() => declared({ fields: { id: identifier(), field } })),
      `The field "field" of the resource "track": ${sentence}`,
    );
  });
}

for (
  const [field, sentence] of [
    ["text", 'is "text", not a field such as text()'],
    [text, "is a function, not a field such as text()"],
    [undefined, "is undefined, not a field such as text()"],
    [bar, "is an object, not a field such as text()"],
    [nullable(identifier()), "identifies a row, and so it is never null"],
    [text({ pattern: "^https?://" }), "needs an example, because of its pattern"],
    [
      text({ maximum: 3, example: "Long" }),
      "has an example that is not a value that it takes",
    ],
    [
      integer({ minimum: 5, default: 0 }),
      "has a default that is not a value that it takes",
    ],
    [
      decimal({ digits: 5, places: 2, default: "0.006" }),
      "has a default that is not a value that it takes",
    ],
    [
      choice(["draft"], { default: "lost" }),
      "has a default that is not a value that it takes",
    ],
    [date({ default: "2026-02-30" }), "has a default that is not a value that it takes"],
  ] as const
) {
  test(`the field "field" ${sentence}`, () => {
    assert.is(
      message(() => declared({ fields: { id: identifier(), field } })),
      `The field "field" of the resource "track" ${sentence}`,
    );
  });
}

for (
  const [name, sentence] of [
    ["limit", "is that of a parameter of lists"],
    ["cursor", "is that of a parameter of lists"],
    ["sort", "is that of a parameter of lists"],
    ["q", "is that of a parameter of lists"],
    ["count", "is that of a parameter of lists"],
    ["etags", "is that of a parameter of lists"],
    ["album__title", 'is reserved, as all that begin with "relata_" or have "__"'],
    ["relata_id", 'is reserved, as all that begin with "relata_" or have "__"'],
    ["", 'must be a letter, then up to 55 letters, digits and "_"'],
    ["first name", 'must be a letter, then up to 55 letters, digits and "_"'],
    ["a".repeat(57), 'must be a letter, then up to 55 letters, digits and "_"'],
  ] as const
) {
  test(`no field is called "${name}", which ${sentence}`, () => {
    assert.is(
      message(() => declared({ fields: { id: identifier(), [name]: text() } })),
      `The name "${name}" of a field of the resource "track" ${sentence}`,
    );
  });
}

test("a resource has a name before its options", () => {
  const nameless = resource as unknown as (options: object) => unknown;
  assert.is(
    message(() => nameless({ path: "/x/", fields: { id: identifier() } })),
    "resource takes a name, then options in braces",
  );
});

for (
  const [name, sentence] of [
    ["relata_page", 'is reserved, as all that begin with "relata_" or have "__"'],
    ["a track", 'must be a letter, then up to 55 letters, digits and "_"'],
  ] as const
) {
  test(`no resource is called "${name}", which ${sentence}`, () => {
    assert.is(
      message(() => resource(name, { path: "/x/", fields: { id: identifier(), name: text() } })),
      `The name "${name}" of a resource ${sentence}`,
    );
  });
}

const routes = { "/tracks/": [list(), create], "/tracks/{id}/": [read] };

for (
  const [what, declaration, sentence] of [
    [
      "an unknown option",
      { pth: "/tracks/" },
      'takes no option "pth"; it takes "path", "record", "routes", "label", "description", "display", "table", ' +
      '"access", "fields", "key", "history", "filter", "sort"',
    ],
    ["an option of a wrong type", { record: "yes" }, 'takes as "record" true or false, not "yes"'],
    ["a filter alone", { filter: "name" }, 'takes as "filter" an array of strings, not "name"'],
    ["fields in an array", { fields: [] }, 'takes as "fields" fields by their names, not an array'],
    [
      "a path without its final slash",
      { path: "/tracks" },
      'needs a path such as "/things/", not "/tracks"',
    ],
    ["a path of steps", { path: "/a/../b/" }, 'needs a path such as "/things/", not "/a/../b/"'],
    [
      "a path that means no text",
      { path: "/%zz/" },
      'needs a path such as "/things/", not "/%zz/"',
    ],
    [
      "a path without its first slash",
      { path: "tracks/" },
      'needs a path such as "/things/", not "tracks/"',
    ],
    [
      "a path with an identifier",
      { path: "/{id}/" },
      'needs a path such as "/things/", not "/{id}/"',
    ],
    ["a path and routes", { routes }, 'has routes, and so neither a path nor "record"'],
    [
      "an id that is none",
      { fields: { id: text(), key: identifier() } },
      'has a field "id" that is not its identifier, which lists sort by as "id"',
    ],
    ["no identifier", { fields: { name: text() } }, "declares no identifier"],
    [
      "two identifiers",
      { fields: { id: identifier(), key: identifier() } },
      'declares two identifiers, "id" and "key"',
    ],
    [
      "two fields of one column",
      { fields: { id: identifier(), bar: relation(bar), bar_id: readonly(integer()) } },
      'has the column "bar_id" in two fields, "bar" and "bar_id"',
    ],
    [
      "two fields of one table of links",
      {
        fields: {
          id: identifier(),
          name: text(),
          bars: many(bar, { through: "track_bar" }),
          kept: readonly(many(bar, { through: "track_bar", read: "identifier" })),
        },
      },
      'has the table of links "track_bar" in two fields, "bars" and "kept"',
    ],
    [
      "both ends of its links in two fields that are written",
      {
        fields: {
          id: identifier(),
          name: text(),
          follows: many("self", { through: "follow", to: "other_id" }),
          fans: many("self", { through: "follow", from: "other_id", to: "track_id" }),
        },
      },
      'has the table of links "follow" in two fields, "follows" and "fans": declare one of them readonly',
    ],
    ["an identifier to display", { display: "id" }, 'has no text field "id" to display'],
    ["a display that is no field", { display: "title" }, 'has no text field "title" to display'],
    [
      "a filter that is no field",
      { filter: ["title"] },
      'filters or sorts by "title", but track has no field "title"',
    ],
    ...["filter", "sort"].map((option) =>
      [
        `a ${option} by what lists cannot compare`,
        { fields: { id: identifier(), plan: incomparable }, [option]: ["plan"] },
        'filters or sorts by "plan", but the field "plan" of track holds boolean, which lists cannot compare',
      ] as const
    ),
    [
      "routes that write where no column is written",
      { fields: { id: identifier(), bars: many(bar, { through: "track_bar" }) } },
      "has routes that write, but no field for them to write",
    ],
  ] as const
) {
  test(`a resource is refused with ${what}: it ${sentence}`, () => {
    assert.is(message(() => declared(declaration)), `The resource "track" ${sentence}`);
  });
}

for (
  const [path, verbs, sentence] of [
    [
      "/tracks/",
      [list(wrong({ sorts: "-id" }))],
      ': list takes no option "sorts"; it takes "sort"',
    ],
    [
      "/tracks/",
      [list(wrong({ sort: 7 }))],
      ': list takes as "sort" a string, not 7',
    ],
    [
      "/tracks/{id}/",
      [read, deprecated(merge, wrong({}))],
      ': deprecated needs the option "since"',
    ],
    ["/tracks/", [choices(wrong(bar))], ": choices takes the name of a field, not an object"],
    ["/tracks/", list(), " takes verbs in brackets, not an object"],
    ["/tracks/", [list], " takes verbs such as list(), not a function"],
    ["/tracks/", ["list"], ' takes verbs such as list(), not "list"'],
    ["/tracks/", [createBatch, create], " has two verbs that answer POST"],
    ["tracks/", [list()], ' has a path that is not like "/things/" or "/things/{id}/"'],
    ["/tracks/?a=1", [list()], ' has a path that is not like "/things/" or "/things/{id}/"'],
    ["/tracks/{id}/{more}/", [read], ' has a path that is not like "/things/" or "/things/{id}/"'],
    ["/tracks/", [read], ' has no identifier, such as "{id}", for "read"'],
    ["/tracks/{id}/", [list()], ' has an identifier, which "list" does not take'],
  ] as const
) {
  test(`a route is refused: "${path}"${sentence}`, () => {
    const fields = { id: identifier(), name: text() };
    assert.is(
      message(() => resource("track", wrong({ fields, routes: { [path]: verbs } }))),
      `The route "${path}" of the resource "track"${sentence}`,
    );
  });
}

for (
  const [what, declaration, sentence] of [
    [
      "routes of a record",
      { record: true, routes },
      'has routes, and so neither a path nor "record"',
    ],
    [
      "no fields",
      { fields: undefined, routes },
      'takes as "fields" fields by their names, not undefined',
    ],
    [
      "a create without a read",
      { routes: { "/tracks/": [create] } },
      "has no route that reads one row",
    ],
    [
      "choices of a field that is no relation",
      { routes: { "/tracks/": [choices("name")] } },
      'has no relation "name"',
    ],
  ] as const
) {
  test(`a resource is refused with ${what}: it ${sentence}`, () => {
    const fields = { id: identifier(), name: text() };
    assert.is(
      message(() => resource("track", wrong({ fields, ...declaration }))),
      `The resource "track" ${sentence}`,
    );
  });
}

test.run();
