// From the document to requests: valid ones, ones with a single mistake, and wild ones.
import fc from "fast-check";
import { pages } from "../house.ts";
import {
  allowed,
  headerText,
  isHeader,
  isSegment,
  type Json,
  queryText,
  refused,
  resolved,
} from "./arbitrary.ts";
import {
  malformed,
  otherMediaTypes,
  otherMethods,
  outside,
  spelt,
  unacceptable,
  wildHeader,
  wildText,
} from "./wild.ts";

export interface Fuzzed {
  kind: "right" | "wrong" | "wild";
  /** The operation that it was made for. */
  operation: Operation;
  method: string;
  /** The path with the query, percent-encoded. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  /** The problem that is to refuse what has one thing wrong. */
  problem: string | undefined;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Json;
  /** The schema of each of its values, if it takes several. */
  elements?: Json;
}

/** One method at one path of the document. */
export interface Operation {
  path: string;
  method: string;
  /** The methods that the path has. */
  methods: string[];
  parameters: Parameter[];
  /** The media types of its body, and the schema of each. */
  bodies: [mediaType: string, schema: Json][];
  /** The problems that its answers can be, by their statuses. */
  problems: string[];
  /** Whether it ignores the query. */
  isPage: boolean;
  /** What a token has to let its bearer do; undefined where none is needed. */
  scope: string | undefined;
  /** Whether it reads a token that is sent. */
  takesToken: boolean;
}

/** A request whose target is still in parts. */
interface Parts {
  method: string;
  /** What stands in the places of the path's braces, by the names in them. */
  segments: Record<string, string>;
  /** The parts of the query, percent-encoded. */
  query: string[];
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** Where a page or a stream begins is told by what came before it: nobody can make it up. */
const OPAQUE = ["cursor", "after", "Last-Event-ID"];

/** Requests for every operation of a document. */
export function requests(document: Json): fc.Arbitrary<Fuzzed> {
  const operations = operationsOf(document);
  return fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...operations.map(right)) },
    { weight: 4, arbitrary: fc.oneof(...operations.flatMap(wrong)) },
    { weight: 2, arbitrary: fc.oneof(...operations.map(wild)) },
  );
}

function operationsOf(document: Json): Operation[] {
  const schemas = Object.values<Json>(document.components.schemas);
  const elements = Object.fromEntries([
    // A key may be a relation: as it is written, it is an identifier
    ...schemas.flatMap((schema) => propertiesOf(schema, "relation"))
      .filter(([, { type }]) => type !== undefined),
    ...schemas.flatMap((schema) => propertiesOf(schema, "identifier")),
    ...schemas.flatMap((schema) => propertiesOf(schema, "array"))
      .map(([name, { items }]) => [name, items]),
  ]);
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      methods: Object.keys(item).map((name) => name.toUpperCase()),
      parameters: operation.parameters.map((each: Parameter, _: number, all: Parameter[]) => ({
        ...each,
        // Any row may be read; of pages, there are only the examples
        ...(each.in === "path" && !Object.hasOwn(pages, path) &&
          { schema: { ...each.schema, examples: undefined } }),
        ...elementsOf(each, all, elements),
      })),
      bodies: Object.entries<Json>(operation.requestBody?.content ?? {})
        .map(([mediaType, { schema }]) => [mediaType, resolved(document, schema)]),
      problems: Object.values<Json>(operation.responses).flatMap((response) =>
        Object.keys(resolved(document, response).content?.[PROBLEM]?.examples ?? {})
      ),
      isPage: Object.hasOwn(pages, path),
      scope: operation.security?.[0].token?.[0],
      takesToken: operation.security !== undefined,
    }))
  );
}

const PROBLEM = "application/problem+json";

/** The properties of an object that are of one kind of field. */
function propertiesOf({ properties = {} }: Json, kind: string): [name: string, schema: Json][] {
  return Object.entries<Json>(properties)
    .filter(([, property]) => property["x-relata"]?.kind === kind);
}

/** What a parameter of several values takes: what the one takes that has a single value, else what the field has,
 * an identifier or elements. */
function elementsOf(
  { name }: Parameter,
  all: Parameter[],
  fields: Record<string, Json>,
): { elements?: Json } {
  const [, one] = /^(.+)__(?:in|contains)$/.exec(name) ?? [];
  if (one === undefined) return {};
  return { elements: all.find((each) => each.name === one)?.schema ?? fields[one] };
}

/** What the document allows. */
function right(operation: Operation): fc.Arbitrary<Fuzzed> {
  const methods = operation.method === "GET"
    ? ["GET", "GET", "GET", "HEAD", "OPTIONS"]
    : [operation.method];
  return fc.tuple(parts(operation), fc.constantFrom(...methods), fc.boolean()).map(
    ([parts, method, slash]) => fuzzed("right", operation, { ...parts, method }, { slash }),
  );
}

function parts({ method, parameters, bodies }: Operation): fc.Arbitrary<Parts> {
  const record = (kind: string, required?: string[]) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((each) => each.in === kind && !OPAQUE.includes(each.name))
          .map((parameter) => [parameter.name, valueOf(parameter)]),
      ),
      { ...(required && { requiredKeys: required }), noNullPrototype: true },
    ) as fc.Arbitrary<Record<string, string>>;
  const needed = parameters.filter(({ in: place, required }) => place === "query" && required);
  const inPath = parameters.filter((each) => each.in === "path");
  // The row of a path may be created: its key is one that a body may have
  const keys = inPath.map(({ name, schema }) =>
    bodies.flatMap(([, body]) => fieldOf(body, name))[0] ?? [name, schema] as const
  );
  const isAlone = inPath.length === 1;
  const sendable = (values: Record<string, string>) => Object.values(values).every(isHeader);
  const contents = bodies.map(([mediaType, schema]) =>
    allowed(schema).map((value) => [mediaType, value] as const)
  );
  const methods = method === "GET" ? ["GET", "HEAD"] : [method];
  return fc.record({
    method: fc.constantFrom(...methods),
    key: fc.tuple(
      ...keys.map(([, schema]) =>
        allowed(schema).filter((value) => !isAlone || isSegment(String(value)))
      ),
    ),
    query: record("query", needed.map(({ name }) => name)),
    headers: record("header", []).filter(sendable),
    content: contents.length > 0 ? fc.oneof(...contents) : fc.constant(undefined),
  }, { noNullPrototype: true }).map(({ method, key, query, headers, content }) => ({
    method,
    segments: Object.fromEntries(inPath.map(({ name }, index) => [name, String(key[index])])),
    query: Object.entries(query).map(pair),
    headers: { ...headers, ...(content && { "content-type": content[0] }) },
    body: content && JSON.stringify(
      keys.reduce(
        (body, [field], index) =>
          Object.hasOwn(body, field) ? { ...body, [field]: key[index] } : body,
        content[1],
      ),
    ),
  }));
}

/** The field of a body that has what a parameter of the path is, where clients give it: the identifier, or the one of its
 * name. */
function fieldOf(body: Json, parameter: string): [name: string, schema: Json][] {
  const own = body.properties?.[parameter];
  return own ? [[parameter, own]] : propertiesOf(body, "identifier");
}

/** A text that a parameter takes; several values are of the parameter that takes one of them. */
function valueOf({ schema, elements }: Parameter): fc.Arbitrary<string> {
  if (!elements) return allowed(schema).map(String);
  return fc.array(allowed(elements), { minLength: 1, maxLength: 3 }).map(queryText)
    .filter((text) => text !== ""); // the empty text alone asks for no value at all
}

/** What has one thing wrong, so that the problem that refuses it is known. */
function wrong(operation: Operation): fc.WeightedArbitrary<Fuzzed>[] {
  const whole = parts(operation);
  const but = <Value>(
    values: fc.Arbitrary<Value>,
    change: (parts: Parts, value: Value) => object,
  ) =>
    fc.tuple(whole, values).map(([parts, value]): Parts => ({ ...parts, ...change(parts, value) }));
  const header = (name: string, values: fc.Arbitrary<string>) =>
    but(values, ({ headers }, value) => ({ headers: { ...headers, [name]: value } }));
  const among = (where: string) =>
    operation.parameters.filter((each) => each.in === where && isStrict(each.schema));
  const queried = operation.parameters.filter((each) => each.in === "query");
  const without = (query: string[], name: string) =>
    query.filter((part) => !part.startsWith(`${name}=`));

  const ways: Record<string, fc.Arbitrary<Parts>[]> = {
    not_found: among("path").map(({ name, schema }) =>
      but(outside(schema), ({ segments }, value) => ({ segments: { ...segments, [name]: value } }))
    ),
    method_not_allowed: [but(otherMethods(operation.methods), (_, method) => ({ method }))],
    not_acceptable: [header("accept", unacceptable)],
    unsupported_media_type: [
      header("content-type", otherMediaTypes(operation.bodies.map(([type]) => type))),
      header("content-encoding", fc.constantFrom("gzip", "br", "identity, gzip", "?")),
    ],
    malformed_body: operation.bodies.length === 0 ? [] : [
      but(fc.nat(), ({ body }, length) => ({ body: body?.slice(0, length % body.length) })),
      but(malformed, (_, body) => ({ body })),
    ],
    invalid: operation.bodies.map(([mediaType, schema]) =>
      but(refused(schema), ({ headers }, value) => ({
        headers: { ...headers, "content-type": mediaType },
        body: JSON.stringify(value),
      }))
    ),
    invalid_parameter: operation.isPage ? [] : [
      ...queried.filter(({ required }) => required).map(({ name }) =>
        whole.map((parts): Parts => ({ ...parts, query: without(parts.query, name) }))
      ),
      but(
        fc.oneof(
          fc.tuple(
            fc.string().filter((name) => queried.every((each) => each.name !== name)),
            wildText,
          )
            .map(pair),
          fc.constantFrom("%", "%zz=1", "a=%ff", "=", "q=%ed%a0%80"),
        ),
        ({ query }, part) => ({ query: [...query, part] }),
      ),
      ...queried.flatMap(({ name, schema, ...rest }) => [
        but(valueOf({ name, schema, ...rest }), ({ query }, value) => ({
          query: [pair([name, value]), ...without(query, name), pair([name, value])],
        })),
        but(outside(schema), ({ query }, value) => ({
          query: [...without(query, name), pair([name, value])],
        })),
      ]),
    ],
    invalid_header: among("header").map(({ name, schema }) =>
      header(name, headerText.filter((value) => !new RegExp(schema.pattern).test(value)))
    ),
  };
  return Object.entries(ways)
    .filter(([problem]) => met(operation, problem))
    .flatMap(([problem, arbitraries]) =>
      arbitraries.map((parts) => ({
        weight: problem === "invalid" ? 8 : 1, // a body has most that can be wrong
        arbitrary: parts.map((parts) => fuzzed("wrong", operation, parts, { problem })),
      }))
    );
}

/** Whether there are texts that a parameter refuses for its schema. */
function isStrict({ type, pattern, format, enum: values }: Json): boolean {
  return type === "integer" || format === "uuid" || pattern !== undefined || values !== undefined;
}

/** Whether a request for an operation can meet a problem. What no operation says of itself is said of
 * all: a method that the path lacks, a path that is none. */
function met({ problems }: Operation, problem: string): boolean {
  return problem === "method_not_allowed" || problem === "not_found" || problems.includes(problem);
}

/** What nobody says how to answer, but that it be answered. */
function wild(operation: Operation): fc.Arbitrary<Fuzzed> {
  const names = (kind: string) =>
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        "a",
        ...operation.parameters.flatMap((each) => each.in === kind ? [each.name] : []),
      ),
    );
  return fc.record({
    method: fc.constantFrom("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PURGE"),
    segments: fc.record(
      Object.fromEntries(
        operation.parameters.filter((each) => each.in === "path").map(({ name }) =>
          [name, fc.oneof(wildText, fc.maxSafeNat().map(String)).filter(isSegment)] as const
        ),
      ),
      { noNullPrototype: true },
    ),
    query: fc.array(fc.tuple(names("query"), wildText).map(pair), { maxLength: 4 }),
    headers: fc.dictionary(
      fc.constantFrom(
        "accept",
        "accept-encoding",
        "content-type",
        "content-encoding",
        "origin",
        ...operation.parameters.filter((each) => each.in === "header").map(({ name }) => name),
      ),
      wildHeader,
      { noNullPrototype: true },
    ),
    body: fc.oneof(
      fc.constant(undefined),
      fc.json(),
      fc.uint8Array(),
      malformed,
      wildText,
      ...operation.bodies.map(([, schema]) => allowed(schema).map(spelt)),
    ),
  }, { noNullPrototype: true }).map((parts) => fuzzed("wild", operation, parts));
}

function pair([name, value]: [string, string]): string {
  return `${encoded(name)}=${encoded(value)}`;
}

/** Text in a URL, which has no place for half a pair of surrogates. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function fuzzed(
  kind: Fuzzed["kind"],
  operation: Operation,
  { method, segments, query, headers, ...parts }: Parts,
  { slash = true, problem }: { slash?: boolean; problem?: string } = {},
): Fuzzed {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encoded(segments[name]!));
  const spelling = slash ? path : path.replace(/(?<=.)\/$/, "");
  const target = [spelling, ...(query.length > 0 ? [query.join("&")] : [])].join("?");
  const body = ["GET", "HEAD"].includes(method) ? undefined : parts.body;
  const request = { kind, operation, method, target, headers, body, problem };
  const told = [kind, problem, method, target, headers, body];
  return Object.assign(request, { [fc.toStringMethod]: () => fc.stringify(told) });
}
