// From the document to requests: such as it allows, such with one thing wrong, and wild ones.
import fc from "fast-check";
import {
  allowed,
  character,
  headerText,
  isHeader,
  type Json,
  refused,
  resolved,
  unstorable,
} from "./arbitrary.ts";

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

/** One method at one path of the document. */
export interface Operation {
  path: string;
  method: string;
  /** The methods that the path has. */
  methods: string[];
  parameters: { name: string; in: string; schema: Json }[];
  /** The media types of its body, and the schema of each. */
  bodies: [mediaType: string, schema: Json][];
  /** The problems that it can meet. */
  problems: string[];
  /** What a token has to let its bearer do; undefined where none is needed. */
  scope: string | undefined;
}

/** A request whose target is still in parts. */
interface Parts {
  method: string;
  /** What stands in the place of the path's braces. */
  parameter: string;
  /** The parts of the query, percent-encoded. */
  query: string[];
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** Where a page begins is told by the page before it: nobody can make it up. */
const OPAQUE = "cursor";

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
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      methods: Object.keys(item).map((name) => name.toUpperCase()),
      parameters: operation.parameters,
      bodies: Object.entries<Json>(operation.requestBody?.content ?? {})
        .map(([mediaType, { schema }]) => [mediaType, resolved(document, schema)]),
      problems: Object.values<Json>(operation.responses).flatMap((response) =>
        Object.keys(resolved(document, response).content?.[PROBLEM]?.examples ?? {})
      ),
      scope: operation.security?.[0].token[0],
    }))
  );
}

const PROBLEM = "application/problem+json";

/** What the document allows. */
function right(operation: Operation): fc.Arbitrary<Fuzzed> {
  const methods = operation.method === "GET" ? ["GET", "HEAD", "OPTIONS"] : [operation.method];
  return fc.tuple(parts(operation), fc.constantFrom(...methods), fc.boolean()).map(
    ([parts, method, slash]) => fuzzed("right", operation, { ...parts, method }, { slash }),
  );
}

function parts({ method, parameters, bodies }: Operation): fc.Arbitrary<Parts> {
  const record = (kind: string) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((each) => each.in === kind && each.name !== OPAQUE)
          .map(({ name, schema }) => [name, allowed(schema).map(String)]),
      ),
      { requiredKeys: [], noNullPrototype: true },
    ) as fc.Arbitrary<Record<string, string>>;
  const sendable = (values: Record<string, string>) => Object.values(values).every(isHeader);
  const contents = bodies.map(([mediaType, schema]) =>
    allowed(schema).map((value) => [mediaType, JSON.stringify(value)] as const)
  );
  return fc.record({
    path: record("path"),
    query: record("query"),
    headers: record("header").filter(sendable),
    content: contents.length > 0 ? fc.oneof(...contents) : fc.constant(undefined),
  }, { noNullPrototype: true }).map(({ path, query, headers, content }) => ({
    method,
    parameter: Object.values(path)[0] ?? "1",
    query: Object.entries(query).map(pair),
    headers: {
      ...headers,
      ...(content && { "content-type": content[0] }),
    },
    body: content?.[1],
  }));
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
  const strict = operation.parameters.filter(({ schema }) => schema.pattern || schema.enum);
  const queried = operation.parameters.filter((each) => each.in === "query");
  const without = (query: string[], name: string) =>
    query.filter((part) => !part.startsWith(`${name}=`));

  const ways: Record<string, fc.Arbitrary<Parts>[]> = {
    not_found: strict.filter((each) => each.in === "path").map(({ schema }) =>
      but(outside(schema), (_, parameter) => ({ parameter }))
    ),
    method_not_allowed: [but(otherMethods(operation), (_, method) => ({ method }))],
    not_acceptable: [header("accept", unacceptable)],
    unsupported_media_type: [
      header("content-type", otherMediaTypes(operation)),
      header("content-encoding", fc.constantFrom("gzip", "br", "identity, gzip", "?")),
    ],
    malformed_body: [
      but(fc.nat(), ({ body }, length) => ({ body: body?.slice(0, length % body.length) })),
      but(malformed, (_, body) => ({ body })),
    ],
    invalid: operation.bodies.map(([mediaType, schema]) =>
      but(refused(schema), ({ headers }, value) => ({
        headers: { ...headers, "content-type": mediaType },
        body: JSON.stringify(value),
      }))
    ),
    invalid_parameter: [
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
      ...queried.flatMap(({ name, schema }) => [
        but(allowed(schema).map(String), ({ query }, value) => ({
          query: [pair([name, value]), ...without(query, name), pair([name, value])],
        })),
        but(outside(schema), ({ query }, value) => ({
          query: [...without(query, name), pair([name, value])],
        })),
      ]),
    ],
    invalid_header: strict.filter((each) => each.in === "header").map(({ name, schema }) =>
      header(name, headerText.filter((value) => !RegExp(schema.pattern).test(value)))
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
    parameter: fc.oneof(wildText, fc.maxSafeNat().map(String)).filter(isSegment),
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
      fc.oneof(headerText, fc.constantFrom("*", "*/*", "application/json", ...hosts)),
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

/** What a request may have that is of no concern to a server. */
const hosts = ["text/html", "gzip", "*;q=0", "null", "https://app.example.org"];

/** A body whose numbers are spelt as no writer of JSON would. */
function spelt(value: Json): string {
  return JSON.stringify(value).replaceAll(/:(\d+)/g, ":$1.0e0").replace(/e0/, "e400");
}

const wildText = fc.oneof(
  fc.string({ unit: character }),
  unstorable,
  fc.constantFrom("", "null", "NaN", "-1", "1e3", "' or 1=1 --", "${1}", "{{7*7}}", "../../etc"),
  fc.nat(3000).map((length) => "a".repeat(length)),
);

/** Texts that a parameter refuses. */
function outside(schema: Json): fc.Arbitrary<string> {
  if (schema.enum) return wildText.filter((value) => !schema.enum.includes(value));
  if (schema.pattern) {
    const numbers = ["0", "01", "1.0", "-1", "+1", "1e3", "0x1", " 1", "1 ", "١", "9".repeat(30)];
    return fc.oneof(
      fc.constantFrom(...numbers, String(schema.maximum + 1)),
      wildText.filter((value) => !RegExp(schema.pattern).test(value) && isSegment(value)),
    );
  }
  return unstorable.map((text) => `${text}\0`);
}

/** Whether a text is one segment of a path for whoever writes a URL. */
function isSegment(text: string): boolean {
  return !["", ".", ".."].includes(text);
}

function otherMethods({ methods }: Operation): fc.Arbitrary<string> {
  const others = ["POST", "PUT", "PATCH", "DELETE", "PURGE", "PROPFIND"];
  return fc.constantFrom(...others.filter((method) => !methods.includes(method)));
}

const unacceptable = fc.constantFrom(
  "text/nothing",
  "image/*",
  "*/*;q=0",
  "application/jsonp, image/png;q=0.5",
  "application",
  ";",
);

function otherMediaTypes({ bodies }: Operation): fc.Arbitrary<string> {
  const others = [
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/merge-patch+json",
    "application/json; charset=utf-16",
    "application/json, application/json",
    "application/json-seq",
  ];
  return fc.constantFrom(...others.filter((type) => bodies.every(([taken]) => taken !== type)));
}

/** Bodies that are no JSON text in UTF-8. */
const malformed: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "{,}",
    "{'name':1}",
    '{"name":01}',
    "NaN",
    "[1,]",
    "\ufeff{}",
    "{}{}",
    "//",
  ),
  fc.constantFrom([0xff], [0xc0, 0x80], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x7b, 0x00, 0x7d, 0x00])
    .map((bytes) => Uint8Array.from(bytes)),
);

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
  { method, parameter, query, headers, ...parts }: Parts,
  { slash = true, problem }: { slash?: boolean; problem?: string } = {},
): Fuzzed {
  const path = operation.path.replace(/\{\w+\}/, () => encoded(parameter));
  const spelling = slash ? path : path.replace(/(?<=.)\/$/, "");
  const target = [spelling, ...(query.length > 0 ? [query.join("&")] : [])].join("?");
  const body = ["GET", "HEAD"].includes(method) ? undefined : parts.body;
  const request = { kind, operation, method, target, headers, body, problem };
  const told = [kind, problem, method, target, headers, body];
  return Object.assign(request, { [fc.toStringMethod]: () => fc.stringify(told) });
}
