// A project of one's own, served from the source of the program, under the runtime of this test.
// Needs: Deno, time
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf } from "./client.ts";
import { journey } from "./journey.ts";
import { afterwards, ask, endAll, relata, sentence, serve, source, until } from "./program.ts";
import { freshDatabase, temporaryFolder } from "./service.ts";
import { folder as store } from "./store/store.ts";

const test = suite("project");
test.after.each(endAll);

/** An empty folder, and an empty Postgres. */
async function empty(): Promise<{ folder: string; url: string }> {
  const [{ path, remove }, { url, stop }] = [temporaryFolder(), await freshDatabase()];
  afterwards(remove);
  afterwards(stop);
  return { folder: path, url };
}

test("grows from an empty folder, on the embedded database", async () => {
  const { folder } = await empty();
  await journey(source, folder);
});

test("grows from an empty folder, on a Postgres", async () => {
  const { folder, url } = await empty();
  await journey(source, folder, { DATABASE_URL: url });
});

test("is found by PROJECT_DIR from anywhere: the music store, with its migrations and its page", async () => {
  const { folder, url } = await empty();
  const environment = { DATABASE_URL: url, PROJECT_DIR: store };
  const how = { folder };
  assert.match((await relata(["migrate", "up"], environment, how)).stdout, /^0001_store up$/m);
  assert.match((await relata(["check"], environment, how)).stdout, "as the declarations want it");
  const server = await serve(environment, how);
  const artist = await ask(server.url, "POST /api/artists/", { name: "Ann" });
  assert.is(artist.status, 201, JSON.stringify(artist.body));
  assert.is((await ask(server.url, "GET /readyz")).status, 200);
  assert.is((await ask(server.url, "GET /api/foos/")).status, 404);
  const { info, paths } = (await ask(server.url, "GET /openapi.json")).body;
  assert.is(info.title, "store");
  assert.ok(paths["/api/tracks/choices/tags/"] && !paths["/api/foos/"]);
  assert.is((await fetch(`${server.url}/docs/`)).status, 200);
});

test("keeps its embedded database in its own folder, unless DATA_DIR says otherwise", async () => {
  const { folder } = await empty();
  await relata(["init", folder]);
  const { stdout } = await relata(["config"], { PROJECT_DIR: folder });
  assert.match(stdout, new RegExp(`^DATA_DIR +default +${join(folder, "data")}$`, "m"));
});

test("has the title that TITLE says, instead of the name of its folder", async () => {
  const titleIn = async (environment: Record<string, string>) => {
    const { stdout } = await relata(["openapi"], { PROJECT_DIR: store, ...environment });
    return JSON.parse(stdout).info.title;
  };
  assert.is(await titleIn({}), "store");
  assert.is(await titleIn({ TITLE: "Music store" }), "Music store");
  const { stdout } = await relata(["config"], { PROJECT_DIR: store });
  assert.match(stdout, /^TITLE +default +store$/m);
  assert.match(sentence(await relata(["config"], { TITLE: "two\nlines" })), 'it is "two\\nlines"');
});

test("is one sentence where the folder is none, or has no resources", async () => {
  const { folder } = await empty();
  for (const place of [join(folder, "nowhere"), folder]) {
    for (const command of [["openapi"], ["migrate", "up"], ["migrate", "print"]]) {
      const ended = await relata(command, { PROJECT_DIR: place });
      assert.match(sentence(ended), `The project "${place}" has no folder "resources"`);
    }
  }
  mkdirSync(join(folder, "resources"));
  for (const command of ["openapi", "statements"]) {
    assert.is((await relata([command], { PROJECT_DIR: folder })).status, 0, command);
  }
});

test("is missed where the working directory has parts of one, and no resources", async () => {
  for (const part of ["sql", "relata.d.ts", "resource", "Resources"]) {
    const { path, remove } = temporaryFolder();
    afterwards(remove);
    mkdirSync(join(path, part));
    const told = sentence(await relata(["openapi"], {}, { folder: path }));
    assert.match(told, `"${path}" has "${part}", but no folder "resources"`);
  }
});

test("is that of the specification elsewhere, which is said at the start and before it migrates", async () => {
  const { folder, url } = await empty();
  const [environment, how] = [{ DATABASE_URL: url }, { folder }];
  const why = `the samples of its specification, because "${folder}" has no folder "resources"\n`;
  const migrated = await relata(["migrate", "up"], environment, how);
  assert.equal([migrated.status, migrated.stderr], [0, `These are the migrations of ${why}`]);
  const server = await serve(environment, how);
  await until("it says what it serves", () => server.stdout().endsWith(`\nIt serves ${why}`));
});

test("is never that of the specification in a database with tables of others", async () => {
  const { folder, url } = await empty();
  const sql = clientOf(url);
  afterwards(() => sql.end());
  await sql`create table note (id bigint)`;
  const how = { folder };
  const refused =
    /"0001_initial" failed and changed nothing: These are samples, .* has the table "note"/;
  const up = (address: string) => relata(["migrate", "up"], { DATABASE_URL: address }, how);
  const { status, stderr } = await up(url);
  assert.equal([status, refused.test(stderr)], [1, true], stderr);
  assert.is((await sql`select from pg_class where relname = 'bar'`).length, 0);
  await sql`create schema samples`; // a search path of their own
  assert.is((await up(`${url}?options=-c%20search_path%3Dsamples`)).status, 0);
});

test("reads files that are symbolic links, and leaves out those of editors", async () => {
  const { folder, url } = await empty();
  const [path, files] = [join(folder, "linked"), join(folder, "files")];
  await relata(["init", files]);
  for (const part of ["resources", "sql"]) {
    mkdirSync(join(path, part), { recursive: true });
    for (const name of readdirSync(join(files, part))) {
      symlinkSync(join(files, part, name), join(path, part, name));
      symlinkSync("somebody@somewhere.1", join(path, part, `.#${name}`));
    }
  }
  const environment = { DATABASE_URL: url, PROJECT_DIR: path };
  const { stdout, stderr } = await relata(["migrate", "up"], environment);
  assert.is(stderr, "");
  assert.match(stdout, /^0001_book up$/m);
  assert.match((await relata(["check"], environment)).stdout, "as the declarations want it");
});

test.run();
