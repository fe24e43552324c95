// A project of one's own, served from the source of the program, under the runtime of this test.
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { journey } from "./journey.ts";
import { afterwards, ask, endAll, relata, sentence, serve, source } from "./program.ts";
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
  assert.match(sentence(await relata(["config"], { TITLE: "two\nlines" })), 'it is "two lines"');
});

test("is one sentence where the folder is none, or has no resources", async () => {
  const { folder } = await empty();
  for (const place of [join(folder, "nowhere"), folder]) {
    const ended = await relata(["openapi"], { PROJECT_DIR: place });
    assert.match(sentence(ended), `The project "${place}" has no folder "resources"`);
  }
  mkdirSync(join(folder, "resources"));
  for (const command of ["openapi", "statements"]) {
    assert.is((await relata([command], { PROJECT_DIR: folder })).status, 0, command);
  }
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
