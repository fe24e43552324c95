// Parts that no rule judges are compared as text. Two texts are equal only if everything that they refer to
// is equal too.
import { hash } from "node:crypto";
import { pointerTo } from "../model/pointer.ts";
import { type Document, resolve } from "./document.ts";
import { isObject, literal, type Members, members } from "./json.ts";

/** Keywords that only describe. */
const notes = new Set([
  ...["title", "description", "summary", "example", "examples", "externalDocs", "xml", "default"],
  ...["deprecated", "tags", "$comment", "$defs", "definitions"],
]);

/** Members whose own members are named by the author, so a "title" there is no description. */
const named = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "dependentRequired", "mapping"],
  ...["content", "headers", "responses", "callbacks", "links", "scopes", "encoding", "webhooks"],
  ...["parameters", "schemas"],
]);

/** Members that hold values of requests and responses. */
const verbatim = new Set(["enum", "const"]);

export function isNote(keyword: string): boolean {
  return notes.has(keyword) || keyword.startsWith("x-");
}

/** Writes values of one document as text. */
export function texts(document: Document): (value: unknown) => string {
  const targets = new Map<string, string>();
  const known = new Map<string, string>();

  function target(reference: string): string {
    const text = targets.get(reference) ??
      literalWithoutNotes(resolve(document, { $ref: reference }));
    targets.set(reference, text);
    return text;
  }

  return (value) => {
    const text = literalWithoutNotes(value);
    return known.get(text) ?? withTargets(text);
  };

  /** A discriminator may choose among all components: those that embed its schema, or that it names. */
  function heirsIn(text: string): string[] {
    if (!text.includes('"discriminator"') || !choosesFreely(JSON.parse(text))) return [];
    const { schemas } = members(document["components"]);
    return Object.keys(members(schemas)).map((name) => `#/components/schemas${pointerTo(name)}`);
  }

  function withTargets(text: string): string {
    const references = new Set([...referencesIn(text), ...heirsIn(text)]);
    // The set grows during the loop, until it holds everything that the value refers to
    for (const reference of references) {
      const inside = target(reference);
      for (const inner of [...referencesIn(inside), ...heirsIn(inside)]) references.add(inner);
    }
    const all = [...references].sort().map((reference) => `${reference} ${target(reference)}`);
    const whole = all.length === 0 ? text : `${text} ${hash("sha256", all.join("\n"), "hex")}`;
    known.set(text, whole);
    return whole;
  }
}

/** References also occur outside `$ref`: a discriminator maps values to them. */
function referencesIn(text: string): string[] {
  return [...text.matchAll(/"#\/(?:[^"\\]|\\.)*"/g)].map(([quoted]) => JSON.parse(quoted));
}

/** Whether there is a discriminator in a value that refers to its schemas by nothing else than their names. */
function choosesFreely(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { discriminator, oneOf, anyOf } = value as Members;
  if (isObject(discriminator)) {
    const named = Object.values(members(discriminator["mapping"]));
    if (!(oneOf ?? anyOf) || named.some((name) => !String(name).startsWith("#"))) return true;
  }
  return Object.values(value).some(choosesFreely);
}

function literalWithoutNotes(value: unknown): string {
  return literal(withoutNotes(value, false));
}

function withoutNotes(value: unknown, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutNotes(one, false));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => isNamed || !isNote(name));
  return Object.fromEntries(kept.map(([name, inner]) => {
    const isVerbatim = !isNamed && verbatim.has(name);
    return [name, isVerbatim ? inner : withoutNotes(inner, !isNamed && named.has(name))];
  }));
}
