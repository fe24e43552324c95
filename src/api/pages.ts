// The pages about the server: links, contract, health, metrics, the meaning of problems.
import * as v from "valibot";
import manifest from "../../package.json" with { type: "json" };
import { fieldProblems, Problem, problems, shortened } from "../errors/problem.ts";
import type { Answer, Page, Service } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { capitalized, pathOf } from "../model/resource.ts";
import { rights } from "../model/access.ts";
import { scopes } from "../model/scope.ts";
import { openapiDocument } from "../openapi/document.ts";
import { EXPOSITION_TYPE } from "../telemetry/prometheus.ts";
import { readConditions } from "./conditions.ts";
import { documentationPages } from "./documentation.ts";
import { packed } from "./packed.ts";
import { permissions } from "./standing.ts";

/** The pages that are also at the root, for health checks and scrapers: these ask the process, whatever
 * path a proxy gives the API. */
export const rootPages: Record<string, Page> = {
  "/livez": {
    id: "getLiveness",
    summary: "Check that the process is up",
    holds: v.object({ status: v.literal("live") }),
    prepare: () => () => json({ status: "live" }),
  },
  "/readyz": {
    id: "getReadiness",
    summary: "Check that the database answers and its schema is current",
    holds: v.object({ status: v.literal("ready") }),
    prepare: ({ ending, whyUnready }) => async () => {
      const reason = ending.aborted ? "The server is shutting down" : await whyUnready();
      if (reason === undefined) return json({ status: "ready" });
      throw new Problem("unavailable", reason);
    },
  },
  "/metrics": {
    id: "getMetrics",
    summary: "Read the metrics, in the format of Prometheus",
    scope: "read",
    holds: v.string(),
    mediaTypes: ["text/plain"],
    prepare: ({ metrics }) => () => ({
      status: 200,
      body: metrics.text(),
      mediaType: EXPOSITION_TYPE,
    }),
  },
};

/** Every problem, by its code. The title of a field's is the code in words. */
const explained: Record<string, object> = {
  ...mapValues<object, object>(problems, (problem, code) => ({ code, ...problem })),
  ...mapValues(fieldProblems, (meaning, code) => ({
    code,
    title: capitalized(code.replaceAll("_", " ")),
    meaning,
  })),
};

export const pages: Record<string, Page> = {
  "/": {
    id: "getLinks",
    summary: "Read the links to the collections, the contract and the documentation",
    redirect: { mediaType: "text/html", path: "/docs/" },
    tellsCaller: true,
    holds: v.object({
      service: v.literal("relata"),
      version: v.string(),
      links: v.record(v.string(), v.string()),
      caller: v.optional(v.pipe(
        v.object({ subject: v.string(), roles: v.array(v.string()) }),
        v.description("Whom the token stands for, if it stands for somebody"),
      )),
      scopes: v.optional(v.pipe(
        v.array(v.picklist(scopes)),
        v.description("What the token allows, if one was sent and the server needs tokens"),
      )),
      access: v.optional(v.pipe(
        v.record(v.string(), v.array(v.picklist(rights))),
        v.description("What the caller may do, by resource, report and action, if there are rules"),
      )),
    }),
    prepare({ prefix, resources, reports, actions }) {
      const links = Object.fromEntries([
        ...resources.flatMap((resource) => {
          const path = pathOf(resource, "create") ?? pathOf(resource, "list");
          return path === undefined ? [] : [[resource.name, prefix + path]];
        }),
        ...[...reports, ...actions.filter(({ inPath }) => inPath.length === 0)]
          .map(({ name, path }) => [name, prefix + path]),
      ]);
      const guides = { openapi: `${prefix}/openapi.json`, docs: `${prefix}/docs/` };
      const body = { service: "relata", version: manifest.version, links: { ...links, ...guides } };
      const hasRules = [...resources, ...reports, ...actions].some(({ access }) => access);
      const permitted = permissions(resources, [...reports, ...actions]);
      return ({ caller }) => {
        const { kind, subject, roles, scopes } = caller;
        return json({
          ...body,
          ...(kind === "somebody" && { caller: { subject, roles } }),
          ...(kind !== "nobody" && scopes && { scopes }),
          ...(hasRules && { access: permitted(caller) }),
        });
      };
    },
  },
  "/openapi.json": {
    id: "getContract",
    summary: "Read this document",
    holds: v.objectWithRest({ openapi: v.literal("3.1.0") }, v.unknown()),
    packed: true,
    headers: readConditions,
    prepare: (service) => packed(() => ({ body: contractOf(service) })),
  },
  ...documentationPages(contractOf),
  "/problems/{code}": {
    id: "getProblem",
    summary: "Read what a type of problem means",
    example: "does_not_exist",
    answers: explained,
    holds: v.object({
      code: v.string(),
      status: v.optional(v.number()),
      title: v.string(),
      meaning: v.string(),
    }),
    prepare: () => ({ parameter: code }) => {
      if (Object.hasOwn(explained, code)) return json(explained[code]);
      throw new Problem("not_found", `No problem has the code "${shortened(code)}"`);
    },
  },
  ...rootPages,
};

function contractOf(service: Service): string {
  return JSON.stringify(openapiDocument({ ...service, pages }));
}

function json(value: unknown): Answer {
  return { status: 200, body: JSON.stringify(value) };
}
