// The things of a document as a whole: its paths and their methods. A path is known by its shape, for
// what stands in its braces is a name that no request bears.
import { type Document, isReference, resolve, unfollowed } from "./document.ts";
import type { Facts, Source, Things } from "./facts.ts";
import { isObject, literal, type Members, members } from "./json.ts";
import type { Operation } from "./operation.ts";

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/** Keywords by which a schema is referred to, or refers, other than by its place. */
const anchors = /"\$(anchor|dynamicAnchor|dynamicRef|recursiveAnchor|recursiveRef|id)":/;

/** The things of a document, and its operations by place. */
export function pathsOf(source: Source): { things: Things; operations: Map<string, Operation> } {
  const { document, text } = source;
  const { info: _, jsonSchemaDialect, paths, servers, webhooks, ...rest } = document;
  const direction = "request";
  const things: Things = new Map();
  const operations = new Map<string, Operation>();
  const addRoot = (place: string, facts: Partial<Facts>) =>
    things.set(place, { direction, kind: "root", holder: place, facts });
  addRoot("servers", { servers: text(servers) });
  addRoot("webhooks", { unjudged: { "a webhook": text({ webhooks }) } });
  addRoot("schemas", {
    unjudged: {
      "the dialect": text(jsonSchemaDialect),
      // What an anchor names is not followed, so nothing of such a document may differ.
      "a document with anchors": anchors.test(literal(document)) ? text({ paths, ...rest }) : "",
    },
  });
  for (const [template, value] of Object.entries(members(paths))) {
    if (template.startsWith("x-")) continue;
    const shape = template.replaceAll(/\{[^{}]*\}/g, "{}");
    const item = pathItem(document, value);
    const facts = { unjudged: unfollowed(item) };
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
