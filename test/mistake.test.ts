// Mistakes in the folder of a project: one sentence with the file and the line.
// Needs: Deno
import { Buffer } from "node:buffer";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openProject } from "./house.ts";
import { endAll, refusalOf, relata, sentence } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("mistake");
test.after(endAll);

/** A file of the project: what is on its first two lines, then a resource with these fields and options. */
function track(first: string, { fields = "", options = "" } = {}): string {
  return `${first}
import { anyone, authenticated, choice, claim, identifier, inherit, many, relation, resource, role, text } from "relata";
export default resource("track", {
  path: "/tracks/",
  fields: {
    id: identifier(),
    ${fields || "name: text(),"}
  },
  ${options}
});
`;
}

/** A report of one day, with these further options. */
function days(options = ""): string {
  const access = options && `${options},`;
  return `
import { authenticated, date, inherit, report } from "relata";
export default report("days", {
  path: "/days/", summary: "Each day", fields: { day: date() }, ${access}
  rows: (sql) => sql\`select current_date as day\`,
});
`;
}

/** A sheet that owns rows, and a row: each with what is else on it. */
function sheet({ fields = "", options = "" } = {}): string {
  return `
import { identifier, owned, resource, text } from "relata"; import row from "./row.ts";
export default resource("sheet", {
  path: "/sheets/",
  fields: { id: identifier(), name: text(), rows: owned(() => row, { parent: "sheet" }), ${fields} },
  ${options}
});
`;
}

function row({ fields = "sheet: relation(() => sheet)", options = "" } = {}): string {
  return `
import { authenticated, identifier, owned, relation, resource, text } from "relata"; import sheet from "./sheet.ts";
export default resource("row", { fields: { id: identifier(), name: text(), ${fields} }, ${options} });
`;
}

/** A row whose key has two fields: the relation to its sheet, and `name`. */
function keyed({ fields = "name: text()", key = '["sheet", "name"]', options = "" } = {}): string {
  return `
import { date, identifier, integer, json, list, many, nullable, owned, read, readonly, relation, resource, text } from "relata";
import sheet from "./sheet.ts";
const row = resource("row", {
  fields: { sheet: relation(() => sheet), note: text(), ${fields} },
  key: ${key},
  ${options}
});
export default row;
`;
}

const album = track('import track from "./track.ts";', { fields: "track: relation(track)," })
  .replace('"track",', '"album",').replace("/tracks/", "/albums/");

for (
  const [what, files, expected] of [
    [
      "an unknown option",
      { "track.ts": track("", { fields: "name: text({ maximun: 200 })," }) },
      'resources/track.ts:7: The field "name" of the resource "track": text takes no option ' +
      '"maximun"; it takes "minimum", "maximum", "pattern", "column", "label", "description", "default", "example"',
    ],
    [
      "an unknown option of a resource",
      { "track.ts": track("", { options: 'dispaly: "name",' }) },
      'resources/track.ts:3: The resource "track" takes no option "dispaly"; it takes "path", ' +
      '"record", "routes", "label", "description", "display", "table", "access", "fields", "key", "history", "filter", "sort"',
    ],
    ...["uuid", "text"].map((type) =>
      [
        `a newest row among identifiers of the type ${type}, without the time of their creation`,
        {
          "track.ts": track("", { options: "record: true," })
            .replace("identifier()", `identifier({ type: "${type}" })`),
        },
        'resources/track.ts:3: The resource "track" needs a field created(), as "last" reads the ' +
        "newest row, and the order of its identifiers is another",
      ] as const
    ),
    [
      "a syntax error",
      { "track.ts": track("", { fields: "name: text(," }) },
      "resources/track.ts:7: Expression expected",
    ],
    [
      "no default export",
      { "track.ts": track("").replace("export default", "export const track =") },
      "resources/track.ts: Its default export is no resource, report or action",
    ],
    [
      "a default export that is no resource",
      { "track.ts": "export default { path: '/tracks/' };" },
      "resources/track.ts: Its default export is no resource, report or action",
    ],
    [
      "a filter that is no field",
      { "track.ts": track("", { options: 'filter: ["title"],' }) },
      'resources/track.ts:3: The resource "track" filters or sorts by "title", but track has no ' +
      'field "title"',
    ],
    [
      "a filter through a relation that is no field there",
      {
        "track.ts": track("", {
          fields: 'name: text(), up: relation("self"),',
          options: 'filter: ["up__title"],',
        }),
      },
      'resources/track.ts: The resource "track" filters or sorts by "up__title", but track has no ' +
      'field "title"',
    ],
    [
      "a sort by rows of which there are many",
      {
        "bar.ts": track("").replaceAll("track", "bar"),
        "track.ts": track('import bar from "./bar.ts";', {
          fields: 'name: text(), bars: many(bar, { through: "track_bar" }),',
          options: 'sort: ["bars"],',
        }),
      },
      'resources/track.ts: The resource "track" sorts by "bars", which refers to many rows',
    ],
    [
      "a display that is no text field",
      { "track.ts": track("", { options: 'display: "id",' }) },
      'resources/track.ts:3: The resource "track" has no text field "id" to display',
    ],
    [
      "a word that does not exist",
      {
        "track.ts": track('import { txt } from "relata";', { fields: "name: txt()," }),
      },
      'resources/track.ts:1: "relata" has no word "txt"',
    ],
    [
      "a circular import",
      {
        "album.ts": album,
        "track.ts": track('import album from "./album.ts";', {
          fields: "name: text(), album: relation(album),",
        }),
      },
      'resources/track.ts:7: "album" refers to this resource: refer to it by a function, as in ' +
      "relation(() => album)",
    ],
    [
      "a function that gives no resource",
      { "track.ts": track("", { fields: "name: text(), album: relation(() => undefined)," }) },
      'resources/track.ts: The relation "album" of the resource "track" refers to no resource',
    ],
    [
      "a relation to a resource with such a function",
      {
        "cover.ts": track('import track from "./track.ts";', {
          fields: 'name: text(), track: relation(track, { read: "identifier" }),',
        }).replace('"track"', '"cover"').replace("/tracks/", "/covers/"),
        "track.ts": track("", { fields: "name: text(), album: relation(() => undefined)," }),
      },
      'resources/track.ts: The relation "album" of the resource "track" refers to no resource',
    ],
    [
      "two objects that contain each other",
      {
        "album.ts": album.replace("relation(track)", "relation(() => track)"),
        "track.ts": track('import album from "./album.ts";', {
          fields: "name: text(), album: relation(() => album),",
        }),
      },
      'resources/album.ts: The relation "album" of the resource "track" leads back to "album": ' +
      "read it as the identifier",
    ],
    [
      "neither a path nor an owner",
      { "row.ts": row({ fields: "" }), "sheet.ts": track("") },
      'resources/row.ts: The resource "row" needs a path, or routes: nothing owns its rows',
    ],
    [
      "owned rows that do not refer to their owner",
      { "row.ts": row({ fields: "other: relation(() => sheet)" }), "sheet.ts": sheet() },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": the resource "row" has no ' +
      'relation "sheet" to one sheet',
    ],
    [
      "access of owned rows",
      {
        "row.ts": row({ options: "access: authenticated()" }),
        "sheet.ts": sheet({ options: "" }),
      },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": The resource "row" takes no ' +
      "access: who may read and write its sheet may do so with its rows",
    ],
    [
      "a history of owned rows",
      { "row.ts": row({ options: "history: true" }), "sheet.ts": sheet() },
      'resources/row.ts: The resource "row" takes no history: its rows are in that of what owns them',
    ],
    [
      "a route of changes without a history",
      {
        "track.ts": track('import { changes, followChanges } from "relata";').replace(
          'path: "/tracks/",',
          'routes: { "/tracks/changes/": [followChanges], "/tracks/{id}/changes/": [changes] },',
        ),
      },
      'resources/track.ts:3: The resource "track" has a route "changes", but no "history: true"',
    ],
    [
      "access to a history by rows",
      {
        "track.ts": track("", {
          options: 'history: true, access: { history: authenticated({ name: claim("sub") }) }',
        }),
      },
      'resources/track.ts: The resource "track" has access to its history by rows: who may read it ' +
      "reads that of all",
    ],
    [
      "access by what a row owns",
      {
        "row.ts": row(),
        "sheet.ts": sheet({ options: 'access: authenticated({ rows__name: "x" })' })
          .replace("{ identifier", "{ authenticated, identifier"),
      },
      'resources/row.ts: The resource "sheet" has access by "rows__name", which is no one value',
    ],
    [
      "rows with two owners",
      {
        "row.ts": row(),
        "sheet.ts": sheet({ fields: 'more: owned(() => row, { parent: "sheet" })' }),
      },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": The rows of "row" have more ' +
      "than one owner",
    ],
    [
      "rows that own themselves",
      {
        "row.ts": row({
          fields: 'sheet: relation(() => sheet), rows: owned("self", { parent: "sheet" })',
        }),
        "sheet.ts": sheet(),
      },
      'resources/row.ts: The relation "rows" of the resource "row" owns itself at last',
    ],
    [
      "an owner within what it owns",
      { "row.ts": row({ options: 'path: "/rows/"' }), "sheet.ts": sheet() },
      'resources/row.ts: The relation "rows" of the resource "sheet" leads back to "row": read it as ' +
      "the identifier",
    ],
    [
      "a key and an identifier",
      { "row.ts": keyed({ fields: "id: identifier(), name: text()" }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" declares the identifier "id" beside a key',
    ],
    [
      "a key, and a field that is called so",
      { "row.ts": keyed({ fields: "name: text(), key: text()" }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" has a field "key", but lists sort by its key as "key"',
    ],
    [
      "a key of no field",
      { "row.ts": keyed({ key: "[]", options: 'path: "/rows/"' }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" needs a key of one or more fields, each once',
    ],
    [
      "a key of one field, twice, at a path",
      {
        "row.ts": keyed({ key: '["name", "name"]', options: 'path: "/rows/"' }),
        "sheet.ts": sheet(),
      },
      'resources/row.ts:4: The resource "row" needs a key of one or more fields, each once',
    ],
    [
      "a key of the owner alone",
      {
        "row.ts": keyed({
          fields: 'sheet: relation(() => sheet, { read: "identifier" })',
          key: '["sheet"]',
          options: 'path: "/rows/"',
        }),
        "sheet.ts": sheet(),
      },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": the key of the resource "row" has to be of two fields, "sheet" and another one',
    ],
    [
      "a route that has not all of the key",
      {
        "row.ts": keyed({ options: 'routes: { "/rows/": [list()], "/rows/{name}/": [read] }' }),
        "sheet.ts": sheet(),
      },
      'resources/row.ts:4: The route "/rows/{name}/" of the resource "row" has a path that is not like "/things/" or "/things/{sheet},{name}/"',
    ],
    [
      "a key whose newest row nobody knows",
      { "row.ts": keyed({ options: 'path: "/rows/", record: true' }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" needs a field created(), as "last" reads the newest row, and the order of its identifiers is another',
    ],
    [
      "a key of three fields",
      { "row.ts": keyed({ key: '["sheet", "name", "note"]' }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" needs a key of two fields: the relation to what owns its rows, and another one',
    ],
    [
      "a key of one field, twice",
      { "row.ts": keyed({ key: '["sheet", "sheet"]' }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" needs a key of one or more fields, each once',
    ],
    [
      "a key that is no field",
      { "row.ts": keyed({ key: '["sheet", "title"]' }), "sheet.ts": sheet() },
      'resources/row.ts:4: The resource "row" has no field "title" for its key',
    ],
    [
      "a key that may be null",
      { "row.ts": keyed({ fields: "name: nullable(text())" }), "sheet.ts": sheet() },
      'resources/row.ts:4: The field "name" of the resource "row" identifies a row, and so it is never null',
    ],
    [
      "a key that holds JSON",
      { "row.ts": keyed({ fields: "name: json()" }), "sheet.ts": sheet() },
      'resources/row.ts:4: The field "name" of the resource "row" holds json, which no key has',
    ],
    [
      "a key without the owner",
      { "row.ts": keyed({ key: '["name", "note"]' }), "sheet.ts": sheet() },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": the key of the resource "row" has to be of two fields, "sheet" and another one',
    ],
    [
      "a key with a default",
      { "row.ts": keyed({ fields: 'name: text({ default: "x" })' }), "sheet.ts": sheet() },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": clients do not always send "name" of the key of the resource "row"',
    ],
    [
      "a key that is only read",
      { "row.ts": keyed({ fields: "name: readonly(text())" }), "sheet.ts": sheet() },
      'resources/sheet.ts: The relation "rows" of the resource "sheet": clients do not always send "name" of the key of the resource "row"',
    ],
    [
      "a key that nothing owns",
      { "row.ts": keyed(), "sheet.ts": track("") },
      'resources/row.ts: The resource "row" needs an owner: nothing owns its rows',
    ],
    [
      "a relation to a key of two fields",
      { "row.ts": keyed({ fields: 'name: text(), other: relation("self")' }), "sheet.ts": sheet() },
      'resources/row.ts: The relation "other" of the resource "row" needs an identifier of "row", which has a key of several fields',
    ],
    [
      "a to-many of rows with a key of two fields",
      {
        "row.ts": keyed({ fields: 'name: text(), sheets: many(() => sheet, { through: "link" })' }),
        "sheet.ts": sheet(),
      },
      'resources/row.ts: The relation "sheets" of the resource "row" needs an identifier of "row", which has a key of several fields',
    ],
    [
      "a to-many to itself whose links have one column",
      {
        "track.ts": track("", {
          fields: 'name: text(), others: many(() => track, { through: "link" }),',
        }).replace("export default", "const track =") + "export default track;",
      },
      'resources/track.ts: The field "others" of the resource "track" has both ends of its links in "track_id": ' +
      'it needs "from" and "to"',
    ],
    [
      "a condition that is no SQL",
      {
        "track.ts": track("", {
          fields: 'name: text(), up: relation("self", { where: () => "true" }),',
        }),
      },
      'resources/track.ts: The relation "up" of the resource "track": its "where" gives SQL, as in ' +
      '(sql) => sql`…`, not "true"',
    ],
    [
      "a list in a condition",
      {
        "track.ts": track("", {
          fields:
            'name: text(), up: relation("self", { where: (sql) => sql`track.id = any(${[1]})` }),',
        }),
      },
      'resources/track.ts:7: The relation "up" of the resource "track": sql takes strings, numbers, ' +
      "true, false, null, and pieces of SQL",
    ],
    [
      "a usual order that lists do not have",
      {
        "track.ts": track("").replace("import {", "import { list,")
          .replace('path: "/tracks/"', 'routes: { "/tracks/": [list({ sort: "-name" })] }'),
      },
      'resources/track.ts: list takes as "sort" one of id, -id, not "-name"',
    ],
    [
      "a default that is no SQL",
      { "track.ts": track("", { fields: 'name: text({ default: () => "now()" }),' }) },
      'resources/track.ts:7: The field "name" of the resource "track": text takes as "default" SQL, ' +
      'as in (sql) => sql`now()`, not "now()"',
    ],
    [
      "a relation to what no file exports by default",
      {
        "track.ts": track("export const album = make();", { fields: "album: relation(album)," }) +
          track("").replace("export default", "function make() { return").replace(
            '"track"',
            '"album"',
          )
            .replace("import {", "// {").trimEnd() +
          "\n}\n",
      },
      'resources/track.ts: The relation "album" of the resource "track" refers to "album", which is ' +
      'the default export of no file in "resources"',
    ],
    [
      "a resource of the same name",
      { "song.ts": track("").replace("/tracks/", "/songs/"), "track.ts": track("") },
      'resources/track.ts: "song.ts" declares the name "track", too',
    ],
    ...["problem", "invalid", "failure", "choices"].map((name) => [
      `the name of a schema of every document, "${name}"`,
      { [`${name}.ts`]: track("").replace('"track"', `"${name}"`) },
      `resources/${name}.ts: The server has something called "${
        name[0]!.toUpperCase() + name.slice(1)
      }" in the document, too`,
    ]),
    [
      "a schema of the same name",
      {
        "track.ts": track(""),
        "track_list.ts": track("").replace('"track"', '"track_list"').replace(
          "/tracks/",
          "/lists/",
        ),
      },
      'resources/track_list.ts: "track.ts" has something called "TrackList" in the document, too',
    ],
    [
      "an operation of the same name",
      {
        "track.ts": track(""),
        "track_batch.ts": track("").replace('"track"', '"track_batch"').replace(
          "/tracks/",
          "/all/",
        ),
      },
      'resources/track_batch.ts: "track.ts" has something called "createTrackBatch" in the document, too',
    ],
    ...["track.js", "track.mts", "track.cts", "track.tsx", "music/track.ts"].map((name) => [
      `a declaration in "${name}"`,
      { [name]: track("") },
      `resources/${name}: Only files directly in "resources" that end in ".ts" declare, and none imports this one`,
    ]),
    [
      "a path that is taken",
      { "song.ts": track("").replace('"track"', '"song"'), "track.ts": track("") },
      'resources/track.ts: "song.ts" has the path "/tracks/", too',
    ],
    [
      "a resource without access beside one that has it",
      {
        "album.ts": track("", { options: "access: authenticated()," }).replace('"track"', '"album"')
          .replace("/tracks/", "/albums/"),
        "track.ts": track(""),
      },
      'resources/track.ts: The resource "track" needs "access", as "album" has it: what is left out ' +
      "is open to everybody",
    ],
    [
      "a report without access beside a resource that has it",
      { "days.ts": days(), "track.ts": track("", { options: "access: authenticated()," }) },
      'resources/days.ts: The report "days" needs "access", as "track" has it: what is left out is ' +
      "open to everybody",
    ],
    [
      "a resource without access beside a report that has it",
      { "days.ts": days("access: []"), "track.ts": track("") },
      'resources/track.ts: The resource "track" needs "access", as "days" has it: what is left out ' +
      "is open to everybody",
    ],
    [
      "access by rows of a report",
      { "days.ts": days('access: authenticated({ day: "2026-11-21" })') },
      'resources/days.ts:3: The report "days" has access by rows: its SQL narrows them, by claim',
    ],
    [
      "access of a report that it inherits",
      { "days.ts": days('access: inherit("track")') },
      'resources/days.ts:3: The report "days" has access by rows: its SQL narrows them, by claim',
    ],
    [
      "access of a report that lets callers write alone",
      { "days.ts": days("access: { write: authenticated() }") },
      'resources/days.ts:3: The report "days" has access to write, but not to read, which is all that it takes',
    ],
    [
      "an unknown right in access",
      {
        "track.ts": track("", { options: "access: { reed: [anyone()], write: authenticated() }," }),
      },
      'resources/track.ts:3: The resource "track" takes in "access" no option "reed"; it takes "read", ' +
      '"create", "update", "delete", "history", "write"',
    ],
    [
      "access by fields without a word around them",
      { "track.ts": track("", { options: 'access: { name: claim("sub") },' }) },
      'resources/track.ts:3: The resource "track" takes as "access" entries such as authenticated(), or ' +
      'these by "read", "write", "create", "update", "delete" and "history", not an object',
    ],
    [
      "access by SQL that differs from call to call",
      {
        "track.ts": track("let calls = 0;", {
          options: "access: authenticated((sql) => sql`track.id > ${calls++}`),",
        }),
      },
      'resources/track.ts: The access of the resource "track" gives other SQL each time: let Postgres ' +
      "read the clock, as in now()",
    ],
    [
      "access that is inherited in a circle",
      {
        "album.ts": album.replace(/}\);\n$/, 'access: inherit("track") });'),
        "track.ts": track('import album from "./album.ts";', {
          fields: 'name: text(), album: relation(() => album, { read: "identifier" }),',
          options: 'access: inherit("album"),',
        }),
      },
      'resources/album.ts: The resource "track" inherits its access by "album" at last from itself',
    ],
    ...([
      ['inherit("up")', 'inherits its access by "up" at last from itself'],
      ['inherit("name")', 'inherits its access by "name", which is no relation to one row'],
      ['inherit("nmae")', 'inherits its access by "nmae", which is no relation to one row'],
      [
        '{ read: anyone(), write: authenticated({ ownr: claim("sub") }) }',
        'has access by "ownr", but track has no field "ownr"',
      ],
      [
        'authenticated({ up__ownr: claim("sub") })',
        'has access by "up__ownr", but track has no field "ownr"',
      ],
      ["anyone({ name: 7 })", 'has access by "name", which never is 7'],
      ["anyone({ id: 1.5 })", 'has access by "id", which never is 1.5'],
      [
        '[authenticated(), anyone({ state: "lost" })]',
        'has access by "state", which never is "lost"',
      ],
    ] as const).map(([access, sentence]) => [
      `access by ${access}`,
      {
        "track.ts": track("", {
          fields: 'name: text(), state: choice(["draft"]), up: relation("self"),',
          options: `access: ${access},`,
        }),
      },
      `resources/track.ts: The resource "track" ${sentence}`,
    ]),
    [
      "access by a function that gives no SQL",
      { "track.ts": track("", { options: 'access: authenticated(() => "true"),' }) },
      'resources/track.ts: The access of the resource "track" gives SQL, as in (sql, claim) => sql`…`, ' +
      'not "true"',
    ],
    ...([
      ['role("")', 'role takes the name of a role, not ""'],
      ["{ read: [anyone(), role()] }", "role takes the name of a role, not undefined"],
      [
        "authenticated({ name: claim() })",
        'claim takes the name of a claim, such as "sub", not undefined',
      ],
      [
        "authenticated([])",
        "authenticated takes fields with what they must have, or a function that gives SQL, not an array",
      ],
      [
        'role("editor", authenticated())',
        "role takes fields with what they must have, or a function that gives SQL, not an object",
      ],
      ["inherit(track)", "inherit takes the name of a field, not a function"],
    ] as const).map(([access, sentence]) => [
      `a mistake in ${access}`,
      { "track.ts": track("function track() {}", { options: `access: ${access},` }) },
      `resources/track.ts:9: The resource "track": ${sentence}`,
    ]),
    [
      "a default by a claim without a name",
      { "track.ts": track("", { fields: 'name: text({ default: claim("") }),' }) },
      'resources/track.ts:7: The field "name" of the resource "track": claim takes the name of a ' +
      'claim, such as "sub", not ""',
    ],
    [
      "a description in Latin-1",
      { "track.ts": Buffer.from(track("", { options: 'description: "é",' }), "latin1") },
      'resources/track.ts: The file "track.ts" is not UTF-8 text: see its line 9',
    ],
  ] as [string, Record<string, string | Uint8Array>, string][]
) {
  test(`a project with ${what} is told its file`, async () => {
    const { path, remove } = projectOf(files);
    assert.is(await mistakeIn(path), expected);
    remove();
  });
}

for (
  const [what, first, expected] of [
    ["file", 'import album from "./album.ts";', 'There is no "resources/album.ts" to import'],
    ["package", 'import album from "album";', 'There is no "album" to import'],
    ["export", 'import { album } from "./track.ts";', '"./track.ts" exports no "album"'],
  ] as const
) {
  test(`a project that imports a ${what} that is not there is told so`, async () => {
    const { path, remove } = projectOf({
      "track.ts": track(first, { fields: "name: text(), album: relation(album)," }),
    });
    const told = (await mistakeIn(path)).replace(/:\d+: /, ": "); // Node tells no line for a file
    assert.is(told, `resources/track.ts: ${expected}`);
    remove();
  });
}

test("a project may have the names that pages of the server have", async () => {
  const names = ["contract", "links", "metrics", "documentation"];
  const files = names.map((name) => [
    `${name}.ts`,
    track("").replace('"track"', `"${name}"`).replace("/tracks/", `/api/${name}/`),
  ]);
  const { path, remove } = projectOf(Object.fromEntries(files));
  const { status, stdout } = await relata(["openapi"], { PROJECT_DIR: path });
  assert.is(status, 0);
  const ids = [...stdout.matchAll(/"operationId": ?"(\w+)"/g)].map(([, id]) => id);
  assert.equal(ids.toSorted(), [...new Set(ids)].sort());
  remove();
});

test("a project may have modules of other kinds, and in folders below, which declare nothing by themselves", async () => {
  const make = track("").replace('resource("track",', '() => resource("track",');
  const { path, remove } = projectOf({
    "track.ts": 'import make from "./lib/make.ts";\nexport default make();\n',
    "lib/make.ts": make,
    "lib/names.mts": 'import { text } from "relata";\nexport const name = text();\n',
    "track.test.mts": make,
    "lib/track.d.ts": make,
    "page.js": "export default 1;\n",
  });
  assert.equal((await openProject({ projectDir: path })).resources.map(({ name }) => name), [
    "track",
  ]);
  remove();
});

test("a mistake ends the start with exit status 2", async () => {
  const { path, remove } = projectOf({ "track.ts": track("", { fields: "name: text(," }) });
  const ended = await relata([], { PROJECT_DIR: path, DATA_DIR: join(path, "data") });
  assert.is(sentence(ended), "relata: resources/track.ts:7: Expression expected\n");
  remove();
});

/** What is said of the project in a folder. */
function mistakeIn(path: string): Promise<string> {
  return refusalOf(openProject({ projectDir: path }));
}

/** A folder, whose name has a space, with these files in `resources/`. */
function projectOf(files: Record<string, string | Uint8Array>): { path: string; remove(): void } {
  const folder = temporaryFolder();
  const path = join(folder.path, "my store");
  mkdirSync(join(path, "resources"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, "resources", name)), { recursive: true });
    writeFileSync(join(path, "resources", name), text);
  }
  return { path, remove: folder.remove };
}

test.run();
