// Checks that the tests import from the source through one file.
import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("house");

test("is entered by one file of the tests only", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder, { recursive: true })
    .map((name) => String(name))
    .filter((name) => !name.includes("node_modules"));
  const entering = files
    .filter((name) => name.endsWith(".ts"))
    .filter((name) =>
      /(from|import\(|import) ?"[./]+\/src\//.test(readFileSync(new URL(name, folder), "utf8"))
    );
  assert.equal(entering.sort(), ["house.ts"]);
});

test.run();
