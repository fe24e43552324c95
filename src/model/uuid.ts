// The kind of field that holds a UUID.
import * as v from "valibot";
import type { FieldCode } from "../errors/problem.ts";
import { jsonTypeOf } from "./field.ts";
import type { ColumnType, Field } from "./model.ts";
import type { Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** A UUID as a text (RFC 9562), of any version and in any case. */
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const UUID_EXAMPLE = "01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7e";

/** A UUID in a body; the code is for a text that is none. */
export function uuidText(code: FieldCode) {
  return v.pipe(
    v.string("incorrect_type"),
    v.metadata({ format: "uuid" }),
    v.check((value) => UUID.test(value), code),
  );
}

/** The type of a column that holds one. */
export const uuidType: ColumnType = { types: ["uuid"], converted: [] };

/** A UUID of any version: a string, sent in any case, which Postgres reads in lower case. */
export const uuid = word((options: Options["uuid"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("uuid", options);
  return {
    kind: "uuid",
    example: UUID_EXAMPLE,
    ...rest,
    columnType: uuidType,
    read: v.pipe(v.string(), v.metadata({ format: "uuid" })),
    write: {
      schema: uuidText("invalid_format"),
      sqlType: "uuid",
      default: fallback,
      explain: (code, value) =>
        code === "invalid_format"
          ? `Send a UUID such as "${UUID_EXAMPLE}"`
          : `Send a string, not ${jsonTypeOf(value)}`,
    },
    filter: {
      value: v.pipe(
        v.string(),
        v.metadata({ format: "uuid" }),
        v.check((text) => UUID.test(text), `a UUID such as ${UUID_EXAMPLE}`),
      ),
      sqlType: "uuid",
      isOrdered: false,
      isSelective: true,
    },
  };
});
