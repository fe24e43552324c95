// The headers that the document knows: their components, and which of them an answer bears.
import { mapValues } from "../model/record.ts";
import { type Json, reference } from "./schema.ts";

/** From the name of a header to the name of its component. */
export type Headers = Record<string, string>;

/** The headers of answers, by the name of their component. */
export const headers: Record<string, Json> = {
  RequestId: header("The request, as the log names it", { type: "string", format: "uuid" }),
  Traceparent: header(
    "The part of a trace that the request was (W3C Trace Context): of the trace that its own " +
      "traceparent names, or of a new one",
    { type: "string", pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$" },
  ),
  CacheControl: header("Caches ask for every answer anew", { type: "string", const: "no-cache" }),
  Location: header("Where the created object is read", { type: "string", format: "uri-reference" }),
  Link: header(
    'The next page, as `<path>; rel="next"`, but on the last; a deprecated operation has more links',
    { type: "string" },
    false,
  ),
  ETag: header("Tells this representation from any other", { type: "string" }),
  Accept: header("The media types that the body may be of", { type: "string" }),
  AcceptEncoding: header(
    "How the body may be packed, where that is what was refused: not at all",
    { type: "string", const: "identity" },
    false,
  ),
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
  Vary: header("The headers of the request that the answer depends on", { type: "string" }),
  ContentEncoding: header("How the body is packed", { type: "string", const: "gzip" }, false),
  ContentTypeOptions: header("Browsers guess no other media type", {
    type: "string",
    const: "nosniff",
  }),
  ContentSecurityPolicy: header("What the page may load and ask for", { type: "string" }),
  Connection: header("The connection serves no other request, as when the server ends", {
    type: "string",
  }, false),
  AllowedOrigin: header("The origin that asked, where its scripts may", { type: "string" }, false),
  ExposedHeaders: header("The headers that a script may read", { type: "string" }, false),
};

const always = {
  "X-Request-Id": "RequestId",
  "traceparent": "Traceparent",
  "Cache-Control": "CacheControl",
  "Connection": "Connection",
};

/** The headers that come with a status, beside those that come with every answer. */
const byStatus: Record<number, Headers> = {
  201: { Location: "Location" },
  303: { Location: "Location" },
  401: { "WWW-Authenticate": "Challenge" },
  403: { "WWW-Authenticate": "Challenge" },
  415: { "Accept": "Accept", "Accept-Encoding": "AcceptEncoding" },
  429: {
    "Retry-After": "RetryAfter",
    "RateLimit-Policy": "RateLimitPolicy",
    "RateLimit": "RateLimit",
  },
  503: { "Retry-After": "RetryAfter" },
};

/** References to the headers of an answer, by their names. */
export function headersOf(status: number, more: Headers = {}): Json {
  return references({ ...always, ...byStatus[status], ...more });
}

/** From the names of headers to their components. */
export function references(components: Headers): Json {
  return mapValues(components, (component) => reference("headers", component));
}

/** The headers that tell how a body is packed, and a browser what it may do with one that is no JSON. */
export function contentHeadersOf(
  mediaTypes: readonly string[],
  packed: boolean,
): Headers {
  return {
    ...(packed && { "Vary": "Vary", "Content-Encoding": "ContentEncoding" }),
    ...(!mediaTypes.includes("application/json") && {
      "X-Content-Type-Options": "ContentTypeOptions",
    }),
    ...(mediaTypes.includes("text/html") && { "Content-Security-Policy": "ContentSecurityPolicy" }),
  };
}

/** What scripts of other origins are told, where some may ask. */
export function corsHeaders(corsOrigins: readonly string[]): Headers {
  if (corsOrigins.length === 0) return {};
  return {
    "Vary": "Vary",
    "Access-Control-Allow-Origin": "AllowedOrigin",
    "Access-Control-Expose-Headers": "ExposedHeaders",
  };
}

function header(description: string, schema: Json, required = true): Json {
  return { description, required, schema };
}
