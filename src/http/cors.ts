// Cross-origin requests (the Fetch standard, "CORS protocol"): scripts of the allowed origins may send
// them. A script sends its token itself, so credentials play no part.

/** The response headers that scripts may read, besides those that the standard allows. */
const EXPOSED = [
  "Location",
  "Link",
  "ETag",
  "Allow",
  "Accept",
  "Accept-Encoding",
  "Accept-Patch",
  "X-Request-Id",
  "traceparent",
  "WWW-Authenticate",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Deprecation",
  "Sunset",
].join(", ");

/** The request headers that scripts may set, besides those that the standard allows. */
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "If-Match",
  "If-None-Match",
  "Idempotency-Key",
  "Last-Event-ID",
  "traceparent",
  "tracestate",
  "baggage",
].join(", ");

/** The methods that scripts may use. They are the same for every path, so that a script sees the 404 or
 * 405 of its request instead of a network error. */
const CORS_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Seconds for which a browser may remember the answer to a preflight. */
const MAX_AGE = "600";

interface Cors {
  /** Whether a request is a preflight from an allowed origin. */
  isPreflight(request: Request): boolean;
  /** The CORS headers of the response to a request. */
  headers(request: Request): Record<string, string>;
}

export function cors(origins: readonly string[]): Cors {
  const isAllowed = ({ headers }: Request) => origins.includes(headers.get("origin") ?? "");
  const isPreflight = (request: Request) =>
    request.method === "OPTIONS" && isAllowed(request) &&
    request.headers.get("access-control-request-method") !== null;
  return {
    isPreflight,
    headers(request) {
      if (origins.length === 0) return {};
      if (!isAllowed(request)) return { "Vary": "Origin" };
      return {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": request.headers.get("origin")!,
        ...isPreflight(request)
          ? {
            "Access-Control-Allow-Methods": CORS_METHODS,
            "Access-Control-Allow-Headers": REQUEST_HEADERS,
            "Access-Control-Max-Age": MAX_AGE,
          }
          : { "Access-Control-Expose-Headers": EXPOSED },
      };
    },
  };
}
