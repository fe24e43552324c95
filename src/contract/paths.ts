// The things of a whole document: its paths and their methods. A path is identified by its shape, because
// no request contains the names in its braces.
import { type Document, isReference, resolve, unfollowedReference } from "./document.ts";
import type { Facts, Source, Things } from "./facts.ts";
import { isObject, literal, type Members, members } from "./json.ts";
import type { DocumentOperation } from "./operation.ts";

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/** Keywords for references that do not name a place. */
const anchors = /"\$(anchor|dynamicAnchor|dynamicRef|recursiveAnchor|recursiveRef|id)":/;

/** The things of a document, and its operations by place. */
export function pathsOf(
  source: Source,
): { things: Things; operations: Map<string, DocumentOperation> } {
  const { document, text } = source;
  const { info: _, jsonSchemaDialect, paths, servers, webhooks, ...rest } = document;
  const direction = "request";
  const things: Things = new Map();
  const operations = new Map<string, DocumentOperation>();
  const addRoot = (place: string, facts: Partial<Facts>) =>
    things.set(place, { direction, kind: "root", holder: place, facts });
  addRoot("servers", { servers: text(servers) });
  addRoot("webhooks", { unjudged: { "a webhook": text({ webhooks }) } });
  addRoot("schemas", {
    unjudged: {
      "the dialect": text(jsonSchemaDialect),
      // Anchors are not followed, so no part of such a document may differ
      "a document with anchors": anchors.test(literal(document)) ? text({ paths, ...rest }) : "",
    },
  });
  for (const [template, value] of Object.entries(members(paths))) {
    if (template.startsWith("x-")) continue;
    const shape = template.replaceAll(/\{[^{}]*\}/g, "{}");
    const item = pathItem(document, value);
    const facts = { unjudged: unfollowedReference(item) };
    things.set(shape, { direction, kind: "path", holder: "servers", facts });
    for (const method of methods) {
      const own = item[method];
      if (!isObject(own)) continue;
      const place = `${method.toUpperCase()} ${shape}`;
      things.set(place, { direction, kind: "method", holder: shape, facts: {} });
      operations.set(place, { template, item, own });
    }
  }
  return { things, operations };
}

/** A path item may refer to another and add to it. */
function pathItem(document: Document, value: unknown): Members {
  const target = members(resolve(document, value));
  if (target === value || isReference(target)) return target;
  const { $ref: _, ...own } = members(value);
  return { ...target, ...own };
}
