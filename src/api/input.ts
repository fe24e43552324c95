// Turns the JSON of a request into the values of a row, or into a problem that lists every failing field.
import * as v from "valibot";
import type { Database } from "../db/database.ts";
import type { Statement } from "../db/sql.ts";
import {
  type FieldCode,
  type FieldFailure,
  invalid,
  MOST_FAILURES,
  shortened,
} from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { claimedValue, claimValues } from "../model/claim.ts";
import { sharedDefault } from "../model/default.ts";
import type { Identifier } from "../model/key.ts";
import { jsonTypeOf } from "../model/field.ts";
import type { Resource } from "../model/model.ts";
import { pointerTo } from "../model/pointer.ts";
import { capitalized, withArticle } from "../model/resource.ts";
import { keyColumnOf } from "../model/table.ts";
import { checkStatement, claimsOfCreation } from "../statements/sent.ts";

/** The values by column: those that were sent, and the defaults of the others. */
export type Row = Record<string, unknown>;

type JsonObject = Record<string, unknown>;

/** Validates a body. Even if its shape is wrong, its relations are checked, so that one answer reports
 * everything. A body for a row that has identifiers, all the same to the database, may only repeat one of them: the
 * first is that of the path, and what replaces a row has it. */
export async function input(
  database: Database,
  resource: Resource,
  shape: "write" | "patch",
  body: unknown,
  caller: Caller,
  identifiers: Identifier[] = [],
): Promise<Row> {
  const isNew = shape === "write" && identifiers.length === 0;
  const parsed = parse(resource, shape, body, identifiers, isNew ? caller : undefined);
  if (parsed.failures.length === 0) {
    return isNew ? filled(resource, parsed.row, caller) : parsed.row;
  }
  const failuresAt = await failuresByPlace(database, resource, [parsed], caller, identifiers[0]);
  throw invalid(failuresAt(0));
}

/** The row that a PUT creates; throws what is wrong with its key, and what it lacks. */
export function rowOfCreation(resource: Resource, row: Row, caller: Caller): Row {
  const { key, writable } = resource;
  const body = { [key]: row[keyColumnOf(resource)] };
  const { issues = [] } = v.safeParse(writable[key]!.write.schema, body[key]);
  const failures = [
    ...issues.map(({ message }) => failureAt([key], message as FieldCode, resource, body)),
    ...lackingOf(resource, (_, column) => Object.hasOwn(row, column), caller),
  ];
  if (failures.length > 0) throw invalid(failures);
  return filled(resource, row, caller);
}

/** A row to create, with what the claims of its sender fill, and what they say for the rules. */
function filled(resource: Resource, row: Row, caller: Caller): Row {
  const values: Row = Object.create(null);
  for (const field of Object.values(resource.claimed)) {
    const value = claimedValue(field, caller);
    if (value !== undefined) values[field.column] = value;
  }
  const claims = claimValues({ slots: claimsOfCreation(resource) }, caller);
  return Object.assign(values, row, claims);
}

/** The failures of fields that a claim would fill, and that neither a claim nor the client does. */
function lackingOf(
  resource: Resource,
  isSent: (field: string, column: string) => boolean,
  caller: Caller,
): FieldFailure[] {
  return Object.entries(resource.claimed)
    .filter(([name, field]) =>
      !field.nullable && !isSent(name, field.column) && claimedValue(field, caller) === undefined
    )
    .map(([name]) => failureAt([name], "required", resource, {}));
}

/** Validates the bodies of an array, like `input`. It stops once more fields fail than are listed. */
export async function inputs(
  database: Database,
  resource: Resource,
  bodies: unknown[],
  caller: Caller,
): Promise<Row[]> {
  const parsed: Parsed[] = [];
  let count = 0;
  for (const body of bodies) {
    const one = parse(resource, "write", body, [], caller);
    parsed.push(one);
    count += one.failures.length;
    if (count > MOST_FAILURES) break;
  }
  if (count === 0) return parsed.map(({ row }) => filled(resource, row, caller));
  throw invalid(
    failuresIn(parsed.keys(), await failuresByPlace(database, resource, parsed, caller)),
  );
}

/** Collects the failures of the bodies of an array. It stops once they are more than are listed. */
export function failuresIn(
  places: Iterable<number>,
  failuresAt: (place: number) => FieldFailure[],
): FieldFailure[] {
  const failures: FieldFailure[] = [];
  for (const place of places) {
    failures.push(...failuresAt(place).map((each) => within(each, place)));
    if (failures.length > MOST_FAILURES) break;
  }
  return failures;
}

/** The failure of a body, as that of the array that it is in. */
export function within(failure: FieldFailure, place: number): FieldFailure {
  return { ...failure, pointer: `/${place}${failure.pointer}` };
}

/** What a statement says is wrong with a body, as `bar:does_not_exist,tags/1:does_not_exist`. */
export function refusedFields(resource: Resource, refusals: string, body: unknown): FieldFailure[] {
  if (refusals === "") return [];
  // Of what is wrong with a field, the first reason is told
  const reasons = Map.groupBy(refusals.split(","), (refusal) => refusal.split(":")[0]!);
  return [...reasons].map(([path, [first]]) => {
    const code = first!.split(":")[1] as FieldCode;
    return failureAt(path.split("/"), code, resource, body as JsonObject);
  });
}

/** The failure of a field, or of an element of the array that a to-many takes. */
export function failureAt(
  path: string[],
  code: FieldCode,
  resource: Resource,
  body: JsonObject,
): FieldFailure {
  const [field, element] = path as [string, string?];
  if (code === "not_allowed") return notAllowed(resource, field);
  const { write } = resource.writable[field]!;
  const { explain, explainElement } = write;
  const value = Object.hasOwn(body, field) ? body[field] : sharedDefault(write);
  const detail = code === "required"
    ? `The field "${field}" is required`
    : value === undefined
    ? `The field "${field}" has a default that it does not take: send a value`
    : element === undefined
    ? explain(code, value)
    : explainElement!(code, (value as unknown[])[Number(element)]);
  return { pointer: `/${path.join("/")}`, code, detail };
}

/** The failure of a row that the rules do not let callers write: by a field of it, or as a whole. */
function notAllowed(resource: Resource, field: string): FieldFailure {
  const which = field === ""
    ? `this ${resource.name}`
    : `${withArticle(resource)} with this ${field}`;
  const pointer = field === "" ? "" : pointerTo(field);
  return { pointer, code: "not_allowed", detail: `You may not write ${which}` };
}

/** A body by its shape. If that is wrong, the row is only good to check its relations. */
interface Parsed {
  body: JsonObject;
  row: Row;
  failures: FieldFailure[];
}

function parse(
  resource: Resource,
  shape: "write" | "patch",
  sent: unknown,
  identifiers: Identifier[],
  creator: Caller | undefined,
): Parsed {
  if (sent === null || typeof sent !== "object" || Array.isArray(sent)) {
    const detail = `Send an object, not ${jsonTypeOf(sent)}`;
    return { body: {}, row: {}, failures: [{ pointer: "", code: "incorrect_type", detail }] };
  }
  // Without a prototype, so that it has no member `constructor` that was not sent
  const body: JsonObject = Object.assign(Object.create(null), sent);
  const changed = keyOfPath(resource, shape, body, identifiers);
  const { output, issues: found = [] } = v.safeParse(resource.schemas[shape], body, {
    abortPipeEarly: true,
  });
  // The key of a path is that of a row that is there, whatever keys are declared; `rowOfCreation` looks at a new one
  const issues = found.filter(({ path }) =>
    identifiers.length === 0 || path![0].key !== resource.key
  );
  const isWritable = (field: string) =>
    Object.hasOwn(resource.writable, field) && !resource.writable[field]!.write.isFilled;
  const unwritable = Object.keys(body)
    .filter((field) => !isWritable(field))
    .slice(0, MOST_FAILURES + 1);
  const lacking = creator
    ? lackingOf(resource, (field) => Object.hasOwn(body, field), creator)
    : [];
  if (issues.length + unwritable.length + changed.length + lacking.length === 0) {
    return { body, row: rowOf(resource, output as JsonObject), failures: [] };
  }
  const failures = issues.map(({ path, message }) => {
    const [field, ...element] = path!.map(({ key }) => String(key)) as [string, ...string[]];
    const code = Object.hasOwn(body, field) ? message as FieldCode : "required";
    return failureAt([field, ...element], code, resource, body);
  });
  return {
    body,
    row: rowOf(resource, relationsIn(resource, body, failures)),
    failures: [
      ...failures,
      ...changed,
      ...lacking,
      ...unwritable.map((field) => unwritableAt(field, resource)),
    ],
  };
}

/** Puts the identifier of the path into a body; gives the failure of a body that has another one. */
function keyOfPath(
  { key, identifiers: { write }, takesKeys }: Resource,
  shape: "write" | "patch",
  body: JsonObject,
  identifiers: Identifier[],
): FieldFailure[] {
  if (identifiers.length === 0 || !takesKeys) return [];
  const sent = Object.hasOwn(body, key) ? v.safeParse(write, body[key]).output : identifiers[0]!;
  if (shape === "write") body[key] = identifiers[0]!;
  else delete body[key];
  if (identifiers.includes(sent as Identifier)) return [];
  const detail = `The field "${key}" never changes`;
  return [{ pointer: pointerTo(key), code: "read_only", detail }];
}

function rowOf({ writable }: Resource, values: JsonObject): Row {
  const row: Row = Object.create(null); // an object with a prototype loses the column `__proto__`
  for (const field in values) row[writable[field]!.column] = values[field];
  return row;
}

/** The relations that were sent in the right shape. In an array, the elements that failed are null, which
 * no row has. */
function relationsIn(
  { relations, writable }: Resource,
  body: JsonObject,
  failures: FieldFailure[],
): JsonObject {
  const failed = new Set(failures.map(({ pointer }) => pointer));
  const right = Object.keys(relations).filter((field) =>
    writable[field] && Object.hasOwn(body, field) && !failed.has(`/${field}`)
  );
  return Object.fromEntries(right.map((field) => {
    const value = body[field];
    if (!Array.isArray(value)) return [field, value];
    return [field, value.map((each, place) => failed.has(`/${field}/${place}`) ? null : each)];
  }));
}

/** What the validation of a body runs. */
export function inputStatements(resource: Resource): Statement[] {
  return Object.keys(resource.relations).length > 0 ? [checkStatement(resource)] : [];
}

/** Looks for the rows that bodies refer to, or that of the one for a row with an identifier. Resolves to a function
 * that gives the failures of one body: those of its shape and those of its relations. */
async function failuresByPlace(
  database: Database,
  resource: Resource,
  parsed: Parsed[],
  caller: Caller,
  id: Identifier | null = null,
): Promise<(place: number) => FieldFailure[]> {
  const rows = parsed.map(({ row }) => row);
  const hasRelations = rows.some((row) => Object.keys(row).length > 0);
  const claims = claimValues({ slots: claimsOfCreation(resource) }, caller);
  const check = checkStatement(resource);
  const refused = hasRelations
    ? await database.run(check, {
      rows: JSON.stringify(rows.map((row) => ({ ...row, ...claims }))),
      id,
      ...claimValues(check, caller),
    })
    : [];
  const refusals = new Map(refused.map(({ place, refused }) => [place - 1, refused]));
  return (place) => {
    const { body, failures } = parsed[place]!;
    const known = new Set(failures.map(({ pointer }) => pointer));
    const dangling = refusedFields(resource, refusals.get(place) ?? "", body)
      .filter(({ pointer }) => !known.has(pointer));
    return inOrder(resource, [...failures, ...dangling]);
  };
}

/** Failures in the order of the fields and of the elements; those of other members come last. */
function inOrder({ writable }: Resource, failures: FieldFailure[]): FieldFailure[] {
  const byField = Map.groupBy(failures, ({ pointer }) => pointer.split("/")[1]);
  const elementOf = ({ pointer }: FieldFailure) => Number(pointer.split("/")[2] ?? -1);
  return [...new Set([...Object.keys(writable), ...byField.keys()])].flatMap((field) =>
    (byField.get(field) ?? []).sort((one, other) => elementOf(one) - elementOf(other))
  );
}

function unwritableAt(field: string, resource: Resource): FieldFailure {
  if (Object.hasOwn(resource.fields, field)) {
    const detail = `The field "${field}" is read, never written`;
    return { pointer: pointerTo(field), code: "read_only", detail };
  }
  const name = shortened(field);
  return {
    pointer: pointerTo(name),
    code: "unknown_field",
    detail: `${capitalized(withArticle(resource))} has no writable field named "${name}"`,
  };
}
