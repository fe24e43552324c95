// The response headers in the document: their components, and which of them a response has.
import type { Page } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { type Json, reference } from "./json.ts";

/** The names of components, by the name of the header. */
export type Headers = Record<string, string>;

/** The components for headers, by name. */
export const headers: Record<string, Json> = {
  RequestId: header("The identifier of the request, which is also in the log", {
    type: "string",
    format: "uuid",
  }),
  Traceparent: header(
    "The span of the request (W3C Trace Context), in the trace that the request names or in a new " +
      "one",
    { type: "string", pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$" },
  ),
  CacheControl: header("Caches must revalidate every answer, and leave a stream as it is", {
    type: "string",
    enum: ["no-cache", "no-cache, no-transform"],
  }),
  LastingCacheControl: header(
    "Caches may keep the answer for good if the path has its tag; otherwise they must revalidate",
    { type: "string", enum: ["no-cache", "public, max-age=31536000, immutable"] },
  ),
  Location: header("The path of the created object, or of the page to use instead", {
    type: "string",
    format: "uri-reference",
  }),
  Link: header(
    'The next page, as `<path>; rel="next"`, if there is one; a deprecated operation has more links',
    { type: "string" },
    false,
  ),
  ETag: header("The entity tag of this representation", { type: "string" }),
  CurrentETag: header("The entity tag of the row in `current`, if there is one", {
    type: "string",
  }, false),
  Accept: header("The media types in which the body may be sent", { type: "string" }),
  AcceptEncoding: header(
    "Sent if a content coding was refused: the body may have none",
    { type: "string", const: "identity" },
    false,
  ),
  Challenge: header("What to send, or the scope that the token lacks (RFC 6750)", {
    type: "string",
  }),
  RateLimitPolicy: header(
    "The number of requests that a token has, and the seconds they are for",
    { type: "string" },
    false,
  ),
  ScopeChallenge: header(
    "The scope that the token lacks, if it is that",
    { type: "string" },
    false,
  ),
  RateLimit: header(
    "The number of requests that are left, and the seconds until there are more",
    { type: "string" },
    false,
  ),
  Deprecation: header("When this was deprecated (RFC 9745)", { type: "string" }, false),
  Sunset: header("When this may be removed (RFC 8594)", { type: "string" }, false),
  RetryAfter: header("Seconds to wait before the next attempt", { type: "integer" }),
  Vary: header("The request headers on which the answer depends", { type: "string" }),
  ContentEncoding: header("There if the client accepts gzip and the body was compressed", {
    type: "string",
    const: "gzip",
  }, false),
  ContentTypeOptions: header("Browsers must not guess another media type", {
    type: "string",
    const: "nosniff",
  }),
  ContentSecurityPolicy: header("What the page may load", { type: "string" }),
  ReferrerPolicy: header("What the page tells others of its address", {
    type: "string",
    const: "no-referrer",
  }),
  Connection: header(
    "The connection closes after this answer, for example because the server is shutting down",
    { type: "string" },
    false,
  ),
  AllowedOrigin: header("The origin of the request, if its scripts may read the answer", {
    type: "string",
  }, false),
  ExposedHeaders: header("The headers that a script may read", { type: "string" }, false),
};

const always = {
  "X-Request-Id": "RequestId",
  "traceparent": "Traceparent",
  "Cache-Control": "CacheControl",
  "Connection": "Connection",
};

/** The headers of a status, besides those of every answer. */
const byStatus: Record<number, Headers> = {
  303: { Location: "Location" },
  401: { "WWW-Authenticate": "Challenge" },
  403: { "WWW-Authenticate": "ScopeChallenge" },
  415: { "Accept": "Accept", "Accept-Encoding": "AcceptEncoding" },
  429: {
    "Retry-After": "RetryAfter",
    "RateLimit-Policy": "RateLimitPolicy",
    "RateLimit": "RateLimit",
  },
  503: { "Retry-After": "RetryAfter" },
};

/** References to the headers of an answer, by name. */
export function headersOf(status: number, more: Headers = {}): Json {
  return references({ ...always, ...byStatus[status], ...more });
}

/** References to components, by the name of the header. */
export function references(components: Headers): Json {
  return mapValues(components, (component) => reference("headers", component));
}

/** The headers for caches, for the coding of a body, and for browsers that show one that is not JSON. */
export function contentHeadersOf(
  { mediaTypes = ["application/json"], packed, mayLast }: Pick<
    Page,
    "mediaTypes" | "packed" | "mayLast"
  >,
): Headers {
  return {
    ...(mayLast && { "Cache-Control": "LastingCacheControl" }),
    ...(packed && { "Vary": "Vary", "Content-Encoding": "ContentEncoding" }),
    ...(mediaTypes.some((type) => type !== "application/json") && {
      "X-Content-Type-Options": "ContentTypeOptions",
    }),
    ...(mediaTypes.includes("text/html") && {
      "Content-Security-Policy": "ContentSecurityPolicy",
      "Referrer-Policy": "ReferrerPolicy",
    }),
  };
}

/** The headers for scripts of other origins, if any may send requests. */
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
