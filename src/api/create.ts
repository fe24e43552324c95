// Creates rows. Creates that arrive together share a statement; each finds its outcome by its place in it.
import { batched, sharing } from "../db/batch.ts";
import type { Database } from "../db/database.ts";
import { cannotSkipConflicts, isLostReference } from "../db/errors.ts";
import { invalid } from "../errors/problem.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { has, pathOf, withArticle, writtenTables } from "../model/resource.ts";
import { afterConflicts } from "./conflicts.ts";
import { input, inputStatements, refusedFields } from "./input.ts";
import { idempotencyKey, keyedCreate } from "./keyed.ts";
import { finder, notFound, represent } from "./read.ts";
import { probeStatement } from "../statements/constraint.ts";
import { problemThrower, rejectedProblem } from "./rejection.ts";
import {
  createAloneStatement,
  createOnceStatement,
  createStatement,
  type PlacedOutcome,
} from "../statements/create.ts";
import { readStatement } from "../statements/read.ts";
import type { Outcome } from "../statements/sent.ts";
import { mendStatement } from "../statements/sequence.ts";

/** From this many characters, a row is created alone: sharing a statement would save nothing. */
const LONG = 2 ** 14;

/** The lock timeout of a create that runs alone because the shared statement waited for a lock in vain: the
 * creates that need no lock must not wait for the one that does. */
const LOCK_TIMEOUT = "5ms";

export const create: Verb = {
  name: "create",
  method: "POST",
  operation: (resource) => ({
    id: `create${resource.title}`,
    summary: `Create ${withArticle(resource)}`,
    body: "write",
    answer: { status: 201, holds: "object" },
    problems: ["in_progress"],
  }),
  accepts: ["application/json"],
  headers: idempotencyKey,
  statements: (resource) => [
    createStatement(resource),
    createAloneStatement(resource),
    createOnceStatement(resource, { isBatch: false }),
    mendStatement(resource),
    ...inputStatements(resource),
    probeStatement(resource),
    readStatement(resource),
  ],
  prepare(resource, path, service) {
    const { database, prefix } = service;
    const createOne = creator(resource, service);
    const createOnce = keyedCreate(resource, service, { isBatch: false });
    const find = finder(resource, service);
    const locate = locator(resource, prefix);
    const throwProblem = problemThrower(resource, service);
    const publish = publisher(resource, service);
    return async ({ body, bytes, headers, caller }) => {
      const row = await input(database, resource, "write", body);
      const [key] = headers["Idempotency-Key"] ?? [];
      const written = key === undefined
        ? createOne(JSON.stringify(row))
        : createOnce(JSON.stringify([row]), { caller, path, key, bytes });
      const outcome = await written.catch((error) => throwProblem(error, { row }));
      const { refused, id, text } = outcome;
      if (refused) throw invalid(refusedFields(resource, refused, body));
      if (id === null) throw rejectedProblem(resource);
      publish();
      const made = text === null ? await find(id) : represent(text);
      if (!made) throw notFound(resource, id);
      return { status: 201, ...made, location: locate(id) };
    };
  },
};

/** Makes the function that publishes to those who follow a resource that it has new rows. */
export function publisher(resource: Resource, { news }: Service): () => void {
  return has(resource, "follow") ? () => news.publish(resource.name) : () => {};
}

/** Makes the function that creates a row, given as JSON. */
function creator(
  resource: Resource,
  { database, metrics }: Service,
): (row: string) => Promise<Outcome> {
  const statement = createStatement(resource);
  const createAlone = aloneCreator(resource, database);
  const tables = writtenTables(resource);
  let mayShare = true;

  async function createAll(rows: string[]): Promise<(Outcome | Promise<Outcome>)[]> {
    let outcomes: PlacedOutcome[];
    try {
      outcomes = await database.run(statement, { rows: `[${rows.join()}]` });
    } catch (error) {
      if (cannotSkipConflicts(error)) mayShare = false;
      else if (rows.length > 1 || !isLostReference(error, tables)) throw error;
      return rows.map((row) => createAlone(row));
    }
    const placed = new Map(outcomes.map((outcome) => [outcome.place, outcome]));
    return rows.map((row, index) => placed.get(index + 1) ?? createAlone(row));
  }

  const observe = metrics.batches(statement.name);
  const alone = (row: string, isLate: boolean) => createAlone(row, isLate ? LOCK_TIMEOUT : null);
  const share = batched(createAll, { ...sharing(database, "writes"), alone, observe });
  return (row) => {
    if (mayShare && row.length <= LONG) return share(row);
    observe(1);
    return createAlone(row);
  };
}

/** Makes the function that creates a row alone, and so learns why the shared statement skipped it. */
function aloneCreator(resource: Resource, database: Database) {
  const statement = createAloneStatement(resource);
  return afterConflicts(
    resource,
    database,
    async (row: string, lockTimeout: string | null = null): Promise<Outcome> => {
      const [outcome] = await database.run(statement, { rows: `[${row}]`, lockTimeout });
      return outcome ?? { refused: "", id: null, text: null };
    },
  );
}

/** Makes the function that gives the path of a row. */
function locator(resource: Resource, prefix: string): (id: number) => string {
  const path = pathOf(resource, "read")!;
  return (id) => prefix + path.replace(/\{\w+\}/, String(id));
}
