// The one place that makes responses, from answers and from problems (RFC 9457).
import { Buffer } from "node:buffer";
import { matches, unmet } from "../api/conditions.ts";
import { type Problem, problems } from "../errors/problem.ts";
import type { Answer, HeaderValues, Service } from "../model/model.ts";
import { RETRY_AFTER } from "../time.ts";

/** A page of this server may load from this server only, and call it, and the origin that its answer names.
 * Nothing inline, no eval; `data:` is for the empty icon of the documentation. */
const contentPolicy = (connects: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${connects === undefined ? "" : ` ${connects}`}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** What caches do with an answer that stays as it is. */
const LASTING = "public, max-age=31536000, immutable";

type HeaderFields = Record<string, string>;
type Content = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;

/** A response as its parts. */
export interface Reply {
  status: number;
  headers: HeaderFields;
  body: Content;
}

/** What each response needs to know of its request, and what the log needs to know of the response. */
export interface ResponseContext {
  method: string;
  /** The identifier of the request. */
  id: string;
  /** Headers of every response to this request. */
  headers: HeaderFields;
  /** The bytes of the body that was sent. */
  bytes: number;
  /** Whether others who ask the same may get another answer. */
  isPrivate: boolean;
  /** Whether caches may keep it. */
  isLasting?: boolean | undefined;
}

interface RespondOptions {
  /** The conditions of a read (RFC 9110, section 13). */
  conditions?: HeaderValues | undefined;
  /** The request headers on which the answer depends, as the Vary header lists them. */
  varies?: string | undefined;
  /** Whether the client accepts gzip. */
  gzip?: boolean;
}

/** A plain `Response`. Its headers are set one by one, which takes Deno a third of the time that it needs
 * for an object of six. */
export function responseOf({ status, headers, body }: Reply): Response {
  const response = new Response(body, { status });
  for (const name in headers) response.headers.set(name, headers[name]!);
  return response;
}

/** Makes the functions that turn answers and problems into responses. */
export function responder({ prefix, ending }: Pick<Service, "prefix" | "ending">) {
  /** Adds the headers of every response. Values of the same header form a list (RFC 9110, section 5.3).
   * HEAD gets the headers of GET without the body (section 9.3.2). */
  function complete(
    status: number,
    headers: HeaderFields,
    body: Content,
    context: ResponseContext,
  ): Reply {
    for (const name in context.headers) {
      const value = context.headers[name]!;
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    const isStream = body instanceof ReadableStream;
    headers["Cache-Control"] = context.isLasting ? LASTING : [
      context.isPrivate && "private",
      "no-cache",
      isStream && "no-transform", // none compresses it
    ].filter(Boolean).join(", ");
    if (ending.aborted) headers["Connection"] = "close"; // the client's next request goes elsewhere
    const isHead = context.method === "HEAD";
    const reply = { status, headers, body: isHead ? null : body };
    if (isStream) {
      if (!isHead) return reply;
      body.cancel();
      return { ...reply, body: new Blob().stream() }; // without one, Deno would say that its length is 0
    }
    const length = body === null ? 0 : Buffer.byteLength(body);
    if (status !== 204 && status !== 304) headers["Content-Length"] = String(length);
    context.bytes = isHead ? 0 : length;
    return reply;
  }

  return {
    /** The response to a request that succeeded; throws a problem if a condition does not hold. */
    respond(answer: Answer, context: ResponseContext, options: RespondOptions = {}): Reply {
      const { conditions = {}, varies, gzip = false } = options;
      if (answer.status === 204) return complete(204, {}, null, context);
      const headers: HeaderFields = varies ? { Vary: varies } : {};
      if ("stream" in answer) {
        Object.assign(headers, contentHeaders(answer.mediaType), streamHeaders);
        return complete(answer.status, headers, answer.stream, context);
      }
      if (answer.location) headers["Location"] = answer.location;
      if (answer.status === 303) return complete(303, headers, null, context);
      Object.assign(headers, contentHeaders(answer.mediaType, answer.connects));
      if (answer.next) headers["Link"] = `<${answer.next}>; rel="next"`;
      const { status, body, gzipped } = answer;
      const packed = gzip ? gzipped : undefined;
      if (answer.tag) {
        // The packed body is another representation, so it has its own tag
        const tag = packed ? `${answer.tag}-gzip` : answer.tag;
        headers["ETag"] = `"${tag}"`;
        const { "If-Match": wanted, "If-None-Match": known } = conditions;
        if (wanted && !matches(wanted, tag)) {
          // A page is packed, and no row
          throw unmet("representation", conditions, gzipped ? undefined : { body, tag });
        }
        context.isLasting = answer.isLasting;
        if (matches(known, tag)) {
          delete headers["Content-Type"]; // there is no content (RFC 9110, section 15.4.5)
          return complete(304, headers, null, context);
        }
      }
      if (packed) headers["Content-Encoding"] = "gzip";
      return complete(status, headers, packed ?? body, context);
    },

    /** The response to OPTIONS: the methods of a path, and the media types that PATCH accepts (RFC 5789,
     * section 3.1). */
    respondToOptions(
      context: ResponseContext,
      methods?: string,
      patches?: readonly string[],
    ): Reply {
      const headers = {
        ...(methods && { Allow: methods }),
        ...(patches && { "Accept-Patch": patches.join(", ") }),
      };
      return complete(204, headers, null, context);
    },

    refuse(problem: Problem, context: ResponseContext): Reply {
      const { current } = problem;
      const { status, title } = problems[problem.code];
      const headers = {
        "Content-Type": "application/problem+json",
        ...(status === 503 && { "Retry-After": String(RETRY_AFTER) }),
        ...(current && { ETag: `"${current.tag}"` }),
        ...problem.headers,
      };
      const body = {
        type: `${prefix}/problems/${problem.code}`,
        title,
        status,
        detail: problem.message,
        instance: `urn:uuid:${context.id}`,
        ...(problem.failures && { errors: problem.failures }),
        ...(problem.references && { references: problem.references }),
      };
      // The row goes as the text that Postgres made: its numbers may have more digits than JavaScript has
      const row = current === undefined ? "" : `,"current":${current?.body ?? null}`;
      return complete(status, headers, `${JSON.stringify(body).slice(0, -1)}${row}}`, context);
    },
  };
}

/** A connection ends with its stream, and nginx sends each event at once. */
const streamHeaders: HeaderFields = { "Connection": "close", "X-Accel-Buffering": "no" };

/** The headers that describe a body, so that no browser guesses its type. */
function contentHeaders(mediaType?: string, connects?: string): HeaderFields {
  if (mediaType === undefined) return { "Content-Type": "application/json" };
  return {
    "Content-Type": mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType,
    "X-Content-Type-Options": "nosniff",
    ...(mediaType === "text/html" && {
      "Content-Security-Policy": contentPolicy(connects),
      "Referrer-Policy": "no-referrer",
    }),
  };
}
