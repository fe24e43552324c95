// Creating, replacing, changing and deleting a row. One statement decides each of them; here its
// outcome becomes an answer or a problem.
import { coalesce } from "../database/coalesce.ts";
import { lostRace } from "../database/state.ts";
import type { Handler, HeaderValues, Resource, Service, Verb } from "../declaration/declaration.ts";
import { conditions, idempotencyKey, unmet } from "../api/conditions.ts";
import { pathOf } from "../declaration/resource.ts";
import { invalid, Problem } from "../problem.ts";
import { failure, input, type Row } from "./input.ts";
import { keyedCreate } from "./keyed.ts";
import { finder, notFound, orNotFound } from "./read.ts";
import { type Representation, representation } from "./representation.ts";
import {
  type Condition,
  createStatement,
  deleteStatement,
  hurriedCreateStatement,
  type Outcome,
  updateStatement,
} from "./statement.ts";

/** The creates that one statement makes at most. Any other write goes alone. */
const TOGETHER = 64;

/** The characters that these have in their values at most, unless they are of one: what a statement
 * sends is in memory several times, and what is longer takes no less time together than one by one. */
const LENGTH = 2 ** 20;

/** The statements for creates of one resource under way at most: few clients need not wait for each
 * other's commits, and connections are left for other writes. */
const ABREAST = 2;

/** Creates under way from which on those that come share the next statement: each row in it costs
 * Postgres much less than a statement of its own. */
const CROWD = 6;

/** Milliseconds that a create waits for a lock which one of those together with it has waited for. */
const LOCK_TIMEOUT = 5;

/** How often a write is tried that met another writer: nobody is ahead of it as often as that, unless
 * by a rule of Postgres that the declarations do not know. */
const ATTEMPTS = 10;

export const create: Verb = {
  name: "create",
  method: "POST",
  operation: ({ name, title }) => ({
    id: `create${title}`,
    summary: `Create a ${name}`,
    body: "write",
    answer: { status: 201, holds: "object" },
    problems: ["in_progress"],
  }),
  accepts: ["application/json"],
  headers: idempotencyKey,
  prepare(resource, path, service) {
    const locate = locator(resource, service.prefix);
    const run = together(resource, service);
    const runKeyed = againstRaces(keyedCreate(resource, service));
    const conclude = conclusion(resource, finder(resource, service));
    return async ({ body, bytes, headers, caller }) => {
      const row = await input(service.sql, resource, "write", body);
      const [key] = headers["Idempotency-Key"] ?? [];
      const outcome = key === undefined
        ? await run(row)
        : await runKeyed(row, { caller, path, key, bytes });
      const written = await conclude(outcome, row);
      return { status: 201, ...written, location: locate(outcome.id!) };
    };
  },
};

/** Replaces a whole row; never creates one. */
export const replace: Verb = {
  name: "replace",
  method: "PUT",
  operation: ({ name, title }) => ({
    id: `replace${title}`,
    summary: `Replace a ${name}`,
    body: "write",
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed"],
  }),
  accepts: ["application/json"],
  headers: conditions,
  prepare: (resource, _path, service) => updater(resource, service, "write"),
};

/** Changes the fields that are sent and keeps the others (RFC 7396). */
export const merge: Verb = {
  name: "patch",
  method: "PATCH",
  operation: ({ name, title }) => ({
    id: `patch${title}`,
    summary: `Change some fields of a ${name}`,
    body: "patch",
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed"],
  }),
  accepts: ["application/merge-patch+json", "application/json"],
  headers: conditions,
  prepare: (resource, _path, service) => updater(resource, service, "patch"),
};

/** Deletes a row, unless another refers to it, which is the foreign key's to say. */
export const remove: Verb = {
  name: "delete",
  method: "DELETE",
  operation: ({ name, title }) => ({
    id: `delete${title}`,
    summary: `Delete a ${name}`,
    answer: { status: 204, holds: "nothing" },
    problems: ["not_found", "precondition_failed", "still_referenced"],
  }),
  headers: conditions,
  prepare(resource, _path, service) {
    const run = deleteStatement(resource, service.sql);
    const find = finder(resource, service);
    return async ({ identifier, headers }) => {
      const condition = conditionOf(headers);
      if (!await run(identifier, condition)) {
        throw await whyUnwritten(resource, identifier, condition && headers, find);
      }
      return { status: 204 };
    };
  },
};

function updater(resource: Resource, service: Service, shape: "write" | "patch"): Handler {
  const run = againstRaces(updateStatement(resource, service.sql));
  const find = finder(resource, service);
  const conclude = conclusion(resource, find);
  return async ({ identifier, body, headers }) => {
    const row = await input(service.sql, resource, shape, body);
    const condition = conditionOf(headers);
    const outcome = await run(identifier, row, condition);
    if (!outcome) throw await whyUnwritten(resource, identifier, condition && headers, find);
    return { status: 200, ...await conclude(outcome, row) };
  };
}

/** What the row must be read as; undefined where any row will do. That none is to be there (`*`) never
 * holds of one that is. */
function conditionOf(headers: HeaderValues): Condition | undefined {
  const { "If-Match": match, "If-None-Match": noneMatch = [] } = headers;
  if (noneMatch[0] === "*") return { isOneOf: true, tags: [] };
  if (match && match[0] !== "*") {
    return { isOneOf: true, tags: match.filter((tag) => !noneMatch.includes(tag)) };
  }
  return noneMatch.length > 0 ? { isOneOf: false, tags: noneMatch } : undefined;
}

/** Why nothing was written: there is no such row, or it is not what the condition is for. */
async function whyUnwritten(
  resource: Resource,
  identifier: number,
  conditions: HeaderValues | undefined,
  find: (identifier: number) => Promise<unknown>,
): Promise<Problem> {
  if (!conditions || !await find(identifier)) return notFound(resource, identifier);
  return new Problem("precondition_failed", unmet(resource.name, conditions));
}

/** Makes, once, what creates a row together with those that arrive at the same time. */
function together(resource: Resource, { sql, metrics }: Service): (row: Row) => Promise<Outcome> {
  return coalesce(againstRaces(createStatement(resource, sql)), {
    size: TOGETHER,
    weight: LENGTH,
    weigh: lengthOf,
    abreast: ABREAST,
    crowd: CROWD,
    alone: againstRaces(hurriedCreateStatement(resource, sql, LOCK_TIMEOUT)),
    observe: metrics.batches(`create ${resource.name}`),
  });
}

/** The characters in the values of a row. */
function lengthOf(row: Row): number {
  let length = 0;
  for (const field in row) {
    const value = row[field];
    if (typeof value === "string") length += value.length;
  }
  return length;
}

/** Makes, once, what gives the representation of a row that was written, or the problem of one that was
 * refused. */
function conclusion(resource: Resource, find: ReturnType<typeof finder>) {
  const represent = representation(resource);
  return async ({ refused, id, text }: Outcome, row: Row): Promise<Representation> => {
    if (refused) {
      const fields = refused.split(",");
      throw invalid(fields.map((name) => failure(resource, name, "does_not_exist", row[name])));
    }
    const written = text === null ? await find(id!) : represent(text);
    return orNotFound(written, resource, id!);
  };
}

/** Runs a write again where another writer was ahead: the next attempt sees that what the row refers to
 * is gone, and is past the identifier that was taken by hand. */
function againstRaces<Values extends unknown[], Result>(
  run: (...values: Values) => Promise<Result>,
) {
  return async (...values: Values): Promise<Result> => {
    for (let attempt = 1;; attempt++) {
      try {
        return await run(...values);
      } catch (error) {
        if (!lostRace(error)) throw error;
        if (attempt === ATTEMPTS) {
          throw new Error(`Gave up after ${ATTEMPTS} conflicts with other writers`, {
            cause: error,
          });
        }
      }
    }
  };
}

/** From an identifier to the path where the row is read. */
function locator(resource: Resource, prefix: string): (id: number) => string {
  const path = pathOf(resource, "read");
  if (!path) throw new Error(`The resource "${resource.name}" has no route that reads one row`);
  return (id) => prefix + path.replace(/\{\w+\}/, String(id));
}
