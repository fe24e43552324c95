// The kind of field that holds bytes.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { sql } from "../db/sql.ts";
import { jsonTypeOf, onlyNull } from "./field.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** Bytes: a string, in base64 with its padding and without line breaks (RFC 4648, section 4). */
export const bytes = word((options: Options["bytes"] = {}): Field => {
  const { maximum = Infinity, default: fallback, ...rest } = checkedOptions("bytes", options);
  const encoded = {
    contentEncoding: "base64",
    ...(maximum !== Infinity && { maxLength: 4 * Math.ceil(maximum / 3) }),
  };
  return {
    kind: "bytes",
    example: Buffer.from("Bytes").subarray(0, maximum).toString("base64"),
    ...rest,
    bytes: (column) => sql`coalesce(octet_length(${column}), 0)`,
    columnType: { types: ["bytea"], converted: [] },
    read: v.pipe(v.string(), v.metadata({ contentEncoding: "base64" })),
    value: (column) => sql`translate(encode(${column}, 'base64'), chr(10), '')`,
    write: {
      schema: v.pipe(
        v.string("incorrect_type"),
        v.metadata(encoded),
        v.check(isBase64, "invalid_format"),
        v.transform((text) => Buffer.from(text, "base64")),
        v.check(({ length }) => length <= maximum, "too_long"),
        v.transform((sent) => `\\x${sent.toString("hex")}`),
      ),
      sqlType: "bytea",
      default: fallback,
      explain: (code, value) => {
        if (code === "too_long") return `Send at most ${maximum} bytes`;
        if (code === "invalid_format") return 'Send base64 with its padding, such as "Qnl0ZXM="';
        return `Send a string, not ${jsonTypeOf(value)}`;
      },
    },
    filter: onlyNull,
  };
});

/** Whether a text is the base64 of some bytes: there is no other that is read back the same. */
function isBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("base64") === text;
}
