// From the JSON of a request to the values of a row, or to every failing field at once.
import * as v from "valibot";
import type { Resource, Value } from "../declaration/declaration.ts";
import { kindOf } from "../declaration/field.ts";
import { isCandidate } from "../declaration/relation.ts";
import type { Sql } from "../database/sql.ts";
import { pointerTo } from "../pointer.ts";
import { type FieldCode, type FieldFailure, invalid } from "../problem.ts";

/** The values of the fields that clients send, by name. */
export type Row = Record<string, Value>;

/** Validates a body; where its shape fails, the relations are still checked, and all is reported. */
export async function input(
  sql: Sql,
  resource: Resource,
  shape: "write" | "patch",
  body: unknown,
): Promise<Row> {
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    throw invalid([
      { pointer: "", code: "incorrect_type", detail: `Send an object, not ${kindOf(body)}` },
    ]);
  }
  const sent = body as Record<string, unknown>;
  const result = v.safeParse(resource.schemas[shape], sent, { abortPipeEarly: true });
  const failed = new Map<string, FieldCode>();
  for (const { path, message } of result.issues ?? []) {
    const field = String(path?.[0]?.key);
    failed.set(field, Object.hasOwn(sent, field) ? message as FieldCode : "required");
  }
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(resource.sent, name));
  if (failed.size === 0 && unknown.length === 0) {
    const values = result.output as Row;
    return Object.fromEntries(
      Object.keys(resource.sent).map((name) => [name, values[name] ?? null]),
    );
  }
  for (const [name, relation] of Object.entries(resource.relations)) {
    if (failed.has(name) || !Object.hasOwn(sent, name)) continue;
    if (!await isCandidate(sql, relation, sent[name] as number)) {
      failed.set(name, "does_not_exist");
    }
  }
  throw invalid([
    ...Object.keys(resource.sent)
      .filter((name) => failed.has(name))
      .map((name) => failure(resource, name, failed.get(name)!, sent[name])),
    ...unknown.map((name) => failure(resource, name, "unknown_field", sent[name])),
  ]);
}

/** One entry of `errors`. */
export function failure(
  resource: Resource,
  name: string,
  code: FieldCode,
  value: unknown,
): FieldFailure {
  const detail = code === "required"
    ? `The field "${name}" is required`
    : code === "unknown_field"
    ? `A ${resource.name} has no writable field named "${name}"`
    : resource.sent[name]!.explain(code, value);
  return { pointer: pointerTo(name), code, detail };
}
