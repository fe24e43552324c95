// Which scripts of other origins may ask (the Fetch standard, "CORS protocol"): those of the origins
// that are allowed. A script sends its token itself, so credentials play no part here.

/** The headers of answers that a script may read besides those that the standard lets it. */
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

/** The headers of requests that a script may set besides. */
const SENT = [
  "Authorization",
  "Content-Type",
  "If-Match",
  "If-None-Match",
  "Idempotency-Key",
  "traceparent",
  "tracestate",
  "baggage",
].join(", ");

/** The methods of requests that a script may make. They are the same for every path, so that a script
 * sees the 404 or 405 of the request itself. */
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Seconds that a browser need not ask again. */
const MAX_AGE = "600";

export interface Cors {
  /** Whether a browser asks beforehand what a script of an allowed origin may send. */
  isPreflight(request: Request): boolean;
  /** What the response to a request says to scripts. */
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
            "Access-Control-Allow-Methods": METHODS,
            "Access-Control-Allow-Headers": SENT,
            "Access-Control-Max-Age": MAX_AGE,
          }
          : { "Access-Control-Expose-Headers": EXPOSED },
      };
    },
  };
}
