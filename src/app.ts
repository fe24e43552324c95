// The way of a request through the server: route, method, token, rate, media type, body, query, headers, seat,
// verb; then one catch and one line in the log.
import { randomUUID } from "node:crypto";
import { withGzip } from "./api/packed.ts";
import { isLoopback, prefixOf } from "./config.ts";
import { needsOperator } from "./db/errors.ts";
import { newsOf } from "./db/news.ts";
import { Problem, problems, toProblem } from "./errors/problem.ts";
import { access } from "./http/access.ts";
import { createAdmission, Deadline } from "./http/admission.ts";
import { cors } from "./http/cors.ts";
import { rate } from "./http/rate.ts";
import {
  acceptsGzip,
  type Body,
  hostCheck,
  NO_BODY,
  parseHeaders,
  parseQuery,
  preferredOf,
  readBody,
  splitUrl,
} from "./http/request.ts";
import { type Reply, responder, type ResponseContext, responseOf } from "./http/response.ts";
import { router } from "./http/router.ts";
import { type Route, routes, type Said } from "./http/routes.ts";
import { signInAt } from "./http/sign-in.ts";
import { traceOf } from "./http/trace.ts";
import { type Caller, callerName, everybody } from "./model/caller.ts";
import type { Identifier } from "./model/key.ts";
import type { Action, Call, Report, Service } from "./model/model.ts";
import { claimNames } from "./model/view.ts";
import { errorMembers, type Log } from "./telemetry/log.ts";
import { createMetrics } from "./telemetry/metrics.ts";

export interface AppOptions
  extends
    Omit<Service, "metrics" | "news" | "prefix" | "reports" | "actions" | "claims" | "signIn"> {
  /** None by default. */
  reports?: Report[];
  actions?: Action[];
  /** Those that the declarations name, by default. */
  claims?: readonly string[];
  /** The address that it listens on, if it does. */
  host?: string;
  /** The most bytes that a request's body may have. */
  bodyLimit: number;
  /** The most requests that may use the database at once. */
  capacity: number;
  /** Seconds until a request is answered with 408 or 504. */
  timeLimit: number;
  log: Log;
}

export interface App {
  /** Answers any request, of a caller if it is known who that is; never rejects. */
  fetch(request: Request, caller?: Caller): Promise<Response>;
  /** The same, with the parts of the response. */
  reply(request: Request): Promise<Reply>;
  /** Resolves when every request is answered, including those that arrive meanwhile. */
  drain(): Promise<void>;
}

/** The rate limit is for a minute, in seconds. */
const MINUTE = 60;

/** A request on its way to its response. */
interface Exchange extends ResponseContext {
  request: Request;
  traceparent: string;
  /** When it arrived, on the clock of `performance.now()`. */
  started: number;
  match: { route: Route } & Said | undefined;
  query: string;
  deadline: Deadline;
  isAnswered: boolean;
  /** Who sends it, once that is known. */
  caller: Caller | undefined;
  /** The row that it is about, or that it created. */
  row: Identifier | undefined;
  send(reply: Reply): void;
}

export function createApp(options: AppOptions): App {
  const { bodyLimit, capacity, timeLimit, log, host = "", reports = [], actions = [], ...given } =
    options;
  const { claims = claimNames([...given.resources, ...reports, ...actions]) } = given;
  const admission = createAdmission(capacity, timeLimit);
  const metrics = createMetrics(given.database, capacity, admission.load);
  const news = newsOf(given.database);
  const service = {
    ...given,
    reports,
    actions,
    claims,
    prefix: prefixOf(given.baseUrl),
    metrics,
    news,
    signIn: given.issuer && signInAt(given.issuer, log),
  };
  const { authRequired, rateLimit, corsOrigins } = service;
  const authorize = authRequired ? access(service, admission, log) : undefined;
  const limitRate = rateLimit ? rate(rateLimit, MINUTE) : undefined;
  const checkHost = hostCheck(!authRequired && isLoopback(host), service.baseUrl);
  const { isPreflight, headers: corsHeaders } = cors(corsOrigins);
  const { respond, respondToOptions, refuse } = responder(service);
  const find = router(routes(service));

  /** Answers a request with what `make` makes of the reply. */
  function serve<Sent>(
    request: Request,
    make: (reply: Reply) => Sent,
    caller?: Caller,
  ): Promise<Sent> {
    return new Promise((resolve) => {
      const exchange = begin(request, (reply) => resolve(make(reply)), caller);
      answer(exchange).then(
        (reply) => end(exchange, reply),
        (error) => fail(exchange, toProblem(error)),
      );
    });
  }

  function begin(
    request: Request,
    send: Exchange["send"],
    caller: Caller | undefined,
  ): Exchange {
    const started = performance.now();
    const id = randomUUID();
    const traceparent = traceOf(request.headers.get("traceparent"), id);
    const { path, query } = splitUrl(request.url);
    const found = find(path);
    const said = found?.route.parse(found.parameters);
    const match = found && said ? { route: found.route, ...said } : undefined;
    const exchange: Exchange = {
      request,
      method: request.method,
      id,
      traceparent,
      started,
      match,
      query,
      headers: { "X-Request-Id": id, traceparent, ...corsHeaders(request) },
      bytes: 0,
      isPrivate: false,
      deadline: admission.begin((problem) => fail(exchange, problem)),
      isAnswered: false,
      send,
      caller,
      row: match?.route.isOfRow ? match.identifier : undefined,
    };
    return exchange;
  }

  async function answer(exchange: Exchange): Promise<Reply> {
    const { request, match, query, deadline } = exchange;
    const { method, headers } = request;
    checkHost(headers);
    if (!match && isPreflight(request)) return respondToOptions(exchange);
    if (!match) throw new Problem("not_found", "There is nothing at this path");
    const { route: { allow, methods }, parameter, identifier, path } = match;
    if (method === "OPTIONS") {
      return respondToOptions(exchange, allow, methods.get("PATCH")?.[0]?.accepts);
    }
    const endpoints = methods.get(method);
    if (!endpoints) {
      throw new Problem("method_not_allowed", `This path takes ${allow}`, {
        headers: { Allow: allow },
      });
    }
    const { scope, tellsCaller, isOpen = !scope, admit } = endpoints[0]!;
    if (admit) varyByCaller(exchange);
    const isAsked = authorize && !exchange.caller && (scope || tellsCaller);
    const admitted = exchange.caller ??
      (isAsked ? authorize(headers, { scope, isOpen }, deadline) : everybody);
    const caller = admitted instanceof Promise ? await admitted : admitted;
    exchange.caller = caller;
    if (admit) letIn(exchange, caller, admit);
    if (limitRate && isAsked) Object.assign(exchange.headers, limitRate(caller.id));
    const endpoint = preferredOf(endpoints, headers);
    const { accepts, parameters, requestHeaders, responseHeaders, varies, handle } = endpoint;
    const { takesNoBody = false, packed = false } = endpoint;
    Object.assign(exchange.headers, responseHeaders);
    const call: Call = {
      parameter,
      identifier,
      path,
      ...accepts ? await bodyOf(exchange, accepts, takesNoBody) : NO_BODY,
      query: parameters ? parseQuery(query, parameters, endpoints) : {},
      headers: parseHeaders(headers, requestHeaders),
      caller,
      isAllowed: async () => !isAsked || await isValid(headers),
    };
    const work = () => handle(call);
    // Only a page has no parameters; it takes no seat
    const result = await (parameters ? admission.seated(deadline, work) : work());
    if ("row" in result) exchange.row = result.row;
    const gzip = packed && acceptsGzip(headers);
    return respond(gzip ? await withGzip(result) : result, exchange, {
      // A write has checked its conditions already, in its statement
      conditions: method === "GET" || method === "HEAD" ? call.headers : undefined,
      varies,
      gzip,
    });
  }

  /** Tells caches that other callers may get another answer, also where this one gets none. */
  function varyByCaller({ headers }: Exchange): void {
    headers["Vary"] = headers["Vary"] ? `${headers["Vary"]}, Authorization` : "Authorization";
  }

  /** Lets a caller in, as far as its rules do: its answers are for it alone. */
  function letIn(exchange: Exchange, caller: Caller, admit: (caller: Caller) => unknown): void {
    exchange.isPrivate = caller.kind !== "nobody";
    admit(caller);
  }

  /** Whether the token of an open stream is still valid; it counts as valid while that cannot be told. */
  async function isValid(headers: Headers): Promise<boolean> {
    try {
      await authorize!(headers, { isOpen: true }, new Deadline(Infinity));
      return true;
    } catch (error) {
      return toProblem(error).code !== "unauthorized";
    }
  }

  async function bodyOf(
    { request, deadline }: Exchange,
    accepts: readonly string[],
    takesNone: boolean,
  ): Promise<Body> {
    deadline.isArriving = true;
    const body = await readBody(request, accepts, bodyLimit, takesNone);
    deadline.isArriving = false;
    return body;
  }

  function fail(exchange: Exchange, problem: Problem): void {
    if (exchange.isAnswered) return;
    metrics.failed(problem);
    logProblem(log, problem, exchange.id);
    end(exchange, refuse(problem, exchange));
  }

  /** Sends the reply, unless one was sent at the deadline. It is recorded afterwards, so that the client
   * does not wait for that. */
  function end(exchange: Exchange, reply: Reply): void {
    if (exchange.isAnswered) {
      // No client gets it, so a stream in it would never end
      if (reply.body instanceof ReadableStream) reply.body.cancel();
      return;
    }
    exchange.isAnswered = true;
    const milliseconds = performance.now() - exchange.started;
    exchange.send(reply);
    queueMicrotask(() => record(exchange, reply.status, milliseconds));
  }

  /** Counts the response, and writes its line in the log. */
  function record(exchange: Exchange, status: number, milliseconds: number): void {
    const { method, id, traceparent, match, bytes, deadline, caller, row } = exchange;
    const route = match?.route.pattern;
    metrics.answered(route, method, status, milliseconds);
    log("info", "request", {
      id,
      traceparent,
      method,
      route: route ?? null,
      caller: caller ? callerName(caller) : null,
      row: row ?? null,
      status,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
      bytes,
    });
    admission.end(deadline);
  }

  return {
    fetch: (request, caller) => serve(request, responseOf, caller),
    reply: (request) => serve(request, (reply) => reply),
    drain: admission.drain,
  };
}

/** Logs a defect as an error, an unavailable database as a warning unless it needs its operator, and what the
 * database refused for the operator, who may have made the constraint. A problem without a cause comes
 * from the load or the client alone; there may be thousands of them, so their lines have no stack. */
function logProblem(log: Log, problem: Problem, id: string): void {
  const { status } = problems[problem.code];
  if (status < 500 && !problem.cause) return;
  const isError = status === 500 || needsOperator(problem.cause);
  const level = status < 500 ? "info" : isError ? "error" : "warn";
  log(level, problem.message, { id, ...(problem.cause ? errorMembers(problem.cause) : {}) });
}
