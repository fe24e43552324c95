// The fields of a resource: one for each column that has a kind, and one for each table of links.
import * as v from "valibot";
import type { Write } from "../../model/model.ts";
import type { TableColumn } from "../catalogue.ts";
import { mayFill } from "../trigger.ts";
import { linksName, nameOf } from "./called.ts";
import { call, type Code, laidOut, object, plain, sqlWriter } from "./code.ts";
import type { Circles } from "./graph.ts";
import { keyKind, keyOf, partKind, referenceTo, takesIdentifiers } from "./key.ts";
import { type Kind, kindOf } from "./kind.ts";
import { literalOf } from "./literal.ts";
import { isPlain, snake, stem, uniqueNames, variable } from "./names.ts";
import { quotedBoth } from "./reason.ts";
import {
  type Declared,
  type DeclaredRelation,
  keyColumnsIn,
  needsValue,
  placesOf,
  shortName,
} from "./tables.ts";

/** Columns that look like secrets, by the end of their names. */
const SECRET =
  /(passw(or)?d|passphrase|secret|token|hash|digest|salt|crypt|nonce|(secret|private|api)_?key)$/i;

/** Columns that are alike in many rows, by the end of their names. */
const ALIKE = /(^|_)(type|kind|status|state)$/i;

/** An expression about other things in the database, such as the next number of a sequence. */
const BOUND = /::reg\w+/;

/** A field as a file declares it. Without code, there are only notes on why it is left out. */
export interface DeclaredField {
  name: string;
  /** Its column, unless it is a to-many. */
  column?: string;
  code?: Code;
  notes: string[];
  /** Why its column is left out, if it is. */
  leftOut?: string;
  /** Whether people can know a row by it. */
  canDisplay: boolean;
  isNullable: boolean;
  /** Whether it is a column that clients write. */
  isWritten: boolean;
  /** Whether a new row needs a value that neither it nor Postgres gives. */
  lacksValue: boolean;
}

/** What a to-many is not, nor a column that is left out. */
const UNMARKED = { canDisplay: false, isNullable: false, isWritten: false, lacksValue: false };

export function fieldsOf(resource: Declared, circles: Circles): DeclaredField[] {
  const parts = keyColumnsIn(resource);
  const free = uniqueNames(new Set(parts.length > 0 ? ["key"] : ["id"]));
  const places = placesOf(resource.table);
  const own = Object.values(resource.table.columns).filter(({ name }) => !places.includes(name));
  const columns = own.map((column) => {
    const relation = resource.relations.find((relation) => relation.column === column);
    const isOfKey = keyOf(resource.table).includes(column.name);
    const isOwnKey = isOfKey && parts.length === 0;
    const plain = nameOf(column, resource, relation);
    const name = isOwnKey && plain === "id" ? plain : free(plain);
    const kind = isOwnKey
      ? keyKind(column, resource.table)
      : (isOfKey && !relation && partKind(column)) || kindIn(column, relation, circles);
    if (typeof kind === "string") return leftOut(name, column, kind, resource);
    if (!isOfKey && !relation && isSecret(column, kind)) {
      const { code } = fieldOf(name, column, kind, []);
      const secret = leftOut(name, column, "it looks like a secret", resource);
      return { ...secret, notes: [...secret.notes, `${name}: ${laidOut(code!, "", -Infinity)},`] };
    }
    const notes = relation
      ? tooDeep(relation, circles)
      : isOwnKey
      ? sharedKey(column, resource)
      : unrelated(column, resource);
    const field = fieldOf(name, column, kind, notes);
    return isOwnKey ? { ...field, isWritten: takesIdentifiers(column, resource.table) } : field;
  });
  const links = resource.relations.filter(({ links }) => links);
  return [...columns, ...links.map((relation) => toMany(relation, free, circles))];
}

function kindIn(
  column: TableColumn,
  relation: DeclaredRelation | undefined,
  circles: Circles,
): Kind | string {
  if (column.name.startsWith("relata_")) return 'names with "relata_" are those of the server';
  return relation ? toOne(relation, circles) : kindOf(column);
}

function toOne(declared: DeclaredRelation, circles: Circles): Kind {
  const { write, parse } = referenceTo(declared.to.table);
  return {
    field: { kind: "relation", write },
    parse,
    first: targetCode(declared, circles),
    options: { read: readingOf(declared, circles) },
  };
}

function toMany(
  relation: DeclaredRelation,
  free: (name: string) => string,
  circles: Circles,
): DeclaredField {
  const { table, from, to, order, hasMore } = relation.links!;
  const name = free(linksName(relation));
  const through = shortName(table);
  const options = object({
    through,
    from: from === `${relation.from.name}_id` ? undefined : from,
    to: to === `${relation.to.name}_id` ? undefined : to,
    order,
    read: readingOf(relation, circles),
  });
  return {
    name,
    code: call("many", targetCode(relation, circles), options),
    notes: [
      ...hasMore ? [`The other columns of "${through}" are not shown`] : [],
      ...tooDeep(relation, circles),
    ],
    ...UNMARKED,
  };
}

function targetCode(relation: DeclaredRelation, circles: Circles): Code {
  const { from, to } = relation;
  if (from === to) return plain("self");
  const target = variable(to.name);
  return circles.isCircular(relation) ? `(): Resource => ${target}` : target;
}

function readingOf(relation: DeclaredRelation, { nested }: Circles): "identifier" | undefined {
  return nested.has(relation) || relation.from === relation.to ? undefined : "identifier";
}

/** Why a relation that could be read as the object is not. */
function tooDeep(relation: DeclaredRelation, { deep }: Circles): string[] {
  return deep.has(relation)
    ? [
      "It is read as the identifier, because with the object a list would have twenty joins or more",
    ]
    : [];
}

function isSecret({ name }: TableColumn, { field: { kind } }: Kind): boolean {
  return ["text", "bytes"].includes(kind) && SECRET.test(name);
}

/** Declares a column. What Postgres fills is only read. */
function fieldOf(
  name: string,
  column: TableColumn,
  { field: { kind: word, write }, first, options, limits, isUnwritten = false, parse = String }:
    Kind,
  notes: string[],
): DeclaredField {
  const { isNotNull, isGenerated, isIdentity, comment } = column;
  const { fallback, expression } = write ? defaultOf(column, write, parse) : {};
  const isFilled = isGenerated || isIdentity || isUnwritten || expression !== undefined;
  const usual = word === "relation" ? `${name}_id` : word === "identifier" ? "id" : name;
  const { members } = object({
    ...options,
    ...(isFilled ? {} : limits),
    column: column.name === usual ? undefined : column.name,
  });
  const all = {
    members: {
      ...members,
      ...fallback !== undefined && { default: fallback },
      ...object({ description: comment ?? undefined }).members,
    },
  };
  let code = first === undefined ? call(word, all) : call(word, first, all);
  if (!isNotNull && word !== "identifier") code = call("nullable", code);
  if (isFilled && write) code = call("readonly", code);
  const zoneless = /^timestamp.* without time zone/.test(column.fullType)
    ? ["It has no time zone, so it counts as UTC"]
    : [];
  const filled = expression === undefined
    ? []
    : [`Postgres fills it by its default, ${expression}`];
  return {
    name,
    column: column.name,
    code,
    notes: [...notes, ...zoneless, ...filled],
    canDisplay: word === "text" && !ALIKE.test(column.name),
    isNullable: !isNotNull,
    isWritten: write !== undefined && !isFilled,
    lacksValue: false,
  };
}

/** The default of a column: a value that clients could send too, or SQL, or else an expression that stays with the
 * column. */
function defaultOf(
  { isGenerated, default: expression }: TableColumn,
  { schema }: Write,
  parse: (text: string) => unknown,
): { fallback?: Code; expression?: string } {
  if (isGenerated || expression === null || /^NULL\b/.test(expression)) return {};
  const literal = literalOf(expression);
  const value = literal === undefined ? undefined : parse(literal);
  if (value !== undefined && v.is(schema, value)) return { fallback: plain(value) };
  return BOUND.test(expression) ? { expression } : { fallback: sqlWriter(expression) };
}

function leftOut(
  name: string,
  column: TableColumn,
  reason: string,
  { table }: Declared,
): DeclaredField {
  const note = `"${column.name}" is left out: ${reason}`;
  const isFilled = table.triggers.some((trigger) => mayFill(trigger, column.name));
  const outcome = `no row can be created${isFilled ? " unless a trigger gives it one" : ""}`;
  return {
    name,
    notes: [needsValue(column) ? `${note}. It needs a value, so ${outcome}` : note],
    ...UNMARKED,
    leftOut: reason,
    lacksValue: needsValue(column) && !isFilled,
  };
}

/** That a key is that of another row, too. */
function sharedKey({ name }: TableColumn, { table }: Declared): string[] {
  return table.references.filter(({ columns }) => columns.join() === name)
    .map(({ title }) => `It is the key of a row of "${title}", too`);
}

/** Why a column with a foreign key of its own is no relation. */
function unrelated(column: TableColumn, { table, guesses }: Declared): string[] {
  const guess = guesses.get(column)?.name;
  if (guess !== undefined) {
    const name = stem(column.name);
    const short = isPlain(name) ? name : snake(name, "column");
    const given = column.name === `${short}_id` ? "" : `, { column: "${column.name}" }`;
    const relation = `relation(${variable(guess)}${given})`;
    const code = column.isNotNull ? relation : `nullable(${relation})`;
    return [`Without a foreign key, it may refer to "${guess}": ${short}: ${code}`];
  }
  const reference = table.references.find(({ columns }) => columns.join() === column.name);
  if (!reference) return [];
  return reference.isToKey ? [`It refers to "${reference.title}", which is in no resource here`] : [
    `It refers to ${quotedBoth(reference.targets)} of "${reference.title}", which is not its key`,
  ];
}
