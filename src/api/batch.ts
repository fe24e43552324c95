// Creates many rows with one request: all of them or none.
import { type FieldFailure, invalid, type Problem } from "../errors/problem.ts";
import { kindOf } from "../model/field.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { MAXIMUM_BATCH } from "../model/resource.ts";
import { idempotencyKey } from "./conditions.ts";
import { afterConflicts } from "./conflicts.ts";
import { rejectingOne } from "./fault.ts";
import { inputs, refusedFields, type Row, within } from "./input.ts";
import { keyedCreate } from "./keyed.ts";
import { bodies, finder } from "./read.ts";
import { probeStatement } from "../statements/constraint.ts";
import { createBatchStatement, createOnceStatement } from "../statements/create.ts";

export const createBatch: Verb = {
  name: "batch",
  method: "POST",
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
    createBatchStatement(resource),
    createOnceStatement(resource, { isBatch: true }),
    probeStatement(resource),
  ],
  prepare(resource, path, service) {
    const { database } = service;
    const createAll = creator(resource, service);
    const createOnce = keyedCreate(resource, service, { isBatch: true });
    const reject = rejectingOne(resource, service);
    const show = bodies(resource);
    return async ({ body, bytes, headers, caller }) => {
      const sent = arrayOf(body);
      const rows = await inputs(database, resource, sent);
      const [key] = headers["Idempotency-Key"] ?? [];
      if (key === undefined) return { status: 201, body: show(await createAll(rows, sent)) };
      const { refused, text } = await createOnce(JSON.stringify(rows), { caller, path, key, bytes })
        .catch((error) => reject(error, rows));
      if (refused) throw refusedRows(resource, placesIn(refused), sent);
      return { status: 201, body: show(text!) };
    };
  },
};

/** Makes the function that creates rows, given as a JSON array, and returns them as one. */
function creator(resource: Resource, service: Service) {
  const { database } = service;
  const statement = createBatchStatement(resource);
  const find = finder(resource, service);
  const reject = rejectingOne(resource, service);
  const create = afterConflicts(
    resource,
    database,
    (rows: string) => database.run(statement, { rows }),
  );
  return async (rows: Row[], sent: unknown[]): Promise<string> => {
    const made = await create(JSON.stringify(rows)).catch((error) => reject(error, rows));
    const outcomes = made.sort((one, other) => one.place - other.place);
    const refused = outcomes.filter(({ refused }) => refused !== "");
    if (refused.length > 0) {
      const places = refused.map(({ place, refused }): Refused => [place - 1, refused]);
      throw refusedRows(resource, places, sent);
    }
    // A row that another one refers to may be newer than the statement
    const texts = outcomes.map(async ({ id, text }) => text ?? (await find(id!))?.body ?? "null");
    return `[${(await Promise.all(texts)).join()}]`;
  };
}

/** The place of a row in its array, and why it was refused. */
type Refused = [place: number, refusals: string];

/** The rows that a statement refused, from `7/bar:does_not_exist,7/tags/1:does_not_exist`. */
function placesIn(refusals: string): Refused[] {
  return refusals.split(",").map((refusal) => {
    const slash = refusal.indexOf("/");
    return [Number(refusal.slice(0, slash)), refusal.slice(slash + 1)];
  });
}

function refusedRows(resource: Resource, refused: Refused[], sent: unknown[]): Problem {
  return invalid(
    refused.flatMap(([place, refusals]) =>
      within(refusedFields(resource, refusals, sent[place]), place)
    ),
  );
}

function arrayOf(body: unknown): unknown[] {
  const whole = (code: FieldFailure["code"], detail: string) =>
    invalid([{ pointer: "", code, detail }]);
  if (!Array.isArray(body)) throw whole("incorrect_type", `Send an array, not ${kindOf(body)}`);
  if (body.length === 0) throw whole("too_few", "Send at least one element");
  if (body.length > MAXIMUM_BATCH) {
    throw whole("too_many", `Send at most ${MAXIMUM_BATCH} elements`);
  }
  return body;
}
