// What an editor is told of the vocabulary: all of it, and nothing else.
// Needs: time
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Editor, type Options, words } from "./house.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("editor");

const declarations = readFileSync(new URL("../src/types/relata.d.ts", import.meta.url), "utf8");

// The compiler compares the declarations with the source, in both directions

type Same<One, Other> = [One] extends [Other] ? [Other] extends [One] ? true : false : false;

/** What a word takes as its options, the last of what it is given. */
type Taken<Word> = Word extends (...given: infer Given) => unknown
  ? Required<Given> extends [...unknown[], infer Last] ? Last : never
  : never;

/** Options that are compared by name only: they hold what is opaque to an editor, or depend on each other. */
type Untyped =
  | "access"
  | "where"
  | "fields"
  | "routes"
  | "parameters"
  | "rows"
  | "path"
  | "record"
  | "digits"
  | "places";

/** An option with its type; never, if it is not taken. */
type Option<Given, Name> = Given extends unknown
  ? Name extends keyof Given ? Name extends Untyped ? Name : Pick<Given, Name> : never
  : never;

/** What takes pieces of SQL, which are opaque to an editor, by its name only. */
type Plain<Given> = Given extends (...given: never[]) => unknown ? "SQL"
  : { [Name in keyof Given]: Plain<Given[Name]> };

type Names<Given> = Given extends unknown ? keyof Given & string : never;

/** The options, such as "text.maximum", that are not the same for an editor and in the source. */
type Different = {
  [Word in keyof Options]: {
    [Name in Names<Taken<Editor[Word]> | Options[Word]>]: Same<
      Plain<Option<Taken<Editor[Word]>, Name>>,
      Plain<Option<Options[Word], Name>>
    > extends true ? never : `${Word}.${Name}`;
  }[Names<Taken<Editor[Word]> | Options[Word]>];
}[keyof Options];

export const sameWords: Same<keyof Editor, keyof typeof words> = true;

/** Empty; the compiler says which options are missing here. */
export const different: Record<Different, never> = {};

/** What words are given, but for pieces of SQL. */
type Given<Words extends object> = {
  [Word in keyof Words]: Words[Word] extends (...given: infer Given) => infer Made
    ? { given: Plain<Given>; made: Made }
    : Words[Word];
};

type Opaque =
  | "resource"
  | "relation"
  | "many"
  | "owned"
  | "array"
  | "nullable"
  | "readonly"
  | "deprecated"
  | "optional"
  | "report";

/** The words that are given nothing opaque are the declared ones. */
export const declared: Given<typeof words> extends Given<Omit<Editor, Opaque>> ? true : false =
  true;

test("every word and every option is explained", () => {
  const lines = declarations.split("\n");
  const unexplained = lines.filter((line, index) =>
    /^(export (function|const)\b| +\w+\??: .*;$)/.test(line) && !line.endsWith(" never;") &&
    !lines[index - 1]!.endsWith("*/")
  );
  assert.equal(unexplained, []);
});

test("it imports nothing, so that it can stand in a module of its own", () => {
  assert.not.match(declarations, /\bimport\b.*\bfrom\b|import\(|\bdeclare\b|reference/);
});

// A project, with nothing but the declarations

const wrong = [
  "text({ maximun: 200 })",
  'text({ maximum: "200" })',
  "decimal({ digits: 10 })",
  'choice("draft")',
  "relation(undefined)",
  'relation("others")',
  "relation(tag, { nested: true })",
  'relation(tag, { where: () => "tag.name" })',
  'text({ default: () => "now()" })',
  "integer({ default: (sql) => sql`${[1]}` })",
  "text({ default: claim })",
  "authenticated([])",
  "authenticated({ owner: claim })",
  'authenticated(() => "true")',
  "role({ owner: 1 })",
  "inherit()",
  "claim()",
  'resource("x", { path: "/x/", access: authenticated, fields: {} })',
  'resource("x", { path: "/x/", access: { change: anyone() }, fields: {} })',
  'many(tag, { trough: "x" })',
  'many("others", { through: "x" })',
  "owned(tag)",
  'owned(tag, { order: "place" })',
  'owned(tag, { parnt: "track" })',
  'owned("self", { parent: "track" })',
  "nullable(text)",
  'readonly("text")',
  'deprecated(text(), { sunst: "2027-05-21" })',
  'list({ sorts: "-id" })',
  "choices()",
  'resource("x", { path: "/x/" })',
  'resource("x", { path: "/x/", fields: { id: identifier }, })',
  'resource("x", { path: "/x/", routes: {}, fields: {} })',
  'resource("x", { record: true, routes: {}, fields: {} })',
  'resource("x", { routes: { "/x/": [list] }, fields: {} })',
  'resource("x", { pth: "/x/", fields: {} })',
];

test("a project passes tsc with it alone, and a wrong option does not", () => {
  const { path, remove } = temporaryFolder();
  const store = fileURLToPath(new URL("store/resources", import.meta.url));
  cpSync(store, join(path, "resources"), { recursive: true });
  writeFileSync(join(path, "relata.d.ts"), `declare module "relata" {\n${declarations}}\n`);
  writeFileSync(
    join(path, "resources", "wrong.ts"),
    [
      `import { ${Object.keys(words).join(", ")} } from "relata";`,
      'import tag from "./tag.ts";',
      ...wrong.flatMap((line) => ["// @ts-expect-error: the types refuse it", `${line};`]),
      "export { tag };",
    ].join("\n"),
  );
  const compilerOptions = {
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
  };
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  let told = "";
  try {
    execFileSync(process.execPath, [tsc, "--project", path], { encoding: "utf8" });
  } catch (error) {
    told = (error as { stdout: string }).stdout;
  }
  assert.is(told, "");
  remove();
});

test.run();
