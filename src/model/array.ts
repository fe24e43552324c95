// The kind of field that holds an array of what another kind takes.
import * as v from "valibot";
import { raw, type Sql, sql } from "../db/sql.ts";
import { isField, jsonTypeOf } from "./field.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { queryText, several } from "./values.ts";
import { checkedOptions, describeValue, word } from "./word.ts";

/** The most elements, unless the field says otherwise. */
const MOST_ELEMENTS = 1000;

const ELEMENT = sql`relata_element.one`;

/** An array of what a kind takes. Null is no element; one that is null in the database, or has no JSON value, is read
 * as null, and so is an array of several dimensions. */
export const array = word((element: Field, options: Options["array"] = {}): Field => {
  const { minimum = 0, maximum = MOST_ELEMENTS, default: fallback, ...rest } = checkedOptions(
    "array",
    options,
  );
  const { write, filter, columnType, read, value, example, unit } = elementOf(element);
  const limits = { ...(minimum > 0 && { minItems: minimum }), maxItems: maximum };
  const items = { type: write.schema.type, ...v.getMetadata(write.schema) };
  const elementHolds = columnType.holds?.(ELEMENT) ?? sql`true`;
  return {
    kind: "array",
    example: Array(Math.max(1, minimum)).fill(example),
    ...(unit !== undefined && { unit }),
    ...rest,
    bytes: (column) => sql`coalesce(octet_length(${column}::text), 0)`,
    columnType: {
      ...columnType,
      types: columnType.types.map((type) => `${type}[]`),
      converted: columnType.converted.map((type) => `${type}[]`),
      holds: (column) =>
        sql`${isFlat(column)} and not exists (
          select
          from unnest(${column}) as relata_element (one)
          where ${ELEMENT} is null or not (${elementHolds})
        )`,
    },
    read: v.pipe(v.array(read), v.metadata(limits)),
    value: (column) =>
      sql`
        case
          when ${isFlat(column)}
          then ${value ? each(column, value(ELEMENT)) : column}
        end`,
    write: {
      ...write,
      schema: v.pipe(
        // The length first, as in a to-many: to find what is wrong with each of 500,000 elements takes long
        v.array(v.unknown(), "incorrect_type"),
        v.metadata({ items, ...limits }),
        v.check((value) => value.length >= minimum, "too_few"),
        v.check((value) => value.length <= maximum, "too_many"),
        v.array(write.schema),
      ),
      sqlType: `${write.sqlType}[]`,
      default: fallback,
      explain: (code, value) => {
        if (code === "too_few") return `Send at least ${elements(minimum)}`;
        if (code === "too_many") return `Send at most ${elements(maximum)}`;
        return `Send an array, not ${jsonTypeOf(value)}`;
      },
      explainElement: write.explain,
    },
    filter: {
      value: v.pipe(
        several(filter.value, "Values that it contains"),
        v.metadata({ examples: [queryText([example as string])] }),
      ),
      isOrdered: false,
      asks: "what it contains",
      ...(filter.sqlType && arraysOf(filter.sqlType)),
    },
  };
});

/** The field of an element. */
function elementOf(element: Field) {
  const { write, filter, columnType, read, nullable } = isField(element) ? element : {} as Field;
  if (!write || !filter || filter.asks || !columnType || !read || nullable) {
    throw new Error(
      `array takes a field that is compared and not null, such as text(), not ${
        element?.kind ? nullable ? "one that is nullable" : element.kind : describeValue(element)
      }`,
    );
  }
  return { ...element, write, filter, columnType, read };
}

/** Whether an array has one dimension; null for none. */
function isFlat(column: Sql): Sql {
  return sql`(cardinality(${column}) = 0 or array_ndims(${column}) = 1)`;
}

function each(column: Sql, value: Sql): Sql {
  return sql`array(
    select ${value}
    from unnest(${column}) with ordinality as relata_element (one, ordinal)
    order by relata_element.ordinal
  )`;
}

/** How arrays of a type are compared: Postgres does so only with others of that type. */
function arraysOf(type: string) {
  const sqlType = `${type}[]`;
  return { sqlType, compared: (column: Sql) => sql`${column}::${raw(sqlType)}` };
}

function elements(count: number): string {
  return count === 1 ? "1 element" : `${count} elements`;
}
