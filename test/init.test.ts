// `relata init`: what it adds to a folder, and what it leaves.
// Needs: Deno, time
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ask, endAll, relata, sentence, serve } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("init");
const folder = temporaryFolder();

test.after.each(endAll);
test.after(() => folder.remove());

/** Every file of a folder, with its text. */
function filesOf(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(name, "utf8")]));
}

/** A folder that has these files. */
function folderWith(name: string, files: Record<string, string>): string {
  const path = join(folder.path, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

test("makes a folder with two resources, their migration, types and a short page", async () => {
  const path = join(folder.path, "new", "my store");
  const { status, stdout } = await relata(["init", path]);
  assert.is(status, 0);
  const files = Object.keys(filesOf(path)).map((file) => file.slice(path.length + 1));
  assert.equal(files.toSorted(), [
    ".gitignore",
    "README.md",
    "relata.d.ts",
    "resources/author.ts",
    "resources/book.ts",
    "sql/0001_book.down.sql",
    "sql/0001_book.up.sql",
    "tsconfig.json",
  ]);
  assert.equal(stdout.match(/^Made /gm)?.length, files.length);
  assert.match(stdout, `Next: cd "${path}" && relata\n`);
});

test("changes nothing the second time", async () => {
  const path = join(folder.path, "twice");
  await relata(["init", path]);
  const before = filesOf(path);
  const { status, stdout } = await relata(["init", path]);
  assert.equal([status, stdout.match(/^Made/gm)], [0, null]);
  assert.equal(filesOf(path), before);
});

test("keeps what is in the folder, and gives a project with resources no samples", async () => {
  const [own, page] = ["export default 1;\n", "# Mine\n"];
  const path = folderWith("begun", { "README.md": page, "resources/own.ts": own });
  assert.match((await relata(["init", path])).stdout, `Kept ${join(path, "README.md")}\n`);
  const { [join(path, "README.md")]: kept, ...rest } = filesOf(path);
  assert.is(kept, page);
  const names = Object.keys(rest).map((file) => file.slice(path.length + 1));
  assert.equal(names.toSorted(), [
    ".gitignore",
    "relata.d.ts",
    "resources/own.ts",
    "tsconfig.json",
  ]);
});

test("makes the folder of the declarations for one that has only migrations", async () => {
  const path = folderWith("migrated", { "sql/0001_own.up.sql": "", "sql/0001_own.down.sql": "" });
  await relata(["init", path]);
  assert.equal(readdirSync(join(path, "resources")), []);
});

test("makes what is served at once: a book is written with the identifier of its author", async () => {
  const path = join(folder.path, "served");
  await relata(["init", path]);
  const { url } = await serve({}, { folder: path });
  const author = { id: 1, name: "Ursula K. Le Guin" };
  assert.equal((await ask(url, "POST /api/authors/", { name: author.name })).body, author);
  const book = { title: "The Dispossessed", published: "1974-05-01" };
  const made = await ask(url, "POST /api/books/", { ...book, author: 1 });
  assert.equal(made.body, { id: 1, ...book, author });
  assert.equal((await ask(url, "GET /api/books/1/")).body, made.body);
});

test("makes what the compiler passes, without a package", async () => {
  const path = join(folder.path, "typed");
  await relata(["init", path]);
  const compiler = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));
  const { status, stdout } = spawnSync(compiler, ["--project", path]);
  assert.is(status, 0, stdout.toString());
});

test("is one sentence where a file is in the way", async () => {
  const path = folderWith("blocked", { store: "" });
  const ended = await relata(["init", join(path, "store")]);
  assert.match(sentence(ended), /store.* cannot be written/);
});

test.run();
