// Turns the JSON of a request into the values of a row, or into a problem that lists every failing field.
import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { reads, slot, type Sql, sql, type Value } from "../db/sql.ts";
import {
  type FieldCode,
  type FieldFailure,
  invalid,
  type Problem,
  shortened,
} from "../errors/problem.ts";
import { kindOf } from "../model/field.ts";
import type { Resource } from "../model/model.ts";
import { pointerTo } from "../model/pointer.ts";
import { capitalized, oneOf } from "../model/resource.ts";

/** The values by column: those that were sent, and the defaults of the others. */
export type Row = Record<string, Value>;

type Body = Record<string, unknown>;

/** What is wrong with a field, or with an element of the array that a to-many takes. */
interface Failure {
  field: string;
  element?: number | undefined;
  code: FieldCode;
}

/** Validates a body. Even if its shape is wrong, its relations are checked, so that one answer reports
 * everything. */
export async function input(
  database: Database,
  resource: Resource,
  shape: "write" | "patch",
  body: unknown,
): Promise<Row> {
  const { row, failures } = await checked(database, resource, shape, body);
  if (failures.length > 0) throw invalid(failures);
  return row;
}

/** The row of a body, and everything that is wrong with it; if anything is, the row is not complete. */
export async function checked(
  database: Database,
  resource: Resource,
  shape: "write" | "patch",
  body: unknown,
): Promise<{ row: Row; failures: FieldFailure[] }> {
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    const detail = `Send an object, not ${kindOf(body)}`;
    return { row: {}, failures: [{ pointer: "", code: "incorrect_type", detail }] };
  }
  const sent = body as Body;
  const result = v.safeParse(resource.schemas[shape], sent, { abortPipeEarly: true });
  const failed = (result.issues ?? []).map(({ path, message }): Failure => {
    const [field, element] = path!.map(({ key }) => key);
    const isSent = Object.hasOwn(sent, String(field));
    const code = isSent ? message as FieldCode : "required";
    return { field: String(field), element: element as number | undefined, code };
  });
  const unknown = Object.keys(sent).filter((field) => !Object.hasOwn(resource.sent, field));
  if (failed.length === 0 && unknown.length === 0) {
    const values = result.output as Record<string, Value>;
    const row: Row = {};
    for (const field in values) row[resource.sent[field]!.column] = values[field]!;
    return { row, failures: [] };
  }
  const dangling = await checkRelations(database, resource, sent, failed);
  return {
    row: {},
    failures: [
      ...failuresOf(resource, [...failed, ...dangling], sent),
      ...unknown.map((field) => unwritable(resource, field)),
    ],
  };
}

/** The problem of a row that a statement refused. */
export function refused(resource: Resource, refusals: string, body: unknown): Problem {
  return invalid(refusedFields(resource, refusals, body));
}

/** The entries of `errors` for what a statement says is wrong. */
export function refusedFields(resource: Resource, refusals: string, body: unknown): FieldFailure[] {
  return failuresOf(resource, refusalsIn(resource, refusals), body as Body);
}

/** The problem of a row that the database left out for a reason that no field declares: a trigger or a
 * policy. */
export function rejected(resource: Resource): Problem {
  const detail = `The database rejected this ${resource.name}`;
  return invalid([{ pointer: "", code: "rejected", detail }]);
}

/** Checks the relations of a body whose shape is wrong, so that there is nothing to write. */
async function checkRelations(
  database: Database,
  resource: Resource,
  sent: Body,
  failed: Failure[],
): Promise<Failure[]> {
  const dangling: Failure[] = [];
  for (const [field, { write: { refusal, sqlType } }] of Object.entries(resource.sent)) {
    const elements = failed.filter((each) => each.field === field).map(({ element }) => element);
    if (!refusal || elements.includes(undefined) || !Object.hasOwn(sent, field)) continue;
    const statement = refusalStatement(field, refusal(sql`value`, field, resource), sqlType);
    const [row] = await database.run(statement, { value: checkable(sent[field], elements) });
    dangling.push(
      ...refusalsIn(resource, row?.refused).filter(({ element }) =>
        element === undefined || !elements.includes(element)
      ),
    );
  }
  return dangling;
}

function refusalStatement(field: string, refused: Sql, sqlType: string) {
  return reads<{ value: Value }, { refused: string | null }>(
    `check ${field}`,
    sql`select ${refused} as refused from (select ${slot("value", sqlType)} as value) as sent`,
  );
}

/** A value whose shape is right. The elements that failed are 0, which no row has. */
function checkable(value: unknown, failed: (number | undefined)[]): Value {
  if (!Array.isArray(value)) return value as Value;
  return value.map((element, place) => failed.includes(place) ? 0 : element as number);
}

/** What a statement says is wrong, as `bar:does_not_exist,tags/1:does_not_exist`. */
function refusalsIn(resource: Resource, refusals: string | null | undefined): Failure[] {
  return (refusals || undefined)?.split(",").map((refusal): Failure => {
    const [place = "", code] = refusal.split(":");
    if (Object.hasOwn(resource.sent, place)) return { field: place, code: code as FieldCode };
    const [field = "", element] = place.split("/");
    return { field, element: Number(element), code: code as FieldCode };
  }) ?? [];
}

/** The entries of `errors`, in the order of the fields and of the elements. */
function failuresOf(resource: Resource, failures: Failure[], sent: Body): FieldFailure[] {
  return Object.keys(resource.sent).flatMap((field) =>
    failures
      .filter((failure) => failure.field === field)
      .sort(({ element: one = -1 }, { element: other = -1 }) => one - other)
      .map((failure) => entryOf(resource, failure, sent[field]))
  );
}

function entryOf(
  resource: Resource,
  { field, element, code }: Failure,
  value: unknown,
): FieldFailure {
  const pointer = pointerTo(field);
  const { write } = resource.sent[field]!;
  if (code === "required") return { pointer, code, detail: `The field "${field}" is required` };
  if (element === undefined) return { pointer, code, detail: write.explain(code, value, resource) };
  return {
    pointer: `${pointer}/${element}`,
    code,
    detail: write.explainElement!(code, (value as unknown[])[element], resource),
  };
}

function unwritable(resource: Resource, field: string): FieldFailure {
  if (Object.hasOwn(resource.fields, field)) {
    const detail = `The field "${field}" is read, never written`;
    return { pointer: pointerTo(field), code: "read_only", detail };
  }
  const name = shortened(field);
  return {
    pointer: pointerTo(name),
    code: "unknown_field",
    detail: `${capitalized(oneOf(resource))} has no writable field named "${name}"`,
  };
}
