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

/** Validates a body. Even if its shape is wrong, its relations are checked, so that one answer reports
 * everything. */
export async function input(
  database: Database,
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
  const unknown = Object.keys(sent).filter((field) => !Object.hasOwn(resource.sent, field));
  if (failed.size === 0 && unknown.length === 0) {
    const values = result.output as Record<string, Value>;
    const row: Row = {};
    for (const field in values) row[resource.sent[field]!.column] = values[field]!;
    return row;
  }
  for (const [field, { write: { refusal, sqlType } }] of Object.entries(resource.sent)) {
    if (!refusal || failed.has(field) || !Object.hasOwn(sent, field)) continue;
    const code = refusal(sql`value`, resource);
    const [row] = await database.run(refusalStatement(field, code, sqlType), {
      value: sent[field] as Value,
    });
    if (row?.code) failed.set(field, row.code);
  }
  throw invalid([
    ...Object.keys(resource.sent)
      .filter((field) => failed.has(field))
      .map((field) => failure(resource, field, failed.get(field)!, sent[field])),
    ...unknown.map((field) =>
      Object.hasOwn(resource.fields, field)
        ? failure(resource, field, "read_only", undefined)
        : failure(resource, shortened(field), "unknown_field", undefined)
    ),
  ]);
}

/** The problem of a row that a statement refused. */
export function refused(resource: Resource, refusals: string, body: unknown): Problem {
  const sent = body as Record<string, unknown>;
  return invalid(
    refusals.split(",").map((refusal) => {
      const [field = "", code] = refusal.split(":");
      return failure(resource, field, code as FieldCode, sent[field]);
    }),
  );
}

/** The problem of a row that the database left out for a reason that no field declares: a trigger or a
 * policy. */
export function rejected(resource: Resource): Problem {
  const detail = `The database rejected this ${resource.name}`;
  return invalid([{ pointer: "", code: "rejected", detail }]);
}

/** Checks the relations of a body whose shape is wrong, so that there is nothing to write. */
function refusalStatement(field: string, code: Sql, sqlType: string) {
  return reads<{ value: Value }, { code: FieldCode | null }>(
    `check ${field}`,
    sql`select ${code} as code from (select ${slot("value", sqlType)} as value) as sent`,
  );
}

/** One entry of `errors`. */
function failure(
  resource: Resource,
  field: string,
  code: FieldCode,
  value: unknown,
): FieldFailure {
  const detail = code === "required"
    ? `The field "${field}" is required`
    : code === "unknown_field"
    ? `${capitalized(oneOf(resource))} has no writable field named "${field}"`
    : code === "read_only"
    ? `The field "${field}" is read, never written`
    : resource.sent[field]!.write.explain(code, value, resource);
  return { pointer: pointerTo(field), code, detail };
}
