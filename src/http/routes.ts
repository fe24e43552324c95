// Turns the resources, reports and pages into the endpoints of each path.
import * as v from "valibot";
import { pages, rootPages } from "../api/pages.ts";
import { reporting } from "../api/report.ts";
import { deprecationHeaders, deprecationsIn, deprecationsOf } from "../model/deprecation.ts";
import { identifierText } from "../model/number.ts";
import type {
  Answer,
  Call,
  Header,
  Method,
  Page,
  Parameter,
  Redirect,
  Report,
  Resource,
  Service,
} from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { type Scope, scopeOf } from "../model/scope.ts";

/** One method at one path. */
export interface Endpoint {
  /** The media types of its answers. */
  mediaTypes: readonly string[];
  /** The endpoint of the same method for clients that prefer its media types. */
  other?: Endpoint;
  /** The page for clients that prefer another one. */
  redirect?: Redirect | undefined;
  /** The media types of the body that it takes. */
  accepts?: readonly string[] | undefined;
  /** Its query parameters. A page has none: it ignores the query, and takes no seat, so that health
   * checks get an answer while all seats are taken. */
  parameters?: Record<string, Parameter>;
  /** The request headers that it uses. */
  requestHeaders: Record<string, Header>;
  /** The scope that a token needs, if tokens are needed at all. */
  scope?: Scope | undefined;
  /** Whether it tells what a token allows. */
  tellsScopes?: boolean;
  /** The request headers that decide what it answers, as the Vary header lists them. */
  varies?: string;
  /** The headers of each of its responses. */
  responseHeaders?: Record<string, string>;
  handle(parameter: string, parsed: Parsed): Answer | Promise<Answer>;
}

/** A request without its path. */
export type Parsed = Omit<Call, "identifier">;

const JSON_ONLY = ["application/json"];

export interface Route {
  pattern: string;
  endpoints: ReadonlyMap<string, Endpoint>;
  /** The methods it has, as the Allow header lists them. */
  allow: string;
  /** Whether a text fits the part of the pattern in braces. */
  fits(parameter: string): boolean;
}

/** Every route with its path. Some are both under the prefix and at the root. */
export function routes(service: Service): [path: string, route: Route][] {
  const { prefix, resources, reports } = service;
  const prefixed = [
    ...resources.flatMap((resource) => resourceRoutes(resource, service)),
    ...reports.map((report) => reportRoute(report, service)),
    ...pageRoutes(pages, service),
  ].map((route): [string, Route] => [prefix + route.pattern, route]);
  const atRoot = prefix === "" ? [] : pageRoutes(rootPages, service);
  return [...prefixed, ...atRoot.map((route): [string, Route] => [route.pattern, route])];
}

function pageRoutes(pages: Record<string, Page>, service: Service): Route[] {
  return Object.entries(pages).map(([pattern, page]) => {
    const { mediaTypes = JSON_ONLY, redirect, scope, headers: requestHeaders = {} } = page;
    const tellsScopes = service.authRequired && page.tellsScopes === true;
    const answer = page.prepare(service);
    const endpoint: Endpoint = {
      mediaTypes,
      redirect,
      requestHeaders,
      scope,
      tellsScopes,
      varies: [...redirect ? ["Accept"] : [], ...tellsScopes ? ["Authorization"] : []].join(", "),
      handle: (parameter, { scopes }) => answer(parameter, scopes),
    };
    return route(pattern, [["GET", endpoint]], () => true);
  });
}

function resourceRoutes(resource: Resource, service: Service): Route[] {
  return Object.entries(resource.routes).map(([pattern, verbs]) => {
    const endpoints = verbs.map((verb): [Method, Endpoint] => {
      const handler = verb.prepare(resource, pattern, service);
      return [verb.method, {
        mediaTypes: verb.mediaTypes ?? JSON_ONLY,
        accepts: verb.accepts,
        parameters: verb.query?.(resource) ?? {},
        requestHeaders: verb.headers ?? {},
        scope: scopeOf[verb.method],
        responseHeaders: deprecationHeaders(deprecationsOf(resource, verb)),
        handle: (parameter, parsed) => handler({ ...parsed, identifier: Number(parameter) }),
      }];
    });
    return route(pattern, endpoints, (parameter) => v.is(identifierText, parameter));
  });
}

function reportRoute(report: Report, service: Service): Route {
  const answer = reporting(report, service);
  const endpoint: Endpoint = {
    mediaTypes: JSON_ONLY,
    parameters: mapValues(report.inputs, ({ parameter }) => parameter),
    requestHeaders: {},
    scope: scopeOf.GET,
    responseHeaders: deprecationHeaders(deprecationsIn(report.fields)),
    handle: (_, { query }) => answer(query),
  };
  return route(report.path, [["GET", endpoint]], () => true);
}

function route(
  pattern: string,
  endpoints: [Method, Endpoint][],
  fits: Route["fits"],
): Route {
  const byMethod = new Map<Method, Endpoint>();
  for (const [method, endpoint] of endpoints) {
    const before = byMethod.get(method);
    byMethod.set(method, before ? { ...before, other: endpoint, varies: "Accept" } : endpoint);
  }
  const methods = [...byMethod.keys()].flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method]
  );
  return {
    pattern,
    endpoints: byMethod,
    allow: [...methods, "OPTIONS"].join(", "),
    fits: (parameter) => !pattern.includes("{") || fits(parameter),
  };
}
