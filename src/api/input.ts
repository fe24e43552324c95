// Turns the JSON of a request into the values of a row, or into a problem that lists every failing field: those of its
// shape, and those of the rows that it refers to.
import * as v from "valibot";
import type { Database } from "../db/database.ts";
import type { Statement } from "../db/sql.ts";
import { type FieldCode, type FieldFailure, invalid, MOST_FAILURES } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import { claimedValue, claimValues } from "../model/claim.ts";
import { type Identifier, splitIdentifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { checkStatement, claimsOfCreation } from "../statements/sent.ts";
import { failureAt, failuresIn, unwritableAt, withRefused } from "./failures.ts";
import {
  checkOwned,
  lackingOf,
  parse,
  type Parsed,
  type Row,
  strangersIn,
  withClaimed,
} from "./shape.ts";

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
  const failuresAt = await failuresByIndex(database, resource, [parsed], caller, identifiers[0]);
  throw invalid(failuresAt(0));
}

/** The row that a PUT creates; throws what is wrong with its key, and what it lacks. */
export function rowOfCreation(
  resource: Resource,
  row: Row,
  identifier: Identifier,
  caller: Caller,
): Row {
  const values = splitIdentifier(resource.identifiers, identifier);
  const failures = [
    ...resource.keys.flatMap((field, index) =>
      failuresOfKey(resource, field, values[index]!, caller)
    ),
    ...lackingOf(
      resource,
      (field, column) => resource.keys.includes(field) || Object.hasOwn(row, column),
      caller,
    ),
    ...strangersIn(resource, row),
  ];
  if (failures.length > 0) throw invalid(failures);
  return filled(resource, row, caller);
}

/** What is wrong with a value in the key of a row that a PUT creates: its shape, or that a claim fills the field with
 * another one. */
function failuresOfKey(
  resource: Resource,
  field: string,
  value: Identifier,
  caller: Caller,
): FieldFailure[] {
  const { write } = resource.writable[field]!;
  const claimed = resource.claimed[field];
  if (write.isFilled && claimed && claimedValue(claimed, caller) !== value) {
    return [unwritableAt(field, resource)];
  }
  const { issues = [] } = v.safeParse(write.schema, value);
  return issues.map(({ message }) =>
    failureAt([field], message as FieldCode, resource, { [field]: value })
  );
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
    failuresIn(parsed.keys(), await failuresByIndex(database, resource, parsed, caller)),
  );
}

/** A row to create, with what the claims of its sender fill, and what they say for the rules. */
function filled(resource: Resource, row: Row, caller: Caller): Row {
  const claims = claimValues({ slots: claimsOfCreation(resource) }, caller);
  return Object.assign(withClaimed(resource, row, caller), claims);
}

/** What the validation of a body runs. */
export function inputStatements(resource: Resource): Statement[] {
  return Object.values(resource.writable).some(({ write }) => write.refusal)
    ? [checkStatement(resource)]
    : [];
}

/** Looks for the rows that bodies refer to, or that of the one for a row with an identifier. Resolves to a function
 * that gives the failures of one body: those of its shape and those of its relations. */
async function failuresByIndex(
  database: Database,
  resource: Resource,
  parsed: Parsed[],
  caller: Caller,
  id: Identifier | null = null,
): Promise<(index: number) => FieldFailure[]> {
  const rows = parsed.map(({ row }) => row);
  const hasChecked = rows.some((row) => Object.keys(row).length > 0);
  const claims = claimValues({ slots: claimsOfCreation(resource) }, caller);
  const check = checkStatement(resource);
  const refused = hasChecked
    ? await database.run(check, {
      rows: JSON.stringify(rows.map((row) => ({ ...row, ...claims }))),
      id,
      ...claimValues(check, caller),
    })
    : [];
  const refusals = new Map(refused.map(({ ordinal, refused }) => [ordinal - 1, refused]));
  return (index) => {
    const { body, failures } = parsed[index]!;
    return withRefused(resource, failures, refusals.get(index) ?? "", body);
  };
}
