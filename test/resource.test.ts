import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bar, identifier, resource, text } from "./house.ts";

const test = suite("resource");

for (const name of ["id", "place", "refused", "limit", "cursor", "sort", "q"]) {
  test(`refuses a field with the name "${name}", which statements or queries have`, () => {
    const fields = { key: identifier(), [name]: text({ example: "Text" }) };
    assert.throws(() => resource({ ...bar, fields }), new RegExp(`the reserved name "${name}"`));
  });
}

for (const name of ["input", "relata_page", "relata_token"]) {
  test(`refuses the name "${name}", which is the server's own`, () => {
    assert.throws(
      () => resource({ ...bar, name }),
      new RegExp(`"${name}" of a resource is reserved`),
    );
  });
}

test("refuses a declaration without an identifier", () => {
  assert.throws(() => resource({ ...bar, fields: {} }), /declares no identifier/);
});

for (const display of ["id", "title"]) {
  test(`refuses to display the field "${display}", which is no text of it`, () => {
    assert.throws(() => resource({ ...bar, display }), new RegExp(`no text field "${display}"`));
  });
}

test("takes an identifier of any name", () => {
  const fields = { place: identifier(), name: text({ example: "Text" }) };
  assert.is(resource({ ...bar, fields }).key, "place");
});

test.run();
