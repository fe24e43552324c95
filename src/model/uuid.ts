// The kind of field that holds a UUID.
import * as v from "valibot";
import { jsonTypeOf } from "./field.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** A UUID as a text (RFC 9562), of any version and in any case. */
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const UUID_EXAMPLE = "01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7e";

/** A UUID of any version: a string, sent in any case, which Postgres reads in lower case. */
export const uuid = word((options: Options["uuid"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("uuid", options);
  return {
    kind: "uuid",
    example: UUID_EXAMPLE,
    ...rest,
    columnType: { types: ["uuid"], converted: [] },
    read: v.pipe(v.string(), v.metadata({ format: "uuid" })),
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata({ format: "uuid" }),
        v.check((value) => UUID.test(value), "invalid_format"),
      ),
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
