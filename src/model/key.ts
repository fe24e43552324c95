// What identifies a row. `identifier()` says it of a resource; whoever handles identifiers asks its key, and takes
// them for values of which nothing else is known.
import * as v from "valibot";
import type { ColumnType, Field, Filter } from "./model.ts";
import {
  bigintText,
  integerType,
  integerTypes,
  isExact,
  isIntegral,
  MAXIMUM_INTEGER,
} from "./number.ts";
import type { Options } from "./options.ts";
import { checkedOptions, word } from "./word.ts";

/** An identifier, as a statement takes and gives it; two are of the same row if they are equal. */
export type Identifier = string | number;

/** All that is known of the identifiers of a resource. */
export interface Key {
  /** The type in which a statement takes one. */
  sqlType: string;
  /** What the column of the identifier has to be, and one that refers to it. */
  columnType: ColumnType;
  referenceType: ColumnType;
  example: Identifier;
  /** The JSON Schema of one. */
  schema: object;
  /** One before all that a row can have. */
  beforeAll: Identifier;
  /** One in an answer. */
  read: v.GenericSchema;
  /** One in a body, to refer to a row. The message of each issue is a code of `fieldProblems`. */
  write: v.GenericSchema<unknown, Identifier>;
  /** One in a path or a query. The message of an issue says what to send. */
  text: v.GenericSchema<string, Identifier>;
  /** One in a cursor or a position, as Postgres writes it. */
  stored: v.GenericSchema<string, string>;
  /** Whether one comes before another, both as Postgres writes them. */
  isBefore(one: string, other: string): boolean;
  /** What one is, and what all are, as messages name them. */
  noun: string;
  range: string;
  /** Whether a JSON value is one. */
  is(value: unknown): boolean;
}

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
  beforeAll: LIMITS.minimum - 1,
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
  noun: "an integer",
  range: `integers from ${LIMITS.minimum} to ${LIMITS.maximum}`,
  is: Number.isSafeInteger,
};

/** The identifier of a row, assigned by the database and never written. Its column is `id` by default. */
export const identifier = word((options: Options["identifier"] = {}): Field => ({
  kind: "identifier",
  identifiers: integerKey,
  column: "id",
  columnType: integerKey.columnType,
  example: integerKey.example,
  ...checkedOptions("identifier", options),
  read: integerKey.read,
  filter: filterBy(integerKey),
}));

/** How lists filter by identifiers, those of relations too. */
export function filterBy({ text, sqlType }: Key): Filter {
  return { value: text, sqlType, isOrdered: false };
}
