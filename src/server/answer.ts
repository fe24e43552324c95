// The one place that makes responses to what could be read as a request: of answers, and of problems
// (RFC 9457).
import { Buffer } from "node:buffer";
import type { Answer } from "../declaration/declaration.ts";
import { matches } from "../declaration/header.ts";
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

/** What is sent, but for what each runtime adds to it. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
}

export interface AnswerOptions {
  /** The tags of what the client has of it. */
  known?: string[] | undefined;
  /** Whether the Accept header has a say in the answer. */
  varies?: boolean;
  /** Whether the client takes what is packed by gzip. */
  gzip?: boolean;
}

/** The response to what went well. */
export function answer(
  given: Answer,
  { known, varies = false, gzip = false }: AnswerOptions = {},
): Reply {
  if (given.status === 204) return { status: 204, headers: {}, body: null };
  const headers: Record<string, string> = varies ? { Vary: "Accept" } : {};
  if (given.location) headers["Location"] = given.location;
  if (given.status === 303) return { status: 303, headers, body: null };
  Object.assign(headers, contentHeaders(given.mediaType));
  if (given.next) headers["Link"] = `<${given.next}>; rel="next"`;
  const { status, body, gzipped } = given;
  const packed = gzip ? gzipped : undefined;
  if (gzipped) headers["Vary"] = "Accept-Encoding";
  if (given.tag) {
    // What is packed is another representation, so it has a tag of its own.
    const tag = packed ? `${given.tag}-gzip` : given.tag;
    headers["ETag"] = `"${tag}"`;
    if (matches(known, tag)) return unchanged(headers);
  }
  if (packed) headers["Content-Encoding"] = "gzip";
  return { status, headers, body: packed ?? body };
}

/** The client has it already (RFC 9110, section 15.4.5). */
function unchanged({ "Content-Type": _, ...headers }: Record<string, string>): Reply {
  return { status: 304, headers, body: null };
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

/** What OPTIONS answers: the methods of a path and, where PATCH is one, the media types that it takes
 * (RFC 5789, section 3.1). */
export function allowed(methods: string, patches: readonly string[] | undefined): Reply {
  const headers: Record<string, string> = { Allow: methods };
  if (patches) headers["Accept-Patch"] = patches.join(", ");
  return { status: 204, headers, body: null };
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

/** A reply with more headers; one that is a list goes on (RFC 9110, section 5.3). HEAD gets what GET
 * does, but for the body (section 9.3.2). */
export function complete(reply: Reply, method: string, more: Record<string, string>): Reply {
  const { status, headers, body } = reply;
  for (const name in more) {
    const value = more[name]!;
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  headers["Cache-Control"] = "no-cache";
  if (status !== 204 && status !== 304) headers["Content-Length"] = String(lengthOf(body));
  return method === "HEAD" ? { status, headers, body: null } : reply;
}

/** A reply as the web has it. Its headers are set one by one: from an object, six of them take Deno
 * four times as long. */
export function toResponse({ status, headers, body }: Reply): Response {
  const response = new Response(body, { status });
  for (const name in headers) response.headers.set(name, headers[name]!);
  return response;
}

function lengthOf(body: Reply["body"]): number {
  return body === null ? 0 : Buffer.byteLength(body);
}
