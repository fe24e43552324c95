// From the tables of routes and pages to what lives at each path.
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
} from "../declaration/declaration.ts";
import { deprecationHeaders, deprecationsOf } from "../declaration/deprecation.ts";
import { identifierText } from "../declaration/field.ts";
import * as v from "valibot";
import { type Scope, scopeOf } from "../token.ts";
import { pages, rootPages } from "./pages.ts";

/** What a request asks besides its path. */
export type Asked = Omit<Call, "identifier">;

/** What answers a method at a path. */
export interface Endpoint {
  /** The media types it answers in. */
  mediaTypes: readonly string[];
  /** Where a client is sent that would rather have another one. */
  redirect?: Redirect | undefined;
  /** The media types of the body it takes. */
  accepts?: readonly string[] | undefined;
  /** The query parameters it knows; an endpoint without them is a page: it ignores the query,
   * and passes no gate. */
  parameters?: Record<string, Parameter>;
  /** The headers it heeds. */
  heeded: Record<string, Header>;
  /** What a token has to let its bearer do, where one is needed at all. */
  scope?: Scope | undefined;
  /** What every answer of it says besides. */
  headers?: Record<string, string>;
  handle(parameter: string, asked: Asked): Answer | Promise<Answer>;
}

const JSON_ALONE = ["application/json"];

export interface Place {
  pattern: string;
  endpoints: Map<string, Endpoint>;
  /** The methods it has, as the Allow header lists them. */
  allow: string;
  /** Whether the pattern's braces admit this text. */
  admits(parameter: string): boolean;
}

/** Everything that lives here, with its path: under the prefix, and what is at the root too. */
export function places(service: Service): [path: string, place: Place][] {
  const { prefix, resources } = service;
  const prefixed = [
    ...resources.flatMap((resource) => resourcePlaces(resource, service)),
    ...pagePlaces(pages, service),
  ].map((place): [string, Place] => [prefix + place.pattern, place]);
  const atRoot = prefix === "" ? [] : pagePlaces(rootPages, service);
  return [...prefixed, ...atRoot.map((place): [string, Place] => [place.pattern, place])];
}

function pagePlaces(pages: Record<string, Page>, service: Service): Place[] {
  return Object.entries(pages).map(([pattern, page]) => {
    const { mediaTypes = JSON_ALONE, redirect, scope, headers: heeded = {} } = page;
    const endpoint = { mediaTypes, redirect, heeded, scope, handle: page.prepare(service) };
    return place(pattern, [["GET", endpoint]], () => true);
  });
}

function resourcePlaces(resource: Resource, service: Service): Place[] {
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
    return place(pattern, endpoints, isIdentifier);
  });
}

function place(
  pattern: string,
  endpoints: [Method, Endpoint][],
  admits: Place["admits"],
): Place {
  const methods = endpoints.flatMap(([method]) => method === "GET" ? ["GET", "HEAD"] : [method]);
  return {
    pattern,
    endpoints: new Map(endpoints),
    allow: [...methods, "OPTIONS"].join(", "),
    admits: (parameter) => !pattern.includes("{") || admits(parameter),
  };
}

function isIdentifier(parameter: string): boolean {
  return v.is(identifierText, parameter);
}
