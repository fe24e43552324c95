// The contract as an OpenAPI 3.1 document, derived from the declarations that validate and serve.
import manifest from "../../package.json" with { type: "json" };
import { prefixOf } from "../config.ts";
import type { Page, Resource } from "../declaration/declaration.ts";
import type { ProblemCode } from "../problem.ts";
import { scopeOf } from "../token.ts";
import { type Described, describePage, describeVerb } from "./operation.ts";
import { headers, nameOf, problemResponses, problemSchemas } from "./response.ts";
import { accessTo, securitySchemes } from "./security.ts";
import { type Json, next, resourceSchemas } from "./schema.ts";

export interface Documented {
  /** The address clients use. */
  baseUrl: string;
  resources: Resource[];
  pages: Record<string, Page>;
  /** Whether a request needs a token, but for what is open to all. */
  authRequired?: boolean;
}

const description = `A relation is written as an identifier and read as the whole object, in the
same field. HEAD answers wherever GET does, OPTIONS says what a path takes, and either spelling of a
path's final slash answers the same. A method that a path lacks is answered with 405 and Allow.`
  .replaceAll("\n", " ");

export function describe({ baseUrl, resources, pages, authRequired = false }: Documented): Json {
  const access = accessTo({ authRequired });
  const paths: Record<string, Record<string, Json>> = {};
  const met: ProblemCode[][] = [];
  function add(path: string, method: string, { operation, problems }: Described) {
    (paths[path] ??= {})[method] = operation;
    met.push(...problems);
  }
  for (const resource of resources) {
    for (const [path, verbs] of Object.entries(resource.routes)) {
      for (const verb of verbs) {
        add(
          path,
          verb.method.toLowerCase(),
          describeVerb(resource, path, verb, access(scopeOf[verb.method])),
        );
      }
    }
  }
  for (const [path, page] of Object.entries(pages)) {
    add(path, "get", describePage(path, page, access(page.scope)));
  }

  const responses = problemResponses(unique(met));
  const text = JSON.stringify([paths, responses]);
  const used = ([name]: [string, Json]) => text.includes(`"#/components/headers/${name}"`);
  return {
    openapi: "3.1.0",
    info: {
      title: "Relata",
      version: manifest.version,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      ...resources.map(({ name }) => ({ name, description: `The ${name}s` })),
      { name: "server", description: "What the server says of itself" },
    ],
    paths,
    components: {
      schemas: {
        ...Object.assign({}, ...resources.map((each) => resourceSchemas(each, prefixOf(baseUrl)))),
        Choices: choices,
        ...problemSchemas,
      },
      headers: Object.fromEntries(Object.entries(headers).filter(used)),
      responses,
      ...(authRequired && { securitySchemes }),
    },
  };
}

const choices: Json = {
  type: "object",
  description: "A page of the candidates of a relation",
  properties: {
    choices: {
      type: "object",
      description: "From identifier to display text",
      additionalProperties: { type: "string" },
    },
    next,
  },
  required: ["choices", "next"],
};

function unique(sets: ProblemCode[][]): ProblemCode[][] {
  return [...new Map(sets.map((codes) => [nameOf(codes), codes])).values()];
}
