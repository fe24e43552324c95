// The things of one operation: itself, its parameters, its body and its responses.
import { grantsOf } from "./access.ts";
import { addContent, addParameter } from "./content.ts";
import { isReference, resolve, unfollowedReference } from "./document.ts";
import type { Sheet, Source, Things } from "./facts.ts";
import { elements, isObject, literal, type Members, members } from "./json.ts";
import { addResponses } from "./response.ts";
import { requirements, schemesOf } from "./security.ts";

/** An operation, with the template and the item of its path. */
export interface DocumentOperation {
  template: string;
  item: Members;
  own: Members;
}

/** Headers that readers of OpenAPI must ignore, because it describes them elsewhere. */
const elsewhere = ["accept", "content-type", "authorization"];

export function thingsOf(source: Source, place: string, operation: DocumentOperation): Things {
  const { document, text } = source;
  const { template, item, own } = operation;
  const security = requirements(own["security"] ?? document["security"]);
  const sheet: Sheet = { ...source, things: new Map() };
  const pathNames = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? "");
  const declared = [...elements(item["parameters"]), ...elements(own["parameters"])]
    .map((value) => resolve(document, value));
  sheet.things.set(place, {
    direction: "request",
    kind: "root",
    holder: place,
    facts: {
      isDeprecated: own["deprecated"] === true,
      operationId: String(own["operationId"] ?? "none"),
      pathNames: pathNames.join(", "),
      servers: text(own["servers"] ?? item["servers"]),
      security,
      access: grantsOf(own),
      schemes: schemesOf(source, security),
      unjudged: {
        "a parameter of another document": declared.filter(isReference).map(literal).sort().join(),
        "a callback": text({ callbacks: own["callbacks"] }),
      },
    },
  });
  // A path parameter is required, even if it is not declared
  const inPath = pathNames.map((name) => ({ in: "path", name, required: true }));
  const known = [...inPath, ...declared.filter((one) => isObject(one) && !isReference(one))];
  const parameters = new Map(known.map(members).map((one) => [parameterKey(one, pathNames), one]));
  for (const [key, parameter] of parameters) {
    if (key) addParameter(sheet, `${place} ${key}`, place, "parameter", parameter);
  }
  addBody(sheet, `${place} request`, place, resolve(document, own["requestBody"]));
  addResponses(sheet, place, own["responses"]);
  return sheet.things;
}

/** The key of a parameter: its place in the path, or its location and name. Undefined if it is not part of
 * a request. */
function parameterKey({ in: location, name }: Members, pathNames: string[]): string | undefined {
  const index = pathNames.indexOf(String(name));
  if (location === "path") return index < 0 ? undefined : `path parameter ${index + 1}`;
  if (location !== "header") return `${location} parameter ${name}`;
  const known = String(name).toLowerCase();
  return elsewhere.includes(known) ? undefined : `header parameter ${known}`;
}

function addBody(sheet: Sheet, place: string, holder: string, body: unknown): void {
  if (!isObject(body)) return;
  const isRequired = isReference(body) || body["required"] === true;
  const facts = {
    demand: { kind: "body", isRequired },
    unjudged: unfollowedReference(body),
  } as const;
  sheet.things.set(place, { direction: "request", kind: "body", holder, facts });
  addContent(sheet, place, body["content"]);
}
