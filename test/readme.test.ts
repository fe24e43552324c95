// What the README says, tried: its commands answer as printed, its tables are those of the code, and
// a resource added by its four steps works.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pages, resources, settings } from "./house.ts";
import { endAll, serve } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("README");
const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const onDeno = "Deno" in globalThis;
const curl = spawnSync("curl", ["--version"]).status === 0;

test.after(endAll);

const flow = "the commands answer, in their order and on a fresh database, exactly as printed";
if (!curl) test.skip(`${flow} (skipped: no curl)`);
else {
  test(flow, async () => {
    const folder = temporaryFolder();
    const server = await serve({ DATA_DIR: folder.path });
    const steps = blocks("console").flatMap((block) => block.trimEnd().split(/^\$ /m).slice(1));
    assert.ok(steps.length >= 8);
    for (const step of steps) {
      const [command = "", ...printed] = step.trimEnd().split("\n");
      const answer = execFileSync("sh", [
        "-c",
        command.replaceAll("http://127.0.0.1:8000", server.url),
      ]);
      assert.is(timeless(answer.toString()), timeless(printed.join("\n")), command);
    }
    assert.is((await server.kill("SIGTERM")).status, 0);
    folder.remove();
  });
}

test("the table of settings is that of the program", () => {
  const expected = Object.entries(settings).map(([name, { fallback, meaning }]) => [
    `\`${name}\``,
    fallback && `\`${fallback}\``,
    meaning,
  ]);
  assert.equal(table("Setting"), expected);
});

test("the table of endpoints is that of the routes", () => {
  const expected = [
    ...resources.flatMap(({ routes }) =>
      Object.entries(routes).map(([path, verbs]) => [path, verbs.map(({ method }) => method)])
    ),
    ...Object.keys(pages).map((path) => [path, ["GET"]]),
  ];
  const told = table("Path").map(([path = "", methods = ""]) => [
    path.replaceAll("`", ""),
    methods.split(", "),
  ]);
  assert.equal(told.sort(), expected.sort());
});

test("the table of dependencies is that of package.json", () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const told = table("Dependency")
    .flatMap(([names = ""]) => names.replace(/\(\S+?\)| \(development\)|[[\]]/g, "").split(", "));
  assert.equal(told.sort(), Object.keys({ ...dependencies, ...devDependencies }).sort());
});

const steps = "a resource added by the four steps passes its test on both runtimes and databases";
if (onDeno) test.skip(`${steps} (skipped under Deno: the test under Node runs both runtimes)`);
else {
  test(steps, () => {
    const folder = temporaryFolder();
    for (const name of ["src", "sql", "test", "package.json", "deno.json", "tsconfig.json"]) {
      cpSync(join(root, name), join(folder.path, name), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"));
    for (const block of [...blocks("sql"), ...blocks("ts")]) {
      const [, file = ""] = /^(?:--|\/\/) (\S+)\n/.exec(block) ?? [];
      const path = join(folder.path, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.endsWith("index.ts") ? registered(path, block) : block);
    }
    const types = spawnSync(join(root, "node_modules/.bin/tsc"), { cwd: folder.path });
    assert.is(types.status, 0, types.stdout.toString());
    const run = spawnSync(process.execPath, ["test/run.ts", "baz"], { cwd: folder.path });
    assert.match(run.stdout.toString(), /^4 passed, 0 failed, 0 skipped$/m);
    folder.remove();
  });
}

for (const [folder, what] of [["faults", "fault"], ["operations", "operation"]]) {
  test(`each ${what} is shown by a test that is there`, () => {
    const page = readFileSync(new URL(`${folder}/README.md`, import.meta.url), "utf8");
    const shown = [...page.matchAll(/\| `(\w+)`: ([^|]+?) +\|$/gm)];
    assert.ok(shown.length > 0);
    for (const [, file, title = ""] of shown) {
      const text = readFileSync(new URL(`${folder}/${file}.test.ts`, import.meta.url), "utf8");
      assert.ok(text.includes(title), title);
    }
  });
}

/** The index of the resources with the import and the line that the README gives for it. */
function registered(path: string, block: string): string {
  const [, added = "", , line = ""] = block.split("\n");
  const index = readFileSync(path, "utf8").replace(/^export const resources.*$/m, line);
  return index.includes(added) ? index : `${added}\n${index}`;
}

/** What the README's fenced blocks of one language hold. */
function blocks(language: string): string[] {
  return [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , block = ""]) => block);
}

/** The rows of the README's table whose first column has this head. */
function table(head: string): string[][] {
  const [, rows = ""] = new RegExp(`^\\| ${head} .*\\n\\|[- |]+\\|\\n((?:\\|.*\\n)+)`, "m")
    .exec(readme) ?? [];
  return rows.trimEnd().split("\n").map((row) =>
    row.split("|").slice(1, -1).map((cell) => cell.trim())
  );
}

/** With every identifier of a request and every date made the same. */
function timeless(text: string): string {
  return text
    .replaceAll(/urn:uuid:[0-9a-f-]{36}/g, "urn:uuid:…")
    .replaceAll(/"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"/g, '"…"');
}

test.run();
