// The kind of field that holds true or false.
import * as v from "valibot";
import { jsonTypeOf, textTypes } from "./field.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** True or false. */
export const boolean = word((options: Options["boolean"] = {}): Field => {
  const { default: fallback, ...rest } = checkedOptions("boolean", options);
  return {
    kind: "boolean",
    example: true,
    ...rest,
    columnType: { types: ["boolean"], converted: textTypes },
    read: v.boolean(),
    write: {
      schema: v.boolean("incorrect_type"),
      sqlType: "boolean",
      default: fallback,
      explain: (_, value) => `Send true or false, not ${jsonTypeOf(value)}`,
    },
    filter: { value: booleanText, sqlType: "boolean", isOrdered: false },
  };
});

/** True or false in a query. */
export const booleanText = v.pipe(
  v.string(),
  v.metadata({ type: "boolean" }),
  v.check((text) => text === "true" || text === "false", "true or false"),
  v.transform((text) => text === "true"),
);
