// Replaces, changes and deletes a row. One statement decides; this file turns its outcome into an answer
// or a problem.
import type { Database } from "../db/database.ts";
import { isDuplicate } from "../db/errors.ts";
import type { Statement } from "../db/sql.ts";
import { invalid, Problem } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { claimValues } from "../model/claim.ts";
import {
  type Identifier,
  joinIdentifier,
  keysOfParts,
  mayEqual,
  splitIdentifier,
} from "../model/key.ts";
import type {
  Answer,
  Call,
  Handler,
  HeaderValues,
  Resource,
  Service,
  Verb,
} from "../model/model.ts";
import { createsByPut, keyMembers, withArticle } from "../model/resource.ts";
import { keyColumnsOf } from "../model/table.ts";
import { ATTEMPTS } from "../time.ts";
import { unmet, writeConditions } from "./conditions.ts";
import { answerer, creator, creatorStatements } from "./create.ts";
import { input, inputStatements, rowOfCreation } from "./input.ts";
import { idempotencyKey, keying } from "./keyed.ts";
import { type RowOutcome, rowWriter } from "./row-write.ts";
import type { Row } from "./shape.ts";
import { type Find, finder, findStatement, findStatements, notFound, represent } from "./read.ts";
import { probeStatement } from "../statements/constraint.ts";
import { problemThrower, rejection, taken } from "./rejection.ts";
import {
  changeStatement,
  lockStatement,
  type Precondition,
  removeStatement,
  type WriteVerdict,
} from "../statements/change.ts";
import type { KeyedRequest } from "../statements/once.ts";
import { refusalIn } from "../statements/refusal.ts";
import { sameStatement } from "../statements/read.ts";
import { mendStatements } from "../statements/sequence.ts";

const headers = { ...writeConditions, ...idempotencyKey };

/** Replaces a whole row. Where clients give the identifiers, it creates the row if it is not there. */
export const replace: Verb = {
  name: "replace",
  method: "PUT",
  isOfOneRow: true,
  writes: "update",
  operation: (resource) => ({
    id: `replace${resource.title}`,
    summary: `Replace ${withArticle(resource)}`,
    body: sendsKey(resource) ? "replace" : "write",
    answer: { status: 200, holds: "object" },
    mayCreate: createsByPut(resource),
    problems: ["not_found", "precondition_failed", "still_referenced", "in_progress"],
  }),
  accepts: ["application/json"],
  headers,
  statements: (resource) => [
    ...changeStatements(resource),
    ...(createsByPut(resource) ? creatorStatements(resource) : []),
  ],
  prepare: (resource, path, service) => changer(resource, service, replace, path),
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
    problems: ["not_found", "precondition_failed", "still_referenced", "in_progress"],
  }),
  accepts: ["application/merge-patch+json", "application/json"],
  headers,
  statements: changeStatements,
  prepare: (resource, path, service) => changer(resource, service, merge, path),
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
    problems: ["not_found", "precondition_failed", "still_referenced", "in_progress", "invalid"],
  }),
  headers,
  statements: (resource) => [
    lockStatement(resource, "update"),
    removeStatement(resource),
    probeStatement(resource),
    findStatement(resource),
  ],
  prepare(resource, path, service) {
    const statement = removeStatement(resource);
    const throwProblem = problemThrower(resource, service);
    const find = finder(resource, service);
    const untilFound = finding(resource, find);
    const keyedOf = keying(resource, "DELETE", path);
    const lock = lockStatement(resource, "update");
    const run = rowWriter(resource, service, { statement, lock, status: 204 });
    return async (call) => {
      const { identifier, headers, caller } = call;
      const values = {
        id: identifier,
        ...conditionOf(headers),
        ...claimValues(statement, caller),
      };
      const write = { values, caller, keyed: keyedOf(call) };
      const outcome = await untilFound(identifier, caller, () => run(write))
        .catch((error) => throwProblem(error, { identifier }));
      if (!outcome || isHidden(outcome)) throw notFound(resource, identifier);
      if (outcome.id === null) throw await notWritten(resource, outcome, find, call);
      return { status: 204 };
    };
  },
};

/** Whether a body may have what the path says. */
function sendsKey({ keys, writable }: Resource): boolean {
  return keys.some((field) => Object.hasOwn(writable, field));
}

/** Whether a PUT creates the row if it is not there, and its caller may. */
function mayCreate(resource: Resource): boolean {
  return createsByPut(resource) && resource.view?.rule("create").of !== "none";
}

/** What a replace and a change run. */
function changeStatements(resource: Resource): Statement[] {
  return [
    lockStatement(resource, "no key update"),
    changeStatement(resource),
    ...mayEqual(resource.identifiers) ? [sameStatement(resource)] : [],
    ...mendStatements(resource),
    ...inputStatements(resource),
    probeStatement(resource),
    ...findStatements(resource),
  ];
}

/** Makes the handler of changes. */
function changer(resource: Resource, service: Service, verb: Verb, path: string): Handler {
  const { database } = service;
  const statement = changeStatement(resource);
  const find = finder(resource, service);
  const findWritten = finder(resource, service, { isWritten: true });
  const identifiersIn = repeated(resource, database);
  const untilFound = finding(resource, find);
  const throwProblem = problemThrower(resource, service);
  const keyedOf = keying(resource, verb.method, path);
  const shape = verb === replace ? "write" : "patch";
  const creates = shape === "write" && mayCreate(resource);
  const create = creates ? creator(resource, service) : undefined;
  const mayDangle = creates && resource.keys.some((field) => resource.relations[field]);
  const answer = answerer(resource, service, path);
  const lock = lockStatement(resource, "no key update");
  const run = rowWriter(resource, service, { statement, lock, status: 200 });

  /** Changes the row; "none" if there is none, and "hidden" if the caller may not read it. */
  async function change(
    call: Call,
    row: Row,
    keyed: KeyedRequest | undefined,
  ): Promise<Answer | "none" | "hidden"> {
    const { identifier, body, headers, caller } = call;
    const columns = { ...row };
    for (const column of keyColumnsOf(resource)) delete columns[column];
    const values = {
      id: identifier,
      row: JSON.stringify(columns),
      merges: shape === "patch",
      ...conditionOf(headers),
      ...claimValues(statement, caller),
    };
    const write = { values, caller, keyed };
    const outcome = await untilFound(identifier, caller, () => run(write))
      .catch(async (error) => {
        // Of a row that is to be created, what the path refers to is told with the rest
        const isWhole = !mayDangle || !refusalIn(error) || headers["If-Match"] ||
          await find(identifier, caller);
        return isWhole ? await throwProblem(error, { row, body, identifier }) : undefined;
      });
    if (!outcome) return "none";
    if (isHidden(outcome)) return "hidden";
    const { id, text = null, status } = outcome;
    if (id !== null && status === 201) return await answer({ id, text }, caller);
    if (id === null) throw await notWritten(resource, outcome, find, call);
    // The row that it refers to may be newer than the statement
    const changed = text === null ? await findWritten(identifier, caller) : represent(text);
    if (!changed) throw notFound(resource, identifier);
    return { status: 200, ...changed };
  }

  return async (call) => {
    const { identifier, body, headers, caller } = call;
    const identifiers = await identifiersIn(body, identifier);
    const row = await input(database, resource, shape, body, caller, identifiers);
    const keyed = keyedOf(call);
    for (let attempt = 1;; attempt++) {
      const changed = await change(call, row, keyed);
      if (typeof changed === "object") return changed;
      if (!create) throw notFound(resource, identifier);
      const isHidden = changed === "hidden";
      if (headers["If-Match"] && !isHidden) throw await notMet(resource, find, call);
      const whole = JSON.stringify(rowOfCreation(resource, row, identifier, caller));
      if (isHidden) throw invalid([taken(resource)]); // the caller may not read it
      try {
        return await answer(await create(whole, caller, keyed), caller);
      } catch (error) {
        // Another request may have created it meanwhile; a row that is hidden stays so
        if (isDuplicate(error) && attempt < ATTEMPTS) continue;
        return await throwProblem(error, {
          row,
          body: { ...keyMembers(resource, identifier), ...Object(body) },
        });
      }
    }
  };
}

/** Makes the function that gives the identifiers that a body may repeat: that of the path, and its own, if the database
 * takes them for the same. No row is read: what is sent again under a key is right whatever became of the row. */
function repeated(resource: Resource, database: Database) {
  const { keys, identifiers } = resource;
  const same = mayEqual(identifiers) && sameStatement(resource);
  return async (body: unknown, one: Identifier): Promise<Identifier[]> => {
    if (!same) return [one];
    const own = splitIdentifier(identifiers, one);
    const sent = keys.map((field, index): unknown =>
      Object.hasOwn(Object(body), field) ? Object(body)[field] : own[index]
    );
    const areParts = keysOfParts(identifiers).every(({ is }, index) => is(sent[index]));
    const other = joinIdentifier(identifiers, sent as Identifier[]);
    if (other === one || !areParts) return [one];
    const [compared] = await database.run(same, { one, other });
    return compared!.isSame ? [one, other] : [one];
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

/** Makes the function that runs a write to a row, again if it finds none and by then there is one: another request has
 * just created it. Its outcome is undefined if there is no such row. Throws the problem of a row that is shown, and
 * that no write finds. */
function finding(resource: Resource, find: Find) {
  return async (
    identifier: Identifier,
    caller: Caller,
    write: () => Promise<RowOutcome>,
  ): Promise<RowOutcome | undefined> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const outcome = await write();
      if (outcome.matches !== null) return outcome;
      if (!await find(identifier, caller)) return undefined;
    }
    throw invalid([rejection(resource)]);
  };
}

/** Why a row that is there was not written: a condition does not hold, or the database does not let it be changed. */
async function notWritten(
  resource: Resource,
  { matches, isAllowed = true }: WriteVerdict,
  find: Find,
  call: Call,
): Promise<Problem> {
  if (!isAllowed) return new Problem("forbidden", `You may not write this ${resource.name}`);
  return matches === false ? await notMet(resource, find, call) : invalid([rejection(resource)]);
}

/** The problem of a condition that does not hold, with the row as its caller reads it by now. */
async function notMet(
  { name }: Resource,
  find: Find,
  { identifier, headers, caller }: Call,
): Promise<Problem> {
  return unmet(name, headers, await find(identifier, caller) ?? null);
}

/** Whether the rules let the caller not read a row that is there. */
function isHidden({ isReadable = true }: WriteVerdict): boolean {
  return !isReadable;
}
