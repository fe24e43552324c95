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
].join(", ");

/** Seconds that a browser need not ask again. */
const MAX_AGE = "600";

/** Makes what the response to a request says to scripts, by the methods that its path has. */
export function cors(
  origins: readonly string[],
): (request: Request, methods?: string) => Record<string, string> {
  if (origins.length === 0) return () => ({});
  return ({ method, headers }, methods = "") => {
    const origin = headers.get("origin") ?? "";
    if (!origins.includes(origin)) return { "Vary": "Origin" };
    const allowed = { "Vary": "Origin", "Access-Control-Allow-Origin": origin };
    const preflight = method === "OPTIONS" && headers.get("access-control-request-method") !== null;
    if (!preflight) return { ...allowed, "Access-Control-Expose-Headers": EXPOSED };
    return {
      ...allowed,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": SENT,
      "Access-Control-Max-Age": MAX_AGE,
    };
  };
}
