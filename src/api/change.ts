// Replaces, changes and deletes a row. One statement decides; this file turns its outcome into an answer
// or a problem.
import type { Statement } from "../db/sql.ts";
import { invalid, Problem } from "../errors/problem.ts";
import type { Identifier } from "../model/key.ts";
import type { Handler, HeaderValues, Resource, Service, Verb } from "../model/model.ts";
import { withArticle } from "../model/resource.ts";
import { unmet, writeConditions } from "./conditions.ts";
import { afterConflicts, untilCurrent } from "./conflicts.ts";
import { input, inputStatements } from "./input.ts";
import { finder, notFound, represent } from "./read.ts";
import { probeStatement } from "../statements/constraint.ts";
import { problemThrower, rejection } from "./rejection.ts";
import {
  changeStatement,
  lockStatement,
  type Precondition,
  removeStatement,
} from "../statements/change.ts";
import { readStatement } from "../statements/read.ts";
import { mendStatement } from "../statements/sequence.ts";

/** Replaces a whole row; never creates one. */
export const replace: Verb = {
  name: "replace",
  method: "PUT",
  isOfOneRow: true,
  writes: "update",
  operation: (resource) => ({
    id: `replace${resource.title}`,
    summary: `Replace ${withArticle(resource)}`,
    body: "write",
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed", "still_referenced"],
  }),
  accepts: ["application/json"],
  headers: writeConditions,
  statements: changeStatements,
  prepare: (resource, _path, service) => changer(resource, service, "write"),
};

/** Changes the fields that are sent and keeps the others (RFC 7396). */
export const merge: Verb = {
  name: "patch",
  method: "PATCH",
  isOfOneRow: true,
  writes: "update",
  operation: (resource) => ({
    id: `patch${resource.title}`,
    summary: `Change some fields of ${withArticle(resource)}`,
    body: "patch",
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed", "still_referenced"],
  }),
  accepts: ["application/merge-patch+json", "application/json"],
  headers: writeConditions,
  statements: changeStatements,
  prepare: (resource, _path, service) => changer(resource, service, "patch"),
};

/** Deletes a row, unless a foreign key refers to it. */
export const remove: Verb = {
  name: "delete",
  method: "DELETE",
  isOfOneRow: true,
  writes: "delete",
  operation: (resource) => ({
    id: `delete${resource.title}`,
    summary: `Delete ${withArticle(resource)}`,
    answer: { status: 204, holds: "nothing" },
    problems: ["not_found", "precondition_failed", "still_referenced", "invalid"],
  }),
  headers: writeConditions,
  statements: (resource) => [
    lockStatement(resource, "update"),
    removeStatement(resource),
    probeStatement(resource),
    readStatement(resource),
  ],
  prepare(resource, _path, service) {
    const { database } = service;
    const statement = removeStatement(resource);
    const explain = explainer(resource, service);
    const throwProblem = problemThrower(resource, service);
    const remove = afterConflicts(
      resource,
      database,
      untilCurrent(database, statement, lockStatement(resource, "update")),
    );
    return async ({ identifier, headers }) => {
      const outcome = await remove({ id: identifier, ...conditionOf(headers) })
        .catch((error) => throwProblem(error, { identifier }));
      if (outcome && outcome.id !== null) return { status: 204 };
      throw await explain(identifier, outcome?.matches ?? null, headers);
    };
  },
};

/** What a replace and a change run. */
function changeStatements(resource: Resource): Statement[] {
  return [
    lockStatement(resource, "no key update"),
    changeStatement(resource),
    mendStatement(resource),
    ...inputStatements(resource),
    probeStatement(resource),
    readStatement(resource),
  ];
}

function changer(resource: Resource, service: Service, shape: "write" | "patch"): Handler {
  const { database } = service;
  const statement = changeStatement(resource);
  const explain = explainer(resource, service);
  const find = finder(resource, service);
  const throwProblem = problemThrower(resource, service);
  const change = afterConflicts(
    resource,
    database,
    untilCurrent(database, statement, lockStatement(resource, "no key update")),
  );
  return async ({ identifier, body, headers }) => {
    const row = await input(database, resource, shape, body);
    const values = {
      id: identifier,
      row: JSON.stringify(row),
      merges: shape === "patch",
      ...conditionOf(headers),
    };
    const outcome = (await change(values)
      .catch((error) => throwProblem(error, { row, body, identifier })))!;
    const { id, matches, text } = outcome;
    if (id === null) throw await explain(identifier, matches, headers);
    // The row that it refers to may be newer than the statement
    const changed = text === null ? await find(identifier) : represent(text);
    if (!changed) throw notFound(resource, identifier);
    return { status: 200, ...changed };
  };
}

/** The tags that the row must or must not have. `If-None-Match: *` fails for any row. */
function conditionOf(headers: HeaderValues): Precondition {
  const { "If-Match": match, "If-None-Match": noneMatch = [] } = headers;
  const condition = (isOneOf: boolean, tags: string[]) => ({ isOneOf, tags: JSON.stringify(tags) });
  if (noneMatch[0] === "*") return condition(true, []);
  if (match && match[0] !== "*") {
    return condition(true, match.filter((tag) => !noneMatch.includes(tag)));
  }
  return noneMatch.length > 0 ? condition(false, noneMatch) : { isOneOf: true, tags: null };
}

/** Makes the function that finds out why nothing was written: there is no such row, a condition does not
 * hold, or the database shows a row that it does not let be changed. */
function explainer(resource: Resource, service: Service) {
  const find = finder(resource, service);
  return async (
    identifier: Identifier,
    matches: boolean | null,
    headers: HeaderValues,
  ): Promise<Problem> => {
    if (matches === false) {
      return new Problem("precondition_failed", unmet(resource.name, headers));
    }
    return await find(identifier) ? invalid([rejection(resource)]) : notFound(resource, identifier);
  };
}
