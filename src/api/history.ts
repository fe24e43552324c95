// The history of rows whose resource has `history: true`: the list of what became of a row, and what each write does for
// it besides its own statement.
import type { Database, Run } from "../db/database.ts";
import type { Statement } from "../db/sql.ts";
import { everybody } from "../model/caller.ts";
import { type Identifier, mayEqual } from "../model/key.ts";
import { changesOf, isKeptLater, keeperOf } from "../model/history.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { declaredOf, identifierFrom, rowPath } from "../model/resource.ts";
import { completeStatement, forgetChanges } from "../statements/history.ts";
import { forgetting } from "./forgetting.ts";
import { lister, typicalForms } from "./list.ts";
import * as page from "./page.ts";
import { type Find, finder, findStatement, notFound } from "./read.ts";
import { pageStatement } from "../statements/list.ts";

/** Lists what became of a row, the newest first; also of one that is gone. */
export const changes: Verb = {
  name: "changes",
  method: "GET",
  packed: true,
  isOfOneRow: true,
  operation: (resource) => ({
    id: `list${resource.title}Changes`,
    summary: `List the changes of one ${resource.name}, the newest first`,
    answer: { status: 200, holds: "list" },
    of: changesOf(resource),
    problems: ["not_found"],
  }),
  query: () => ({ limit: page.limit, cursor: page.cursor }),
  statements: (resource) => {
    const of = changesOf(resource);
    const ofRow = typicalForms(of, "-id").filter(({ filters: [filter] }) => filter?.[0] === "row");
    return [
      ...ofRow.map((form) => pageStatement(of, form)),
      findStatement(declaredOf(resource)),
    ];
  },
  prepare(resource, path, service) {
    const listChanges = lister(changesOf(resource), service, "-id");
    const find = finder(declaredOf(resource), service);
    const spelled = asKept(resource, find);
    return async ({ identifier, query, caller }) => {
      const from = service.prefix + rowPath(resource, path, identifier);
      const within = { row: await spelled(identifier) };
      const answer = await listChanges({ from, query, within, caller });
      const isEmpty = answer.body.startsWith('{"items":[]');
      if (isEmpty && !await find(identifier, everybody)) throw notFound(resource, identifier);
      return answer;
    };
  },
};

/** Makes the function that gives an identifier as a row that is there has it: the database may take others for the same. */
function asKept(resource: Resource, find: Find) {
  return async (identifier: Identifier): Promise<Identifier> => {
    const found = mayEqual(resource.identifiers) && await find(identifier, everybody);
    return found ? identifierFrom(resource, JSON.parse(found.body)) : identifier;
  };
}

/** What a write to rows runs besides its own statement. */
export function keptBy(resource: Resource): Statement[] {
  const keeper = keeperOf(resource);
  if (!keeper) return [];
  return [forgetChanges, ...isKeptLater(resource) ? [completeStatement(keeper)] : []];
}

/** Makes the function that gives what a resource is written with: where its changes are kept, that completes them, tells
 * who follows, and forgets the old ones. */
export function keeping(service: Service): (resource: Resource) => Service {
  const { database, news, historyDays } = service;
  const forget = forgetting(database, forgetChanges, { days: historyDays });
  return (resource) => {
    const keeper = keeperOf(resource);
    if (!keeper) return service;
    const complete = isKeptLater(resource) ? completeStatement(keeper) : undefined;
    const around = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      await forget();
      const result = await work();
      news.publish(changesOf(keeper).name);
      return result;
    };
    const transaction: Database["transaction"] = (of, work) =>
      around(() =>
        database.transaction(of, async (run) => {
          const result = await work(run);
          if (complete) await run(complete, {});
          return result;
        })
      );
    const run: Run = (statement, values) => {
      if (statement.effect === "reads") return database.run(statement, values);
      return complete
        ? transaction(statement, (run) => run(statement, values))
        : around(() => database.run(statement, values));
    };
    return { ...service, database: { ...database, run, transaction } };
  };
}
