// The way of a request through the server: its path, its method, what HTTP asks, the verb; then one
// catch and one line in the log.
import { randomUUID } from "node:crypto";
import { prefixOf } from "../config.ts";
import type { Service } from "../declaration/declaration.ts";
import { Problem, problems, toProblem } from "../problem.ts";
import { access } from "./access.ts";
import { allowed, answer, complete, refusal, type Reply } from "./answer.ts";
import { cors } from "./cors.ts";
import { errorMembers, type Log } from "../log.ts";
import { gate } from "./gate.ts";
import { line, type Turn } from "./line.ts";
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

export interface AppOptions extends Omit<Service, "metrics" | "prefix"> {
  /** Bytes of a request's body at most. */
  bodyLimit: number;
  /** Requests that may wait for the database at once; what waits for longer to be one of them is
   * answered with 503. */
  capacity: number;
  /** Seconds until a request is answered with 408 or 504. */
  timeLimit: number;
  log: Log;
}

/** Seconds that a request waits to be among those that may wait for the database. */
const PATIENCE = 1;

/** The seconds that a rate limit is for. */
const MINUTE = 60;

/** A request, what is known of it from the start, and how far it has come. */
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
  /** Whether its body is still to arrive. */
  arriving: boolean;
  /** Its place among those under way; undefined when it is answered. */
  turn: Turn<Exchange> | undefined;
  send(reply: Reply): void;
}

export interface App {
  /** Answers any request, as `toResponse` makes a response of; never rejects. The target is that of
   * the request as it was sent, for the URL of a `Request` may have been resolved. */
  (request: RequestLike, target?: string): Promise<Reply>;
  /** Refuses what came in the place of a request and could not be read as one. */
  refuse(problem: Problem): Promise<Reply>;
  /** Resolves when every request that was asked so far, and meanwhile, is answered. */
  idle(): Promise<void>;
}

export function createApp(options: AppOptions): App {
  const { bodyLimit, capacity, timeLimit, log, ...given } = options;
  const metrics = createMetrics(given.sql, capacity);
  const service = { ...given, prefix: prefixOf(given.baseUrl), metrics };
  const { load } = metrics;
  const { prefix, authRequired, rateLimit, corsOrigins, ending } = service;
  const throughGate = gate(capacity, PATIENCE, load);
  const underWay = line<Exchange>(timeLimit, giveUp);
  let becomesIdle = () => {};
  const admit = authRequired ? access(service, throughGate) : undefined;
  const count = rateLimit ? rate(rateLimit, MINUTE) : undefined;
  const corsHeaders = cors(corsOrigins);
  const find = router(places(service));

  function app(request: RequestLike, target = request.url): Promise<Reply> {
    return new Promise((send) => {
      const exchange = begin(request, target, send);
      handle(exchange).then(
        (reply) => end(exchange, reply),
        (error) => fail(exchange, toProblem(error)),
      );
    });
  }

  function begin(request: RequestLike, target: string, send: Exchange["send"]): Exchange {
    load.underWay++;
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
      ...corsHeaders(request, match?.place.allow),
    };
    const exchange: Exchange = {
      request,
      id,
      traceparent,
      started,
      match,
      endpoint,
      query,
      said,
      arriving: false,
      turn: undefined,
      send,
    };
    exchange.turn = underWay.join(exchange);
    return exchange;
  }

  async function handle(exchange: Exchange): Promise<Reply> {
    const { request, match, endpoint, query, said } = exchange;
    const { method, headers } = request;
    checkHost(headers);
    if (!match) throw new Problem("not_found", "There is nothing at this path");
    const { place: { allow, endpoints }, parameter } = match;
    if (method === "OPTIONS") return allowed(allow, endpoints.get("PATCH")?.accepts);
    if (!endpoint) {
      throw new Problem("method_not_allowed", `This path takes ${allow}`, {
        headers: { Allow: allow },
      });
    }
    const { accepts, parameters, mediaTypes, redirect, heeded, scope } = endpoint;
    const grant = admit && scope ? await admit(headers, scope) : undefined;
    if (grant && count) Object.assign(said, count(grant.id));
    const caller = grant?.id ?? 0;
    const mediaType = preferred(
      headers,
      redirect ? [...mediaTypes, redirect.mediaType] : mediaTypes,
    );
    if (redirect && mediaType === redirect.mediaType) {
      return answer({ status: 303, location: prefix + redirect.path }, { varies: true });
    }
    const asked = {
      ...accepts ? await arrived(exchange, accepts) : NO_BODY,
      query: parameters ? parseQuery(query, parameters) : {},
      headers: parseHeaders(headers, heeded),
      caller,
    };
    const work = () => endpoint.handle(parameter, asked);
    // A page passes no gate: what watches the process is answered also while it is full
    const made = await (parameters ? throughGate(work) : work());
    return answer(made, {
      // A write heeds its conditions before it is made
      known: methodOf(request) === "GET" ? asked.headers["If-None-Match"] : undefined,
      varies: redirect !== undefined,
      gzip: "gzipped" in made && takesGzip(headers),
    });
  }

  /** Reads the body; one that comes after the request was given up leads to nothing. */
  async function arrived(exchange: Exchange, accepts: readonly string[]): Promise<Body> {
    exchange.arriving = true;
    const body = await readBody(exchange.request, accepts, bodyLimit);
    exchange.arriving = false;
    if (exchange.turn) return body;
    throw slow(timeLimit);
  }

  /** Answers what has taken too long; what it waited for may still come to its end. */
  function giveUp(exchange: Exchange): void {
    fail(exchange, exchange.arriving ? slow(timeLimit) : late(timeLimit));
  }

  function fail(exchange: Exchange, problem: Problem): void {
    if (!exchange.turn) return;
    const reply = refusal(problem, prefix, exchange.id);
    metrics.met(problem);
    if (reply.status >= 500) report(log, problem, exchange.id);
    end(exchange, reply);
  }

  /** Sends the reply, where none was sent before, and records it then: whoever waits for it need not
   * wait for that. */
  function end(exchange: Exchange, reply: Reply): void {
    const { request: { method }, started, said, turn } = exchange;
    if (!turn) return;
    turn.leave();
    exchange.turn = undefined;
    const milliseconds = performance.now() - started;
    const sent = complete(reply, method, said);
    if (ending.aborted) sent.headers["Connection"] = "close"; // what it sends next goes elsewhere
    exchange.send(sent);
    queueMicrotask(() => record(exchange, sent, milliseconds));
  }

  /** Counts what was answered, and writes its line in the log. */
  function record(
    exchange: Exchange,
    { status, headers, body }: Reply,
    milliseconds: number,
  ): void {
    const { request: { method }, id, traceparent, match } = exchange;
    const route = match?.place.pattern;
    metrics.answered(route, method, status, milliseconds);
    log("info", "request", {
      id,
      traceparent,
      method,
      route: route ?? null,
      status,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
      bytes: body === null ? 0 : Number(headers["Content-Length"]),
    });
    load.underWay--;
    if (load.underWay === 0) becomesIdle();
  }

  return Object.assign(app, {
    refuse: (problem: Problem) =>
      new Promise<Reply>((send) => fail(begin(UNREADABLE, UNREADABLE.url, send), problem)),

    async idle() {
      if (load.underWay > 0) await new Promise<void>((resolve) => becomesIdle = resolve);
    },
  });
}

/** What is known of a request that could not be read. */
const UNREADABLE: RequestLike = {
  method: "",
  url: "*",
  headers: { get: () => null },
  body: null,
  bytes: () => Promise.resolve(NO_BODY.bytes),
};

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
  log(level, problem.message, { id, ...(problem.cause ? errorMembers(problem.cause) : {}) });
}
