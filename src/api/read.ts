// Reads one row, by its identifier or the newest one, and turns any row into its representation: the JSON text
// that Postgres builds, as it is.
import { batched, sharing } from "../db/batch.ts";
import { Problem } from "../errors/problem.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { readConditions, tagOf } from "./conditions.ts";
import { lastStatement, readStatement } from "../statements/read.ts";

interface Representation {
  body: string;
  /** The entity tag, which changes with the body. */
  tag: string;
}

export const read: Verb = {
  name: "read",
  method: "GET",
  isOfOneRow: true,
  operation: (resource) => ({
    id: `read${resource.title}`,
    summary: `Read one ${resource.name}`,
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed"],
  }),
  headers: readConditions,
  statements: (resource) => [readStatement(resource)],
  prepare(resource, _path, service) {
    const find = finder(resource, service);
    return async ({ identifier }) => {
      const found = await find(identifier);
      if (!found) throw notFound(resource, identifier);
      return { status: 200, ...found };
    };
  },
};

/** Reads the newest row; rows are in the order of their identifiers. */
export const last: Verb = {
  name: "last",
  method: "GET",
  operation: ({ name, title }) => ({
    id: `readLast${title}`,
    summary: `Read the most recently created ${name}`,
    answer: { status: 200, holds: "object" },
    problems: ["not_found", "precondition_failed"],
  }),
  headers: readConditions,
  statements: (resource) => [lastStatement(resource)],
  prepare(resource, _path, { database, metrics }) {
    const statement = lastStatement(resource);
    const find = batched(async (requests: null[]) => {
      const [row] = await database.run(statement, {});
      const newest = row?.text ? represent(row.text) : undefined;
      return requests.map(() => newest);
    }, { ...sharing(database, "reads"), observe: metrics.batches(statement.name) });
    return async () => {
      const newest = await find(null);
      if (!newest) throw new Problem("not_found", `There is no ${resource.name} yet`);
      return { status: 200, ...newest };
    };
  },
};

/** Makes the function that finds the representation of a row; undefined if there is no such row. */
export function finder(
  resource: Resource,
  { database, metrics }: Pick<Service, "database" | "metrics">,
): (identifier: Identifier) => Promise<Representation | undefined> {
  const statement = readStatement(resource);
  return batched(async (ids: Identifier[]) => {
    const found = new Map<Identifier, Representation>();
    for (const { id, text } of await database.run(statement, { ids })) {
      if (text !== null) found.set(id, represent(text));
    }
    return ids.map((id) => found.get(id));
  }, { ...sharing(database, "reads"), observe: metrics.batches(statement.name) });
}

/** The problem of a path with an identifier that no row has. */
export function notFound({ name }: Resource, identifier: Identifier): Problem {
  return new Problem("not_found", `No ${name} has the identifier ${identifier}`);
}

/** The representation of a row, by its JSON text. */
export function represent(text: string): Representation {
  return { body: text, tag: tagOf(text) };
}
