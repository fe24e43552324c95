// Checks every answer of a service against its own OpenAPI document, so that the two cannot drift apart:
// status, headers, body and problem, and no member that the document does not name.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import * as assert from "uvu/assert";

/** One exchange with the service. */
export interface Exchange {
  method: string;
  /** The path under the prefix, without the query. */
  path: string;
  /** The parsed body of the request; undefined where it has none or none that is JSON. */
  sent: unknown;
  status: number;
  headers: Headers;
  body: unknown;
}

// The document is read here as any client reads it: as JSON of a shape that is not known beforehand.
// deno-lint-ignore no-explicit-any
type Json = any;

/** The headers that a document does not list: OpenAPI says what the content is elsewhere. */
const ofContent = ["content-type", "content-length"];

type Check = (exchange: Exchange) => void;

/** The checks of the documents of this process: most of its services have the same one. */
const checks = new Map<string, Check>();

/** What asserts that an exchange is one that the document allows. */
export function drift(document: Json): Check {
  const text = JSON.stringify(document);
  const check = checks.get(text) ?? checkOf(document);
  checks.set(text, check);
  return check;
}

function checkOf(document: Json): Check {
  // The document as a whole is no schema, so nothing would be compared with the schema of schemas
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    ownProperties: true,
    meta: false,
    validateSchema: false,
  });
  ajv.addSchema(closed(document), "contract");
  const compiled = new Map<string, ValidateFunction>();

  function check(value: unknown, pointer: string, what: string): void {
    assert.ok(holds(value, pointer), `${what}: ${ajv.errorsText(compiled.get(pointer)!.errors)}`);
  }

  function holds(value: unknown, pointer: string): boolean {
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `contract#${pointer}`, unevaluatedProperties: false });
      compiled.set(pointer, validate);
    }
    return validate(value) as boolean;
  }

  return ({ method, path, sent, status, headers, body }) => {
    const template = templateOf(document, path);
    // HEAD answers as GET does, so the document does not repeat it
    const member = method === "HEAD" ? "get" : method.toLowerCase();
    const operation = document.paths[template ?? ""]?.[member];
    const title = `${method} ${path} ${status}`;
    if (!operation) {
      const known = method === "OPTIONS" ? [204, 404] : [404, 405];
      assert.ok(known.includes(status), `The document lacks what answers ${title}`);
      if (body !== undefined) check(body, "/components/schemas/Problem", title);
      return;
    }
    const response = operation.responses[status];
    assert.ok(response, `The document lacks the status of ${title}`);
    const at = response.$ref ? response.$ref.slice(1) : pointer(
      "paths",
      template!,
      member,
      "responses",
      status,
    );
    const described = response.$ref ? find(document, response.$ref) : response;
    for (const [name, { $ref }] of Object.entries<{ $ref: string }>(described.headers)) {
      const present = headers.has(name);
      assert.ok(present || !find(document, $ref).required, `${title} lacks the header "${name}"`);
    }
    const told = Object.keys(described.headers).map((name) => name.toLowerCase());
    for (const name of headers.keys()) {
      const known = ofContent.includes(name) || told.includes(name);
      assert.ok(known, `The document lacks the header "${name}" of ${title}`);
    }
    if (method === "HEAD") return;
    const [type] = headers.get("content-type")?.split(";") ?? [];
    const types = Object.keys(described.content ?? {});
    assert.ok(type ? types.includes(type) : types.length === 0, `${title} is no ${types}: ${type}`);
    if (type) check(body, at + pointer("content", type, "schema"), title);
    if (type === "application/problem+json") {
      const code = (body as Json).type.split("/").at(-1);
      const known = Object.hasOwn(described.content[type].examples, code);
      assert.ok(known, `The document lacks the problem "${code}" of ${title}`);
    }
    const taken = Object.keys(operation.requestBody?.content ?? {})[0];
    if (taken === undefined || status >= 300) return;
    const takes = pointer(
      "paths",
      template!,
      member,
      "requestBody",
      "content",
      taken,
    );
    check(sent, `${takes}/schema`, `The body that was accepted by ${title}`);
  };
}

/** The path of the document that a path of a request is an instance of. */
function templateOf({ paths }: Json, path: string): string | undefined {
  const bare = (path: string) => path.replace(/\/$/, "");
  const templates = Object.keys(paths);
  return templates.find((template) => bare(template) === bare(path)) ??
    templates.find((template) => {
      const segments = bare(template).split("/");
      const others = bare(path).split("/");
      return segments.length === others.length &&
        segments.every((segment, place) => segment.startsWith("{") || segment === others[place]);
    });
}

/** With every object of an answer closed, but for those that another schema extends. */
function closed(document: Json): Json {
  const copy = structuredClone(document);
  for (const [name, schema] of Object.entries<Json>(copy.components.schemas)) {
    if (schema.type === "object" && name !== "Problem") schema.unevaluatedProperties = false;
  }
  return copy;
}

function find(document: Json, reference: string): Json {
  return reference.slice(2).split("/").reduce((value, name) => value[name], document);
}

/** A JSON Pointer (RFC 6901), as a URI fragment has it. */
function pointer(...names: (string | number)[]): string {
  return names
    .map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .map((part) => part.replaceAll("{", "%7B").replaceAll("}", "%7D").replaceAll("+", "%2B"))
    .join("");
}
