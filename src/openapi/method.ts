// What a path answers without a declaration: HEAD wherever GET is, and OPTIONS.
import { type ProblemCode, problems as table } from "../errors/problem.ts";
import { mapValues } from "../model/record.ts";
import { headersOf } from "./header.ts";
import { type Described, refusals } from "./operation.ts";
import { bareResponse, byTheirStatus } from "./response.ts";
import type { Json } from "./schema.ts";

/** The tag of these operations. */
export const headersTag = {
  name: "headers",
  description: "HEAD and OPTIONS, which are answered with headers alone",
};

/** All methods of a path, by their names in lower case, from those that are declared; `problems` are
 * those that any method can meet there. */
export function allMethods(
  path: string,
  declared: Record<string, Described>,
  problems: ProblemCode[] = [],
): Record<string, Described> {
  const { get } = declared;
  const also = { ...(get && { head: head(get) }), options: options(path, declared, problems) };
  return { ...declared, ...also };
}

/** As GET, but for the content (RFC 9110, section 9.3.2). */
function head({ operation, problems, headers }: Described): Described {
  const failures = problems.map((codes) => [table[codes[0]!].status, bareResponse(codes)]);
  const responses = { ...operation["responses"] as Json, ...Object.fromEntries(failures) };
  return {
    problems: [],
    headers,
    operation: {
      ...operation,
      operationId: `${operation["operationId"]}Headers`,
      summary: `${operation["summary"]}: the headers alone`,
      tags: [headersTag.name],
      responses: mapValues<Json, Json>(responses, ({ content: _, ...bare }) => bare),
    },
  };
}

/** The methods that a path has (RFC 9110, section 9.3.7). */
function options(
  path: string,
  declared: Record<string, Described>,
  problems: ProblemCode[],
): Described {
  const [{ operation }] = Object.values(declared) as [Described];
  const headers = { Allow: "Allow", ...(declared["patch"] && { "Accept-Patch": "AcceptPatch" }) };
  const met = byTheirStatus(["malformed_request", "internal", ...problems]);
  return {
    problems: [...met.values()],
    headers: {},
    operation: {
      operationId: `${operation["operationId"]}Methods`,
      summary: `The methods of ${path}`,
      tags: [headersTag.name],
      parameters: (operation["parameters"] as Json[]).filter((each) => each["in"] === "path"),
      responses: {
        204: {
          description: "They are in Allow; any other method is answered with 405",
          headers: headersOf(204, headers),
        },
        ...refusals(met),
      },
    },
  };
}
