// Creates many rows with one request: all of them or none.
import type { Run } from "../db/database.ts";
import { type PostgresError, sqlState } from "../db/errors.ts";
import { type FieldFailure, invalid, Problem } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { jsonTypeOf } from "../model/field.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { MAXIMUM_BATCH } from "../model/resource.ts";
import { afterConflicts } from "./conflicts.ts";
import { publisher } from "./create.ts";
import { firstFailing } from "./each.ts";
import { failuresIn, refusedFields, within } from "./failures.ts";
import { inputs, inputStatements } from "./input.ts";
import type { Row } from "./shape.ts";
import { idempotencyKey, keying, once } from "./keyed.ts";
import { ownersStatements, underOwners } from "./owners.ts";
import { finderIn, findStatements } from "./read.ts";
import { isAboutRow, problemThrower } from "./rejection.ts";
import { probeStatement } from "../statements/constraint.ts";
import { createBatchStatement } from "../statements/create.ts";
import type { Kept, KeyedRequest } from "../statements/once.ts";
import { refusalIn } from "../statements/refusal.ts";
import { mendStatements } from "../statements/sequence.ts";

export const createBatch: Verb = {
  name: "batch",
  method: "POST",
  packed: true,
  writes: "insert",
  operation: ({ name, title }) => ({
    id: `create${title}Batch`,
    summary: `Create many ${name}s, all or none`,
    body: "batch",
    answer: { status: 201, holds: "batch" },
    problems: ["in_progress"],
  }),
  accepts: ["application/json"],
  headers: idempotencyKey,
  statements: (resource) => [
    ...ownersStatements(resource),
    createBatchStatement(resource),
    ...mendStatements(resource),
    ...inputStatements(resource),
    probeStatement(resource),
    ...findStatements(resource),
  ],
  prepare(resource, path, service) {
    const { database } = service;
    const statement = createBatchStatement(resource);
    const keyedOf = keying(resource, "POST", path);
    const carryOut = once(service);
    const show = showing(resource);
    const create = underOwners(resource, database, statement);
    const createAll = async (run: Run, rows: string, caller: Caller): Promise<Kept> => {
      const { id, text } = (await run(statement, { rows }))[0]!;
      return { status: 201, id, text: await show(run, text!, caller) };
    };
    const write = afterConflicts(
      resource,
      database,
      async (rows: string, caller: Caller, keyed?: KeyedRequest) => {
        const work = (run?: Run) => create(rows, (run) => createAll(run, rows, caller), run);
        return await (keyed ? carryOut(keyed, statement, work) : work());
      },
    );
    const explain = batchExplainer(resource, service);
    const publish = publisher(resource, service);
    return async (call) => {
      const { body, caller } = call;
      const sent = arrayOf(body);
      const rows = await inputs(database, resource, sent, caller);
      const { text } = await write(JSON.stringify(rows), caller, keyedOf(call))
        .catch((error) => explain(sent, rows, error));
      publish();
      return { status: 201, body: text! };
    };
  },
};

/** Makes the function that throws the problem of a create of rows: of those whose relations are refused, or else of
 * the first one that the database refuses. */
function batchExplainer(resource: Resource, service: Service) {
  const throwProblem = problemThrower(resource, service);
  return async (sent: unknown[], rows: Row[], error: PostgresError): Promise<never> => {
    const reasons = refusalIn(error);
    if (reasons) throw refusedRows(resource, reasons, sent);
    if (reasons === undefined && !isAboutRow(error)) throw error;
    const failing = await firstFailing(service.database, resource, JSON.stringify(rows));
    if (!failing) { // by now nothing refuses them: what did so is gone
      return await throwProblem(error, { inBody: (each) => ({ ...each, pointer: "" }) });
    }
    const { index, error: cause } = failing;
    // Only the first error has the routine of Postgres
    if (sqlState(cause) === sqlState(error)) Object.assign(cause, { routine: error.routine });
    return await throwProblem(cause, {
      row: rows[index]!,
      body: sent[index],
      inBody: (each) => within(each, index),
    });
  };
}

function refusedRows(resource: Resource, reasons: string, sent: unknown[]): Problem {
  const refusals = new Map<number, string>(JSON.parse(reasons));
  return invalid(failuresIn(
    refusals.keys(),
    (index) => refusedFields(resource, refusals.get(index)!, sent[index]),
  ));
}

/** Makes the function that shows an array of rows, or of the identifiers of rows. */
function showing(resource: Resource) {
  const { find } = finderIn(resource, { isWritten: true });
  return async (run: Run, text: string, caller: Caller): Promise<string> => {
    if (text.startsWith("[{")) return text;
    const ids = JSON.parse(text) as Identifier[];
    const found = await find(run, ids.map((id) => ({ id, caller })));
    return `[${found.map((each) => each?.body ?? "null").join()}]`;
  };
}

function arrayOf(body: unknown): unknown[] {
  const whole = (code: FieldFailure["code"], detail: string) =>
    invalid([{ pointer: "", code, detail }]);
  if (!Array.isArray(body)) throw whole("incorrect_type", `Send an array, not ${jsonTypeOf(body)}`);
  if (body.length === 0) throw whole("too_few", "Send at least one element");
  if (body.length > MAXIMUM_BATCH) {
    throw whole("too_many", `Send at most ${MAXIMUM_BATCH} elements`);
  }
  return body;
}
