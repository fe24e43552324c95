// Checks which files import from which: the tests from the source through one file, the server from no tools.
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

/** What a request meets; the model and the SQL under it. */
const ofServer = /^(app|(serve|http|api|statements|model|db|openapi|telemetry|errors)\/.+)\.ts$/;

test("is a server that imports nothing of its tools", () => {
  const source = new URL("../src/", import.meta.url);
  const files = readdirSync(source, { recursive: true }).map((name) => String(name))
    .filter((name) => ofServer.test(name));
  assert.ok(files.length > 100);
  const tools = /from "(?:\.\.?\/)+(?:schema|contract|migrate|commands|project|bundle|init)\//;
  const importing = files.filter((name) => tools.test(readFileSync(new URL(name, source), "utf8")));
  assert.equal(importing, []);
});

test.run();
