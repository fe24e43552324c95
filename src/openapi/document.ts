// The contract as an OpenAPI 3.1 document, derived from the declarations that validate and serve.
import manifest from "../../package.json" with { type: "json" };
import { type Access, prefixOf, settings } from "../config.ts";
import type { Action, Page, Report, Resource, Service } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { isAction } from "../model/action.ts";
import { isReport } from "../model/report.ts";
import { ownedBy } from "../model/resource.ts";
import { mayHide } from "../model/table.ts";
import { scopeOf } from "../model/scope.ts";
import { resourceTagExtension, sqlTagExtension } from "./extension.ts";
import { actionId, actionSchemas, describeAction } from "./action.ts";
import { corsHeaders, headers } from "./header.ts";
import { type Described, describePage, describeVerbs, pagesTag } from "./operation.ts";
import { describeReport, reportId, rowSchema } from "./report.ts";
import { complete, problemResponses, problemSchemas, responseWith } from "./response.ts";
import type { Json } from "./json.ts";
import {
  embeddedSchemas,
  embeddedTitle,
  nextMember,
  ownedSchemas,
  resourceSchemas,
} from "./schema.ts";
import { securing, securitySchemes } from "./security.ts";

/** What of a service it describes. Without a title, the API has the name of this program; without an address,
 * it is at the one from which clients got the document. */
type Documented =
  & Pick<Service, "baseUrl" | "resources">
  & Partial<Pick<Service, keyof Access | "title" | "corsOrigins" | "reports" | "actions">>
  & { pages: Record<string, Page> };

const description = `A relation is written as an identifier and read as the whole object, in the
same field. A path works with and without its final slash. An unknown path gets 404, a method that a
path does not have gets 405 with Allow. HEAD works wherever GET does, and OPTIONS everywhere.`
  .replaceAll("\n", " ");

/** The document of these resources, reports, actions and pages. */
export function openapiDocument(
  {
    title = settings.TITLE.fallback,
    baseUrl,
    resources,
    reports = [],
    actions = [],
    pages,
    corsOrigins = [],
    ...access
  }: Documented,
): Json {
  const prefix = prefixOf(baseUrl);
  const secure = securing(access);
  const described: Record<string, Record<string, Described>> = Object.assign(
    {},
    ...resources.map((resource) =>
      mapValues(resource.routes, (verbs, path) =>
        Object.fromEntries(
          [...Map.groupBy(verbs, ({ method }) => method)].map(([method, those]) => [
            method.toLowerCase(),
            secure(describeVerbs(resource, path, those), scopeOf[method]),
          ]),
        ))
    ),
    ...reports.map((report) => ({
      [report.path]: { get: secure(describeReport(report), scopeOf.GET) },
    })),
    ...actions.map((action) => ({
      [action.path]: { post: secure(describeAction(action), scopeOf.POST) },
    })),
    mapValues(
      pages,
      (page, path) => ({ get: secure(describePage(path, page), page.scope, page.tellsCaller) }),
    ),
  );
  const cors = corsHeaders(corsOrigins);
  const paths = mapValues(
    described,
    (methods) => mapValues(methods, (each) => complete(each, cors)),
  );
  // Operations share the responses for problems, so those have the headers of all of them
  const met = Object.values(described).flatMap(Object.values<Described>);
  const shared = Object.assign({}, cors, ...met.map(({ headers }) => headers));
  const responses = mapValues(
    problemResponses(met, prefix),
    (response) => responseWith(response, shared),
  );

  const text = JSON.stringify([paths, responses]);
  const used = ([name]: [string, Json]) => text.includes(`"#/components/headers/${name}"`);
  return {
    openapi: "3.1.0",
    info: {
      title,
      version: manifest.version,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl ?? "/" }],
    security: [],
    tags: [
      ...resources.filter(({ isPart }) => !isPart).map((resource) => {
        const { name, description = `The ${name}s` } = resource;
        return { name, description, ...resourceTagExtension(resource) };
      }),
      ...[...reports, ...actions].map((each) => ({
        name: each.name,
        description: each.summary,
        ...sqlTagExtension(each),
      })),
      pagesTag,
    ],
    paths,
    components: {
      schemas: {
        ...Object.assign({}, ...resources.map((each) => resourceSchemas(each, prefix))),
        ...Object.assign({}, ...resources.map((each) => ownedSchemas(each, prefix))),
        ...Object.assign({}, ...[...resources, ...resources.flatMap(ownedBy)].map(embeddedSchemas)),
        ...Object.fromEntries(reports.map((report) => [report.title, rowSchema(report)])),
        ...Object.assign({}, ...actions.map((action) => actionSchemas(action))),
        ...ownSchemas,
      },
      headers: Object.fromEntries(Object.entries(headers).filter(used)),
      responses,
      ...(access.authRequired && { securitySchemes: securitySchemes(access) }),
    },
  };
}

const ownSchemas: Record<string, Json> = {
  Choices: {
    type: "object",
    description: "A page of the candidates of a relation",
    properties: {
      choices: {
        type: "object",
        description: "The display texts, by identifier",
        additionalProperties: { type: "string" },
      },
      next: nextMember,
    },
    required: ["choices", "next"],
  },
  ...problemSchemas,
};

/** The names of the schemas that every document has. */
export const ownNames = Object.keys(ownSchemas);

/** The names that a resource, a report or an action has in the document: those of its schemas and of its operations. */
export function namesOf(declared: Resource | Report | Action): Set<string> {
  if (isReport(declared)) return new Set([declared.title, reportId(declared)]);
  if (isAction(declared)) {
    return new Set([...Object.keys(actionSchemas(declared)), actionId(declared)]);
  }
  const verbs = Object.values(declared.routes).flat();
  return new Set([
    ...Object.keys(resourceSchemas(declared, "")),
    ...Object.keys(ownedSchemas(declared, "")),
    ...(mayHide(declared) ? [embeddedTitle(declared)] : []),
    ...verbs.map((verb) => verb.operation(declared).id),
  ]);
}
