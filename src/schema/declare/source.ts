// The text of the file that declares a resource.
import type { Table } from "../catalogue.ts";
import { bracedKey } from "../../model/composite-key.ts";
import { type Code, laidOut, plain, WIDTH, wordsIn } from "./code.ts";
import type { DeclaredField } from "./fields.ts";
import type { Circles } from "./graph.ts";
import { keyOf, typeOfKey } from "./key.ts";
import { variable } from "./names.ts";
import { quotedBoth } from "./reason.ts";
import { type Declared, keyColumnsIn, placesOf, shortName } from "./tables.ts";

export function sourceCode(
  resource: Declared,
  fields: DeclaredField[],
  circles: Circles,
): string {
  const { table, name, path } = resource;
  const key = keyFields(resource, fields);
  const { why, routes } = limitedRoutes(resource, fields, key);
  const verbs = Object.values(routes ?? {}).flat();
  const text = shortName(table);
  const display = displayOf(fields.filter(({ name }) => key.length < 2 || !key.includes(name)));
  return [
    `// resources/${name}.ts`,
    ...[...why, ...notesOn(resource)].map(commentOf),
    importedWords(fields, verbs, resource.relations.some(circles.isCircular)),
    ...importsOf(resource),
    "",
    `export default resource("${name}", {`,
    ...routes ? [] : [member("path", plain(path))],
    ...routes || !canBeRecords(resource, fields) ? [] : [member("record", plain(true))],
    ...text === name ? [] : [member("table", plain(text))],
    ...table.comment === null ? [] : [member("description", plain(table.comment))],
    ...display === undefined ? [] : [member("display", plain(display))],
    ...key.length === 0 ? [] : [member("key", plain(key))],
    "  fields: {",
    ...fields.flatMap(({ name, code, notes }) => [
      ...notes.map((note) => `    ${commentOf(note)}`),
      ...code === undefined ? [] : [member(name, code, "    ")],
    ]),
    "  },",
    ...routes
      ? [
        "  routes: {",
        ...Object.entries(routes).map(([path, verbs]) => `    "${path}": [${verbs.join(", ")}],`),
        "  },",
      ]
      : [],
    "});",
  ].join("\n");
}

/** The fields of the key, if that is no identifier. */
function keyFields(resource: Declared, fields: DeclaredField[]): string[] {
  return keyColumnsIn(resource).map((part) => fields.find(({ column }) => column === part)!.name);
}

/** The routes where clients can do less than usual, and why; none for the usual ones. */
function limitedRoutes(
  resource: Declared,
  fields: DeclaredField[],
  key: string[],
): { why: string[]; routes?: Record<string, string[]> } {
  const { table, path } = resource;
  const whyRead = whyOnlyRead(table, fields);
  const isLacking = fields.some(({ lacksValue }) => lacksValue);
  const isInherited = table.heirs.length > 0 && !canBeRecords(resource, fields);
  const why = whyRead !== undefined ? [whyRead] : [
    ...isLacking
      ? ["No row can be created, because a column needs a value that nothing gives it"]
      : [],
    ...isInherited
      ? [
        `No row is changed or deleted, because ${quotedBoth(table.heirs)} may have its ` +
        `${key.length > 0 ? "key" : "id"}, too`,
      ]
      : [],
  ];
  if (why.length === 0) return { why };
  const canCreate = whyRead === undefined && !isLacking;
  const canChange = whyRead === undefined && !isInherited && !looksLikeRecords(table);
  const relations = canCreate || canChange ? fields.filter(isRelation) : [];
  // Where clients give the key, a replace would create, too
  const columns = keyOf(table);
  const isGiven = fields.every(({ column, isWritten }) => isWritten || !columns.includes(column!));
  const changes = isGiven ? ["merge", "remove"] : ["replace", "merge", "remove"];
  const row = key.length > 0 ? bracedKey(key) : "{id}";
  return {
    why,
    routes: {
      [path]: [
        "list()",
        ...canCreate ? ["create"] : [],
        ...looksLikeRecords(table) ? ["follow"] : [],
      ],
      ...canCreate && { [`${path}batch/`]: ["createBatch"] },
      [`${path}${row}/`]: canChange ? ["read", ...changes] : ["read"],
      ...Object.fromEntries(
        relations.map(({ name }) => [`${path}choices/${name}/`, [`choices("${name}")`]]),
      ),
    },
  };
}

function whyOnlyRead(table: Table, fields: DeclaredField[]): string | undefined {
  if (!table.keepsRows) {
    return "A view is only read; its id has to be unique, and its other columns may be null";
  }
  if (table.rules.length > 0) return "It is only read, because of its rules: use triggers instead";
  return fields.some(({ isWritten }) => isWritten)
    ? undefined
    : "It is only read, because no column is one that clients write";
}

function isRelation({ code = "" }: DeclaredField): boolean {
  return wordsIn(code).some((word) => word === "relation" || word === "many");
}

/** The newest of records is told by their identifiers, or by when they were created. */
function canBeRecords(resource: Declared, fields: DeclaredField[]): boolean {
  const { table } = resource;
  const isNumbered = keyColumnsIn(resource).length === 0 &&
    typeOfKey(table.columns[keyOf(table)[0]!]!) === "integer";
  return looksLikeRecords(table) &&
    (isNumbered ||
      fields.some(({ code = "" }) => wordsIn(code).includes("created")));
}

function looksLikeRecords(table: Table): boolean {
  return placesOf(table).length > 0;
}

/** A comment of one line. */
export function commentOf(note: string): string {
  return `// ${note.replaceAll(/\s+/g, " ")}`;
}

function member(name: string, code: Code, indent = "  "): string {
  return `${indent}${name}: ${laidOut(code, indent, indent.length + name.length + 2)},`;
}

/** What people know a row by: its name, its title unless that is one of a person, or else a text that each has. */
function displayOf(fields: DeclaredField[]): string | undefined {
  const texts = fields.filter(({ canDisplay }) => canDisplay);
  const called = (name: RegExp) => texts.find((field) => name.test(field.name));
  const named = called(/^name$/i) ?? called(/^(last|family|sur)_?name$/i) ?? called(/^title$/i);
  return (named ?? texts.find(({ isNullable }) => !isNullable))?.name;
}

function notesOn({ table }: Declared): string[] {
  const composite = table.references.filter(({ columns }) => columns.length > 1);
  return composite.map(({ columns, title }) =>
    `The foreign key ${quotedBoth(columns)} to "${title}" is no relation: it has several columns`
  );
}

/** The import of the words that the fields and the routes take. */
function importedWords(fields: DeclaredField[], verbs: string[], isCircular: boolean): string {
  const words = new Set([
    "resource",
    ...verbs.map((verb) => verb.replace(/\(.*/, "")),
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
