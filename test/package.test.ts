// The npm package: what `npm run package` makes, installed into a folder where nothing else is.
// Needs: time
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import manifest from "../package.json" with { type: "json" };
import { journey } from "./journey.ts";
import { endAll, relata, start } from "./program.ts";
import { freshDatabase, temporaryFolder } from "./service.ts";

const test = suite("package");
const root = fileURLToPath(new URL("..", import.meta.url));
const home = temporaryFolder();
const folder = (name: string) => join(home.path, name);
const command = [
  process.execPath,
  ...process.execArgv,
  join(home.path, "node_modules", "relata", "src", "relata.js"),
];

test.before(async () => {
  const made = await start([process.execPath, "src/bundle/package.ts"]).ended;
  assert.is(made.status, 0, made.stderr);
  writeFileSync(folder("package.json"), "{}");
  const packed = join(root, "dist", made.stdout.trim());
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  const how = { folder: home.path };
  const installed = await start(["npm", "install", ...options, packed], {}, how).ended;
  assert.is(installed.status, 0, installed.stderr);
});
test.after.each(endAll);
test.after(() => home.remove());

test("knows its version and its licences", async () => {
  const version = await relata(["--version"], {}, { command, folder: home.path });
  assert.equal(version, { status: 0, stdout: `${manifest.version}\n`, stderr: "" });
  const { stdout } = await relata(["--licenses"], {}, { command, folder: home.path });
  assert.match(stdout, `relata ${manifest.version}: MIT`);
  assert.match(stdout, "postgres 3");
});

test("serves a project from an empty folder, on the embedded database", async () => {
  assert.match(readdirSync(folder("node_modules/relata/template")).join(), /^pglite-[\d.]+\.json$/);
  mkdirSync(folder("embedded"));
  await journey(command, folder("embedded"));
});

test("serves a project from an empty folder, on a Postgres", async () => {
  const database = await freshDatabase();
  mkdirSync(folder("postgres"));
  await journey(command, folder("postgres"), { DATABASE_URL: database.url });
  await database.stop();
});

test("gives the tests of a project a server on a database of its own", async () => {
  writeFileSync(
    folder("embedded/note.test.mts"),
    `import assert from "node:assert/strict";
import test from "node:test";
import { start } from "relata/test";

test("a note has no marks at first", async () => {
  const relata = await start();
  const [method, headers] = ["POST", { "content-type": "application/json" }];
  const body = JSON.stringify({ name: "One" });
  const response = await relata.fetch("/api/notes/", { method, headers, body });
  assert.deepEqual((await response.json()).marks, []);
  await relata.stop();
});
`,
  );
  const args = ["--test", "note.test.mts"];
  const ended = await start([process.execPath, ...process.execArgv, ...args], {}, {
    folder: folder("embedded"),
  }).ended;
  assert.is(ended.status, 0, ended.stdout);
  assert.match(ended.stdout, /pass 1/);
});

test("says which Node it needs where that is older", async () => {
  const { stdout: version } = await start(["node", "--version"]).ended;
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return; // the installed one is new enough
  const ended = await start(["node", command.at(-1)!, "--version"]).ended;
  const expected = `relata: Node 22.18 or later is needed: this is ${version.trim().slice(1)}\n`;
  assert.equal(ended, { status: 2, stdout: "", stderr: expected });
});

test.run();
