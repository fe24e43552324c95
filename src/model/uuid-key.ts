// Identifiers that are UUIDs (RFC 9562): of version 7 if the server makes them.
import { v7 } from "uuid";
import * as v from "valibot";
import type { FieldCode } from "../errors/problem.ts";
import { jsonTypeOf } from "./field.ts";
import type { Key, KeyField } from "./key.ts";
import type { Resource, Write } from "./model.ts";
import { columnDefault } from "./table.ts";
import { UUID, UUID_EXAMPLE, uuidText, uuidType } from "./uuid.ts";

const UUID_SCHEMA = { type: "string", format: "uuid" };

/** UUIDs (RFC 9562), in lower case. */
export const uuidKey: Key = {
  sqlType: "uuid",
  columnType: uuidType,
  referenceType: uuidType,
  example: UUID_EXAMPLE,
  schema: UUID_SCHEMA,
  read: v.pipe(v.string(), v.metadata(UUID_SCHEMA)),
  write: lowerCase("does_not_exist"),
  text: v.pipe(
    v.string(),
    v.metadata({ ...UUID_SCHEMA, examples: [UUID_EXAMPLE] }),
    v.check((text) => UUID.test(text), "a UUID"),
    v.transform((text) => text.toLowerCase()),
  ),
  stored: v.pipe(v.string(), v.check((text) => UUID.test(text))),
  isBefore: (one, other) => one < other,
  isChronological: false,
  noun: "a UUID as a string",
  range: "UUIDs",
  is: (value) => typeof value === "string" && UUID.test(value),
};

/** A UUID in a body, in lower case. */
function lowerCase(code: FieldCode) {
  return v.pipe(uuidText(code), v.transform((text) => text.toLowerCase()));
}

/** The field of UUIDs that clients may give, and else the server, or the default of the column. */
export function uuidField(
  { default: fallback, column = "id" }: { default?: "database"; column?: string },
): KeyField {
  const write: Write = {
    schema: lowerCase("invalid_format"),
    sqlType: uuidKey.sqlType,
    explain: (code, value) =>
      code === "invalid_format"
        ? `Send a UUID such as "${UUID_EXAMPLE}"`
        : `Send a UUID as a string, not ${jsonTypeOf(value)}`,
    default: () => v7(),
  };
  return {
    identifiers: uuidKey,
    example: UUID_EXAMPLE,
    write,
    ...(fallback === "database" && {
      whenDeclared: (resource: Resource) => ({
        write: { ...write, default: columnDefault(resource, column) },
      }),
    }),
  };
}
