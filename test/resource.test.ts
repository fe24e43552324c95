import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bar, create, declarationOf, identifier, read, relation, resource, text } from "./house.ts";

const test = suite("resource");

const own = { key: identifier(), name: text() };

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
