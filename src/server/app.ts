// A request's way through the house: its path, its method, what HTTP asks, the verb; then one catch
// and one line in the log.
import { randomUUID } from "node:crypto";
import type { Service } from "../declaration/declaration.ts";
import { Problem, problems, toProblem } from "../problem.ts";
import { access } from "./access.ts";
import { allowed, answer, complete, refusal, type Reply } from "./answer.ts";
import { cors } from "./cors.ts";
import { describe, type Log } from "../log.ts";
import { deadline, gate } from "./limits.ts";
import { createMetrics } from "./metrics.ts";
import { type Endpoint, type Place, places } from "./places.ts";
import { rate } from "./rate.ts";
import {
  type Body,
  checkHost,
  NO_BODY,
  parseHeaders,
  parseQuery,
  preferred,
  readBody,
  type RequestLike,
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

/** A request, and what is known of it from the start. */
interface Exchange {
  request: RequestLike;
  id: string;
  traceparent: string;
  /** When it came, as `performance.now()` counts. */
  started: number;
  match: Match<Place> | undefined;
  endpoint: Endpoint | undefined;
  query: string;
  /** What the answer says besides what the verb has it say. */
  said: Record<string, string>;
}

/** Answers any request, as `toResponse` makes a response of; never rejects. The target is that of the
 * request as it was sent, for the URL of a `Request` may have been resolved. */
export type App = (request: RequestLike, target?: string) => Promise<Reply>;

export function createApp(options: AppOptions): App {
  const { bodyLimit, capacity, timeLimit, log, ...given } = options;
  const metrics = createMetrics(given.sql, capacity);
  const service = { ...given, metrics };
  const { prefix, authRequired, rateLimit, corsOrigins } = service;
  const enter = gate(capacity, PATIENCE, metrics.load);
  const within = deadline(timeLimit);
  /** The requests whose body has not arrived yet. */
  const arriving = new WeakSet<RequestLike>();
  const admit = authRequired ? access(service, enter) : undefined;
  const count = rateLimit ? rate(rateLimit, MINUTE) : undefined;
  const toScripts = cors(corsOrigins);
  const find = router(places(service));

  return async (request, target = request.url) => {
    const exchange = begin(request, target);
    let reply: Reply;
    try {
      reply = await within(
        handle(exchange),
        () => arriving.delete(request) ? slow(timeLimit) : late(timeLimit),
      );
    } catch (error) {
      reply = refuse(exchange, toProblem(error));
    }
    return end(exchange, reply);
  };

  function begin(request: RequestLike, target: string): Exchange {
    metrics.begin();
    const started = performance.now();
    const id = randomUUID();
    const traceparent = traceOf(request.headers.get("traceparent"), id);
    const { path, query } = split(target);
    const found = find(path);
    const match = found?.place.admits(found.parameter) ? found : undefined;
    const endpoint = match?.place.endpoints.get(methodOf(request));
    const said = {
      "X-Request-Id": id,
      traceparent,
      ...endpoint?.headers,
      ...toScripts(request, match?.place.allow),
    };
    return { request, id, traceparent, started, match, endpoint, query, said };
  }

  async function handle({ request, match, endpoint, query, said }: Exchange): Promise<Reply> {
    const { method, headers } = request;
    checkHost(headers);
    if (!match) throw new Problem("not_found", "Nothing lives at this path");
    const { place: { allow }, parameter } = match;
    if (method === "OPTIONS") return allowed(allow);
    if (!endpoint) {
      throw new Problem("method_not_allowed", `This path takes ${allow}`, {
        headers: { Allow: allow },
      });
    }
    const { accepts, parameters, mediaTypes, leads, heeded, scope } = endpoint;
    const grant = admit && scope ? await admit(headers, scope) : undefined;
    if (grant && count) Object.assign(said, count(grant.id));
    const caller = grant?.id ?? 0;
    const mediaType = preferred(headers, leads ? [...mediaTypes, leads.mediaType] : mediaTypes);
    if (leads && mediaType === leads.mediaType) {
      return answer({ status: 303, location: prefix + leads.path }, { varies: true });
    }
    const asked = {
      ...accepts ? await arrived(request, accepts) : NO_BODY,
      query: parameters ? parseQuery(query, parameters) : {},
      headers: parseHeaders(headers, heeded),
      caller,
    };
    if (!parameters) {
      const given = await endpoint.handle(parameter, asked);
      const [varies, gzip] = [leads !== undefined, takesGzip(headers)];
      return answer(given, { headers: asked.headers, varies, gzip });
    }
    const given = await enter(() => endpoint.handle(parameter, asked));
    return answer(given, { headers: asked.headers });
  }

  /** Reads the body; one that comes after the request was given up leads to nothing. */
  async function arrived(request: RequestLike, accepts: readonly string[]): Promise<Body> {
    arriving.add(request);
    const body = await readBody(request, accepts, bodyLimit);
    if (arriving.delete(request)) return body;
    throw slow(timeLimit);
  }

  function refuse({ id }: Exchange, problem: Problem): Reply {
    const reply = refusal(problem, prefix, id);
    metrics.met(problem);
    if (reply.status >= 500) report(log, problem, id);
    return reply;
  }

  function end(
    { request: { method }, id, traceparent, started, match, said }: Exchange,
    reply: Reply,
  ): Reply {
    const milliseconds = performance.now() - started;
    const route = match?.place.pattern;
    const sent = complete(reply, method, said);
    const { status, headers, body } = sent;
    metrics.end(route, method, status, milliseconds);
    log("info", "request", {
      id,
      traceparent,
      method,
      route: route ?? null,
      status,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
      bytes: body === null ? 0 : Number(headers["Content-Length"]),
    });
    return sent;
  }
}

/** The method whose endpoint answers a request. */
function methodOf(request: RequestLike): string {
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
