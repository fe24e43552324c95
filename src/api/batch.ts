// Creates many rows with one request: all of them or none.
import { type FieldFailure, invalid, type Problem } from "../errors/problem.ts";
import { kindOf } from "../model/field.ts";
import type { Resource, Service, Verb } from "../model/model.ts";
import { MAXIMUM_BATCH } from "../model/resource.ts";
import { idempotencyKey } from "./conditions.ts";
import { afterConflicts } from "./conflicts.ts";
import { teller } from "./create.ts";
import { rejectingOne } from "./fault.ts";
import { inputs, refusedFields, within } from "./input.ts";
import { keyedCreate } from "./keyed.ts";
import { bodies, finder } from "./read.ts";
import { probeStatement } from "../statements/constraint.ts";
import { createBatchStatement, createOnceStatement } from "../statements/create.ts";
import type { Outcome } from "../statements/sent.ts";

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
    const tell = teller(resource, service);
    return async ({ body, bytes, headers, caller }) => {
      const sent = arrayOf(body);
      const rows = await inputs(database, resource, sent);
      const json = JSON.stringify(rows);
      const [key] = headers["Idempotency-Key"] ?? [];
      const made = key === undefined
        ? createAll(json)
        : createOnce(json, { caller, path, key, bytes }).then(fromText);
      const { refused, text } = await made.catch((error) => reject(error, rows));
      if (refused.length > 0) throw refusedRows(resource, refused, sent);
      tell();
      return { status: 201, body: show(text) };
    };
  },
};

/** What became of an array of rows: those that were refused, or the JSON text of all. */
interface Made {
  refused: Refused[];
  text: string;
}

/** Makes the function that creates rows, given as a JSON array. */
function creator(resource: Resource, service: Service): (rows: string) => Promise<Made> {
  const { database } = service;
  const statement = createBatchStatement(resource);
  const find = finder(resource, service);
  const create = afterConflicts(
    resource,
    database,
    (rows: string) => database.run(statement, { rows }),
  );
  return async (rows) => {
    const outcomes = (await create(rows)).sort((one, other) => one.place - other.place);
    const refused = outcomes.filter(({ refused }) => refused !== "")
      .map(({ place, refused }): Refused => [place - 1, refused]);
    if (refused.length > 0) return { refused, text: "" };
    // A row that another one refers to may be newer than the statement
    const texts = outcomes.map(async ({ id, text }) => text ?? (await find(id!))?.body ?? "null");
    return { refused, text: `[${(await Promise.all(texts)).join()}]` };
  };
}

/** The place of a row in its array, and why it was refused. */
type Refused = [place: number, refusals: string];

/** What became of the rows of a create with a key, which tells refusals as `7/bar:does_not_exist`. */
function fromText({ refused, text }: Outcome): Made {
  const refusals = refused === "" ? [] : refused.split(",");
  return {
    refused: refusals.map((refusal): Refused => {
      const slash = refusal.indexOf("/");
      return [Number(refusal.slice(0, slash)), refusal.slice(slash + 1)];
    }),
    text: text ?? "",
  };
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
