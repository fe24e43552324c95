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
import { MAXIMUM_OWNED } from "../model/owned.ts";
import { mapValues } from "../model/record.ts";
import { capitalized, withArticle } from "../model/resource.ts";
import { keyColumnOf } from "../model/table.ts";
import { checkStatement, claimsOfCreation } from "../statements/sent.ts";

/** The values by column: those that were sent, and the defaults of the others. */
export type Row = Record<string, unknown>;

type JsonObject = Record<string, unknown>;

/** The most rows that others own in one request. */
const MOST_OWNED = 10_000;

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
  const parsed = parse(resource, body, { shape, identifiers, caller, isNew });
  checkOwned(resource, [parsed]);
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
    ...strangersIn(resource, row),
  ];
  if (failures.length > 0) throw invalid(failures);
  return filled(resource, row, caller);
}

/** A row to create, with what the claims of its sender fill, and what they say for the rules. */
function filled(resource: Resource, row: Row, caller: Caller): Row {
  const claims = claimValues({ slots: claimsOfCreation(resource) }, caller);
  return Object.assign(withClaimed(resource, row, caller), claims);
}

/** A row to create, with what the claims of its sender fill. */
function withClaimed(resource: Resource, row: Row, caller: Caller): Row {
  const values: Row = Object.create(null);
  for (const field of Object.values(resource.claimed)) {
    const value = claimedValue(field, caller);
    if (value !== undefined) values[field.column] = value;
  }
  return Object.assign(values, row);
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
    const one = parse(resource, body, {
      shape: "write",
      identifiers: [],
      caller,
      isNew: true,
    });
    parsed.push(one);
    count += one.failures.length;
    if (count > MOST_FAILURES) break;
  }
  checkOwned(resource, parsed);
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

/** The failure of a body, as that of the array or the field that it is in. */
export function within(failure: FieldFailure, ...path: (string | number)[]): FieldFailure {
  return { ...failure, pointer: `/${path.join("/")}${failure.pointer}` };
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
  const [field, element, ...inside] = path as [string, string?];
  if (code === "not_allowed") return notAllowed(resource, field);
  const rows = ownedIn(resource, field);
  if (rows && element !== undefined) {
    const row = (body[field] as unknown[])[Number(element)];
    return within(failureAt(inside, code, rows, row as JsonObject), field, element);
  }
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

/** What is known of a body besides its shape. */
interface Asked {
  shape: "write" | "patch";
  /** Those that it may repeat, if the row is there. */
  identifiers: Identifier[];
  caller: Caller;
  isNew: boolean;
}

function parse(resource: Resource, sent: unknown, asked: Asked): Parsed {
  const { shape, identifiers, caller, isNew } = asked;
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
  const lacking = isNew ? lackingOf(resource, (field) => Object.hasOwn(body, field), caller) : [];
  const owned = parseOwned(resource, body, asked);
  const inOwned = Object.entries(owned).flatMap(([field, rows]) =>
    rows.flatMap(({ failures }, place) => failures.map((each) => within(each, field, place)))
  );
  const ownRows = mapValues(owned, (rows) => rows.map(({ row }) => row));
  const others = [...changed, ...lacking, ...inOwned];
  if (issues.length + unwritable.length + others.length === 0) {
    return { body, row: rowOf(resource, { ...output as JsonObject, ...ownRows }), failures: [] };
  }
  const failures = issues.map(({ path, message }) => {
    const [field, ...element] = path!.map(({ key }) => String(key)) as [string, ...string[]];
    const code = Object.hasOwn(body, field) ? message as FieldCode : "required";
    return failureAt([field, ...element], code, resource, body);
  });
  return {
    body,
    row: rowOf(resource, { ...relationsIn(resource, body, failures), ...ownRows }),
    failures: [
      ...failures,
      ...others,
      ...unwritable.map((field) => unwritableAt(field, resource)),
    ],
  };
}

/** Throws the problem of bodies with more rows to own than one request takes. */
function checkOwned(resource: Resource, parsed: Parsed[]): void {
  const count = parsed.reduce((sum, { row }) => sum + ownedCount(resource, row), 0);
  if (count <= MOST_OWNED) return;
  const detail = `Send at most ${MOST_OWNED} rows that others own`;
  throw invalid([{ pointer: "", code: "too_many", detail }]);
}

function ownedCount(resource: Resource, row: Row): number {
  return Object.keys(resource.relations).reduce((sum, field) => {
    const rows = ownedIn(resource, field);
    const sent = rows && row[resource.fields[field]!.column];
    if (!Array.isArray(sent)) return sum;
    return sent.reduce((sum, each) => sum + 1 + ownedCount(rows!, each), sum);
  }, 0);
}

/** Parses the rows that a row is to own, by the fields that have them. One that is sent without its identifier is new. */
function parseOwned(resource: Resource, body: JsonObject, asked: Asked): Record<string, Parsed[]> {
  const sent = Object.keys(resource.writable).flatMap((field): [string, Parsed[]][] => {
    const rows = ownedIn(resource, field);
    const elements = body[field];
    if (!rows || !Array.isArray(elements) || elements.length > MAXIMUM_OWNED) return [];
    const seen = new Set<unknown>();
    return [[field, elements.map((element) => parseOwnedRow(rows, element, seen, asked))]];
  });
  return Object.fromEntries(sent);
}

function parseOwnedRow(
  rows: Resource,
  sent: unknown,
  seen: Set<unknown>,
  { caller, isNew: isOwnerNew }: Asked,
): Parsed {
  const { key } = rows;
  const identifier = Object.hasOwn(Object(sent), key)
    ? (sent as JsonObject)[key] as Identifier
    : undefined;
  const isNew = isOwnerNew || identifier === undefined;
  const parsed = parse(rows, sent, { shape: "write", identifiers: [], caller, isNew });
  const isAgain = identifier !== undefined && seen.has(identifier);
  seen.add(identifier);
  const isUnknown = isOwnerNew && identifier !== undefined && !rows.takesKeys;
  const isKnown = parsed.failures.some(({ pointer }) => pointer === pointerTo(key));
  const code = isAgain ? "duplicate" : isUnknown ? "does_not_exist" : undefined;
  const failures = code && !isKnown
    ? [failureAt([key], code, rows, parsed.body), ...parsed.failures]
    : parsed.failures;
  return { ...parsed, failures, row: isNew ? withClaimed(rows, parsed.row, caller) : parsed.row };
}

/** The rows that a field has of those that a row owns; undefined for another field. */
function ownedIn(resource: Resource, field: string): Resource | undefined {
  const { relations } = resource;
  const relation = Object.hasOwn(relations, field) ? relations[field]! : undefined;
  return relation?.isOwned ? relation.target(resource) : undefined;
}

/** The failures of rows with identifiers that a new row cannot own yet. */
function strangersIn(resource: Resource, row: Row): FieldFailure[] {
  return Object.keys(resource.writable).flatMap((field) => {
    const rows = ownedIn(resource, field);
    const sent = row[resource.fields[field]!.column];
    if (!rows || !Array.isArray(sent)) return [];
    return (sent as Row[]).flatMap((each, place) => {
      const { [keyColumnOf(rows)]: identifier } = each;
      const own = identifier === undefined || rows.takesKeys
        ? strangersIn(rows, each)
        : [failureAt([rows.key], "does_not_exist", rows, { [rows.key]: identifier })];
      return own.map((failure) => within(failure, field, place));
    });
  });
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
  const right = Object.entries(relations).filter(([field, { isOwned }]) =>
    !isOwned && writable[field] && Object.hasOwn(body, field) && !failed.has(`/${field}`)
  );
  return Object.fromEntries(right.map(([field]) => {
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

/** Failures in the order of the fields, of the elements, and of the fields in these; those of other members come last. */
function inOrder(resource: Resource, failures: FieldFailure[], depth = 1): FieldFailure[] {
  const step = ({ pointer }: FieldFailure, of: number) => pointer.split("/")[of];
  const byField = Map.groupBy(failures, (each) => step(each, depth) ?? "");
  return [...new Set([...Object.keys(resource.writable), ...byField.keys()])].flatMap((field) => {
    const rows = ownedIn(resource, field);
    const byElement = Map.groupBy(
      byField.get(field) ?? [],
      (each) => Number(step(each, depth + 1) ?? -1),
    );
    return [...byElement].sort(([one], [other]) => one - other)
      .flatMap(([, those]) => rows ? inOrder(rows, those, depth + 2) : those);
  });
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
