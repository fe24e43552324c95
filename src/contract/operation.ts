// The operations of a document, found by the shape of their path: what stands in its braces is a
// name that no request bears.
import { type Document, isReference, resolve } from "./document.ts";
import { elements, isObject, literal, type Members, members } from "./json.ts";

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

export interface Operation {
  /** The names of the path parameters, in the order of the path. */
  pathNames: string[];
  /** The operation object itself. */
  own: Members;
  /** Its parameters and those its path hands down, by what a request knows them by. */
  parameters: Map<string, Members>;
  /** The references to parameters that lead out of the document. */
  lostParameters: string[];
  /** The servers of its own or of its path; undefined where they are those of the document. */
  servers: unknown;
  security: unknown;
}

/** The operations of a path, by method. */
export interface Path {
  operations: Map<string, Operation>;
  /** Where its reference leads out of the document. */
  lost: string | undefined;
}

/** The paths of a document, by shape. */
export function paths(document: Document): Map<string, Path> {
  const found = new Map<string, Path>();
  for (const [template, value] of Object.entries(members(document["paths"]))) {
    if (template.startsWith("x-")) continue;
    const shape = template.replaceAll(/\{[^{}]*\}/g, "{}");
    const path = found.get(shape) ?? { operations: new Map(), lost: undefined };
    found.set(shape, path);
    const item = pathItem(document, value);
    if (isReference(item)) path.lost = item.$ref;
    for (const method of methods) {
      const own = members(item)[method];
      if (!isObject(own)) continue;
      path.operations.set(method.toUpperCase(), operation(document, template, members(item), own));
    }
  }
  return found;
}

/** What a request knows a parameter by: its place in the path, or its location and name. */
function parameterKey(parameter: Members, pathNames: string[]): string {
  const [location, name] = [String(parameter["in"]), String(parameter["name"])];
  if (location === "path") return `path parameter ${pathNames.indexOf(name) + 1}`;
  return `${location} parameter ${location === "header" ? name.toLowerCase() : name}`;
}

/** A path item may refer to another and add to it. */
function pathItem(document: Document, value: unknown): unknown {
  const target = resolve(document, value);
  if (target === value || isReference(target)) return target;
  const { $ref: _, ...own } = members(value);
  return { ...members(target), ...own };
}

function operation(document: Document, template: string, item: Members, own: Members): Operation {
  const pathNames = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? "");
  // A path parameter exists and is required even where nothing declares it.
  const inPath = pathNames.map((name): Members => ({ in: "path", name, required: true }));
  const all = [...inPath, ...elements(item["parameters"]), ...elements(own["parameters"])]
    .map((value) => resolve(document, value));
  return {
    pathNames,
    own,
    parameters: new Map(
      all.filter((value) => isObject(value) && !isReference(value))
        .map(members)
        .filter((parameter) => !isIgnored(parameter, pathNames))
        .map((parameter) => [parameterKey(parameter, pathNames), parameter]),
    ),
    lostParameters: all.filter(isReference).map(literal),
    servers: own["servers"] ?? item["servers"],
    security: own["security"] ?? document["security"],
  };
}

/** Whether a parameter is no part of a request: a header that OpenAPI describes elsewhere and tells
 * readers to ignore, or a path parameter that the path does not have. */
function isIgnored({ in: location, name }: Members, pathNames: string[]): boolean {
  if (location === "path") return !pathNames.includes(String(name));
  const elsewhere = ["accept", "content-type", "authorization"];
  return location === "header" && elsewhere.includes(String(name).toLowerCase());
}
