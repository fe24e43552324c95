import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  choice,
  create,
  date,
  decimal,
  identifier,
  integer,
  many,
  read,
  relation,
  resource,
  text,
} from "./house.ts";

const test = suite("resource");

/** Whether an error says this. A text alone would be the message of the assertion, and expect nothing. */
const says = (words: string) => ({ message }: Error) => message.includes(words);

for (
  const [name, what] of [
    ...["limit", "cursor", "sort", "q", "count"].map((
      name,
    ) => [name, "which is a parameter of every list"]),
    ...["name__in", "a__b", "__id", "id__"].map((name) => [name, "which would read as a path"]),
  ] as [string, string][]
) {
  test(`refuses a field with the name "${name}", ${what}`, () => {
    const fields = { key: identifier(), name: text(), [name]: text() };
    assert.throws(
      () => resource("bar", { ...bar, fields }),
      says(`the reserved name "${name}"`),
    );
  });
}

const own = { key: identifier(), name: text() };
for (
  const [what, name, fields, table = name] of [
    ["a resource", "relata_page", own],
    ["a field", "thing", { ...own, relata_id: text() }],
    ["a column", "thing", { ...own, name: text({ column: "relata_place" }) }],
    ["a table", "thing", own, "relata_token"],
    ["a table in a schema", "thing", own, "public.relata_token"],
  ] as const
) {
  test(`refuses a name for ${what} that begins with the reserved prefix`, () => {
    assert.throws(
      () => resource(name, { table, fields, routes: {} }),
      /uses the name "relata_\w+": those with "relata_" are reserved/,
    );
  });
}

for (const table of ["", "music.", ".track", "music.old.track"]) {
  test(`refuses the table "${table}", which is no name`, () => {
    const refusal = `names the table "${table}": write "table" or "schema.table"`;
    assert.throws(() => resource("thing", { table, fields: own, routes: {} }), refusal);
    const fields = { ...own, bars: many(bar, { through: table }) };
    assert.throws(() => resource("thing", { fields, routes: {} }), refusal);
  });
}

test("refuses a declaration without an identifier", () => {
  assert.throws(() => resource("bar", { ...bar, fields: {} }), /declares no identifier/);
});

for (const display of ["id", "title"]) {
  test(`refuses to display the field "${display}", which is not a text field`, () => {
    assert.throws(() => resource("bar", { ...bar, display }), says(`no text field "${display}"`));
  });
}

test("accepts an identifier of any name", () => {
  assert.is(resource("bar", { ...bar, fields: own }).key, "key");
});

for (
  const [what, field, message] of [
    [
      "a default below the minimum",
      integer({ minimum: 5, default: 0 }),
      "The default of the field",
    ],
    [
      "a default with more decimals",
      decimal({ digits: 5, places: 2, default: "0.006" }),
      "The default of the field",
    ],
    [
      "a default that is no choice",
      choice(["draft"], { default: "lost" }),
      "The default of the field",
    ],
    ["a default that is no day", date({ default: "2026-02-30" }), "The default of the field"],
    [
      "an example that is too long",
      text({ maximum: 3, example: "Long" }),
      "The example of the field",
    ],
    ["a pattern without an example", text({ pattern: "^https?://" }), "an example, because of its"],
  ] as const
) {
  test(`refuses ${what}, which no client could send`, () => {
    const fields = { ...own, field };
    assert.throws(() => resource("thing", { fields, routes: {} }), says(message));
  });
}

for (
  const [what, declared, message] of [
    ["a path without its final slash", { path: "/things" }, 'does not begin and end with "/"'],
    ["a path and routes", { path: "/things/", routes: {} }, "neither a path nor"],
    ["routes of a record", { record: true, routes: {} }, "neither a path nor"],
  ] as const
) {
  test(`refuses ${what}`, () => {
    assert.throws(() => resource("thing", { fields: own, ...declared }), says(message));
  });
}

test("refuses routes that write where no column of the table is written", () => {
  const fields = { key: identifier(), bars: many(bar, { through: "thing_bar" }) };
  assert.throws(
    () => resource("thing", { path: "/things/", fields }),
    /no field for them to write/,
  );
});

for (
  const [name, title, summary] of [
    ["bar", "Bar", "Create a bar"],
    ["employee", "Employee", "Create an employee"],
    ["invoice_line", "InvoiceLine", "Create an invoice_line"],
  ] as const
) {
  test(`names the operations of "${name}" as people and programs would`, () => {
    const declared = resource(name, {
      fields: own,
      routes: { "/x/": [create], "/x/{id}/": [read] },
    });
    const operation = create.operation(declared);
    assert.equal([operation.id, operation.summary], [`create${title}`, summary]);
  });
}

test("a relation is read as the object unless it is declared to be the identifier", () => {
  const { relation: toObject } = relation(bar, { column: "bar_id" });
  const { relation: toIdentifier } = relation(bar, { column: "bar_id", read: "identifier" });
  assert.equal([toObject!.nested, toIdentifier!.nested], [true, false]);
});

test.run();
