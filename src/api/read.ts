// Reads one row, by its identifier or the newest one, and turns any row into its representation: the JSON text
// that Postgres builds, as it is.
import { batched, sharing } from "../db/batch.ts";
import type { Run } from "../db/database.ts";
import type { Statement } from "../db/sql.ts";
import { Problem, type Representation } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { claimsIn, claimValues } from "../model/claim.ts";
import { type Identifier, splitIdentifier } from "../model/key.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { readConditions, tagOf } from "./conditions.ts";
import { askedStatement, lastStatement, readStatement } from "../statements/read.ts";

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
  statements: (resource) => [findStatement(resource)],
  prepare(resource, _path, service) {
    const find = finder(resource, service);
    return async ({ identifier, caller }) => {
      const found = await find(identifier, caller);
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
    const isOwn = claimsIn(statement).length > 0;
    const findFor = async (caller: Caller) => {
      const [row] = await database.run(statement, claimValues(statement, caller));
      return row?.text ? represent(row.text) : undefined;
    };
    const findForAll = batched(async (callers: Caller[]) => {
      const newest = await findFor(callers[0]!);
      return callers.map(() => newest);
    }, { ...sharing(database, "reads"), observe: metrics.batches(statement.name) });
    return async ({ caller }) => {
      const newest = await (isOwn ? findFor(caller) : findForAll(caller));
      if (!newest) throw new Problem("not_found", `There is no ${resource.name} yet`);
      return { status: 200, ...newest };
    };
  },
};

/** What finds rows by their identifiers. */
export function findStatement(resource: Resource): Statement {
  return resource.view ? askedStatement(resource) : readStatement(resource);
}

/** The same, and what finds those that were just written. */
export function findStatements(resource: Resource): Statement[] {
  const found = findStatement(resource);
  return resource.view ? [found, askedStatement(resource, { isWritten: true })] : [found];
}

/** Finds the representation of a row as its caller sees it; undefined if there is no such row. */
export type Find = (identifier: Identifier, caller: Caller) => Promise<Representation | undefined>;

/** A row, and who asks for it. */
interface Asked {
  id: Identifier;
  caller: Caller;
}

/** Makes the function that finds rows by their identifiers; what was just written, without the rule of the row
 * itself. */
export function finder(
  resource: Resource,
  { database, metrics }: Pick<Service, "database" | "metrics">,
  which: { isWritten?: boolean } = {},
): Find {
  const { statement, find } = finderIn(resource, which);
  const findAny = batched((asked: Asked[]) => find(database.run, asked), {
    ...sharing(database, "reads"),
    observe: metrics.batches(statement.name),
  });
  return (id, caller) => findAny({ id, caller });
}

/** The same in a transaction: what finds them in the order in which they are asked for. */
export function finderIn(resource: Resource, { isWritten = false } = {}) {
  if (!resource.view) {
    const statement = readStatement(resource);
    const find = async (run: Run, asked: Asked[]) => {
      const found = new Map<Identifier, Representation>();
      for (const { id, text } of await run(statement, { ids: asked.map(({ id }) => id) })) {
        if (text !== null) found.set(id, represent(text));
      }
      return asked.map(({ id }) => found.get(id));
    };
    return { statement, find };
  }
  const statement = askedStatement(resource, { isWritten });
  const known = new WeakMap<Caller, object>();
  const claimsOf = (caller: Caller) => {
    const claims = known.get(caller) ?? claimValues({ slots: statement.claims }, caller);
    known.set(caller, claims);
    return claims;
  };
  const find = async (run: Run, asked: Asked[]) => {
    const values = asked.map(({ id, caller }) => ({ id, ...claimsOf(caller) }));
    const rows = await run(statement, { asked: JSON.stringify(values) });
    const found = new Map(rows.map(({ ordinal, text }) => [ordinal, text]));
    return asked.map((_, index) => {
      const text = found.get(index + 1);
      return text == null ? undefined : represent(text);
    });
  };
  return { statement, find };
}

/** The problem of a path with an identifier that no row has. */
export function notFound({ name, identifiers }: Resource, identifier: Identifier): Problem {
  const which = splitIdentifier(identifiers, identifier).join();
  return new Problem("not_found", `No ${name} has the identifier ${which}`);
}

/** The representation of a row, by its JSON text. */
export function represent(text: string): Representation {
  return { body: text, tag: tagOf(text) };
}
