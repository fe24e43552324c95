// A request's way through the house: its path, its method, what HTTP asks, the verb; then one catch
// and one line in the log.
import { randomUUID } from "node:crypto";
import type { Resource, Service } from "../declaration/declaration.ts";
import { Problem, problems, toProblem } from "../problem.ts";
import { allowed, answer, refusal, type Reply, respond } from "./answer.ts";
import { describe, type Log } from "./log.ts";
import { healthPages } from "./pages.ts";
import { pagePlaces, type Place, places } from "./places.ts";
import { checkAccept, parseQuery, readBody, target } from "./request.ts";
import { type Match, router } from "./router.ts";

export interface AppOptions extends Service {
  resources: Resource[];
  /** Bytes of a request's body at most. */
  bodyLimit: number;
  /** Seconds until a request is answered with 504. */
  timeLimit: number;
  log: Log;
}

/** Answers any request; never rejects. */
export type App = (request: Request) => Promise<Response>;

export function createApp({ resources, bodyLimit, timeLimit, log, ...service }: AppOptions): App {
  const { prefix } = service;
  const health = pagePlaces(healthPages(service));
  const findAtRoot = router(health);
  const findUnderPrefix = router({ ...places(resources, service), ...health });

  return async (request) => {
    const id = randomUUID();
    const started = performance.now();
    const { path, query } = target(request.url);
    const match = find(path);
    let reply: Reply;
    try {
      reply = await within(timeLimit, handle(request, match, query));
    } catch (error) {
      const problem = toProblem(error);
      reply = refusal(problem, prefix, id);
      if (problem.cause) report(log, problem, id);
    }
    log("info", "request", {
      id,
      method: request.method,
      route: match?.place.pattern ?? null,
      status: reply.status,
      milliseconds: Math.round((performance.now() - started) * 1000) / 1000,
    });
    return respond(reply, request.method, id);
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
    query: string,
  ): Promise<Reply> {
    if (!match) throw new Problem("not_found", "Nothing lives at this path");
    const { place: { endpoints, allow }, parameter } = match;
    const { method, headers } = request;
    if (method === "OPTIONS") return allowed(allow);
    const endpoint = endpoints.get(method === "HEAD" ? "GET" : method);
    if (!endpoint) {
      throw new Problem("method_not_allowed", `This path takes ${allow}`, {
        headers: { Allow: allow },
      });
    }
    checkAccept(headers);
    const { accepts, parameters } = endpoint;
    const body = accepts ? await readBody(request, accepts, bodyLimit) : undefined;
    return answer(
      await endpoint.handle(parameter, parameters ? parseQuery(query, parameters) : {}, body),
    );
  }
}

/** A defect is logged as an error, a database that is away as a warning. */
function report(log: Log, problem: Problem, id: string): void {
  const level = problems[problem.code].status === 500 ? "error" : "warn";
  log(level, problem.message, { id, ...describe(problem.cause) });
}

/** Gives up waiting after some seconds; what was waited for may still come to its end. */
async function within<Result>(seconds: number, work: Promise<Result>): Promise<Result> {
  let timer;
  const limit = new Promise<never>((_, reject) => {
    const problem = () =>
      new Problem("out_of_time", `The request took more than ${seconds} seconds`);
    timer = setTimeout(() => reject(problem()), seconds * 1000);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
