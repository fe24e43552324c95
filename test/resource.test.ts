import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  create,
  declarationOf,
  identifier,
  many,
  read,
  relation,
  resource,
  text,
} from "./house.ts";

const test = suite("resource");

/** Whether an error says this. A text alone would be the message of the assertion, and expect nothing. */
const says = (words: string) => ({ message }: Error) => message.includes(words);

const own = { key: identifier(), name: text() };

for (
  const table of ["", "music.", ".track", "music.old.track", "relata_token", "public.relata_token"]
) {
  test(`refuses the table "${table}", which is no name of a table of the project`, () => {
    const said = `"${table}"`;
    assert.throws(() => resource("thing", { table, fields: own, routes: {} }), says(said));
    const fields = { ...own, bars: many(bar, { through: table }) };
    assert.throws(() => resource("thing", { fields, routes: {} }), says(said));
  });
}

test("accepts an identifier of any name", () => {
  assert.is(resource("bar", { ...declarationOf(bar), fields: own }).key, "key");
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
