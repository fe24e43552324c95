// What reviewers are told of access without a database: `relata access`, and `relata statements` of who asks.
// Needs: time
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { endAll, relata } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("relata access");
test.after(endAll);

const words = [
  "action",
  ...["anyone", "authenticated", "claim", "identifier", "inherit", "integer", "relation", "report"],
  ...["resource", "role", "text"],
].join(", ");

const files = {
  note: `resource("note", {
    path: "/notes/",
    access: {
      read: [
        anyone({ state: "published", owner: null }),
        authenticated((sql, claim) =>
          sql\`
            note.level <= \${claim("/card/level", integer())}
            and note.state <> 'draft'\`
        ),
        role("the editor"),
      ],
      create: authenticated({ owner: claim("sub") }),
      update: role("the editor", { level: 1 }),
      delete: [],
    },
    fields: {
      id: identifier(),
      state: text(),
      level: integer(),
      owner: text({ default: claim("sub") }),
    },
  })`,
  line: `resource("line", {
    routes: { "/lines/": [list()], "/lines/{id}/": [read, merge] },
    access: inherit("note"),
    fields: { id: identifier(), words: text(), note: relation(note) },
  })`,
  close: `action("close", {
    path: "/notes/{note}/close/",
    summary: "Close a note",
    access: authenticated(),
    input: { note: relation(note) },
    statement: (sql, { note }, claim) => sql\`
      update note set state = 'closed' where id = \${note} and owner = \${claim("sub")}\`,
  })`,
  many: `report("many", {
    path: "/many/",
    summary: "How many there are",
    access: role("the editor"),
    fields: { count: integer() },
    rows: (sql) => sql\`select count(*) as count from note\`,
  })`,
};

/** What it says of a project with these files. */
async function told(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await relata(words, { PROJECT_DIR: path });
  assert.equal([status, stderr], [0, ""]);
  return stdout;
}

const { path, remove } = projectOf(files);
test.after(remove);

const level = "note.level <= claim(\"/card/level\")::bigint and note.state <> 'draft'";
const expected = [
  ["line", "read", "inherit", "as note may be read"],
  ["line", "update", "inherit", "as note may be updated"],
  ["note", "read", "anyone", 'state: "published", owner: null'],
  ["note", "read", "authenticated", level],
  ["note", "read", 'role "the editor"', "all"],
  ["note", "create", "authenticated", 'owner: claim("sub")'],
  ["note", "update", 'role "the editor"', "level: 1"],
  ["note", "delete", "service"],
  ["many", "read", 'role "the editor"', "all"],
  ["close", "update", "authenticated", "as its SQL says"],
];

test("has a line for each entry of what the routes do", async () => {
  const [title, ...lines] = (await told("access")).split("\n\n")[0]!.split("\n");
  assert.match(title!, /^RESOURCE +RIGHT +WHO +ROWS$/);
  assert.equal(lines.map((line) => line.split(/ {2,}/)), expected);
});

test("is JSON for programs", async () => {
  const all = JSON.parse(await told("access", "--json"));
  assert.equal(all.length, expected.length);
  assert.equal(all.slice(3, 5), [
    { resource: "note", right: "read", who: "authenticated", rows: level },
    { resource: "note", right: "read", who: "role", role: "the editor", rows: null },
  ]);
});

test("says of what has no access that every token may", async () => {
  const { stdout } = await relata(["access"]);
  assert.match(stdout, /^foo +read +every token +all$/m);
});

/** The titles of statements, with those of whom they are. */
function standingsOf(stdout: string, name: string): (string | undefined)[] {
  return [...stdout.matchAll(/^-- ([^:]+?)(?: as ([^:]+))?: /gm)]
    .filter(([, title]) => title === name).map(([, , standings]) => standings);
}

test("statements tell of each standing that has its own", async () => {
  const stdout = await told("statements", "note");
  for (
    const [name, standings] of [
      ["read note", ["service", "somebody", '"the editor"', "nobody"]],
      ["list note by id", ['service or "the editor"', "nobody", "somebody"]],
      ["change note", ["service", '"the editor"']],
      ["delete note", ["service"]],
      ["create note", ["service", 'somebody or "the editor"']],
    ] as const
  ) {
    assert.equal(standingsOf(stdout, name), standings, name);
  }
});

test("statements of an action tell of each standing that it lets in", async () => {
  const stdout = await told("statements", "close");
  assert.equal(standingsOf(stdout, "check close"), ['service or "the editor"', "somebody"]);
  assert.match(stdout, /where id = :'note'::bigint and owner = :'relata_claim_sub_text'::text/);
});

test("statements have claims as slots", async () => {
  const stdout = await told("statements", "note");
  const [, list = ""] = /^-- list note by id as somebody:.*?\n(.*?);$/ms.exec(stdout)!;
  assert.match(list, /note\.level <= :'relata_claim_\w+_bigint'::bigint/);
  assert.not.match(list, /card/);
});

test("statements without access are of nobody in particular", async () => {
  const { stdout } = await relata(["statements", "foo"]);
  assert.equal(standingsOf(stdout, "read foo"), [undefined]);
});

function projectOf(files: Record<string, string>): { path: string; remove(): void } {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, "resources"));
  for (const [name, declared] of Object.entries(files)) {
    const note = ["line", "close"].includes(name) ? 'import note from "./note.ts";\n' : "";
    writeFileSync(
      join(folder.path, "resources", `${name}.ts`),
      `import { ${words}, list, merge, read } from "relata";\n${note}export default ${declared};\n`,
    );
  }
  return folder;
}

test.run();
