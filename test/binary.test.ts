// Needs: Deno, time
import { hash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import manifest from "../package.json" with { type: "json" };
import { journey } from "./journey.ts";
import { ask, endAll, type Ended, type How, paths, relata, serve, start } from "./program.ts";
import { freshDatabase, temporaryFolder } from "./service.ts";

const test = suite("binary");

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const folder = temporaryFolder();

test.after.each(endAll);
test.after(() => folder.remove());

if ("Deno" in globalThis) {
  test.skip("skipped: both binaries are made and tried in the run under Node", () => {});
} else {
  let build: Ended | undefined;
  testAlone("npm run build", async (alone) => {
    build ??= await start([process.execPath, path(paths.build)]).ended;
    assert.is(build.status, 0, build.stderr);
    const sum = hash("sha256", readFileSync(path("dist/relata")));
    assert.is(readFileSync(path("dist/relata.sha256"), "utf8"), `${sum}  relata\n`);
    copyFileSync(path("dist/relata"), alone);
  });

  const compiled = join(folder.path, "compiled");
  const compilation = await compile(compiled);
  if (lacksRuntime(compilation)) {
    test.skip("skipped: no denort", () => {});
  } else {
    testAlone("deno task compile", (alone) => {
      assert.is(compilation.status, 0, compilation.stderr);
      copyFileSync(compiled, alone);
    });
  }
}

test.run();

/** Tries what `make` puts into a folder where nothing else is, and without any other program. */
function testAlone(title: string, make: (path: string) => void | Promise<void>) {
  const home = join(folder.path, title.replaceAll(" ", "-"));
  const how: How = { command: [join(home, "relata")], folder: home };
  const alone = { PATH: "" };

  test(`${title} makes one file that knows its version`, async () => {
    mkdirSync(home);
    await make(join(home, "relata"));
    const ended = await relata(["--version"], alone, how);
    assert.equal(ended, { status: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  test(`${title} makes one file that has the licences of everything inside`, async () => {
    const { status, stdout } = await relata(["--licenses"], alone, how);
    assert.is(status, 0);
    for (const text of [`relata ${manifest.version}: MIT`, "postgres 3", "PostgreSQL, in"]) {
      assert.ok(stdout.includes(text), text);
    }
    if (title.startsWith("npm")) {
      for (const text of [`Node.js ${process.versions.node}: `, "V8, located at deps/v8"]) {
        assert.ok(stdout.includes(text), text);
      }
    }
  });

  test(`${title} makes one file that serves and keeps its data over a restart`, async () => {
    const server = await serve(alone, how);
    const { body: { id: colere } } = await ask(server.url, "GET /colere/");
    const created = await ask(server.url, "POST /bottage/", { cul: "Cul", colere });
    assert.is(created.status, 201);
    assert.is((await server.kill("SIGTERM")).status, 0);

    const next = await serve(alone, how);
    assert.equal((await ask(next.url, "GET /bottage/last")).body, created.body);
  });

  if (title.startsWith("npm")) {
    test(`${title} makes one file that serves a project from an empty folder`, async () => {
      const project = join(home, "project");
      mkdirSync(project);
      await journey(how.command!, project, alone);
    });

    test(`${title} makes one file that serves a project on a real Postgres`, async () => {
      const [project, database] = [join(home, "other"), await freshDatabase()];
      mkdirSync(project);
      await journey(how.command!, project, { ...alone, DATABASE_URL: database.url });
      await database.stop();
    });
  }

  test(`${title} makes one file that has the documentation in it`, async () => {
    const server = await serve(alone, how);
    for (const name of ["", "docs.css", "docs.js"]) {
      const response = await fetch(`${server.url}/docs/${name}`);
      assert.is(response.status, 200, name);
      assert.ok((await response.text()).length > 1000, name);
    }
    await server.kill("SIGTERM");
  });

  test(`${title} makes one file that migrates a real Postgres and serves it`, async () => {
    const database = await freshDatabase();
    const environment = { ...alone, DATABASE_URL: database.url };
    const migrate = (direction: string) => relata(["migrate", direction], environment, how);
    try {
      assert.is((await migrate("up")).status, 0);
      assert.match((await migrate("grants")).stdout, 'to :"role";');
      assert.match((await migrate("status")).stdout, /^project +0001_\w+ +applied /m);
      const server = await serve(environment, how);
      assert.is((await ask(server.url, "GET /readyz")).status, 200);
      assert.is((await ask(server.url, "POST /api/bars/", { name: "Bar" })).status, 201);
      await server.kill("SIGTERM");
      assert.is((await migrate("down")).status, 0);
      assert.match((await migrate("status")).stdout, / pending +-$/m);
    } finally {
      await endAll();
      await database.stop();
    }
  });
}

/** Runs `deno task compile`, but for where it puts what it makes. */
async function compile(output: string): Promise<Ended> {
  const task: string = JSON.parse(readFileSync(path("deno.json"), "utf8")).tasks.compile;
  const [, ...args] = task.replace(/--output \S+/, `--output ${output}`).split(" ");
  return await start([path("node_modules/.bin/deno"), ...args], { NO_COLOR: "1" }).ended;
}

/** Whether Deno could not fetch the runtime that it builds upon, as in a closed network. */
function lacksRuntime({ status, stderr }: Ended): boolean {
  return status !== 0 && /denort|dl\.deno\.land/.test(stderr);
}
