// What `relata declare` makes of whole databases: projects whose types are right, and that are served.
// Needs: time
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { places, save, withFunctions } from "./declared.ts";
import { declarations, openProject, type Resource } from "./house.ts";
import { ask, embeddedFolder, endAll, paths, relata, serve } from "./program.ts";
import { freshDatabase, freshPostgres, temporaryFolder } from "./service.ts";
import { resources as declared, up } from "./store/store.ts";

const test = suite("declare: projects");
test.after.each(endAll);

test("declares the other routes of rows that nobody can create, and serves them", async () => {
  const { sql, client, url, stop } = await withFunctions();
  await sql.unsafe(`
    create type "map (2)" as (a integer);
    create table maker (maker_id smallint primary key, name varchar(9) not null);
    create table model (
      id bigserial primary key,
      "Name" text,
      maker_id smallint not null references maker,
      plan "map (2)" not null
    );
    create table made (id bigserial primary key, name text not null, plan "map (2)" not null);
    create function plan() returns trigger language plpgsql
      as 'begin new.plan := row(1); return new; end';
    create trigger plan before insert on made for each row execute function plan();
    create table logged (id bigserial primary key, what text not null, plan "map (2)" not null, ${places});
    create function other() returns trigger language plpgsql
      as 'begin new.what := trim(new.what); return new; end';
    create trigger other before insert on logged for each row execute function other();
    create table ruled (id bigserial primary key, name text not null);
    create rule kept as on delete to ruled do instead nothing;
    create table sheet (
      id bigserial primary key,
      name text not null,
      maker_id smallint not null references maker
    );
    create table scan (pages bytea) inherits (sheet);
    insert into maker values (7, 'Seven');
    insert into model ("Name", maker_id, plan) values ('One', 7, '(1)')`);
  const files = await declarations(
    { client },
    ["maker", "model", "made", "logged", "ruled", "sheet"],
  );
  assert.is(
    files,
    `// resources/maker.ts
import { identifier, resource, text } from "relata";

export default resource("maker", {
  path: "/api/makers/",
  display: "name",
  fields: {
    id: identifier({ generated: false, column: "maker_id" }),
    name: text({ maximum: 9 }),
  },
});

// resources/model.ts
// No row can be created, because a column needs a value that nothing gives it
import {
  choices,
  identifier,
  list,
  merge,
  nullable,
  read,
  relation,
  remove,
  replace,
  resource,
  text,
} from "relata";
import maker from "./maker.ts";

export default resource("model", {
  display: "Name",
  fields: {
    id: identifier(),
    Name: nullable(text()),
    maker: relation(maker),
    // "plan" is left out: "map (2)" has no kind. It needs a value, so no row can be created
  },
  routes: {
    "/api/models/": [list()],
    "/api/models/{id}/": [read, replace, merge, remove],
    "/api/models/choices/maker/": [choices("maker")],
  },
});

// resources/made.ts
import { identifier, resource, text } from "relata";

export default resource("made", {
  path: "/api/mades/",
  display: "name",
  fields: {
    id: identifier(),
    name: text(),
    // "plan" is left out: "map (2)" has no kind. It needs a value, so no row can be created unless a trigger gives it one
  },
});

// resources/logged.ts
// No row can be created, because a column needs a value that nothing gives it
import { follow, identifier, list, read, resource, text } from "relata";

export default resource("logged", {
  display: "what",
  fields: {
    id: identifier(),
    what: text(),
    // "plan" is left out: "map (2)" has no kind. It needs a value, so no row can be created
  },
  routes: {
    "/api/loggeds/": [list(), follow],
    "/api/loggeds/{id}/": [read],
  },
});

// resources/ruled.ts
// It is only read, because of its rules: use triggers instead
import { identifier, list, read, resource, text } from "relata";

export default resource("ruled", {
  display: "name",
  fields: {
    id: identifier(),
    name: text(),
  },
  routes: {
    "/api/ruleds/": [list()],
    "/api/ruleds/{id}/": [read],
  },
});

// resources/sheet.ts
// No row is changed or deleted, because "scan" may have its id, too
import {
  choices,
  create,
  createBatch,
  identifier,
  list,
  read,
  relation,
  resource,
  text,
} from "relata";
import maker from "./maker.ts";

export default resource("sheet", {
  display: "name",
  fields: {
    id: identifier(),
    name: text(),
    maker: relation(maker),
  },
  routes: {
    "/api/sheets/": [list(), create],
    "/api/sheets/batch/": [createBatch],
    "/api/sheets/{id}/": [read],
    "/api/sheets/choices/maker/": [choices("maker")],
  },
});
`,
  );
  const folder = temporaryFolder();
  save(files, folder.path);
  checkTypes(folder.path);
  const server = await serve({ DATABASE_URL: url, PROJECT_DIR: folder.path });
  const model = { id: 1, Name: "Two", maker: { id: 7, name: "Seven" } };
  const { body } = await ask(server.url, "PUT /api/models/1/", { Name: "Two", maker: 7 });
  assert.equal(body, model);
  assert.equal((await ask(server.url, "GET /api/models/?maker=7")).body.items, [model]);
  assert.is((await ask(server.url, "POST /api/models/", { Name: "Two", maker: 7 })).status, 405);
  const sheet = await ask(server.url, "POST /api/sheets/", { name: "One", maker: 7 });
  assert.equal([sheet.status, sheet.body.id], [201, 1]);
  folder.remove();
  await server.kill();
  await stop();
});

test("writes the files for a whole database into the project, overwrites none, and counts", async () => {
  const { sql, stop, url } = await freshDatabase();
  await sql.unsafe(`
    create schema music;
    create table label (id bigserial primary key, name text not null);
    create table music.song (id bigserial primary key, name text not null, api_key text, at inet);
    create table music.song_label (
      song_id bigint references music.song,
      label_id bigint references label,
      primary key (song_id, label_id)
    );
    create table plain (name text);
    create table bare (name text);
    create table schema_migrations (version bigint primary key);
    create table "__drizzle_migrations" (id serial primary key, hash text);
    create table relata_own (id bigserial primary key);
    create table parted (id bigint primary key) partition by list (id);
    create table part partition of parted default;
    create view seen as select * from label`);
  const folder = temporaryFolder();
  const resources = join(folder.path, "resources");
  mkdirSync(resources);
  const [label, song] = ["label", "song"].map((name) => join(resources, `${name}.ts`)) as [
    string,
    string,
  ];
  writeFileSync(label, "// My own\n");
  const environment = { DATABASE_URL: url, PROJECT_DIR: folder.path };
  const declare = async (...options: string[]) => {
    const { status, stdout, stderr } = await relata(["declare", ...options], environment);
    return { status, lines: stdout.trimEnd().split("\n"), stderr };
  };
  const all = await declare("--all");
  assert.equal([all.status, all.stderr], [0, ""]);
  assert.equal(all.lines.slice(-4), [
    `Kept ${label}`,
    `Made 2 of 3 files in ${resources}`,
    "3 of 8 tables are resources, 1 has the links of a to-many: it has no primary key (2); " +
    "a tool for migrations keeps it (2)",
    "1 of their 8 fields are left out: it looks like a secret (1)",
  ]);
  assert.ok(all.lines.includes('The table "bare" is in no resource: it has no primary key'));
  assert.is(readFileSync(label, "utf8"), "// My own\n");
  assert.match(readFileSync(song, "utf8"), /^\/\/ resources\/song\.ts\n[^]*\n\}\);\n$/);
  const one = await declare("--schema", "music");
  assert.equal(one.lines.slice(-4, -2), [`Kept ${song}`, `Made 1 of 2 files in ${resources}`]);
  assert.match(
    readFileSync(join(resources, "song_label.ts"), "utf8"),
    '// It refers to "label", which is in no resource here',
  );
  assert.equal(await declare("--schema", "lyrics"), {
    status: 2,
    lines: [""],
    stderr: 'relata: The schema "lyrics" has no table that its role sees\n',
  });
  assert.equal(await declare("--all", "--schema", "music"), {
    status: 2,
    lines: [""],
    stderr: "relata: --all and --schema do not go together\n",
  });
  folder.remove();
  await stop();
});

test("declares the tables of an embedded database", async () => {
  const folder = embeddedFolder();
  const { stdout } = await relata(["declare", "foo", "bar"], { DATA_DIR: folder.path });
  folder.remove();
  assert.is(
    stdout,
    `// resources/foo.ts
import { identifier, relation, resource, text } from "relata";
import bar from "./bar.ts";

export default resource("foo", {
  path: "/api/foos/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 64 }),
    bar: relation(bar),
  },
});

// resources/bar.ts
import { identifier, resource, text } from "relata";

export default resource("bar", {
  path: "/api/bars/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 64 }),
  },
});
`,
  );
});

test("serves tables of another schema whose names are plural, with their links", async () => {
  const folder = temporaryFolder();
  const { sql, client, url, stop } = await freshDatabase();
  await sql.unsafe(`
    create schema blog;
    create table blog.posts (id bigserial primary key, title text not null);
    create table blog.labels (id bigserial primary key, name text not null);
    create table blog.post_labels (
      post_id bigint references blog.posts,
      label_id bigint references blog.labels,
      position integer not null,
      primary key (post_id, label_id)
    );
    insert into blog.labels (name) values ('One'), ('Two')`);
  save(await declarations({ client }, ["blog.posts", "blog.labels"]), folder.path);
  const server = await serve({ DATABASE_URL: url, PROJECT_DIR: folder.path });
  const made = await ask(server.url, "POST /api/posts/", { title: "First", labels: [2, 1] });
  const labels = [{ id: 2, name: "Two" }, { id: 1, name: "One" }];
  assert.equal(made.body, { id: 1, title: "First", labels });
  assert.equal((await ask(server.url, "GET /api/posts/?labels=1")).body.items, [made.body]);
  folder.remove();
  await server.kill();
  await stop();
});

test("serves tables with keys of several columns, and the check finds no fault in them", async () => {
  const { sql, url, stop } = await freshDatabase();
  await sql.unsafe(`
    create table person (id bigserial primary key, name text not null);
    create table profile (person_id bigint primary key references person, motto text not null);
    create table badge (
      profile_id bigint references profile,
      kind varchar(9),
      given date default current_date,
      number bigint generated always as identity,
      primary key (profile_id, kind, given)
    );
    create table price (
      code varchar(3) not null,
      since date not null,
      per numeric(8) not null,
      amount numeric not null
    );
    create unique index on price (code, since, per);
    insert into person (name) values ('Ann')`);
  const folder = temporaryFolder();
  const environment = { DATABASE_URL: url, PROJECT_DIR: folder.path };
  const { stdout } = await relata(["declare", "--all"], environment);
  assert.match(stdout, "4 of 4 tables are resources\n");
  checkTypes(folder.path);
  assert.is((await relata(["migrate", "up"], environment)).status, 0);
  const found = await relata(["check"], environment);
  const faults = found.stdout.trimEnd().split("\n").filter((line) => !line.includes("index"));
  assert.equal([found.status, ...faults], [0, "The database is as the declarations want it", ""]);
  const server = await serve(environment);
  const done = async (request: string, sent?: unknown) => {
    const { status, body } = await ask(server.url, request, sent);
    return [status, body];
  };
  const person = { id: 1, name: "Ann" };
  assert.equal(await done("PUT /api/profiles/1/", { motto: "On" }), [201, { person, motto: "On" }]);
  const [status, badge] = await done("POST /api/badges/", { profile: 1, kind: "gold" });
  const profile = { person, motto: "On" };
  assert.equal([status, badge], [201, { profile, kind: "gold", given: badge.given, number: 1 }]);
  assert.equal(await done(`GET /api/badges/1,gold,${badge.given}/`), [200, badge]);
  const price = { code: "A,b", since: "2026-11-30", per: 100, amount: "1.5" };
  assert.equal(await done("POST /api/prices/", price), [201, price]);
  assert.equal(await done("GET /api/prices/A%2Cb,2026-11-30,100/"), [200, price]);
  folder.remove();
  await server.kill();
  await stop();
});

test("writes files that a project loads, whatever its tables are called", async () => {
  const { sql, url, stop } = await freshPostgres();
  await sql`create table "Order Details" (id bigint generated by default as identity primary key)`;
  const folder = temporaryFolder();
  const environment = { DATABASE_URL: url, PROJECT_DIR: folder.path };
  assert.is((await relata(["declare", "--all"], environment)).status, 0);
  const { resources } = await openProject({ projectDir: folder.path });
  const names = ["bar", "bottage", "colere", "foo", "order_detail"];
  assert.equal(resources.map(({ name }) => name), names);
  folder.remove();
  await stop();
});

test("declares the music store as it declares itself, and serves it", async () => {
  const { client, sql, url, stop } = await withFunctions();
  const folder = temporaryFolder();
  try {
    await sql.unsafe(up);
    const names = declared.map(({ table }) => table);
    save(await declarations({ client }, names), folder.path);
    const { resources } = await openProject({ projectDir: folder.path });
    assert.equal(described(resources), described(declared));
    assert.equal(followed(resources), followed(declared));
    checkTypes(folder.path);

    const server = await serve({ DATABASE_URL: url, PROJECT_DIR: folder.path });
    const done = async (request: string, sent?: unknown) => {
      const { status, body } = await ask(server.url, request, sent);
      assert.ok(status < 300, JSON.stringify(body));
      return body;
    };
    const artist = await done("POST /api/artists/", { name: "Röyksopp", active: true });
    const tag = await done("POST /api/tags/", { name: "slow" });
    const album = await done("POST /api/albums/", { title: "M", artist: artist.id, format: "LP" });
    assert.equal([album.artist, album.heading], [artist, "M"]);
    const sent = { name: "Eple", milliseconds: 1, price: "1", rating: 5, explicit: false };
    const track = await done("POST /api/tracks/", { ...sent, album: album.id, tags: [tag.id] });
    assert.equal(await done(`GET /api/tracks/${track.id}/`), {
      ...{ id: track.id, ...sent, price: "1.00", album, composer: null, isrc: null, gain: null },
      ...{ genres: [], tags: [tag] },
    });
    await server.kill("SIGTERM");
  } finally {
    folder.remove();
    await stop();
  }
});

/** Has the compiler check the files, under Node alone: it is the same for both. */
function checkTypes(folder: string): void {
  if ("Deno" in globalThis) return;
  const compilerOptions = {
    ...{ module: "esnext", moduleResolution: "bundler", typeRoots: [path("node_modules/@types")] },
    paths: { relata: [path(paths.words)] },
  };
  const settings = { extends: path("tsconfig.json"), include: ["resources"], compilerOptions };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const { status, stdout } = spawnSync(path("node_modules/.bin/tsc"), ["--project", folder]);
  assert.is(status, 0, stdout.toString());
}

function path(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

/** The tables of the resources whose rows can be followed. */
function followed(resources: Resource[]): string[] {
  return resources
    .filter(({ routes }) => Object.values(routes).flat().some(({ name }) => name === "follow"))
    .map(({ table }) => table).sort();
}

/** What a table decides about its resource, by columns: fields may have other names. */
function described(resources: Resource[]) {
  return Object.fromEntries(
    resources.toSorted((one, other) => one.table < other.table ? -1 : 1).map((resource) => {
      const columns = Object.values(resource.fields).map((field) => {
        const { column, kind, write, relation } = field;
        const target = relation?.target(resource).table;
        // A generated column may be null, as far as Postgres knows
        const nullable = write && (field.nullable ?? false);
        if (!relation?.isMany) return [column, kind, nullable, target];
        const { table, order } = relation.pairs(resource, column);
        return [target, table, order];
      });
      return [resource.table, columns.map((column) => column.join(" ")).sort()];
    }),
  );
}

test.run();
