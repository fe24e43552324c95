// A request's way through the house: its path, its method, what HTTP asks, the verb; then one catch
// and one line in the log.
import { randomUUID } from "node:crypto";
import type { Service } from "../declaration/declaration.ts";
import { Problem, problems, toProblem } from "../problem.ts";
import { access } from "./access.ts";
import { allowed, answer, bytesOf, refusal, type Reply, respond, say } from "./answer.ts";
import { cors } from "./cors.ts";
import { describe, type Log } from "../log.ts";
import { deadline, gate } from "./limits.ts";
import { createMetrics } from "./metrics.ts";
import { healthPages } from "./pages.ts";
import { type Endpoint, pagePlaces, type Place, places } from "./places.ts";
import { rate } from "./rate.ts";
import {
  type Body,
  checkHost,
  NO_BODY,
  parseHeaders,
  parseQuery,
  preferred,
  readBody,
  split,
  takesGzip,
} from "./request.ts";
import { type Match, router } from "./router.ts";
import { traceOf } from "./trace.ts";

export interface AppOptions extends Omit<Service, "metrics"> {
  /** Bytes of a request's body at most. */
  bodyLimit: number;
  /** Requests that may wait for the database at once; what waits for longer to be one of them is
   * answered with 503. */
  capacity: number;
  /** Seconds until a request is answered with 504. */
  timeLimit: number;
  log: Log;
}

/** Seconds that a request waits to be among those that may wait for the database. */
const PATIENCE = 1;

/** The seconds that a rate limit is for. */
const MINUTE = 60;

/** Answers any request; never rejects. The target is that of the request as it was sent, for the URL
 * of a `Request` may have been resolved. */
export type App = (request: Request, target?: string) => Promise<Response>;

export function createApp(options: AppOptions): App {
  const { bodyLimit, capacity, timeLimit, log, ...given } = options;
  const metrics = createMetrics({ connections: given.sql.options.max, capacity });
  const service = { ...given, metrics };
  const { prefix, authRequired, rateLimit, corsOrigins } = service;
  const enter = gate(capacity, PATIENCE, metrics.load);
  const within = deadline(timeLimit);
  /** The requests whose body has not arrived yet. */
  const arriving = new WeakSet<Request>();
  const admit = authRequired ? access(service, enter) : undefined;
  const count = rateLimit ? rate(rateLimit, MINUTE) : undefined;
  const toScripts = cors(corsOrigins);
  const findAtRoot = router(pagePlaces(healthPages, service));
  const findUnderPrefix = router(places(service));

  return async (request, target = request.url) => {
    const id = randomUUID();
    const started = performance.now();
    metrics.begin();
    const traceparent = traceOf(request.headers.get("traceparent"), id);
    const { path, query } = split(target);
    const match = find(path);
    const endpoint = match?.place.endpoints.get(method(request));
    const said = { ...endpoint?.headers, ...toScripts(request, match?.place.allow) };
    let reply: Reply;
    try {
      reply = await within(
        handle(request, match, endpoint, query, said),
        () => arriving.delete(request) ? slow(timeLimit) : late(timeLimit),
      );
    } catch (error) {
      const problem = toProblem(error);
      reply = refusal(problem, prefix, id);
      metrics.met(problem);
      if (reply.status >= 500) report(log, problem, id);
    }
    const milliseconds = performance.now() - started;
    metrics.end(match?.place.pattern, request.method, reply.status, milliseconds);
    log("info", "request", {
      id,
      traceparent,
      method: request.method,
      route: match?.place.pattern ?? null,
      status: reply.status,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
      bytes: request.method === "HEAD" ? 0 : bytesOf(reply),
    });
    return respond(say(reply, said), request.method, { "X-Request-Id": id, traceparent });
  };

  function find(path: string): Match<Place> | undefined {
    const match = path.startsWith(`${prefix}/`) || path === prefix
      ? findUnderPrefix(path.slice(prefix.length)) ?? findAtRoot(path)
      : findAtRoot(path);
    return match?.place.admits(match.parameter) ? match : undefined;
  }

  async function handle(
    request: Request,
    match: Match<Place> | undefined,
    endpoint: Endpoint | undefined,
    query: string,
    said: Record<string, string>,
  ): Promise<Reply> {
    checkHost(request.headers);
    if (!match) throw new Problem("not_found", "Nothing lives at this path");
    const { place: { allow }, parameter } = match;
    if (request.method === "OPTIONS") return allowed(allow);
    if (!endpoint) {
      throw new Problem("method_not_allowed", `This path takes ${allow}`, {
        headers: { Allow: allow },
      });
    }
    const { accepts, parameters, mediaTypes, leads, heeded, scope } = endpoint;
    const grant = admit && scope ? await admit(request.headers, scope) : undefined;
    if (grant && count) Object.assign(said, count(grant.id));
    const caller = grant?.id ?? 0;
    const mediaType = preferred(
      request.headers,
      leads ? [...mediaTypes, leads.mediaType] : mediaTypes,
    );
    if (leads && mediaType === leads.mediaType) {
      return answer({ status: 303, location: prefix + leads.path }, { varies: true });
    }
    if (!parameters) {
      const headers = parseHeaders(request.headers, heeded);
      const given = await endpoint.handle(parameter, { query: {}, headers, caller, ...NO_BODY });
      const gzip = takesGzip(request.headers);
      return answer(given, { headers, varies: leads !== undefined, gzip });
    }
    const asked = {
      ...(accepts ? await arrived(request, accepts) : NO_BODY),
      query: parseQuery(query, parameters),
      headers: parseHeaders(request.headers, heeded),
      caller,
    };
    const given = await enter(() => endpoint.handle(parameter, asked));
    return answer(given, { headers: asked.headers });
  }

  /** Reads the body; one that comes after the request was given up leads to nothing. */
  async function arrived(request: Request, accepts: readonly string[]): Promise<Body> {
    arriving.add(request);
    const body = await readBody(request, accepts, bodyLimit);
    if (arriving.delete(request)) return body;
    throw slow(timeLimit);
  }
}

/** The method whose endpoint answers a request. */
function method(request: Request): string {
  return request.method === "HEAD" ? "GET" : request.method;
}

/** The client took too long to send. */
function slow(seconds: number): Problem {
  return new Problem("request_timeout", `The body took more than ${seconds} seconds`, {
    headers: { Connection: "close" },
  });
}

/** This server took too long to answer. */
function late(seconds: number): Problem {
  return new Problem("out_of_time", `The request took more than ${seconds} seconds`);
}

/** A defect is logged as an error, a database that is away as a warning; what has no cause but the
 * load, in a line without a stack, for there may be thousands of them. */
function report(log: Log, problem: Problem, id: string): void {
  const level = problems[problem.code].status === 500 ? "error" : "warn";
  log(level, problem.message, { id, ...(problem.cause ? describe(problem.cause) : {}) });
}
