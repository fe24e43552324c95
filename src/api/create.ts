// Creates rows. Creates that arrive together share a statement; each finds its outcome by its ordinal in it.
import { setTimeout as delay } from "node:timers/promises";
import { batched, sharing } from "../db/batch.ts";
import {
  isAtLimits,
  isConflict,
  isFromPostgres,
  isInUse,
  isLockTimeout,
  isTimeout,
  needsRoutine,
} from "../db/errors.ts";
import type { Statement } from "../db/sql.ts";
import type { Caller } from "../model/caller.ts";
import type { Answer, Resource, Service, Verb } from "../model/model.ts";
import { has, pathOf, rowPath, withArticle } from "../model/resource.ts";
import { afterConflicts } from "./conflicts.ts";
import { input, inputStatements } from "./input.ts";
import { createEach } from "./each.ts";
import { idempotencyKey, keying, once, unlessTaken } from "./keyed.ts";
import { ownersStatements, underOwners } from "./owners.ts";
import { finder, finderIn, findStatements, represent } from "./read.ts";
import { probeStatement } from "../statements/constraint.ts";
import { problemThrower } from "./rejection.ts";
import { keeperOf } from "../model/history.ts";
import { hasOwner } from "../statements/owner.ts";
import {
  createOnceStatement,
  createSharedStatement,
  createStatement,
  UNSEEN,
} from "../statements/create.ts";
import type { KeyedRequest } from "../statements/once.ts";
import { refusal, refusalIn } from "../statements/refusal.ts";
import type { Made } from "../statements/sent.ts";
import { mendStatements } from "../statements/sequence.ts";

/** From this many characters, a row is created alone: sharing a statement would save nothing. */
const TOO_LONG = 2 ** 14;

/** Milliseconds by which the answer to a refused row is delayed that had others made one by one, so that a client
 * which sends such rows in a loop takes little time from them. */
const PENALTY = 20;

export const create: Verb = {
  name: "create",
  method: "POST",
  writes: "insert",
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
    ...creatorStatements(resource),
    ...mendStatements(resource),
    ...inputStatements(resource),
    probeStatement(resource),
    ...findStatements(resource),
  ],
  prepare(resource, path, service) {
    const { database } = service;
    const keyedOf = keying(resource, "POST", path);
    const createRow = creator(resource, service);
    const answer = answerer(resource, service, pathOf(resource, "read")!);
    const throwProblem = problemThrower(resource, service);
    return async (call) => {
      const { body, caller } = call;
      const row = await input(database, resource, "write", body, caller);
      const made = await createRow(JSON.stringify(row), caller, keyedOf(call))
        .catch((error) => throwProblem(error, { row, body }));
      return await answer(made, caller);
    };
  },
};

/** Makes the function that answers with a row that was created; the path is that of each. */
export function answerer(
  resource: Resource,
  service: Service,
  path: string,
): (made: Made, caller: Caller) => Promise<Answer> {
  const find = finder(resource, service, { isWritten: true });
  const publish = publisher(resource, service);
  return async ({ id, text }, caller) => {
    publish();
    // By now the row may be gone, and the answer with it
    const made = text === null ? await find(id, caller) : represent(text);
    const location = service.prefix + rowPath(resource, path, id);
    return { status: 201, ...made ?? { body: "null" }, location, row: id };
  };
}

/** Makes the function that publishes to those who follow a resource that it has new rows. */
export function publisher(resource: Resource, { news }: Service): () => void {
  return has(resource, "follow") ? () => news.publish(resource.name) : () => {};
}

/** What a create runs, besides what every write with a key does. */
export function creatorStatements(resource: Resource): Statement[] {
  return [
    ...ownersStatements(resource),
    createStatement(resource),
    ...isOneStep(resource) ? [createOnceStatement(resource)] : [],
    createSharedStatement(resource),
  ];
}

/** Whether one statement takes a key, creates a row and shows it: what is to own it is locked by one before. */
function isOneStep(resource: Resource): boolean {
  return !hasOwner(resource);
}

/** Makes the function that creates a row, given as JSON, for a caller; once, if it has a key. */
export function creator(
  resource: Resource,
  service: Service,
): (row: string, caller: Caller, keyed?: KeyedRequest) => Promise<Made> {
  const createAny = sharedCreator(resource, service);
  const createOnce = keyedCreator(resource, service);
  return (row, caller, keyed) => keyed ? createOnce(row, caller, keyed) : createAny(row);
}

/** Makes the function that creates a row once for a key: in one statement, or, if that cannot show the row, in a
 * transaction that reads it again. */
function keyedCreator(resource: Resource, service: Service) {
  const { database } = service;
  const statement = createStatement(resource);
  const carryOut = once(service);
  const create = underOwners(resource, database, statement);
  const { find } = finderIn(resource, { isWritten: true });

  const inSteps = (row: string, caller: Caller, keyed: KeyedRequest): Promise<Made> =>
    carryOut(keyed, statement, async (run) => {
      const [made] = await create(`[${row}]`, (run) => run(statement, { row }), run);
      const { id, text } = made!;
      const [found] = text === null ? await find(run, [{ id, caller }]) : [];
      return { status: 201, id, text: text ?? found?.body ?? "null" };
    });

  if (!isOneStep(resource)) return afterConflicts(resource, database, inSteps);
  const whole = createOnceStatement(resource);
  const attempt = unlessTaken(service);

  return afterConflicts(
    resource,
    database,
    async (row: string, caller: Caller, keyed: KeyedRequest): Promise<Made> => {
      try {
        return await attempt(keyed, async () => (await database.run(whole, { row, ...keyed }))[0]!);
      } catch (error) {
        if (refusalIn(error) !== UNSEEN) throw error;
      }
      return await inSteps(row, caller, keyed);
    },
  );
}

/** Makes the function that creates a row together with those of other requests. */
function sharedCreator(
  resource: Resource,
  { database, metrics }: Service,
): (row: string) => Promise<Made> {
  const statement = createStatement(resource);
  const shared = createSharedStatement(resource);
  const create = underOwners(resource, database, statement);
  const createOne = afterConflicts(resource, database, async (row: string, met: Error[] = []) => {
    const error = met.pop(); // another statement met it for this row
    if (error) throw error;
    return (await create(`[${row}]`, (run) => run(statement, { row })))[0]!;
  });

  async function createAll(rows: string[]): Promise<(Made | Promise<Made>)[]> {
    if (rows.length === 1) return [await createOne(rows[0]!)];
    try {
      return await createTogether(rows);
    } catch (error) {
      if (isLockTimeout(error)) return rows.map((row) => createOne(row));
      throw error;
    }
  }

  async function createTogether(rows: string[]): Promise<(Made | Promise<Made>)[]> {
    try {
      const all = `[${rows.join()}]`;
      const outcomes = await create(all, (run) => run(shared, { rows: all }));
      const byOrdinal = new Map(outcomes.map((outcome) => [outcome.ordinal, outcome]));
      return rows.map((_, index) => {
        const outcome = byOrdinal.get(index + 1)!;
        return outcome.refused ? Promise.reject(refusal(outcome.refused)) : outcome;
      });
    } catch (error) {
      const isOver = !isFromPostgres(error) || error.severity === "FATAL";
      if (isOver || isTimeout(error) || isAtLimits(error) || isLockTimeout(error)) throw error;
    }
    const results = await createEach(database, statement, rows);
    return rows.map(async (row, index) => {
      const result = results[index]!;
      if (!(result instanceof Error)) return result;
      if (isInUse(result)) return createOne(row);
      await delay(PENALTY);
      return createOne(row, isConflict(result) || needsRoutine(result) ? [] : [result]);
    });
  }

  // Of rows within others, only the owner tells in whose history a create is
  const isAlone = keeperOf(resource) !== undefined && hasOwner(resource);
  const observe = metrics.batches(statement.name);
  const share = batched(createAll, {
    ...sharing(database, "writes"),
    alone: (row) => createOne(row),
    observe,
  });
  return (row) => {
    if (row.length <= TOO_LONG && !isAlone) return share(row);
    observe(1);
    return createOne(row);
  };
}
