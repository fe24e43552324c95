// The names that the source exports: each is declared once, so that it means one thing in the whole house.
import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("exports");

const root = new URL("../src/", import.meta.url);

const DECLARATION =
  /^export (?:async |abstract )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

test("declare each name in one file", () => {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.d)\.(ts|js)$/.test(file) && !file.startsWith("init/"));
  const declared = files.flatMap((file) =>
    Array.from(
      readFileSync(new URL(file, root), "utf8").matchAll(DECLARATION),
      ([, name]) => ({ name, file }),
    )
  );
  assert.ok(declared.length > 500, `${declared.length} names`);
  const twice = [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
  assert.equal(twice, []);
});

test.run();
