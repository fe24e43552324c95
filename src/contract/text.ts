// What no rule judges is compared as text: two texts are equal only where everything that they refer
// to within their documents is equal too.
import { hash } from "node:crypto";
import { type Document, resolve } from "./document.ts";
import { isObject, literal } from "./json.ts";

/** What only describes. */
const notes = new Set([
  ...["title", "description", "summary", "example", "examples", "externalDocs", "xml", "default"],
  ...["deprecated", "tags", "$comment", "$defs", "definitions"],
]);

/** Members whose own members are named by the author, so that a "title" there describes nothing. */
const named = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "dependentRequired", "mapping"],
  ...["content", "headers", "responses", "callbacks", "links", "scopes", "encoding", "webhooks"],
  ...["parameters", "schemas"],
]);

/** Members that hold values as they are sent. */
const verbatim = new Set(["enum", "const"]);

export function isNote(keyword: string): boolean {
  return notes.has(keyword) || keyword.startsWith("x-");
}

/** Writes values of one document as text. */
export function texts(document: Document): (value: unknown) => string {
  const targets = new Map<string, string>();
  const known = new Map<string, string>();

  function target(reference: string): string {
    const text = targets.get(reference) ?? written(resolve(document, { $ref: reference }));
    targets.set(reference, text);
    return text;
  }

  return (value) => {
    const text = written(value);
    return known.get(text) ?? withTargets(text);
  };

  function withTargets(text: string): string {
    const references = new Set(referencesIn(text));
    // The set grows while it is walked, until it holds all that the value leads to.
    for (const reference of references) {
      for (const inner of referencesIn(target(reference))) references.add(inner);
    }
    const all = [...references].sort().map((reference) => `${reference} ${target(reference)}`);
    const whole = all.length === 0 ? text : `${text} ${hash("sha256", all.join("\n"), "hex")}`;
    known.set(text, whole);
    return whole;
  }
}

/** References stand in more than `$ref`: a discriminator maps values to them. */
function referencesIn(text: string): string[] {
  return [...text.matchAll(/"#\/(?:[^"\\]|\\.)*"/g)].map(([quoted]) => JSON.parse(quoted));
}

function written(value: unknown): string {
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
