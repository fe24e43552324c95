// One method at one path, as the document describes it.
import * as v from "valibot";
import type { ProblemCode } from "../errors/problem.ts";
import { deprecationHeaders, deprecationsOf } from "../model/deprecation.ts";
import type { Header, Operation, Page, Parameter, Resource, Verb } from "../model/model.ts";
import { isOpenVerb } from "../model/permission.ts";
import { mapValues } from "../model/record.ts";
import { keysOfParts } from "../model/key.ts";
import { example, exampleKey, exampleParts, MAXIMUM_BATCH, relationAt } from "../model/resource.ts";
import { filtersOf, type ListFilter } from "../statements/filter.ts";
import { filterExtension, operationExtension } from "./extension.ts";
import { contentHeadersOf, type Headers, headersOf, references } from "./header.ts";
import { type Json, reference } from "./json.ts";
import { jsonSchema, writeExample } from "./schema.ts";

/** The further problems of a request with a body. */
export const withBody: ProblemCode[] = [
  "request_timeout",
  "malformed_body",
  "content_too_large",
  "unsupported_media_type",
  "invalid",
];

/** The tag of the pages. Its hyphen keeps it from being the name of a resource. */
export const pagesTag = {
  name: "server-pages",
  description:
    "Pages about the server. They are not part of the API, so generated clients can leave them out",
};

/** An operation of the document, without the responses for problems. */
export interface Described {
  operation: Json;
  /** Its problems, besides those of every request. */
  problems: ProblemCode[];
  /** The resource whose rows it is about. */
  resource?: Resource;
  /** The headers that each of its answers may have, problems included. */
  headers: Headers;
  /** Whether its access lets in who sends no token. */
  isOpen?: boolean | undefined;
}

/** What answers have where access decides. */
export const byAccess = {
  problems: ["unauthorized", "forbidden"],
  headers: { Vary: "Vary" },
} as const satisfies Partial<Described>;

/** The verbs that take filters. */
const filtering: Verb["name"][] = ["list", "follow", "followChanges"];

/** The operation of the verbs of one method. The first names it; the others are for clients that prefer their
 * media types. */
export function describeVerbs(resource: Resource, path: string, verbs: Verb[]): Described {
  const [verb] = verbs as [Verb];
  const operations = verbs.map((each) => each.operation(resource));
  const { id, summary, body, answer, mayCreate } = operations[0]!;
  const { title, name } = resource;
  const query = Object.assign({}, ...verbs.map(({ query }) => query?.(resource)));
  const headers = Object.assign({}, ...verbs.map(({ headers }) => headers));
  const leaving = deprecationHeaders(verbs.flatMap((each) => deprecationsOf(resource, each)));
  const filters = verbs.some(({ name }) => filtering.includes(name)) ? filtersOf(resource) : {};
  return {
    problems: [
      "invalid_parameter",
      ...(body ? withBody : []),
      ...(verbs.some(({ headers }) => headers) ? ["invalid_header" as const] : []),
      ...operations.flatMap(({ problems }) => problems),
      ...(resource.access ? byAccess.problems : []),
    ],
    resource,
    headers: {
      ...mapValues(leaving, (_, header) => header),
      ...(resource.access && byAccess.headers),
    },
    isOpen: resource.access && verbs.some((each) => isOpenVerb(resource, each)),
    operation: {
      operationId: id,
      summary,
      tags: [name],
      ...(verb.deprecation && { deprecated: true }),
      parameters: [
        ...pathParameters(path, (index) => keySchema(resource, index)),
        ...parameters("query", query, (name) => describeFilter(filters[name])),
        ...parameters("header", headers),
      ],
      ...(body && {
        requestBody: {
          required: true,
          content: Object.fromEntries((verb.accepts ?? []).map((type) => [type, {
            schema: bodySchema(title, body),
            example: body === "batch" ? [writeExample(resource)] : writeExample(resource),
          }])),
        },
      }),
      responses: {
        [answer.status]: verbs.map((each, index) =>
          success(resource, operations[index]!, contentHeadersOf(each))
        ).reduce(either),
        ...(mayCreate && {
          201: {
            ...success(resource, { ...operations[0]!, answer: { ...answer, status: 201 } }),
            description: `The ${name}, created because there was none`,
          },
        }),
        ...(verb.method === "GET" && notModified(headers)),
      },
      ...operationExtension(resource, verbs),
    },
  };
}

/** What the document adds to a query parameter of a list, if it filters by a field. */
function describeFilter(filter: ListFilter | undefined): Json {
  const isDeprecated = filter?.compares?.path.isDeprecated ?? false;
  return { ...(isDeprecated && { deprecated: true }), ...filterExtension(filter) };
}

export function describePage(path: string, page: Page): Described {
  const { id, summary, holds, redirect, answers, headers } = page;
  const { mediaTypes = ["application/json"], example = "" } = page;
  const varies = redirect ? { Vary: "Vary" } : {};
  return {
    problems: [
      ...(path.includes("{") ? ["not_found" as const] : []),
      ...(headers ? ["invalid_header" as const, "precondition_failed" as const] : []),
    ],
    headers: {},
    operation: {
      operationId: id,
      summary,
      tags: [pagesTag.name],
      parameters: [
        ...pathParameters(path, (index) => ({
          type: "string",
          examples: [example.split("/")[index]],
        })),
        ...parameters("header", headers),
      ],
      responses: {
        200: {
          description: summary,
          headers: headersOf(200, {
            ...varies,
            ...contentHeadersOf(page),
            ...(headers && { ETag: "ETag" }),
          }),
          content: Object.fromEntries(
            mediaTypes.map((mediaType) => [mediaType, {
              schema: jsonSchema(holds),
              ...(answers && { examples: mapValues(answers, (value) => ({ value })) }),
            }]),
          ),
        },
        ...notModified(headers, contentHeadersOf(page)),
        ...(redirect && {
          303: {
            description: `To ${redirect.path}, for a client that prefers ${redirect.mediaType}`,
            headers: headersOf(303, varies),
          },
        }),
      },
    },
  };
}

function success(
  of: Resource,
  { answer, candidatesOf, of: resource = of }: Operation,
  more: Headers = {},
): Json {
  const { status, holds } = answer;
  if (holds === "nothing") return { description: "Done", headers: headersOf(status) };
  const { title, name } = resource;
  const candidates = candidatesOf && exampleChoices(relationAt(resource, candidatesOf).target);
  const one = reference("schemas", title);
  const shown = example(resource);
  const answers: Record<typeof holds, [description: string, schema: Json, example: unknown]> = {
    object: [`The ${name}`, one, shown],
    batch: [`The ${name}s, in the order sent`, { type: "array", items: one }, [shown]],
    list: [
      `A page of ${name}s`,
      reference("schemas", `${title}List`),
      { items: [shown], next: null },
    ],
    choices: [
      "A page of candidates",
      reference("schemas", "Choices"),
      { choices: candidates, next: null },
    ],
    stream: [
      `The ${name}s as server-sent events, in the order in which they became readable`,
      { type: "string" },
      `id: WzFd\nevent: ${name}\ndata: ${JSON.stringify(shown)}\n\n`,
    ],
    changes: [
      `The ${name}s as server-sent events, as they are created, changed and deleted; of one that is ` +
      `deleted, ${resource.keys.map((key) => `\`${key}\``).join(" and ")} alone`,
      { type: "string" },
      `id: WzFd\nevent: changed\ndata: ${JSON.stringify(shown)}\n\n`,
    ],
  };
  const [description, schema, exampleOfIt] = answers[holds];
  return {
    description,
    headers: headersOf(status, {
      ...(status === 201 && holds === "object" && { Location: "Location" }),
      ...ownHeaders[holds],
      ...more,
    }),
    content: {
      [holds === "stream" || holds === "changes" ? "text/event-stream" : "application/json"]: {
        schema,
        example: exampleOfIt,
      },
    },
  };
}

/** One answer or another, as the client prefers. */
function either(one: Json, other: Json): Json {
  return {
    description: `${one["description"]}; or ${other["description"]}`,
    headers: { ...one["headers"] as Json, ...references({ Vary: "Vary" }) },
    content: { ...one["content"] as Json, ...other["content"] as Json },
  };
}

const ownHeaders: Record<Operation["answer"]["holds"], Headers> = {
  object: { ETag: "ETag" },
  list: { Link: "Link" },
  choices: { Link: "Link" },
  stream: {},
  changes: {},
  batch: {},
  nothing: {},
};

function bodySchema(title: string, body: NonNullable<Operation["body"]>): Json {
  if (body === "patch") return reference("schemas", `${title}Patch`);
  if (body === "replace") return reference("schemas", `${title}Replacement`);
  const whole = reference("schemas", `${title}Write`);
  return body === "batch"
    ? { type: "array", items: whole, minItems: 1, maxItems: MAXIMUM_BATCH }
    : whole;
}

/** A resource's example among candidates: its identifier with its display text. */
function exampleChoices(resource: Resource): Json {
  const { name, display, fields } = resource;
  const key = exampleKey(resource);
  return { [key]: display ? fields[display]!.example : `${name} ${key}` };
}

/** The answer to a client that already has the representation. */
function notModified(headers: Record<string, Header> = {}, more: Headers = {}): Json {
  if (!Object.hasOwn(headers, "If-None-Match")) return {};
  const description = "The client already has this representation";
  const { "Content-Encoding": _, ...rest } = more;
  return { 304: { description, headers: headersOf(304, { ETag: "ETag", ...rest }) } };
}

/** Parameters, with the further members that each has by its name. */
export function parameters(
  where: "query" | "header",
  schemas: Record<string, Parameter | Header> = {},
  more: (name: string) => Json = () => ({}),
): Json[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { description: _, ...rest } = jsonSchema(schema);
    // The JSON Schema of a schema that transforms ends where it does so
    const { description } = v.getMetadata(schema);
    return { name, in: where, description, schema: rest, ...more(name) };
  });
}

function pathParameters(path: string, schemaOf: (index: number) => Json): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name], index) => ({
    name,
    in: "path",
    required: true,
    schema: schemaOf(index),
  }));
}

/** The JSON Schema of what identifies a row, by its index in the key. */
function keySchema(resource: Resource, index: number): Json {
  return {
    ...jsonSchema(keysOfParts(resource.identifiers)[index]!.text),
    examples: [exampleParts(resource)[index]],
  };
}
