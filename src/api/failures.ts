// What is wrong with a body, as its client reads it: each failure at its pointer, with what to send instead.
import { type FieldCode, type FieldFailure, MOST_FAILURES, shortened } from "../errors/problem.ts";
import { sharedDefault } from "../model/default.ts";
import type { Payload, Resource } from "../model/model.ts";
import { pointerTo } from "../model/pointer.ts";
import { capitalized, withArticle } from "../model/resource.ts";

export type JsonObject = Record<string, unknown>;

/** Collects the failures of the bodies of an array. It stops once they are more than are listed. */
export function failuresIn(
  indexes: Iterable<number>,
  failuresAt: (index: number) => FieldFailure[],
): FieldFailure[] {
  const failures: FieldFailure[] = [];
  for (const index of indexes) {
    failures.push(...failuresAt(index).map((each) => within(each, index)));
    if (failures.length > MOST_FAILURES) break;
  }
  return failures;
}

/** The failure of a body, as that of the array or the field that it is in. */
export function within(failure: FieldFailure, ...path: (string | number)[]): FieldFailure {
  return { ...failure, pointer: `/${path.join("/")}${failure.pointer}` };
}

/** What a statement says is wrong with a body, as `bar:does_not_exist,tags/1:does_not_exist`. */
export function refusedFields(resource: Payload, refusals: string, body: unknown): FieldFailure[] {
  if (refusals === "") return [];
  // Of what is wrong with a field, the first reason is told
  const reasons = Map.groupBy(refusals.split(","), (refusal) => refusal.split(":")[0]!);
  return [...reasons].map(([path, [first]]) => {
    const code = first!.split(":")[1] as FieldCode;
    return failureAt(path.split("/"), code, resource, body as JsonObject);
  });
}

/** The failures of the shape of a body, and what a statement says is wrong with its other fields, in their order. */
export function withRefused(
  resource: Payload,
  failures: FieldFailure[],
  refusals: string,
  body: unknown,
): FieldFailure[] {
  const known = new Set(failures.map(({ pointer }) => pointer));
  const dangling = refusedFields(resource, refusals, body)
    .filter(({ pointer }) => !known.has(pointer));
  return inOrder(resource, [...failures, ...dangling]);
}

/** The failure of a field, or of an element of the array that a to-many takes. */
export function failureAt(
  path: string[],
  code: FieldCode,
  resource: Payload,
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
function notAllowed(resource: Payload, field: string): FieldFailure {
  const which = field === ""
    ? `this ${resource.name}`
    : `${withArticle(resource)} with this ${field}`;
  const pointer = field === "" ? "" : pointerTo(field);
  return { pointer, code: "not_allowed", detail: `You may not write ${which}` };
}

export function unwritableAt(field: string, resource: Payload): FieldFailure {
  if (Object.hasOwn(resource.fields, field)) {
    const detail = `The field "${field}" is read, never written`;
    return { pointer: pointerTo(field), code: "read_only", detail };
  }
  const name = shortened(field);
  return {
    pointer: pointerTo(name),
    code: "unknown_field",
    detail: isOfAction(resource)
      ? `The action "${resource.name}" takes no "${name}" in its body`
      : `${capitalized(withArticle(resource))} has no writable field named "${name}"`,
  };
}

/** Whether it is the input of an action, which has no key. */
function isOfAction({ keys }: Payload): boolean {
  return keys === undefined;
}

/** The rows that a field has of those that a row owns; undefined for another field. */
export function ownedIn(resource: Payload, field: string): Resource | undefined {
  const { relations } = resource;
  const relation = Object.hasOwn(relations, field) ? relations[field]! : undefined;
  return relation?.isOwned ? relation.target(resource) : undefined;
}

/** Failures in the order of the fields, of the elements, and of the fields in these; those of other members come last. */
export function inOrder(resource: Payload, failures: FieldFailure[], depth = 1): FieldFailure[] {
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
