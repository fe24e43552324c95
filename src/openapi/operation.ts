// One method at one path, as the document describes it.
import * as v from "valibot";
import type { ProblemCode } from "../errors/problem.ts";
import { deprecationHeaders, deprecationsOf } from "../model/deprecation.ts";
import { identifierText } from "../model/number.ts";
import type { Header, Operation, Page, Parameter, Resource, Verb } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { example, MAXIMUM_BATCH, relationOf } from "../model/resource.ts";
import { filtersOf } from "../statements/filter.ts";
import { filterTold, verbTold } from "./extension.ts";
import { contentHeadersOf, type Headers, headersOf, references } from "./header.ts";
import { refusals } from "./response.ts";
import { type Json, jsonSchema, reference, writeExample } from "./schema.ts";
import type { Secured } from "./security.ts";

/** The problems of every request. */
export const everywhere: ProblemCode[] = [
  "malformed_request",
  "not_acceptable",
  "internal",
  "unavailable",
  "out_of_time",
];

/** The further problems of a request with a body. */
const withBody: ProblemCode[] = [
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

/** An operation of the document. */
export interface Described {
  operation: Json;
  /** Its problems. */
  problems: ProblemCode[];
  /** The headers that each of its answers may have, problems included. */
  headers: Headers;
}

/** The operation of a verb, and of another one of the same method, which clients that prefer its media types
 * get. */
export function describeVerb(
  resource: Resource,
  path: string,
  [verb, other]: [Verb, Verb?],
  secured: Secured,
): Described {
  const operation = verb.operation(resource);
  const { id, summary, body, answer, problems } = operation;
  const { title, name } = resource;
  const met: ProblemCode[] = [
    ...everywhere,
    ...secured.problems,
    "invalid_parameter",
    ...(body ? withBody : []),
    ...(verb.headers ?? other?.headers ? ["invalid_header" as const] : []),
    ...problems,
  ];
  const leaving = deprecationHeaders(deprecationsOf(resource, verb));
  const filters = verb.name === "list" ? filtersOf(resource) : {};
  return {
    problems: met,
    headers: { ...secured.headers, ...mapValues(leaving, (_, header) => header) },
    operation: {
      operationId: id,
      summary,
      tags: [name],
      ...secured.operation,
      ...(verb.deprecation && { deprecated: true }),
      parameters: [
        ...pathParameter(path, jsonSchema(identifierText)),
        ...parameters("query", verb.query?.(resource), (name) => filterTold(filters[name])),
        ...parameters("query", other?.query?.(resource)),
        ...parameters("header", { ...verb.headers, ...other?.headers }),
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
        [answer.status]: other
          ? either(success(resource, operation), success(resource, other.operation(resource)))
          : success(resource, operation),
        ...(verb.method === "GET" && unchanged(verb.headers)),
        ...refusals(met),
      },
      ...verbTold(verb, resource, other),
    },
  };
}

export function describePage(path: string, page: Page, secured: Secured): Described {
  const { id, summary, holds, redirect, answers, headers } = page;
  const { mediaTypes = ["application/json"], packed = false } = page;
  const varies = redirect ? { Vary: "Vary" } : {};
  const met: ProblemCode[] = [
    ...everywhere,
    ...secured.problems,
    ...(path.includes("{") ? ["not_found" as const] : []),
    ...(headers ? ["invalid_header" as const, "precondition_failed" as const] : []),
  ];
  return {
    problems: met,
    headers: secured.headers,
    operation: {
      operationId: id,
      summary,
      tags: [pagesTag.name],
      ...secured.operation,
      parameters: [
        ...pathParameter(path, { type: "string", examples: [page.example] }),
        ...parameters("header", headers),
      ],
      responses: {
        200: {
          description: summary,
          headers: headersOf(200, {
            ...varies,
            ...contentHeadersOf(mediaTypes, packed),
            ...(headers && { ETag: "ETag" }),
          }),
          content: Object.fromEntries(
            mediaTypes.map((mediaType) => [mediaType, {
              schema: jsonSchema(holds),
              ...(answers && { examples: mapValues(answers, (value) => ({ value })) }),
            }]),
          ),
        },
        ...unchanged(headers, contentHeadersOf(mediaTypes, packed)),
        ...(redirect && {
          303: {
            description: `To ${redirect.path}, for a client that prefers ${redirect.mediaType}`,
            headers: headersOf(303, varies),
          },
        }),
        ...refusals(met),
      },
    },
  };
}

function success(resource: Resource, { answer, candidatesOf }: Operation): Json {
  const { status, holds } = answer;
  if (holds === "nothing") return { description: "Done", headers: headersOf(status) };
  const { title, name } = resource;
  const candidate = candidatesOf &&
    exampleLabel(relationOf(resource, candidatesOf).target(resource));
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
      { choices: { 1: candidate }, next: null },
    ],
    stream: [
      `The ${name}s as server-sent events, in the order in which they became readable`,
      { type: "string" },
      `id: WzFd\nevent: ${name}\ndata: ${JSON.stringify(shown)}\n\n`,
    ],
  };
  const [description, schema, exampleOfIt] = answers[holds];
  return {
    description,
    headers: headersOf(status, {
      ...(status === 201 && holds === "object" && { Location: "Location" }),
      ...ownHeaders[holds],
    }),
    content: {
      [holds === "stream" ? "text/event-stream" : "application/json"]: {
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

/** The headers of an answer, by what it holds. */
const ownHeaders: Record<Operation["answer"]["holds"], Headers> = {
  object: { ETag: "ETag" },
  list: { Link: "Link" },
  choices: { Link: "Link" },
  stream: {},
  batch: {},
  nothing: {},
};

function bodySchema(title: string, body: NonNullable<Operation["body"]>): Json {
  if (body === "patch") return reference("schemas", `${title}Patch`);
  const whole = reference("schemas", `${title}Write`);
  return body === "batch"
    ? { type: "array", items: whole, minItems: 1, maxItems: MAXIMUM_BATCH }
    : whole;
}

/** The display text of a resource's example. */
function exampleLabel({ name, display, fields }: Resource): unknown {
  return display ? fields[display]!.example : `${name} 1`;
}

/** The answer to a client that already has the representation. */
function unchanged(headers: Record<string, Header> = {}, more: Headers = {}): Json {
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

function pathParameter(path: string, schema: Json): Json[] {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  return name ? [{ name, in: "path", required: true, schema }] : [];
}
