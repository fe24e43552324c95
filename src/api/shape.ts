// The shape of a body: turns JSON into the values of a row, and of the rows that it owns, or tells each field that fails.
import * as v from "valibot";
import { type FieldCode, type FieldFailure, invalid, MOST_FAILURES } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { claimedValue } from "../model/claim.ts";
import { jsonTypeOf } from "../model/field.ts";
import { type Identifier, keysOfParts, splitIdentifier } from "../model/key.ts";
import type { Payload, Resource } from "../model/model.ts";
import { MAXIMUM_OWNED } from "../model/owned.ts";
import { pointerTo } from "../model/pointer.ts";
import { CLAIMED } from "../model/sent.ts";
import { keyColumnOf } from "../model/table.ts";
import { failureAt, type JsonObject, ownedIn, unwritableAt, within } from "./failures.ts";

/** The values by column: those that were sent, and the defaults of the others. */
export type Row = Record<string, unknown>;

/** The most rows that others own in one request. */
const MOST_OWNED = 10_000;

/** What is known of a body besides its shape. */
export interface Asked {
  shape: "write" | "patch";
  /** Those that it may repeat, if the row is there. */
  identifiers: Identifier[];
  caller: Caller;
  isNew: boolean;
}

/** A body by its shape. If that is wrong, the row has only what a statement checks. */
export interface Parsed {
  body: JsonObject;
  row: Row;
  failures: FieldFailure[];
}

export function parse(resource: Payload, sent: unknown, asked: Asked): Parsed {
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
    identifiers.length === 0 || !resource.keys!.includes(String(path![0].key))
  );
  const unwritable = Object.keys(body)
    .filter((field) => !isSent(resource.writable, field))
    .slice(0, MOST_FAILURES + 1);
  const lacking = isNew ? lackingOf(resource, (field) => Object.hasOwn(body, field), caller) : [];
  const owned = parseOwned(resource, body, asked);
  const inOwned = owned.flatMap(([field, rows]) =>
    rows.flatMap(({ failures }, index) => failures.map((each) => within(each, field, index)))
  );
  const others = [...changed, ...lacking, ...inOwned];
  if (issues.length + unwritable.length + others.length === 0) {
    return { body, row: rowOf(resource, output as JsonObject, owned), failures: [] };
  }
  const failures = issues.map(({ path, message }) => {
    const [field, ...element] = path!.map(({ key }) => String(key)) as [string, ...string[]];
    const code = Object.hasOwn(body, field) ? message as FieldCode : "required";
    return failureAt([field, ...element], code, resource, body);
  });
  return {
    body,
    row: rowOf(resource, checkedIn(resource, body, failures), owned),
    failures: [
      ...failures,
      ...others,
      ...unwritable.map((field) => unwritableAt(field, resource)),
    ],
  };
}

/** Puts the identifier of the path into a body; gives the failures of a body that has another one. */
function keyOfPath(
  { keys = [], identifiers: known, writable }: Payload,
  shape: "write" | "patch",
  body: JsonObject,
  identifiers: Identifier[],
): FieldFailure[] {
  if (identifiers.length === 0 || !known) return [];
  const all = identifiers.map((each) => splitIdentifier(known, each));
  return keys.flatMap((field, index) => {
    if (!isSent(writable, field)) return [];
    const sent = Object.hasOwn(body, field)
      ? v.safeParse(keysOfParts(known)[index]!.write, body[field]).output
      : all[0]![index];
    if (shape === "write") body[field] = all[0]![index];
    else delete body[field];
    if (all.some((values) => values[index] === sent)) return [];
    const detail = `The field "${field}" never changes`;
    return [{ pointer: pointerTo(field), code: "read_only", detail }];
  });
}

/** Whether clients send a field. */
function isSent(writable: Payload["writable"], field: string): boolean {
  return Object.hasOwn(writable, field) && !writable[field]!.write.isFilled;
}

/** Parses the rows that a row is to own, by the fields that have them. One that is sent without its identifier is new. */
function parseOwned(resource: Payload, body: JsonObject, asked: Asked): [string, Parsed[]][] {
  return Object.keys(resource.relations).flatMap((field): [string, Parsed[]][] => {
    const rows = ownedIn(resource, field);
    const elements = body[field];
    if (!rows || !Array.isArray(elements) || elements.length > MAXIMUM_OWNED) return [];
    const seen = new Set<unknown>();
    return [[field, elements.map((element) => parseOwnedRow(rows, element, seen, asked))]];
  });
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
  const { row } = parsed;
  if (isNew) withClaimed(rows, row, caller);
  else if (rows.takesKeys) row[CLAIMED] = withClaimed(rows, {}, caller);
  return { ...parsed, failures, row };
}

/** Throws the problem of bodies with more rows to own than one request takes. */
export function checkOwned(resource: Resource, parsed: Parsed[]): void {
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

function rowOf({ writable }: Payload, values: JsonObject, owned: [string, Parsed[]][]): Row {
  const row: Row = Object.create(null); // an object with a prototype loses the column `__proto__`
  for (const field in values) row[writable[field]!.column] = values[field];
  for (const [field, rows] of owned) row[writable[field]!.column] = rows.map(({ row }) => row);
  return row;
}

/** The relations, and what else a statement checks, that were sent in the right shape. In an array, the elements that
 * failed are null, which no row has. */
function checkedIn(
  { writable }: Payload,
  body: JsonObject,
  failures: FieldFailure[],
): JsonObject {
  const failed = new Set(failures.map(({ pointer }) => pointer));
  const right = Object.entries(writable).filter(([field, { relation, write }]) =>
    write.refusal && !relation?.isOwned && Object.hasOwn(body, field) && !failed.has(`/${field}`)
  );
  return Object.fromEntries(right.map(([field]) => {
    const value = body[field];
    if (!Array.isArray(value)) return [field, value];
    return [field, value.map((each, index) => failed.has(`/${field}/${index}`) ? null : each)];
  }));
}

/** Puts into a row to create what the claims of its sender fill. */
export function withClaimed(resource: Payload, row: Row, caller: Caller): Row {
  for (const field of Object.values(resource.claimed)) {
    const value = claimedValue(field, caller);
    if (value !== undefined && !Object.hasOwn(row, field.column)) row[field.column] = value;
  }
  return row;
}

/** The failures of fields that a claim would fill, and that neither a claim nor the client does. */
export function lackingOf(
  resource: Payload,
  isSent: (field: string, column: string) => boolean,
  caller: Caller,
): FieldFailure[] {
  return Object.entries(resource.claimed)
    .filter(([name, field]) =>
      !field.nullable && !isSent(name, field.column) && claimedValue(field, caller) === undefined
    )
    .map(([name]) => failureAt([name], "required", resource, {}));
}

/** The failures of rows with identifiers that a new row cannot own yet. */
export function strangersIn(resource: Resource, row: Row): FieldFailure[] {
  return Object.keys(resource.writable).flatMap((field) => {
    const rows = ownedIn(resource, field);
    const sent = row[resource.fields[field]!.column];
    if (!rows || !Array.isArray(sent)) return [];
    return (sent as Row[]).flatMap((each, index) => {
      const { [keyColumnOf(rows)]: identifier } = each;
      const own = identifier === undefined || rows.takesKeys
        ? strangersIn(rows, each)
        : [failureAt([rows.key], "does_not_exist", rows, { [rows.key]: identifier })];
      return own.map((failure) => within(failure, field, index));
    });
  });
}
