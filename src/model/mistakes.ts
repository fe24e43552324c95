// What can be wrong with a declaration by itself: each mistake is one sentence that names the resource, and
// the field or the route.
import * as v from "valibot";
import { rightWords, unknownRight } from "./access.ts";
import { bracedKey, checkKey } from "./composite-key.ts";
import { sharedDefault } from "./default.ts";
import { creationOf, isField } from "./field.ts";
import { linksOf } from "./links.ts";
import type { Declaration, Field, Resource, Verb } from "./model.ts";
import { describeValue, located, mistakeOf, mistakeWithin } from "./word.ts";

/** The query parameters of every list; no field can have one of these names. */
const PARAMETERS = ["limit", "cursor", "sort", "q", "count", "etags"];

/** The prefix of names in statements and of the server's own tables. */
const OWN = "relata_";

/** The most characters of a name, so that Postgres does not cut one that is made of it. */
const LONGEST = 56;

/** Throws an error about the first mistake that can be told without the other resources, if there is one. */
export function checkDeclaration(name: string, declaration: Declaration): void {
  const { fields, display, routes } = declaration;
  const subject = `The resource "${name}"`;
  checkName(`The name "${name}" of a resource`, name);
  for (const [field, declared] of Object.entries(fields)) {
    const named = `The name "${field}" of a field of the resource "${name}"`;
    checkName(named, field);
    if (PARAMETERS.includes(field)) throw new Error(`${named} is that of a parameter of lists`);
    const own = `The field "${field}" of the resource "${name}"`;
    checkField(own, declared);
    if (declared.identifiers && declared.nullable) {
      throw new Error(`${own} identifies a row, and so it is never null`);
    }
  }
  const identifiers = Object.keys(fields).filter((field) => fields[field]!.identifiers);
  if (declaration.keys) {
    const [one] = identifiers;
    if (one) throw new Error(`${subject} declares the identifier "${one}" beside a key`);
    checkKey(name, declaration);
  } else if (identifiers.length !== 1) {
    const [one, other] = identifiers.map((key) => `"${key}"`);
    throw new Error(
      `${subject} declares ${one ? `two identifiers, ${one} and ${other}` : "no identifier"}`,
    );
  }
  if (Object.hasOwn(fields, "id") && !fields["id"]!.identifiers && !declaration.keys) {
    throw new Error(
      `${subject} has a field "id" that is not its identifier, which lists sort by as "id"`,
    );
  }
  if (display !== undefined && !fields[display]?.isText) {
    throw new Error(`${subject} has no text field "${display}" to display`);
  }
  for (const [path, verbs] of Object.entries(routes)) {
    checkRoute(`The route "${path}" of the resource "${name}"`, path, verbs, declaration.keys);
  }
  const key = fields[identifiers[0]!]?.identifiers;
  const verbs = Object.values(routes).flat();
  const has = (verb: Verb["name"]) => verbs.some(({ name }) => name === verb);
  if (has("create") && !has("read")) throw new Error(`${subject} has no route that reads one row`);
  if (has("last") && !key?.isChronological && creationOf(fields) === undefined) {
    throw new Error(
      `${subject} needs a field created(), as "last" reads the newest row, and the order of its ` +
        "identifiers is another",
    );
  }
  for (const verb of ["changes", "followChanges"] as const) {
    if (!has(verb) || declaration.history) continue;
    throw new Error(`${subject} has a route "${verb}", but no "history: true"`);
  }
  checkWritten(name, fields, routes);
}

/** Throws an error about the first mistake in the relations that is told when all resources are declared, if there is
 * one. */
export function checkRelations({ name, fields, routes }: Resource): void {
  for (const [field, declared] of Object.entries(fields)) {
    if (declared.relation) checkField(`The field "${field}" of the resource "${name}"`, declared);
  }
  checkWritten(name, fields, routes);
}

function checkWritten(name: string, fields: Record<string, Field>, routes: Declaration["routes"]) {
  const isWritten = ({ write, whenDeclared, relation }: Field) =>
    (write || whenDeclared) && !relation?.isMany;
  const writes = Object.values(routes).flat().some(({ accepts }) => accepts);
  if (!writes || Object.values(fields).some(isWritten)) return;
  throw new Error(`The resource "${name}" has routes that write, but no field for them to write`);
}

/** Throws an error about two fields that are one column: what is sent for one would take away what the other has. */
export function checkColumns(name: string, fields: Record<string, { column: string }>): void {
  const byColumn = Map.groupBy(Object.keys(fields), (field) => fields[field]!.column);
  for (const [column, [one, other]] of byColumn) {
    if (other === undefined) continue;
    throw shared(`The resource "${name}" has the column "${column}"`, one!, other);
  }
}

/** Throws an error about links that have one column for both ends, or are in two fields. The two ends of links between
 * rows of this resource may be, if one of them is only read. */
export function checkLinks(resource: Resource): void {
  const subject = `The resource "${resource.name}"`;
  const all = linksOf(resource);
  for (const [index, { field, table, from, to, isWritable }] of all.entries()) {
    if (from === to) {
      throw new Error(
        `The field "${field}" of the resource "${resource.name}" has both ends of its links in "${from}": ` +
          'it needs "from" and "to"',
      );
    }
    for (const other of all.slice(index + 1)) {
      if (other.table !== table) continue;
      const isOtherEnd = from === other.to && to === other.from;
      if (isOtherEnd && !(isWritable && other.isWritable)) continue;
      const error = shared(`${subject} has the table of links "${table}"`, field, other.field);
      throw isOtherEnd ? new Error(`${error.message}: declare one of them readonly`) : error;
    }
  }
}

function shared(subject: string, one: string, other: string): Error {
  return new Error(`${subject} in two fields, "${one}" and "${other}"`);
}

/** Whether no field can have a name. */
export function isReserved(name: string): boolean {
  return PARAMETERS.includes(name) || name.startsWith(OWN) || name.includes("__");
}

/** Throws an error if a word got its options alone. */
export function checkNamed(word: "resource" | "report" | "action", name: unknown): void {
  if (typeof name !== "string") throw new Error(`${word} takes a name, then options in braces`);
}

/** Throws an error about the first mistake in an entry of access. */
export function checkEntries(subject: string, access: unknown): void {
  const mistake = mistakeWithin(access);
  if (mistake) throw located(subject, mistake);
  const right = unknownRight(access);
  if (right === undefined) return;
  const known = rightWords.map((each) => `"${each}"`).join(", ");
  throw new Error(`${subject} takes in "access" no option "${right}"; it takes ${known}`);
}

/** Throws an error about the name of a resource, a report, an action or a field that cannot have it. */
export function checkName(subject: string, name: string): void {
  if (name.startsWith(OWN) || name.includes("__")) {
    throw new Error(`${subject} is reserved, as all that begin with "${OWN}" or have "__"`);
  }
  if (/^[a-zA-Z]\w*$/.test(name) && name.length <= LONGEST) return;
  throw new Error(`${subject} must be a letter, then up to ${LONGEST - 1} letters, digits and "_"`);
}

/** Throws an error about a path that routes cannot have. */
export function checkPath(subject: string, path: string): void {
  if (/^\/([\w.~%-]+\/)*$/.test(path) && isSentAsIs(path)) return;
  throw new Error(`${subject} needs a path such as "/things/", not "${path}"`);
}

/** Throws an error about a path that an action cannot have. */
export function checkBracedPath(subject: string, path: string): void {
  const isPlain = /^\/(([\w.~%-]+|\{\w+\})\/)*$/.test(path);
  if (isPlain && isSentAsIs(path.replace(/[{}]/g, ""))) return;
  throw new Error(`${subject} needs a path such as "/things/{thing}/approve/", not "${path}"`);
}

/** Throws an error about the first mistake in a field by itself. */
export function checkField(subject: string, field: Field): void {
  throwMistake(subject, field);
  if (!isField(field)) {
    throw new Error(`${subject} is ${describeValue(field)}, not a field such as text()`);
  }
  const { write, relation, example } = field;
  if (!write) return;
  const isValid = (value: unknown) => v.is(write.schema, value);
  const fallback = sharedDefault(write);
  if (fallback !== undefined && !isValid(fallback)) {
    throw new Error(`${subject} has a default that is not a value that it takes`);
  }
  if (relation || isValid(example)) return;
  throw new Error(
    example === undefined
      ? `${subject} needs an example, because of its pattern`
      : `${subject} has an example that is not a value that it takes`,
  );
}

/** Whether clients send a path as it is: they leave out the steps of one such as "/a/../b/". */
function isSentAsIs(path: string): boolean {
  return new URL(path, "http://localhost").pathname === path && !/%(?![\dA-F]{2})/i.test(path);
}

function checkRoute(subject: string, path: string, verbs: Verb[], key: string[] = []): void {
  const row = key.length > 1 ? bracedKey(key).replace(/[{}]/g, "\\$&") : "\\{\\w+\\}";
  const isPlain = new RegExp(`^/([\\w.~%-]+/)*([\\w.~%-]+|${row}(/[\\w.~%-]+)*/?)?$`).test(path);
  if (!isPlain || !isSentAsIs(path.replace(/[{}]/g, ""))) {
    const braced = key.length > 1 ? bracedKey(key) : "{id}";
    throw new Error(`${subject} has a path that is not like "/things/" or "/things/${braced}/"`);
  }
  if (!Array.isArray(verbs)) {
    throw new Error(`${subject} takes verbs in brackets, not ${describeValue(verbs)}`);
  }
  const seen = new Set<string>();
  for (const verb of verbs) {
    throwMistake(subject, verb);
    if (!isVerb(verb)) {
      throw new Error(`${subject} takes verbs such as list(), not ${describeValue(verb)}`);
    }
    const { name, method, mediaTypes, isOfOneRow = false } = verb;
    const answered = [method, ...mediaTypes ?? []].join(" with ");
    if (seen.has(answered)) throw new Error(`${subject} has two verbs that answer ${answered}`);
    seen.add(answered);
    if (isOfOneRow === path.includes("{")) continue;
    throw new Error(
      path.includes("{")
        ? `${subject} has an identifier, which "${name}" does not take`
        : `${subject} has no identifier, such as "{id}", for "${name}"`,
    );
  }
}

/** Throws what is wrong with what a word was given, with the place of the word. */
function throwMistake(subject: string, made: unknown): void {
  const mistake = mistakeOf(made);
  if (mistake) throw located(subject, mistake);
}

export function isVerb(value: unknown): value is Verb {
  return Object.hasOwn(Object(value), "operation");
}
