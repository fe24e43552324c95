// Whether two values of two documents say the same, however they name their components. It answers
// for what no rule judges.
import { type Document, isReference, resolve } from "./document.ts";
import { isObject, type Members } from "./json.ts";

/** What only describes: it may change without a change of the interface. */
const annotations = new Set([
  ...["title", "description", "summary", "example", "examples", "externalDocs", "xml", "default"],
  ...["deprecated", "readOnly", "writeOnly", "definitions", "operationId", "tags"],
  ...["$comment", "$id", "$schema", "$anchor", "$dynamicAnchor", "$defs"],
]);

/** Members whose own members are named by the author, so that a "title" there describes nothing. */
const named = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "dependentRequired", "mapping"],
  ...["content", "headers", "responses", "callbacks", "links", "scopes", "encoding", "parameters"],
  ...["paths", "schemas", "webhooks"],
]);

/** Members that hold values as they are sent. */
const verbatim = new Set(["enum", "const", "required"]);

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith("x-");
}

/** Whether two values are equal but for annotations and for how references are written. Cycles end
 * because a pair that is already being compared is taken to be equal. */
export function same(
  before: Document,
  after: Document,
  [one, other]: [unknown, unknown],
): boolean {
  const assumed = new Map<unknown, Set<unknown>>();
  const queue: [unknown, unknown, "reading" | "named" | "verbatim"][] = [[one, other, "reading"]];
  for (const [one, other, how] of queue) {
    const [a, b] = how === "reading" ? [follow(before, one), follow(after, other)] : [one, other];
    if (a === b && before === after) continue;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
      if (a !== b) return false;
      continue;
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    if (assumed.get(a)?.has(b)) continue;
    assumed.set(a, (assumed.get(a) ?? new Set()).add(b));
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (how === "reading" && !Array.isArray(a) && isAnnotation(name)) continue;
      const inner = how === "verbatim" || (how === "reading" && verbatim.has(name))
        ? "verbatim"
        : how === "reading" && named.has(name)
        ? "named"
        : "reading";
      queue.push([(a as Members)[name], (b as Members)[name], inner]);
    }
  }
  return true;
}

/** Follows a reference; what stands beside it stays beside what it refers to. */
function follow(document: Document, value: unknown): unknown {
  if (!isReference(value)) return value;
  const target = resolve(document, value);
  const { $ref: _, ...beside } = value;
  if (isReference(target) || Object.keys(beside).every(isAnnotation)) return target;
  return { ...beside, $ref: isObject(target) ? target : {} };
}
