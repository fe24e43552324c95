// What the document says of answers: one response for each set of problems that share a status.
import { type FieldCode, fieldProblems, type ProblemCode, problems } from "../problem.ts";
import { mapValues } from "../record.ts";
import { type Json, reference } from "./schema.ts";

/** The schemas of problems (RFC 9457). */
export const problemSchemas: Record<string, Json> = {
  Problem: {
    type: "object",
    description: "Why a request was refused, or failed",
    properties: {
      type: { type: "string", format: "uri-reference", description: "A path that explains it" },
      title: { type: "string" },
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { type: "string" },
      instance: { type: "string", format: "uri", description: "The request, as the log names it" },
    },
    required: ["type", "title", "status", "detail", "instance"],
  },
  Invalid: {
    description: "Why a body was refused, field by field",
    allOf: [reference("schemas", "Problem")],
    type: "object",
    properties: { errors: { type: "array", minItems: 1, items: reference("schemas", "Failure") } },
    required: ["errors"],
  },
  Failure: {
    type: "object",
    description: "What fails: a field, or the body as a whole",
    properties: {
      pointer: {
        type: "string",
        description: "The field, as a JSON Pointer (RFC 6901); empty for the whole body",
      },
      code: {
        type: "string",
        description: "What is wrong; codes may be added",
        examples: Object.keys(fieldProblems),
      },
      detail: { type: "string" },
    },
    required: ["pointer", "code", "detail"],
  },
};

/** The headers of answers, by the name of their component. */
export const headers: Record<string, Json> = {
  RequestId: header("The request, as the log names it", { type: "string", format: "uuid" }),
  Traceparent: header(
    "The part of a trace that the request was (W3C Trace Context): of the trace that its own " +
      "traceparent names, or of a new one",
    { type: "string", pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$" },
  ),
  CacheControl: header("Answers are asked for anew", { type: "string", const: "no-cache" }),
  Location: header("Where what was created is read", { type: "string", format: "uri-reference" }),
  Link: header(
    'The next page, as `<path>; rel="next"`, but on the last; what is on its way out has more links',
    { type: "string" },
    false,
  ),
  ETag: header("Tells this representation from any other", { type: "string" }),
  Accept: header("The media types that the body may be of", { type: "string" }),
  Allow: header("The methods that the path has", { type: "string" }),
  Challenge: header("What to send, or what its token lacks (RFC 6750)", { type: "string" }),
  RateLimitPolicy: header(
    "How many requests a token has, and in how many seconds",
    { type: "string" },
    false,
  ),
  RateLimit: header(
    "How many of them are left, and for how many seconds",
    { type: "string" },
    false,
  ),
  Deprecation: header("Since when this is on its way out (RFC 9745)", { type: "string" }, false),
  Sunset: header("From when it may be gone (RFC 8594)", { type: "string" }, false),
  RetryAfter: header("Seconds until another try is worth it", { type: "integer" }),
  Vary: header("What else of a request decides on the answer", { type: "string" }),
  ContentEncoding: header("How the body is packed", { type: "string", const: "gzip" }, false),
  ContentTypeOptions: header("The body is what it is said to be", {
    type: "string",
    const: "nosniff",
  }),
  ContentSecurityPolicy: header("What the page may load and ask for", { type: "string" }),
  Connection: header("The connection serves no other request", { type: "string" }, false),
  AllowedOrigin: header("The origin that asked, where its scripts may", { type: "string" }, false),
  ExposedHeaders: header("The headers that a script may read", { type: "string" }, false),
  AllowedMethods: header("The methods that a script may send", { type: "string" }, false),
  AllowedHeaders: header("The headers that a script may send", { type: "string" }, false),
  MaxAge: header("Seconds that a browser need not ask again", { type: "integer" }, false),
};

const always = {
  "X-Request-Id": "RequestId",
  "traceparent": "Traceparent",
  "Cache-Control": "CacheControl",
};

/** The headers that come with a status, beside those that come with every answer. */
const byStatus: Record<number, Record<string, string>> = {
  201: { Location: "Location" },
  303: { Location: "Location" },
  401: { "WWW-Authenticate": "Challenge" },
  403: { "WWW-Authenticate": "Challenge" },
  408: { Connection: "Connection" },
  413: { Connection: "Connection" },
  415: { Accept: "Accept" },
  429: {
    "Retry-After": "RetryAfter",
    "RateLimit-Policy": "RateLimitPolicy",
    "RateLimit": "RateLimit",
  },
  503: { "Retry-After": "RetryAfter" },
};

/** References to the headers of an answer, by their names. */
export function headersOf(status: number, more: Record<string, string> = {}): Json {
  return references({ ...always, ...byStatus[status], ...more });
}

/** From the names of headers to their components. */
export function references(components: Record<string, string>): Json {
  return mapValues(components, (component) => reference("headers", component));
}

/** The headers that tell a browser what it may do with what is no JSON, and how it is packed. */
export function contentHeadersOf(
  mediaTypes: readonly string[],
  packed: boolean,
): Record<string, string> {
  if (mediaTypes.includes("application/json")) return {};
  return {
    ...(packed && { "Vary": "Vary", "Content-Encoding": "ContentEncoding" }),
    "X-Content-Type-Options": "ContentTypeOptions",
    ...(mediaTypes.includes("text/html") && { "Content-Security-Policy": "ContentSecurityPolicy" }),
  };
}

/** The responses to problems, by the name of their component. */
export function problemResponses(sets: ProblemCode[][]): Record<string, Json> {
  return Object.fromEntries(sets.map((codes) => [nameOf(codes), problemResponse(codes)]));
}

/** The problems that share a status, as sets. */
export function byTheirStatus(codes: ProblemCode[]): Map<number, ProblemCode[]> {
  const sets = Map.groupBy([...new Set(codes)].sort(), (code): number => problems[code].status);
  return new Map([...sets].sort(([one], [other]) => one - other));
}

/** The component of a set of problems: `InvalidParameterOrMalformedBody`. */
export function nameOf(codes: ProblemCode[]): string {
  return codes.map((code) => code.replaceAll(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase()))
    .join("Or");
}

/** The response to any problem of a set, which share a status. */
export function problemResponse(codes: ProblemCode[]): Json {
  const [first] = codes as [ProblemCode];
  const { status } = problems[first];
  return {
    description: codes.map((code) => problems[code].title).join(", or "),
    headers: headersOf(status),
    content: {
      "application/problem+json": {
        schema: reference("schemas", first === "invalid" ? "Invalid" : "Problem"),
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function example(code: ProblemCode): Json {
  const { status, title, meaning } = problems[code];
  const failure = (pointer: string, code: FieldCode, detail: string) => ({ pointer, code, detail });
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail: code === "invalid" ? "One field fails" : meaning,
    instance: "urn:uuid:9b2f1c3e-6d0a-4f1b-8a47-2c5e90d7b611",
    ...(code === "invalid" && {
      errors: [failure("/name", "required", 'The field "name" is required')],
    }),
  };
}

function header(description: string, schema: Json, required = true): Json {
  return { description, required, schema };
}
