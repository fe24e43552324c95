// From the tables of routes and pages to what answers at each path.
import * as v from "valibot";
import { pages, rootPages } from "../api/pages.ts";
import { deprecationHeaders, deprecationsOf } from "../model/deprecation.ts";
import { identifierText } from "../model/field.ts";
import type {
  Answer,
  Call,
  Header,
  Method,
  Page,
  Parameter,
  Redirect,
  Resource,
  Service,
} from "../model/model.ts";
import { type Scope, scopeOf } from "../model/scope.ts";

/** What answers a method at a path. */
export interface Endpoint {
  /** The media types it answers in. */
  mediaTypes: readonly string[];
  /** Where a client is sent that prefers another one. */
  redirect?: Redirect | undefined;
  /** The media types of the body it takes. */
  accepts?: readonly string[] | undefined;
  /** The query parameters it knows. An endpoint without them is a page: it ignores the query, and
   * answers without a seat, so that whoever watches the process is answered while it is full. */
  parameters?: Record<string, Parameter>;
  /** The headers it heeds. */
  heeded: Record<string, Header>;
  /** What a token has to allow, where one is needed at all. */
  scope?: Scope | undefined;
  /** Headers of each of its responses. */
  headers?: Record<string, string>;
  handle(parameter: string, asked: Asked): Answer | Promise<Answer>;
}

/** What a request asks besides its path. */
export type Asked = Omit<Call, "identifier">;

const JSON_ALONE = ["application/json"];

export interface Route {
  pattern: string;
  endpoints: Map<string, Endpoint>;
  /** The methods it has, as the Allow header lists them. */
  allow: string;
  /** Whether this text can stand where the pattern has braces. */
  admits(parameter: string): boolean;
}

/** Everything that answers, with its path: under the prefix, and what is at the root too. */
export function routes(service: Service): [path: string, route: Route][] {
  const { prefix, resources } = service;
  const prefixed = [
    ...resources.flatMap((resource) => resourceRoutes(resource, service)),
    ...pageRoutes(pages, service),
  ].map((route): [string, Route] => [prefix + route.pattern, route]);
  const atRoot = prefix === "" ? [] : pageRoutes(rootPages, service);
  return [...prefixed, ...atRoot.map((route): [string, Route] => [route.pattern, route])];
}

function pageRoutes(pages: Record<string, Page>, service: Service): Route[] {
  return Object.entries(pages).map(([pattern, page]) => {
    const { mediaTypes = JSON_ALONE, redirect, scope, headers: heeded = {} } = page;
    const endpoint = { mediaTypes, redirect, heeded, scope, handle: page.prepare(service) };
    return route(pattern, [["GET", endpoint]], () => true);
  });
}

function resourceRoutes(resource: Resource, service: Service): Route[] {
  return Object.entries(resource.routes).map(([pattern, verbs]) => {
    const endpoints = verbs.map((verb): [Method, Endpoint] => {
      const handler = verb.prepare(resource, pattern, service);
      return [verb.method, {
        mediaTypes: JSON_ALONE,
        accepts: verb.accepts,
        parameters: verb.query?.(resource) ?? {},
        heeded: verb.headers ?? {},
        scope: scopeOf[verb.method],
        headers: deprecationHeaders(deprecationsOf(resource, verb)),
        handle: (parameter, asked) => handler({ ...asked, identifier: Number(parameter) }),
      }];
    });
    return route(pattern, endpoints, (parameter) => v.is(identifierText, parameter));
  });
}

function route(
  pattern: string,
  endpoints: [Method, Endpoint][],
  admits: Route["admits"],
): Route {
  const methods = endpoints.flatMap(([method]) => method === "GET" ? ["GET", "HEAD"] : [method]);
  return {
    pattern,
    endpoints: new Map(endpoints),
    allow: [...methods, "OPTIONS"].join(", "),
    admits: (parameter) => !pattern.includes("{") || admits(parameter),
  };
}
