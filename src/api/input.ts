// Turns the JSON of a request into the values of a row, or into a problem that lists every failing field.
import * as v from "valibot";
import type { Database } from "../db/database.ts";
import type { Value } from "../db/sql.ts";
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
import { checkStatement } from "../statements/sent.ts";

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
  const parsed = parse(resource, shape, body);
  if (!parsed.isWrong) return parsed.row;
  const [failures] = await failuresOf(database, resource, [parsed]);
  throw invalid(failures!);
}

/** Validates the bodies of an array, like `input`. */
export async function inputs(
  database: Database,
  resource: Resource,
  bodies: unknown[],
): Promise<Row[]> {
  const parsed = bodies.map((body) => parse(resource, "write", body));
  if (!parsed.some(({ isWrong }) => isWrong)) return parsed.map(({ row }) => row);
  const failures = await failuresOf(database, resource, parsed);
  throw invalid(failures.flatMap(within));
}

/** The entries of one body, as those of the array that it is in. */
export function within(failures: FieldFailure[], place: number): FieldFailure[] {
  return failures.map((failure) => ({ ...failure, pointer: `/${place}${failure.pointer}` }));
}

/** The problem of a row that a statement refused. */
export function refused(resource: Resource, refusals: string, body: unknown): Problem {
  return invalid(refusedFields(resource, refusals, body));
}

/** The entries of `errors` for what a statement says is wrong. */
export function refusedFields(resource: Resource, refusals: string, body: unknown): FieldFailure[] {
  return entriesOf(resource, refusalsIn(resource, refusals), body as Body);
}

/** The problem of a row that the database left out for a reason that no field declares: a trigger or a
 * policy. */
export function rejected(resource: Resource): Problem {
  const detail = `The database rejected this ${resource.name}`;
  return invalid([{ pointer: "", code: "rejected", detail }]);
}

/** A body by its shape. If that is wrong, the row is only good to check its relations. */
interface Parsed {
  row: Row;
  isWrong: boolean;
  /** The body, if it is an object. */
  sent: Body | undefined;
  failures: Failure[];
  /** The fields that cannot be written. */
  unwritable: string[];
  /** What is wrong with the whole body. */
  whole: FieldFailure[];
}

function parse(resource: Resource, shape: "write" | "patch", body: unknown): Parsed {
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    const detail = `Send an object, not ${kindOf(body)}`;
    const whole: FieldFailure[] = [{ pointer: "", code: "incorrect_type", detail }];
    return { row: {}, isWrong: true, sent: undefined, failures: [], unwritable: [], whole };
  }
  const sent = body as Body;
  const result = v.safeParse(resource.schemas[shape], sent, { abortPipeEarly: true });
  const unwritable = Object.keys(sent).filter((field) => !Object.hasOwn(resource.sent, field));
  if (result.success && unwritable.length === 0) {
    const row = rowOf(resource, result.output as Body);
    return { row, isWrong: false, sent, failures: [], unwritable, whole: [] };
  }
  const failures = (result.issues ?? []).map(({ path, message }): Failure => {
    const [field, element] = path!.map(({ key }) => key);
    const isSent = Object.hasOwn(sent, String(field));
    const code = isSent ? message as FieldCode : "required";
    return { field: String(field), element: element as number | undefined, code };
  });
  const row = rowOf(resource, relationsIn(resource, sent, failures));
  return { row, isWrong: true, sent, failures, unwritable, whole: [] };
}

function rowOf({ sent }: Resource, values: Body): Row {
  const row: Row = {};
  for (const field in values) row[sent[field]!.column] = values[field] as Value;
  return row;
}

/** The relations that were sent in the right shape. In an array, the elements that failed are 0, which no
 * row has. */
function relationsIn(resource: Resource, sent: Body, failures: Failure[]): Body {
  const relations: Body = {};
  for (const field of Object.keys(resource.relations)) {
    const failed = failures.filter((each) => each.field === field).map(({ element }) => element);
    if (failed.includes(undefined) || !Object.hasOwn(sent, field) || !resource.sent[field]) {
      continue;
    }
    const value = sent[field];
    relations[field] = Array.isArray(value)
      ? value.map((element, place) => failed.includes(place) ? 0 : element)
      : value;
  }
  return relations;
}

/** What is wrong with each body: its shape, and its relations. */
async function failuresOf(
  database: Database,
  resource: Resource,
  parsed: Parsed[],
): Promise<FieldFailure[][]> {
  const rows = parsed.map(({ row }) => row);
  const hasRelations = rows.some((row) => Object.keys(row).length > 0);
  const refusals = hasRelations
    ? await database.run(checkStatement(resource), { rows: JSON.stringify(rows) })
    : [];
  const refused = new Map(refusals.map(({ place, refused }) => [place, refused]));
  return parsed.map(({ sent, failures, unwritable, whole }, index) => {
    if (!sent) return whole;
    const isNew = ({ field, element }: Failure) =>
      !failures.some((known) => known.field === field && known.element === element);
    const dangling = refusalsIn(resource, refused.get(index + 1)).filter(isNew);
    return [
      ...entriesOf(resource, [...failures, ...dangling], sent),
      ...unwritable.map((field) => unwritableEntry(resource, field)),
    ];
  });
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
function entriesOf(resource: Resource, failures: Failure[], sent: Body): FieldFailure[] {
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

function unwritableEntry(resource: Resource, field: string): FieldFailure {
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
