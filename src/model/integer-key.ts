// Identifiers that are integers.
import * as v from "valibot";
import type { Key, KeyField } from "./key.ts";
import {
  bigintText,
  integer,
  integerType,
  integerTypes,
  isExact,
  isIntegral,
  MAXIMUM_INTEGER,
} from "./number.ts";

const LIMITS = { minimum: -MAXIMUM_INTEGER, maximum: MAXIMUM_INTEGER };
const SCHEMA = { ...integerType, ...LIMITS };

/** Integers that every JSON reader holds exactly. Postgres gives those from 1 on; by hand there are others, such as
 * 0 for "unknown". */
export const integerKey: Key = {
  sqlType: "bigint",
  columnType: {
    types: ["bigint", "integer"], // a smallint soon runs out of them
    converted: ["smallint", "numeric"],
    holds: isExact,
  },
  referenceType: { types: integerTypes, converted: ["numeric"] },
  example: 1,
  schema: SCHEMA,
  read: v.pipe(v.number(), v.integer(), v.metadata(SCHEMA)),
  write: v.pipe(
    v.number("incorrect_type"),
    v.metadata(integerType),
    v.check(isIntegral, "incorrect_type"),
    v.minValue(LIMITS.minimum, "does_not_exist"),
    v.maxValue(LIMITS.maximum, "does_not_exist"),
  ),
  // Decimal digits without leading zeros, perhaps after a minus
  text: v.pipe(
    v.string(),
    v.metadata({ ...SCHEMA, examples: [1] }),
    // No `regex`: the document would have a `pattern` on an integer
    v.check((text) => /^(0|-?[1-9][0-9]*)$/.test(text), "an integer"),
    v.transform(Number),
    v.safeInteger(`an integer from ${LIMITS.minimum} to ${LIMITS.maximum}`),
  ),
  stored: bigintText, // an older table may have an identifier that no path reads
  isBefore: (one, other) => BigInt(one) < BigInt(other),
  isChronological: true,
  noun: "an integer",
  range: `integers from ${LIMITS.minimum} to ${LIMITS.maximum}`,
  is: Number.isSafeInteger,
};

/** The field of integers that Postgres gives, or that clients give. */
export function integerField({ generated = true }: { generated?: boolean }): KeyField {
  const { write } = integer();
  const field = { identifiers: integerKey, example: integerKey.example };
  if (generated) return field;
  return {
    ...field,
    columnType: { ...integerKey.referenceType, holds: isExact }, // who gives them knows how many there are
    write: write!,
  };
}
