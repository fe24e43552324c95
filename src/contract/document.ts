// An OpenAPI document: read from a file or a URL, and the only place that follows a `$ref`.
import { readFile } from "node:fs/promises";
import { UsageError } from "../errors/usage.ts";
import { memberOf } from "../model/pointer.ts";
import { isObject, literal, type Members } from "./json.ts";

export type Document = Members;

/** Milliseconds until a URL that does not answer counts as unreadable. */
const PATIENCE = 30_000;

/** Reads a document from a file or an http(s) URL; throws a `UsageError` if there is none. */
export async function readDocument(source: string): Promise<Document> {
  let text: string;
  try {
    text = /^https?:\/\//i.test(source) ? await download(source) : await readFile(source, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read "${source}": ${reason(error)}`);
  }
  return parseDocument(text, source);
}

/** Parses the text of a document; messages name its source. */
export function parseDocument(text: string, source: string): Document {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new UsageError(`Cannot read "${source}": it is not JSON`);
  }
  const version = isObject(document) ? document["openapi"] : undefined;
  if (!isObject(document) || typeof version !== "string" || !/^3\.[01](\.|$)/.test(version)) {
    throw new UsageError(`Cannot judge "${source}": it is not an OpenAPI 3.0 or 3.1 document`);
  }
  const optional = version.startsWith("3.1") && document["paths"] === undefined;
  if (!optional && !isObject(document["paths"])) {
    throw new UsageError(`Cannot judge "${source}": its "paths" is not an object`);
  }
  return document;
}

/** The target of a reference within its document; any other value stays as it is, and so does a `$ref` to
 * an anchor, to another document or to nothing. */
export function resolve(document: Document, value: unknown): unknown {
  const trail = new Set<unknown>();
  let target = value;
  while (isReference(target) && !trail.has(target)) {
    trail.add(target);
    const found = find(document, target.$ref);
    if (found === undefined) return target;
    target = found;
  }
  return target;
}

/** Whether schemas are those of 3.0, which has `nullable`, and ignores what stands beside a `$ref`. */
export function hasOldKeywords(document: Document): boolean {
  return String(document["openapi"]).startsWith("3.0");
}

export function isReference(value: unknown): value is { $ref: string } {
  return isObject(value) && typeof value["$ref"] === "string";
}

/** A reference that cannot be followed, as text that no rule judges; empty for other values. */
export function unfollowedReference(value: unknown): Record<string, string> {
  return isReference(value) ? { "a reference": literal(value) } : {};
}

/** The target of a JSON Pointer in a URI fragment (RFC 6901, section 6). */
function find(document: Document, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let target: unknown = document;
  for (const part of reference.split("/").slice(1).map(decodedToken)) {
    const name = memberOf(part);
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return;
    target = (target as Members)[name];
  }
  return target;
}

function decodedToken(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

async function download(url: string): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return await response.text();
}

function reason(error: unknown): string {
  const { code, message, cause } = error as Error & { code?: string };
  if (code === "ENOENT") return "no such file";
  if (code === "EISDIR") return "it is a folder";
  return cause instanceof Error && cause.message ? cause.message : message;
}
