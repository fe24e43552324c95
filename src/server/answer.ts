// The one place that makes responses: of answers, and of problems (RFC 9457).
import type { Answer } from "../declaration/declaration.ts";
import { type Problem, problems } from "../problem.ts";

/** Seconds after which a client should try again what met an unavailable database. */
const RETRY_AFTER = 1;

/** What a document of this server may do in a browser: load from this server what it shows and runs,
 * and ask this server. Nothing inline, nothing evaluated; `data:` is for the renderer's icons. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** A response before it is one, so that the log and HEAD can see what it holds. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
}

/** The response to what went well; it `varies` where the Accept header has a say in it, and is packed
 * where it can be and the client takes `gzip`. */
export function answer(given: Answer, { varies = false, gzip = false } = {}): Reply {
  if (given.status === 204) return { status: 204, headers: {}, body: null };
  const headers: Record<string, string> = varies ? { Vary: "Accept" } : {};
  if (given.location) headers["Location"] = given.location;
  if (given.status === 303) return { status: 303, headers, body: null };
  Object.assign(headers, contentHeaders(given.mediaType));
  if (given.next) headers["Link"] = `<${given.next}>; rel="next"`;
  const { status, body, gzipped } = given;
  if (gzipped) headers["Vary"] = "Accept-Encoding";
  if (!gzipped || !gzip) return { status, headers, body };
  return { status, headers: { ...headers, "Content-Encoding": "gzip" }, body: gzipped };
}

/** What the headers say of a body: a text for a browser is nothing but what it is said to be. */
function contentHeaders(mediaType = "application/json"): Record<string, string> {
  if (mediaType === "application/json") return { "Content-Type": mediaType };
  return {
    "Content-Type": `${mediaType}; charset=utf-8`,
    "X-Content-Type-Options": "nosniff",
    ...(mediaType === "text/html" && { "Content-Security-Policy": CONTENT_SECURITY_POLICY }),
  };
}

/** What OPTIONS answers. */
export function allowed(methods: string): Reply {
  return { status: 204, headers: { Allow: methods }, body: null };
}

export function refusal(problem: Problem, prefix: string, requestId: string): Reply {
  const { status, title } = problems[problem.code];
  return {
    status,
    headers: {
      "Content-Type": "application/problem+json",
      ...(status === 503 ? { "Retry-After": String(RETRY_AFTER) } : {}),
      ...problem.headers,
    },
    body: JSON.stringify({
      type: `${prefix}/problems/${problem.code}`,
      title,
      status,
      detail: problem.message,
      instance: `urn:uuid:${requestId}`,
      ...(problem.failures ? { errors: problem.failures } : {}),
    }),
  };
}

/** With more headers; a header that is a list goes on (RFC 9110, section 5.3). */
export function say(reply: Reply, more: Record<string, string>): Reply {
  const headers = { ...reply.headers };
  for (const [name, value] of Object.entries(more)) {
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { ...reply, headers };
}

/** HEAD gets what GET does, but for the body (RFC 9110, section 9.3.2). */
export function respond({ status, headers, body }: Reply, method: string, id: string): Response {
  const sent: Record<string, string> = {
    ...headers,
    "Cache-Control": "no-cache",
    "X-Request-Id": id,
  };
  if (method !== "HEAD" || body === null) return new Response(body, { status, headers: sent });
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  sent["Content-Length"] = String(bytes.byteLength);
  return new Response(null, { status, headers: sent });
}
