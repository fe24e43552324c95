// The text of the file that declares a resource.
import { type Code, laidOut, plain, WIDTH, wordsIn } from "./code.ts";
import { type DeclaredField, fieldsOf } from "./fields.ts";
import type { Circles } from "./graph.ts";
import { variable } from "./names.ts";
import { quoted } from "./reason.ts";
import { type Declared, placesOf, shortName } from "./tables.ts";

export function sourceOf(resource: Declared, circles: Circles): string {
  const { table, name, path } = resource;
  const fields = fieldsOf(resource, circles);
  const isRead = !table.isKept || !fields.some(({ isWritten }) => isWritten);
  const isRecord = placesOf(table).length > 0;
  const verbs = isRead ? ["list", "read", ...isRecord ? ["follow"] : []] : [];
  const text = shortName(table);
  const display = displayOf(fields);
  return [
    `// resources/${name}.ts`,
    ...notesOn(resource, isRead).map(commentOf),
    wordsOf(fields, verbs, resource.relations.some(circles.isCircular)),
    ...importsOf(resource),
    "",
    `export default resource("${name}", {`,
    ...isRead ? [] : [member("path", plain(path))],
    ...isRecord && !isRead ? [member("record", plain(true))] : [],
    ...text === name ? [] : [member("table", plain(text))],
    ...table.comment === null ? [] : [member("description", plain(table.comment))],
    ...display === undefined ? [] : [member("display", plain(display))],
    "  fields: {",
    ...fields.flatMap(({ name, code, notes }) => [
      ...notes.map((note) => `    ${commentOf(note)}`),
      ...code === undefined ? [] : [member(name, code, "    ")],
    ]),
    "  },",
    ...isRead
      ? [
        "  routes: {",
        `    "${path}": [${isRecord ? "list(), follow" : "list()"}],`,
        `    "${path}{id}/": [read],`,
        "  },",
      ]
      : [],
    "});",
  ].join("\n");
}

/** A comment of one line. */
export function commentOf(note: string): string {
  return `// ${note.replaceAll(/\s+/g, " ")}`;
}

function member(name: string, code: Code, indent = "  "): string {
  return `${indent}${name}: ${laidOut(code, indent, indent.length + name.length + 2)},`;
}

/** The field that people know a row by. */
function displayOf(fields: DeclaredField[]): string | undefined {
  const texts = fields.filter(({ isText }) => isText);
  const named = texts.find(({ name }) => name === "name" || name === "title");
  return (named ?? texts.find(({ isNullable }) => !isNullable))?.name;
}

function notesOn({ table }: Declared, isRead: boolean): string[] {
  const composite = table.references.filter(({ columns }) => columns.length > 1);
  return [
    ...!table.isKept ? ["A view is only read, and any of its columns may be null"] : [],
    ...isRead && table.isKept
      ? ["It is only read, because no column is one that clients write"]
      : [],
    ...composite.map(({ columns, title }) =>
      `The foreign key ${quoted(columns)} to "${title}" is no relation: it has several columns`
    ),
  ];
}

/** The import of the words that the fields and the routes take. */
function wordsOf(fields: DeclaredField[], verbs: string[], isCircular: boolean): string {
  const words = new Set([
    "resource",
    ...verbs,
    ...fields.flatMap(({ code }) => code === undefined ? [] : wordsIn(code)),
  ]);
  const names = [...words].sort();
  if (isCircular) names.splice(names.indexOf("resource"), 0, "type Resource");
  const line = `import { ${names.join(", ")} } from "relata";`;
  if (line.length <= WIDTH) return line;
  return `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "relata";`;
}

function importsOf({ relations }: Declared): string[] {
  const others = relations.filter(({ from, to }) => from !== to).map(({ to }) => to.name);
  return [...new Set(others)].sort()
    .map((name) => `import ${variable(name)} from "./${name}.ts";`);
}
