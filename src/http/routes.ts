// Turns the resources, reports, actions and pages into the endpoints of each path.
import * as v from "valibot";
import { acting } from "../api/action.ts";
import { keeping } from "../api/history.ts";
import { idempotencyKey } from "../api/keyed.ts";
import { pages, rootPages } from "../api/pages.ts";
import { reporting } from "../api/report.ts";
import { type SeenBy, standings } from "../api/standing.ts";
import type { Value } from "../db/sql.ts";
import { deprecationHeaders, deprecationsIn, deprecationsOf } from "../model/deprecation.ts";
import type { Caller } from "../model/caller.ts";
import type { Identifier } from "../model/key.ts";
import type {
  Action,
  Call,
  Filter,
  Handler,
  Header,
  Page,
  Parameter,
  Payload,
  Report,
  Resource,
  Service,
  Verb,
} from "../model/model.ts";
import { parameterOf } from "../model/parameter.ts";
import { mapValues } from "../model/record.ts";
import { type Scope, scopeOf } from "../model/scope.ts";
import { byStanding, guarded, guardedSql } from "./guard.ts";

/** What one method does at one path, for clients that prefer its media types. */
export interface Endpoint {
  method: string;
  /** The media types of its answers. */
  mediaTypes: readonly string[];
  /** The media types of the body that it takes. */
  accepts?: readonly string[] | undefined;
  /** Whether an empty body is one without members. */
  takesNoBody?: boolean;
  /** Its query parameters. A page has none: it ignores the query, and takes no seat, so that health
   * checks get an answer while all seats are taken. */
  parameters?: Record<string, Parameter>;
  requestHeaders: Record<string, Header>;
  /** The scope that a token needs, if tokens are needed at all. */
  scope?: Scope | undefined;
  /** Whether it tells what a token allows. */
  tellsCaller?: boolean;
  /** Whether its answers are compressed by gzip for clients that accept it. */
  packed?: boolean | undefined;
  /** The request headers that decide what its method answers, as the Vary header lists them. */
  varies?: string;
  responseHeaders?: Record<string, string>;
  handle: Handler;
  /** Whether it lets in who sends no token, although there are scopes. */
  isOpen?: boolean;
  /** Throws a problem about a caller whom its rules do not let in; without it, there are none. */
  admit?(caller: Caller): unknown;
}

const JSON_ONLY = ["application/json"];

export interface Route {
  pattern: string;
  /** The endpoints of each method, which need the same scope. The first is for clients that prefer none. */
  methods: ReadonlyMap<string, readonly Endpoint[]>;
  /** The methods it has, as the Allow header lists them. */
  allow: string;
  /** Whether the text in place of the braces identifies a row. */
  isOfRow: boolean;
  /** What the texts in place of the braces say; undefined if they fit nothing. */
  parse(parameters: string[]): Said | undefined;
}

/** What the path of a request says. */
export type Said = Pick<Call, "parameter" | "identifier" | "path">;

/** Every route with its path. Some are both under the prefix and at the root. */
export function routes(service: Service): [path: string, route: Route][] {
  const { prefix, resources, reports, actions } = service;
  const seenBy = standings([...resources, ...reports, ...actions]);
  const writing = keeping(service);
  const prefixed = [
    ...resources.flatMap((resource) => resourceRoutes(resource, service, writing, seenBy)),
    ...reports.map((report) => reportRoute(report, service)),
    ...actions.map((action) => actionRoute(action, service, seenBy)),
    ...pageRoutes(pages, service),
  ].map((route): [string, Route] => [prefix + route.pattern, route]);
  const atRoot = prefix === "" ? [] : pageRoutes(rootPages, service);
  return [...prefixed, ...atRoot.map((route): [string, Route] => [route.pattern, route])];
}

function pageRoutes(pages: Record<string, Page>, service: Service): Route[] {
  return Object.entries(pages).map(([pattern, page]) => {
    const { mediaTypes = JSON_ONLY, redirect, scope, headers: requestHeaders = {} } = page;
    const tellsCaller = service.authRequired && page.tellsCaller === true;
    const endpoint: Endpoint = {
      method: "GET",
      mediaTypes,
      requestHeaders,
      scope,
      tellsCaller,
      packed: page.packed,
      handle: page.prepare(service),
    };
    if (!redirect) return route(pattern, [endpoint]);
    const location = service.prefix + redirect.path;
    const elsewhere: Endpoint = {
      ...endpoint,
      mediaTypes: [redirect.mediaType],
      handle: () => ({ status: 303, location }),
    };
    return route(pattern, [endpoint, elsewhere]);
  });
}

function resourceRoutes(
  resource: Resource,
  service: Service,
  writing: (resource: Resource) => Service,
  seenBy: SeenBy,
): Route[] {
  return Object.entries(resource.routes).map(([pattern, verbs]) => {
    const serviceOf = (verb: Verb) => verb.writes ? writing(resource) : service;
    const endpoints = verbs.map((verb): Endpoint => ({
      method: verb.method,
      mediaTypes: verb.mediaTypes ?? JSON_ONLY,
      accepts: verb.accepts,
      parameters: verb.query?.(resource) ?? {},
      requestHeaders: verb.headers ?? {},
      scope: scopeOf[verb.method],
      packed: verb.packed,
      responseHeaders: deprecationHeaders(deprecationsOf(resource, verb)),
      ...(resource.access
        ? guarded(resource, verb, pattern, serviceOf(verb), seenBy)
        : { handle: verb.prepare(resource, pattern, serviceOf(verb)) }),
    }));
    const { text, segment = text } = resource.identifiers;
    return route(pattern, endpoints, ([parameter = ""]) => {
      const { success, output } = v.safeParse(segment, parameter);
      return success ? { parameter, identifier: output, path: {} } : undefined;
    });
  });
}

function reportRoute(report: Report, service: Service): Route {
  const endpoint: Endpoint = {
    method: "GET",
    mediaTypes: JSON_ONLY,
    parameters: mapValues(report.inputs, ({ parameter }) => parameter),
    requestHeaders: {},
    scope: scopeOf.GET,
    packed: true,
    responseHeaders: deprecationHeaders(deprecationsIn(report.fields)),
    handle: reporting(report, service),
    ...(report.access && guardedSql(report)),
  };
  return route(report.path, [endpoint]);
}

function actionRoute(action: Action, service: Service, seenBy: SeenBy): Route {
  const { input, body, fields = {}, inPath, isSingle } = action;
  const deprecations = [...deprecationsIn(input.fields), ...deprecationsIn(fields)];
  const endpoint: Endpoint = {
    method: "POST",
    mediaTypes: JSON_ONLY,
    accepts: JSON_ONLY,
    takesNoBody: Object.keys(body.writable).length === 0,
    parameters: {},
    requestHeaders: idempotencyKey,
    scope: scopeOf.POST,
    packed: action.fields && !isSingle,
    responseHeaders: deprecationHeaders(deprecations),
    ...(action.access
      ? {
        ...guardedSql(action),
        handle: byStanding((seen) => acting(action, service, seen), seenBy),
      }
      : { handle: acting(action, service) }),
  };
  const parsers = inPath.map((name) => segmentParser(input, name));
  return route(action.path, [endpoint], (parameters) => {
    const values = parsers.map((parse, index) => parse(parameters[index]!));
    if (values.some((value) => value === undefined)) return undefined;
    return {
      parameter: parameters[0]!,
      identifier: values[0] as Identifier,
      path: Object.fromEntries(inPath.map((name, index) => [name, values[index]!])),
    };
  });
}

/** Makes the function that parses the text in a path of an input; it gives undefined for one that fits nothing. */
function segmentParser(input: Payload, name: string): (text: string) => Value | undefined {
  const field = input.writable[name]!;
  const { text, segment } = field.relation?.target(input).identifiers ?? {};
  const schema = segment ?? text ?? parameterOf(field as typeof field & { filter: Filter });
  return (sent) => {
    try {
      const { success, output } = v.safeParse(schema, segment ? sent : decodeURIComponent(sent));
      return success ? output : undefined;
    } catch {
      return undefined; // it is not percent-encoded text in UTF-8
    }
  };
}

/** Makes the function that gives the texts in a path as they are. */
function textsIn(pattern: string): Route["parse"] {
  const names = Array.from(pattern.matchAll(/\{(\w+)\}/g), ([, name]) => name!);
  return (texts) => ({
    parameter: texts[0] ?? "",
    identifier: texts[0] ?? "",
    path: Object.fromEntries(names.map((name, index) => [name, texts[index]!])),
  });
}

/** Makes a route. HEAD has the endpoints of GET. */
function route(
  pattern: string,
  endpoints: Endpoint[],
  parse?: Route["parse"],
): Route {
  const all = endpoints.flatMap((endpoint) =>
    endpoint.method === "GET" ? [endpoint, { ...endpoint, method: "HEAD" }] : [endpoint]
  );
  const methods = Map.groupBy(all, ({ method }) => method);
  for (const those of methods.values()) {
    for (const endpoint of those) {
      const names = [
        those.length > 1 && "Accept",
        endpoint.packed && "Accept-Encoding",
        endpoint.tellsCaller && "Authorization",
      ];
      endpoint.varies = names.filter(Boolean).join(", ");
    }
  }
  return {
    pattern,
    methods,
    allow: [...methods.keys(), "OPTIONS"].join(", "),
    isOfRow: parse !== undefined && pattern.includes("{"),
    parse: pattern.includes("{") && parse ? parse : textsIn(pattern),
  };
}
