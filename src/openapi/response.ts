// The responses for problems: one for each status, named after it.
import { type FieldCode, fieldProblems, type ProblemCode, problems } from "../errors/problem.ts";
import type { Resource } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { example as exampleRow } from "../model/resource.ts";
import { type Headers, headersOf, references } from "./header.ts";
import type { Described } from "./operation.ts";
import { type Json, reference } from "./json.ts";
import { orNull } from "./schema.ts";

/** The schemas of problems (RFC 9457). */
export const problemSchemas: Record<string, Json> = {
  Problem: {
    type: "object",
    description: "Why a request was refused or failed",
    properties: {
      type: {
        type: "string",
        format: "uri-reference",
        description: "The path of a page that explains the problem",
      },
      title: { type: "string" },
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { type: "string" },
      instance: {
        type: "string",
        format: "uri",
        description: "The identifier of the request, which is also in the log",
      },
      references: {
        type: "array",
        description: "With `still_referenced`: the lists of the rows that refer to this one",
        items: {
          type: "object",
          properties: {
            resource: { type: "string" },
            href: { type: "string", format: "uri-reference" },
          },
          required: ["resource", "href"],
        },
      },
    },
    required: ["type", "title", "status", "detail", "instance"],
  },
  Invalid: {
    description: "Why a body was refused, field by field",
    // Generators of clients ignore keywords beside an allOf, so all of them are inside
    allOf: [reference("schemas", "Problem"), {
      type: "object",
      properties: {
        errors: { type: "array", minItems: 1, items: reference("schemas", "Failure") },
      },
      required: ["errors"],
    }],
  },
  Failure: {
    type: "object",
    description: "A failing field, or the failing body",
    properties: {
      pointer: {
        type: "string",
        description: "The field, as a JSON Pointer (RFC 6901); empty for the whole body",
      },
      code: {
        type: "string",
        description: "What is wrong; codes may be added",
        examples: Object.keys(fieldProblems),
      },
      detail: { type: "string" },
    },
    required: ["pointer", "code", "detail"],
  },
};

/** The problems of every request. */
const everywhere: ProblemCode[] = [
  "malformed_request",
  "not_acceptable",
  "internal",
  "unavailable",
  "out_of_time",
];

type ProblemStatus = (typeof problems)[ProblemCode]["status"];

/** The names of the responses, which generated clients use for types. */
const responseNames: Record<ProblemStatus, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  408: "RequestTimeout",
  409: "Conflict",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  421: "MisdirectedRequest",
  422: "Unprocessable",
  429: "TooManyRequests",
  500: "InternalServerError",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};

/** The responses for the problems of operations, by name; every path begins with `prefix`. */
export function problemResponses(described: Described[], prefix: string): Record<string, Json> {
  const shared = byStatus(described.flatMap(({ problems }) => problems));
  const conditional = new Set(
    described.flatMap(({ problems, resource }) =>
      resource && problems.includes("precondition_failed") ? [resource] : []
    ),
  );
  return Object.fromEntries([
    ...shared.map(([status, codes]) => [responseName(status), problemResponse(codes, prefix)]),
    ...[...conditional].map((resource) => [
      responseName(412, resource),
      unmetResponse(resource, prefix),
    ]),
  ]);
}

/** The name of a response. A resource has one of its own for the condition that its row does not meet. */
function responseName(status: ProblemStatus, resource?: Resource): string {
  return `${status === 412 && resource ? resource.title : ""}${responseNames[status]}`;
}

/** These problems and those of every request. */
function byStatus(codes: ProblemCode[]): [ProblemStatus, ProblemCode[]][] {
  const all = new Set([...everywhere, ...codes]);
  const sets = Map.groupBy([...all].sort(), (code): ProblemStatus => problems[code].status);
  return [...sets].sort(([one], [other]) => one - other);
}

/** The response for all problems with one status. */
function problemResponse(codes: ProblemCode[], prefix: string): Json {
  return {
    description: codes.map((code) => problems[code].title).join(", or "),
    headers: headersOf(problems[codes[0]!].status),
    content: {
      "application/problem+json": {
        schema: reference("schemas", codes[0] === "invalid" ? "Invalid" : "Problem"),
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code, prefix) }])),
      },
    },
  };
}

/** The response for a condition that a row does not meet: it bears the row. */
function unmetResponse(resource: Resource, prefix: string): Json {
  const current = {
    description: "The row as the caller reads it now; null if there is none",
    ...orNull(reference("schemas", resource.title)),
  };
  const code = "precondition_failed";
  return {
    description: problems[code].title,
    headers: headersOf(412, { ETag: "CurrentETag" }),
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            reference("schemas", "Problem"),
            { type: "object", properties: { current }, required: ["current"] },
          ],
        },
        examples: {
          [code]: { value: { ...example(code, prefix), current: exampleRow(resource) } },
        },
      },
    },
  };
}

function example(code: ProblemCode, prefix: string): Json {
  const { status, title, meaning } = problems[code];
  const failure = (pointer: string, code: FieldCode, detail: string) => ({ pointer, code, detail });
  return {
    type: `${prefix}/problems/${code}`,
    title,
    status,
    detail: code === "invalid" ? "One field fails" : meaning,
    instance: "urn:uuid:9b2f1c3e-6d0a-4f1b-8a47-2c5e90d7b611",
    ...(code === "invalid" && {
      errors: [failure("/name", "required", 'The field "name" is required')],
    }),
  };
}

/** An operation with its headers, and more, on its own responses, and references to those for its problems. */
export function complete(
  { operation, problems, headers, resource }: Described,
  more: Headers,
): Json {
  const own = mapValues(
    operation["responses"] as Record<string, Json>,
    (response) => responseWith(response, { ...headers, ...more }),
  );
  const others = byStatus(problems).map(([status]) => [
    status,
    reference("responses", responseName(status, resource)),
  ]);
  return { ...operation, responses: { ...own, ...Object.fromEntries(others) } };
}

export function responseWith(response: Json, headers: Headers): Json {
  return { ...response, headers: { ...response["headers"] as Json, ...references(headers) } };
}
